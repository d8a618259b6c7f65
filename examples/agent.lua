-- SPDX-License-Identifier: MIT
-- A loop in which a language model calls operations of an API. What it asks for is checked against
-- the API's OpenAPI document; what is wrong goes back to it as a sentence, and it tries again. The
-- model and the API are stand-ins here, so that the program runs as it is, without a network.
-- Needs lua-cjson, and in the same directory the files that these commands write:
--   endpoint-types --example > shop.json
--   endpoint-types --checks shop.json
-- Usage: lua agent.lua
local json, request = require "cjson", require "endpoint.request"
local clients = require "endpoint.clients" -- shown: a model's text, for a terminal
local shop, rules = require "shop", require "shop-checks"

-- The operations that the model may call. `rules.call` knows all that the document has.
local tools, is_offered = rules.tools { "books/list" }, {}
for _, tool in ipairs(tools) do
  is_offered[tool.name] = true
end

-- --- the stand-ins ----------------------------------------------------------------

-- In the place of the setting `client` a real program names none, and gives its token in the
-- defaults.
local function api(r)
  print(r.method, r.url)
  return 200, { ["content-type"] = "application/json" }, '[{"title": "Programming in Lua"}]'
end

-- A real model is asked by HTTP, and gets the messages and the tools. This one misspells the page's
-- name, and reads what the sentence says.
local function model(messages)
  local last = messages[#messages]
  if last.role == "tool" and last.content:find "^%[" then
    return {
      role = "assistant",
      content = "Page 2 has " .. json.decode(last.content)[1].title .. ".",
    }
  end
  local name = last.content:match 'is it "(%w+)"%?' or "pgae"
  return {
    role = "assistant",
    tool_calls = {
      {
        id = "1",
        name = tools[1].name,
        arguments = json.encode { genre = "science", [name] = 2 },
      },
    },
  }
end

-- --- the loop ---------------------------------------------------------------------

local send = request.new(shop, { client = api })

-- What one call gives the model to read.
local function result_of(asked)
  if not is_offered[asked.name] then
    return "no such function"
  end
  local ok, arguments = pcall(json.decode, asked.arguments)
  if not ok then
    return "the arguments are not JSON"
  end
  local _, response = rules.call(send, asked.name, arguments)
  if type(response) == "string" then -- a sentence for the model
    print("refused", clients.shown(response))
    return response
  end
  return response.text
end

local messages = { { role = "user", content = "Which books are on page 2?" } }
for _ = 1, 10 do -- a model may go on for ever
  local reply = model(messages)
  messages[#messages + 1] = reply
  if not reply.tool_calls then
    break
  end
  for _, asked in ipairs(reply.tool_calls) do
    messages[#messages + 1] = { role = "tool", tool_call_id = asked.id, content = result_of(asked) }
  end
end
print(clients.shown(messages[#messages].content, { lines = true }))
