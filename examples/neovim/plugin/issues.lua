-- SPDX-License-Identifier: MIT
-- A plugin for Neovim: `:Issues luarocks/luarocks` puts the open issues of a repository on GitHub
-- into the quickfix list.
--
-- Needs: Neovim 0.7 or later, curl; clients.lua of a release as lua/endpoint/clients.lua beside
-- lua/issues.lua, and endpoint.so in lua/ (docs/neovim.md).
-- Command: nvim --cmd 'set runtimepath+=examples/neovim' -c 'Issues luarocks/luarocks' -c copen
vim.api.nvim_create_user_command("Issues", function(command)
  local ok, message = pcall(require("issues").list, command.args)
  if not ok then
    vim.notify(message, vim.log.levels.ERROR)
  end
end, { nargs = 1 })
