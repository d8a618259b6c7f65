-- A configuration of Neovim whose plugins lazy.nvim manages: those of lua/plugins beside it.
-- LAZY_NVIM is the folder of lazy.nvim.
vim.opt.runtimepath:prepend(os.getenv "LAZY_NVIM")
require("lazy").setup "plugins"
