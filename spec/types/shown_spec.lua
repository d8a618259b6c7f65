-- What a string that a stranger wrote may show in the messages of endpoint.checks and
-- endpoint.types. Those of the program endpoint-types are in program_spec.lua, and the function has
-- its rows in spec/text/shown_spec.lua.
package.path = "src/?.lua;" .. package.path
local endpoint = require "endpoint"
local types = require "endpoint.types"
local unseen = require "text.unseen"

local DOCUMENT = {
  openapi = "3.0.3",
  servers = { { url = "https://h.example" } },
  paths = { ["/x"] = { get = { operationId = "x" } } },
}

local function rules_of(document)
  local files = types.generate(document, "api", { checks = true }).files
  return assert((loadstring or load)(files[#files - 1].text))()
end

local api = endpoint.defaults { baseUrl = "https://h.example" }

-- Each says a stranger's string in its message.
local PARTS = {
  {
    name = "endpoint.checks, a parameter of a call",
    message = function(said)
      return unseen.message_of(rules_of(DOCUMENT).check, "GET /x", { [said] = 1 })
    end,
  },
  {
    name = "endpoint.checks, an argument of a tool",
    message = function(said)
      return select(2, rules_of(DOCUMENT).call(api, "x", { [said] = 1 }))
    end,
  },
  {
    name = "endpoint.types, the name of a module",
    message = function(said)
      return unseen.message_of(types.generate, DOCUMENT, said)
    end,
  },
  {
    name = "endpoint.types, what is left out of a document",
    message = function(said)
      local paths = { [said] = { get = {} } }
      local document = { openapi = "3.0.3", servers = DOCUMENT.servers, paths = paths }
      return types.generate(document, "api").left_out[1].operation
    end,
  },
}

for _, part in ipairs(PARTS) do
  describe(part.name, function()
    for _, row in ipairs(unseen.rows(part)) do
      it(row.title, row.run)
    end
  end)
end
