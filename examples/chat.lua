-- SPDX-License-Identifier: MIT
-- Asks a language model over HTTP, shows its words as they come, and lets it call operations of an
-- API. What it asks for is checked against the API's OpenAPI document; what is wrong goes back
-- to it as a sentence. The API itself is a stand-in here.
-- Needs LuaSocket, LuaSec and lua-cjson, and in the same directory the files that these commands
-- write:
--   endpoint-types --example > shop.json
--   endpoint-types --checks shop.json
-- Usage: API=https://HOST/v1 TOKEN=... CA=FILE lua chat.lua QUESTION
local endpoint, request, json = require "endpoint", require "endpoint.request", require "cjson"
local shown = require "endpoint.clients".shown -- a model's text, for a terminal
local shop, rules = require "shop", require "shop-checks"

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
local library = request.new(shop, {
  client = function(r)
    io.write("[", r.method:upper(), " ", r.url, "]\n")
    return 200, { ["content-type"] = "application/json" }, '[{"title": "Programming in Lua"}]'
  end,
})

-- The operations that the model may call. `rules.call` knows all that the document has.
local tools = rules.tools({ "books/list" }, { form = "openai" })

-- What one call gives the model to read.
local function result_of(asked)
  local ok, arguments = pcall(json.decode, asked.arguments)
  if not ok or not tools.by_name[asked.name] then
    return ok and "no such function" or "the arguments are not JSON"
  end
  local _, response = rules.call(library, asked.name, arguments)
  return type(response) == "string" and response or response.text
end

-- --- the stream -------------------------------------------------------------------

local function text_of(value)
  return type(value) == "string" and value or ""
end

-- A field of what the model's server sent, if that is a table.
local function field(value, name)
  return type(value) == "table" and value[name] or nil
end

local function list_of(value)
  return type(value) == "table" and value or {}
end

-- A call comes in parts, which say by their index which call they are of.
local function add_call(message, part, position)
  local index, asked = field(part, "index") or position, field(part, "function")
  local call = message.by_index[index]
  if not call then
    call = { id = field(part, "id"), name = text_of(field(asked, "name")), arguments = "" }
    message.by_index[index] = call
    message.calls[#message.calls + 1] = call
  end
  call.arguments = call.arguments .. text_of(field(asked, "arguments"))
end

-- Adds a part of a message to the whole of it: words, and parts of calls.
local function add(message, delta)
  local words = text_of(field(delta, "content"))
  io.write(shown(words, { lines = true }))
  message.content = message.content .. words
  for position, part in ipairs(list_of(field(delta, "tool_calls"))) do
    add_call(message, part, position)
  end
end

-- Takes an event. Some have no choices, such as the last, which says what was used. To stop in the
-- middle, returns nil and a message.
local function take(message, event)
  if event.data == "[DONE]" then
    return true
  end
  local ok, chunk = pcall(json.decode, event.data)
  if not ok or type(chunk) ~= "table" then
    return nil, "an event is not a JSON object"
  end
  local problem = field(chunk, "error")
  if problem and problem ~= json.null then
    return nil, "the model fails: " .. text_of(field(problem, "message") or problem)
  end
  local first = list_of(field(chunk, "choices"))[1]
  add(message, field(first, "delta"))
  return true
end

-- The model's next message.
local function ask(messages)
  local message = { content = "", calls = {}, by_index = {} }
  local sink = request.events(function(event)
    return take(message, event)
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
  local ok, message = pcall(ask, messages)
  if not ok then
    error("\n" .. tostring(message), 0)
  elseif #message.calls == 0 then
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
