-- SPDX-License-Identifier: MIT
-- Asks a language model over HTTP, shows its words as they come, and lets it call operations of an
-- API. What it asks for is checked against the API's OpenAPI document; what is wrong goes back
-- to it as a sentence. The API itself is a stand-in here.
-- Needs LuaSocket, LuaSec and lua-cjson, and the files that
-- `endpoint-types --checks --name books books.json` writes.
-- Usage: API=https://HOST/v1 TOKEN=... CA=FILE lua chat.lua QUESTION
package.path = "spec/types/?.lua;" .. package.path -- where the sources of this library have them
local endpoint, request, json = require "endpoint", require "endpoint.request", require "cjson"
local books, rules = require "books", require "books-checks"

local api = endpoint.defaults {
  baseUrl = os.getenv "API",
  headers = { authorization = "Bearer " .. os.getenv "TOKEN" },
}
local send = request.new(api, {
  cafile = os.getenv "CA",
  timeout = 600,
  try_timeout = 60,
  idle_timeout = 30,
})
io.stdout:setvbuf "no" -- a terminal shows whole lines else

-- --- tools ------------------------------------------------------------------------

-- A real program has no `client` here, and gives its token in the defaults.
local library = request.new(books, {
  client = function(r)
    io.write("[", r.method:upper(), " ", r.url, "]\n")
    return 200, { ["content-type"] = "application/json" }, '[{"title": "Programming in Lua"}]'
  end,
})

-- The operations that the model may call. `rules.call` knows all that the document has.
local tools, is_offered = {}, {}
for i, tool in ipairs(rules.tools { "books/list" }) do
  tools[i], is_offered[tool.name] = { type = "function", ["function"] = tool }, true
end

-- What one call gives the model to read.
local function result_of(asked)
  local ok, arguments = pcall(json.decode, asked.arguments)
  if not ok or not is_offered[asked.name] then
    return ok and "no such function" or "the arguments are not JSON"
  end
  local answer, problem = rules.call(library, asked.name, arguments)
  return problem or json.encode(answer)
end

-- --- the stream -------------------------------------------------------------------

local function text_of(value)
  return type(value) == "string" and value or ""
end

-- Adds a part of a message to the whole of it: words, and calls, whose arguments come in parts.
local function add(message, delta)
  io.write(text_of(delta.content))
  message.content = message.content .. text_of(delta.content)
  for _, part in ipairs(type(delta.tool_calls) == "table" and delta.tool_calls or {}) do
    local at, asked = part.index + 1, part["function"] or {}
    message.calls[at] = message.calls[at] or { id = part.id, name = asked.name, arguments = "" }
    message.calls[at].arguments = message.calls[at].arguments .. text_of(asked.arguments)
  end
end

-- The model's next message. To stop in the middle, the function returns nil and a message.
local function ask(messages)
  local message = { content = "", calls = {} }
  local sink = request.events(function(event)
    if event.data ~= "[DONE]" then
      add(message, json.decode(event.data).choices[1].delta)
    end
  end)
  send("POST /chat/completions", {
    model = "small",
    stream = true,
    messages = messages,
    tools = tools,
    request = { sink = sink },
  })
  return message
end

local messages = { { role = "user", content = arg and arg[1] or "Which books are on page 2?" } }
for _ = 1, 10 do -- a model may go on for ever
  local message = ask(messages)
  if #message.calls == 0 then
    break
  end
  local calls = {}
  for i, asked in ipairs(message.calls) do
    calls[i] = { id = asked.id, type = "function", ["function"] = asked }
  end
  messages[#messages + 1] = { role = "assistant", content = message.content, tool_calls = calls }
  for _, asked in ipairs(message.calls) do
    messages[#messages + 1] = { role = "tool", tool_call_id = asked.id, content = result_of(asked) }
  end
end
io.write "\n"
