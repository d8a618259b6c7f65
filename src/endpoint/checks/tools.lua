-- SPDX-License-Identifier: MIT
-- Operations as functions that a language model can call: each with a name, and a JSON Schema of its arguments. A
-- call goes this way:
--
--   call -> options: renames, the rules, parameters by styles, body by json, styles or multipart -> the sender
--   list -> schemas of arguments
local tools = {}

local call = require "endpoint.checks.tools.call"
local list = require "endpoint.checks.tools.list"

tools.list, tools.call = list.tools, call.send

return tools
