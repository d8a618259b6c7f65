-- SPDX-License-Identifier: MIT
-- JSON's null, as the decoders of programs give it.
local null = {}

local endpoint = require "endpoint"

-- Is the value null? Neovim's own decoder gives vim.NIL.
function null.is(value)
  if value == endpoint.null then
    return true
  end
  local vim = type(value) == "userdata" and rawget(_G, "vim")
  return type(vim) == "table" and value == vim.NIL
end

return null
