-- For nginx: a model. Answers in events that are cut every few bytes. "books" in the question asks
-- for a tool first; "much" is answered by a thousand words, and "silence" with two words alone.
-- "hostile" begins with events that have no words, and its words obey a terminal; "failing" ends
-- with an event that says an error.
-- "terminal" is answered by one word, and by another after the first was seen, which a file says.
-- luacheck: globals ngx
local json = require "cjson"
local seen = require "request.seen"

ngx.req.read_body()
local asked = json.decode(ngx.req.get_body_data())
assert(asked.stream == true and ngx.var.http_authorization == "Bearer 0123")
local question, last = asked.messages[1].content, asked.messages[#asked.messages]

local number = 0

-- Sends a text in pieces, the first 40 of them with a pause after each.
local function give(text)
  for at = 1, #text, 7 do
    number = number + 1
    ngx.print(text:sub(at, at + 6))
    if not ngx.flush(true) then
      ngx.exit(444)
    end
    ngx.sleep(number < 40 and 0.002 or 0)
  end
end

local function event(delta)
  give("data: " .. json.encode { choices = { { delta = delta } } } .. "\r\n\r\n")
end

-- Asks for the first tool, in two pieces.
local function call_tool()
  local first = { name = asked.tools[1]["function"].name, arguments = '{"genre": "scie' }
  local call = { index = 0, id = "1", type = "function", ["function"] = first }
  event { content = json.null, tool_calls = { call } }
  event { tool_calls = { { index = 0, ["function"] = { arguments = 'nce", "page": 2}' } } } }
end

-- Events without words, as services send them first and last, and such words.
local function be_hostile()
  give 'data: {"choices": [], "prompt_filter_results": []}\n\n'
  give 'data: {"choices": null, "error": null}\n\n'
  give 'data: {"choices": [{"delta": null}]}\n\ndata: {"choices": [{}]}\n\ndata: {}\n\n'
  event { content = "\27[2J\226\128\174" }
end

local function greet()
  if question:find "hostile" then
    be_hostile()
  end
  event { content = "Hello, " }
  event { content = "w\195\182rld\n" }
  for _ = 1, question:find "much" and 1000 or 0 do
    event { content = "word " }
  end
  if question:find "failing" then
    give 'data: {"error": {"message": "too busy\\u001b"}}\n\n'
  end
  if question:find "silence" then
    ngx.sleep(20)
  end
end

ngx.header.content_type = "text/event-stream"
give ": hello\n\n"
if question:find "terminal" then
  event { content = "Hello, " }
  event { content = seen.wait(ngx.config.prefix()) and "in time" or "late" }
elseif question:find "books" and last.role ~= "tool" then
  call_tool()
elseif last.role == "tool" then
  event { content = "Page 2 has " .. json.decode(last.content)[1].title .. "." }
else
  greet()
end
give "data: [DONE]\n\n"
