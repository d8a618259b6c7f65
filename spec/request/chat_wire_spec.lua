-- Streams of a real server, cut in odd pieces: the chat program of docs/request.md and
-- examples/chat.lua, with each client, under each Lua, in an event loop and in nginx; and a gateway
-- that passes events on.
local examples = require "docs.examples"
local server = require "server"
local support = require "support"

-- --- the model --------------------------------------------------------------------

-- Answers in events that are cut every few bytes. "books" in the question asks for a tool first;
-- "much" is answered by a thousand words, and "silence" with two words alone. "terminal" is
-- answered by one word, and by another after the first was seen, which a file says.
local MODEL = [[
location = /v1/chat/completions { content_by_lua_block {
  local json = require "cjson"
  ngx.req.read_body()
  local asked = json.decode(ngx.req.get_body_data())
  assert(asked.stream == true and ngx.var.http_authorization == "Bearer 0123")
  ngx.header.content_type = "text/event-stream"
  local number = 0
  local function give(text)
    for at = 1, #text, 7 do
      number = number + 1
      ngx.print(text:sub(at, at + 6))
      if not ngx.flush(true) then ngx.exit(444) end
      ngx.sleep(number < 40 and 0.002 or 0)
    end
  end
  local function event(delta)
    give("data: " .. json.encode { choices = { { delta = delta } } } .. "\r\n\r\n")
  end
  local question, last = asked.messages[1].content, asked.messages[#asked.messages]
  give ": hello\n\n"
  if question:find "terminal" then
    event { content = "Hello, " }
    event { content = require "request.seen".wait "@DIRECTORY@" and "in time" or "late" }
  elseif question:find "books" and last.role ~= "tool" then
    local first = { name = asked.tools[1]["function"].name, arguments = '{"url": "https://h.exam' }
    event { content = json.null,
      tool_calls = { { index = 0, id = "1", type = "function", ["function"] = first } } }
    event { tool_calls = { { index = 0, ["function"] = { arguments = 'ple", "page": 2}' } } } }
  elseif last.role == "tool" then
    event { content = "Page 2 has " .. json.decode(last.content)[1].title .. "." }
  else
    event { content = "Hello, " }
    event { content = "w\195\182rld\n" }
    for _ = 1, question:find "much" and 1000 or 0 do event { content = "word " } end
    if question:find "silence" then ngx.sleep(20) end
  end
  give "data: [DONE]\n\n"
} }
]]

-- Runs a program inside nginx: a file, its environment, and what it writes.
local RUN = [[
location = /run { content_by_lua_block {
  local args = ngx.req.get_uri_args()
  local own = { os = setmetatable({}, { __index = os }) }
  function own.os.getenv(name) return args[name] end
  own.io = { write = function(...) ngx.print(...) end, stdout = { setvbuf = function() end } }
  local program = setfenv(assert(loadfile(args.file)), setmetatable(own, { __index = _G }))
  local ok, problem = pcall(program)
  if not ok then ngx.print(tostring(problem)) end
} }
]]

-- A gateway to an API that sends an event, and the next after its client has the first: it waits
-- for a file, for 5 s at most.
local GATEWAY = [[
location = /events {
  set $target "";
  access_by_lua_block {
    local endpoint, clients = require "endpoint", require "endpoint.clients"
    local api = endpoint.defaults { baseUrl = "http://127.0.0.1:@PORT@" }
    ngx.var.target = clients.ngx_proxy(api "GET /source")
  }
  proxy_pass $target; proxy_buffering off;
  proxy_http_version 1.1; proxy_set_header Connection "";
}
location = /source { content_by_lua_block {
  ngx.header.content_type = "text/event-stream"
  ngx.print "data: first\n\n"
  ngx.flush(true)
  ngx.print("data: ", require "request.seen".wait "@DIRECTORY@" and "in time" or "late", "\n\n")
} }
listen unix:@DIRECTORY@/http2 http2;
]]

-- --- the programs -----------------------------------------------------------------

local CHAT = examples.recipe "chat.lua"
local TOOLS = support.read "examples/chat.lua"

-- A program with settings of its own, and another question.
local function with(code, settings, question)
  local changed, count = code:gsub("(local send = request.new%(api, {)", "%1 " .. settings .. ",")
  assert(count == 1)
  return (changed:gsub('"Say hello%."', ("%q"):format(question or "Say hello.")))
end

-- A program in the loop of docs/many-at-once.md.
local function looped(code)
  return examples.recipe "pool.lua"
    .. "spawn(function()\n"
    .. with(code, "wait = wait, sleep = sleep")
    .. "end)\nrun()\n"
end

-- What a client of the program's own does: it has the whole answer at once.
local OWN = [[client = function(r)
  local parts, own = {}, require "endpoint.clients".luasocket(r)
  own.sink = require "ltn12".sink.table(parts)
  local _, status, headers = require "socket.http".request(own)
  return status, headers, table.concat(parts)
end]]

local WHOLE = "Hello, w\195\182rld\n\n14 bytes"
local WORDS = "Hello, w\195\182rld\n" .. ("word "):rep(98) .. "\n504 bytes, "

-- The variants of the program: settings and question, and a pattern of what it writes.
local VARIANTS = {
  { "shows the whole answer", "tries = 3", nil, "^" .. WHOLE .. "\n$" },
  {
    "stops in the middle",
    "tries = 3",
    "much",
    "^" .. WORDS .. "[^\n]*POST /chat/completions: stopped\n$",
  },
  {
    "ends where the server is silent",
    "idle_timeout = 1",
    "silence",
    "^" .. WHOLE .. ", [^\n]*idle_timeout: [^\n]*\n$",
  },
}

local programs = {}

local function add(title, lua, code, expected)
  programs[#programs + 1] = { title = title, lua = lua, code = code, expected = expected }
end

local TOOLS_SAY = "[GET https://eu.books.example/v2/books?url=https%3A%2F%2Fh.example&page=2]\n"
  .. "Page 2 has Programming in Lua.\n"

for _, lua in ipairs(server.luas()) do
  local names = { "luasocket" }
  if server.has_module(lua, "curl") or server.has_module(lua, "cURL") then
    names[#names + 1] = "curl"
  end
  for _, name in ipairs(names) do
    for _, row in ipairs(VARIANTS) do
      local settings = ("client = %q, %s"):format(name, row[2])
      local code = with(CHAT, settings, row[3])
      if row[3] == "silence" then
        code = code:gsub(",%s*idle_timeout = 30", "")
      end
      add(("%s, by %s on %s"):format(row[1], name, lua), lua, code, row[4])
    end
    add(
      ("calls tools, by %s on %s"):format(name, lua),
      lua,
      with(TOOLS, ("client = %q"):format(name)),
      TOOLS_SAY
    )
  end
  add("shows the whole answer, by a function on " .. lua, lua, with(CHAT, OWN), VARIANTS[1][4])
  if lua ~= "lua5.1" then
    add("shows the whole answer in a loop on " .. lua, lua, looped(CHAT), VARIANTS[1][4])
    add("calls tools in a loop on " .. lua, lua, looped(TOOLS), TOOLS_SAY)
  elseif server.has_module(lua, "coxpcall") then
    local code = examples.recipe "coxpcall.lua" .. looped(CHAT)
    add("shows the whole answer in a loop on " .. lua, lua, code, VARIANTS[1][4])
  end
end
for _, row in ipairs(VARIANTS) do
  local code = with(CHAT, row[2], row[3])
  if row[3] == "silence" then
    code = code:gsub(",%s*idle_timeout = 30", "")
  end
  add(row[1] .. ", in nginx", "nginx", code, row[4])
end
add("calls tools, in nginx", "nginx", with(TOOLS:gsub("cafile[^,]*, ", ""), "tries = 3"), TOOLS_SAY)

describe("the chat program", function()
  local running, start, stop = server.plan {
    locations = MODEL .. RUN .. GATEWAY,
    errors = "",
  }
  local texts
  setup(function()
    start()
    local commands, api = {}, running.url .. "/v1"
    for i, program in ipairs(programs) do
      local file = ("%s/chat%d.lua"):format(running.directory, i)
      support.write(file, program.code)
      commands[i] = program.lua ~= "nginx"
          and server.command(program.lua, program.lua .. " " .. file, "TOKEN=0123 API=" .. api)
        or ("curl -s -m 60 '%s/run?file=%s&TOKEN=0123&API=%s'"):format(running.url, file, api)
    end
    texts = server.run_all(running, commands)
  end)
  teardown(stop)

  for i, program in ipairs(programs) do
    it(program.title, function()
      local is_pattern = program.expected:find "^%^"
      local said = texts[i] .. "\n"
      if is_pattern then
        assert.truthy(said:find(program.expected), said)
      else
        assert.equal(program.expected, said)
      end
    end)
  end

  for name, code in pairs { ["of the document"] = CHAT, ["with tools"] = TOOLS } do
    it("shows each word at once on a terminal: the one " .. name, function()
      local here = running.directory
      support.write(here .. "/terminal.lua", with(code, "tries = 1", "terminal"))
      local command = ([[
LUA_CPATH="build/$LUA/?.so;;" LUA_PATH="src/?.lua;spec/lib/?.lua;spec/?.lua;;" \
  TOKEN=0123 API=%s/v1 spec/request/programs/on_terminal.sh 7 %s/seen $LUA %s/terminal.lua terminal
]]):format(running.url, here, here)
      local said = server.shell(command:gsub("$LUA", server.luas()[1]))
      os.remove(here .. "/seen")
      assert.equal("Hello, in time", said:match "^[^\n]*")
    end)
  end

  for title, words in pairs {
    ["HTTP/1.1"] = "--http1.1",
    ["HTTP/2"] = "--http2-prior-knowledge --unix-socket @/http2",
  } do
    it("behind the gateway has the first event before the second is sent, by " .. title, function()
      local here = running.directory
      local said = server.shell(([[
curl -s -N -m 20 %s %s/events | while read -r line; do echo "$line"; touch %s/seen; done
]]):format(words:gsub("@", here), running.url, here))
      os.remove(here .. "/seen")
      assert.equal("data: first\n\ndata: in time\n", said)
    end)
  end
end)
