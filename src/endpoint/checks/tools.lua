-- SPDX-License-Identifier: MIT
-- Operations as functions that a language model can call: each with a name, and a JSON Schema of
-- its arguments. A call goes this way:
--
--   tool_call -> options -> renames        names in tables, as the document has them
--                        -> value          the rules
--                        -> styles         parameters of the URL
--                        -> body -> json   or a form, or parts
--        -> the sender
--
-- and a list of tools this one:
--
--   list -> arguments -> schemas
local tools = {}

local list = require "endpoint.checks.tools.list"
local tool_call = require "endpoint.checks.tools.tool_call"

tools.list, tools.call = list.tools, tool_call.send

return tools
