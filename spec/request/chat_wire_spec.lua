-- Streams of a real server, cut in odd pieces: the chat program of docs/streaming.md
-- and examples/chat.lua, with each client, under each Lua, in an event loop and in nginx; and a
-- gateway that passes events on.
local examples = require "docs.examples"
local runs = require "request.runs"
local server = require "server"
local support = require "support"

-- --- the programs -----------------------------------------------------------------

local CHAT = examples.recipe "chat.lua"
local TOOLS = support.read "examples/chat.lua"

-- A program with settings of its own, and another question.
local function with(code, settings, question)
  local changed, count = code:gsub("(local send = request.new%(api, {)", "%1 " .. settings .. ",")
  assert(count == 1)
  return (changed:gsub('"Say hello%."', ("%q"):format(question or "Say hello.")))
end

-- A program in the loop of docs/event-loops.md.
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
    "shows what obeys a terminal, and takes events without words",
    "tries = 3",
    "hostile",
    "^\\x1b%[2J\\xe2\\x80\\xae" .. "Hello, w\195\182rld\n\n21 bytes\n$",
  },
  {
    "tells the reason of an event that is an error",
    "tries = 3",
    "failing",
    "^" .. WHOLE .. ", [^\n]*POST /chat/completions: too busy\\x1b\n$",
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

local TOOLS_SAY = "[GET https://shop.example/v1/books?genre=science&page=2]\n"
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
    for title, row in pairs {
      ["shows what obeys a terminal"] = {
        "hostile",
        "^\\x1b%[2J\\xe2\\x80\\xaeHello, w\195\182rld\n*$",
      },
      ["tells the reason of an event"] = {
        "failing",
        "^Hello, w\195\182rld\n.*POST /chat/completions: the model fails: too busy\\x1b\n",
      },
    } do
      local code = with(TOOLS, ("client = %q"):format(name))
      code = code:gsub('"Which books are on page 2%?"', ("%q"):format(row[1]))
      add(("%s with tools, by %s on %s"):format(title, name, lua), lua, code, row[2])
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
    locations = support.read "spec/request/programs/chat.conf" .. runs.LOCATIONS,
    errors = "",
  }
  local texts
  setup(function()
    start()
    local commands, api = {}, running.url .. "/v1"
    local head = examples.write_shop(running.directory)
    for i, program in ipairs(programs) do
      local file = ("%s/chat%d.lua"):format(running.directory, i)
      support.write(file, head .. program.code)
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
      local head = examples.write_shop(here)
      support.write(here .. "/terminal.lua", head .. with(code, "tries = 1", "terminal"))
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
