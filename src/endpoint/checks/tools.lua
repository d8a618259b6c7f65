-- SPDX-License-Identifier: MIT
-- Operations as functions that a language model can call: each with a name, and a JSON Schema of
-- its arguments. A call goes this way:
--
--   call -> options -> renames        names in tables, as the document has them
--                   -> value          the rules
--                   -> styles         parameters of the URL
--                   -> body -> json   or a form, or parts
--        -> the sender
--
-- and a list of tools this one:
--
--   list -> arguments -> schemas
local tools = {}

local call = require "endpoint.checks.tools.call"
local list = require "endpoint.checks.tools.list"

tools.list, tools.call = list.tools, call.send

return tools
