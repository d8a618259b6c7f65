-- Runs the recipes of docs/programs-with-lua.md, docs/gateways-with-lua.md and docs/neovim.md, each
-- inside its interpreter, while an nginx records what reaches it. INTERPRETERS names the
-- interpreters and their Luas, such as "wrk=luajit nmap=lua5.3". `make test-interpreters` says
-- which interpreters have no package.
local clients = require "endpoint.clients"
local echo = require "echo"
local examples = require "docs.examples"
local json = require "cjson"
local server = require "server"
local support = require "support"

-- The local `driver` of an interpreter: it sends `results`, and prints a line for each answer.
local DRIVER = [[
local endpoint = require "endpoint"
local driver = { results = {} }

-- What each interpreter sends, in order; wrk stops after a HEAD. And how the server answers.
driver.requests = {
  { "GET /repos/{owner}/{repo}/issues", { owner = "a/b c", repo = "é",
    q = "x y&z+", ["labels[]"] = { "a", "b" } } },
  { "POST /issues{?draft}", { draft = true, title = 'Grüße "1"', milestone = endpoint.null } },
  { "POST /lock" },
  { "PUT /files/{name}", { name = "a;b%", data = "\0\1\n\r\n\127\255\0" } },
  { "DELETE /issues/:id", { id = 1 } },
  { "GET /away", status = 302, headers = { location = "/api/followed" } },
  { "HEAD /issues/:id", { id = 1 } },
}

driver.api = endpoint.defaults { baseUrl = os.getenv "API",
  headers = { authorization = "Bearer 0123" } }
for i, request in ipairs(driver.requests) do
  driver.results[i] = driver.api(request[1], request[2])
end

-- Prints what f(...) returns, or the message that it raises, without its position.
function driver.try(f, ...)
  local _, answer = pcall(f, ...)
  print("\nanswer: " .. tostring(answer):gsub("^[^\n]-:%d+: ", "") .. "\n")
end

-- Prints the status of each answer, which `status_of` reads from what `send` returns: the field
-- `status`, unless given.
function driver.run(send, status_of)
  local function status(r)
    local answer = send(r)
    return status_of and status_of(answer) or answer.status
  end
  for _, r in ipairs(driver.results) do driver.try(status, r) end
end
]]
local driver = assert((loadstring or load)(DRIVER .. "return driver"))()

-- How each interpreter is started, in a directory DIR of its own. Its program is the recipe of the
-- documents, `driver`, and `after`, which sends. Fields:
-- start: the command; file: the program's name, recipe.lua unless given
-- says: the answers that the program prints beside the statuses, and what reaches the server after
-- the requests of `driver`: method, URI, content-length
-- is_silent: after a HEAD the interpreter waits for a body that never comes
local INTERPRETERS = {}

INTERPRETERS.tarantool = {
  start = "tarantool DIR/recipe.lua",
  after = [[
driver.run(send)
for _, route in ipairs { "QUERY /q", "PATCH /empty" } do send(driver.api(route)) end
os.exit(0)
]],
  says = { "QUERY /api/q 0", "PATCH /api/empty none" },
}

INTERPRETERS.haproxy = {
  start = "haproxy -db -f DIR/settings.cfg",
  configuration = [[
global
  lua-load DIR/recipe.lua
defaults
  mode http
  timeout client 5s
  timeout connect 5s
  timeout server 5s
frontend none
  bind unix@DIR/socket
]],
  after = [[
core.register_task(function()
  driver.run(send)
  driver.try(send, driver.api "PATCH /x")
  driver.try(function() return send(endpoint "GET http://127.0.0.1:1/").status end)
  os.exit(0)
end)
]],
  says = { "HAProxy does not send PATCH", "503" },
}

INTERPRETERS.neovim = {
  start = "nvim --headless --clean -c 'luafile DIR/recipe.lua' -c qall",
  after = [[
driver.run(send, function(text) return text:match "^HTTP/%S+ (%d+)" end)
]],
  says = {},
}

INTERPRETERS.wrk = {
  start = "wrk --threads 1 --connections 1 --duration 1s --script DIR/recipe.lua API",
  after = [[
local asked = 0
function init()
  driver.try(string.match, text_of(endpoint "GET http://other.example/"), "Host: ([^\r]*)")
  local text = text_of(endpoint("GET /", { headers = { host = "mine" } }))
  driver.try(string.match, text, "Host: ([^\r]*)")
end
function request()
  asked = asked + 1 -- wrk does not send the first
  return text_of(driver.results[math.max(asked - 1, 1)])
end
function response(status) driver.try(tostring, status) end
]],
  says = { "127.0.0.1:PORT", "mine" },
  is_silent = true,
}

INTERPRETERS.nmap = {
  start = "nmap -n --script DIR/recipe.nse",
  file = "recipe.nse",
  after = [[
description, categories = "", {}
function prerule() return true end
function action()
  driver.run(send)
  driver.try(function() return send(endpoint "GET http://127.0.0.1:1/").status end)
end
]],
  says = { "nil" },
}

INTERPRETERS.rspamd = {
  start = "rspamadm lua --batch DIR/recipe.lua",
  after = [[
local function status(r)
  local message, response = send(r, { ev_base = rspamadm_ev_base,
    session = rspamadm_session, config = rspamd_config })
  return message or response.code
end
driver.run(status, tostring)
driver.try(status, driver.api("QUERY /q", { a = 1 }))
driver.try(status, driver.api "REBIND /q")
]],
  says = { "200", "200", "POST /api/q 7", "GET /api/q 0" },
}

-- Writes the interpreter's files and runs it. Returns what reached the server, and what it printed.
local function run(running, name, lua)
  local interpreter, directory, api, rows =
    INTERPRETERS[name], running.directory .. "/" .. name, running.url .. "/api", {}
  server.shell("mkdir " .. directory)
  support.write(
    directory .. "/" .. (interpreter.file or "recipe.lua"),
    examples.recipe(name .. ".lua") .. DRIVER .. interpreter.after
  )
  support.write(
    directory .. "/settings.cfg",
    ((interpreter.configuration or ""):gsub("DIR", directory))
  )
  for i, request in ipairs(driver.requests) do
    rows[i] = { status = request.status, headers = request.headers }
  end
  echo.plan(running, rows)
  local printed =
    server.run(lua, (interpreter.start:gsub("DIR", directory):gsub("API", api)), "API=" .. api)
  return echo.seen(running), printed
end

-- Asserts that this result arrived, which the spec has made for the built-in base address.
local function check(r, seen, port)
  local m, length = clients.plain(r), seen.headers["content-length"]
  m.headers.host = "127.0.0.1:" .. port
  for _, name in ipairs { "content-type", "transfer-encoding" } do
    m.headers[name] = m.headers[name] or false
  end
  for name, value in pairs(m.headers) do
    assert.equal(value or nil, seen.headers[name], name)
  end
  assert.same({ m.method, "/api" .. r.url:sub(#support.BASE + 1) }, { seen.method, seen.uri })
  if type(r.body) == "table" then
    assert.same(r.body, json.decode(seen.body))
  else
    assert.equal(m.body or "", seen.body)
  end
  assert.is_true(length == tostring(#seen.body) or length == nil and not m.body)
end

describe("the recipes for interpreters", function()
  local running, start, stop = server.plan { locations = echo.LOCATION }
  setup(start)
  teardown(stop)

  for name, lua in (os.getenv "INTERPRETERS" or ""):gmatch "(%w+)=(%S+)" do
    describe("run in " .. name, function()
      local interpreter, seen, printed = INTERPRETERS[name], nil, nil
      setup(function()
        seen, printed = run(running, name, lua)
      end)

      for number, r in ipairs(driver.results) do
        it("send " .. driver.requests[number][1], function()
          check(r, seen[number] or error("it printed: " .. printed), running.port)
        end)
      end

      it("get the statuses, and the notes about the interpreter are true", function()
        local expected, said = {}, {}
        for i = 1, #driver.requests - (interpreter.is_silent and 1 or 0) do
          expected[i] = tostring(driver.requests[i].status or 200)
        end
        for _, line in ipairs(interpreter.says) do
          expected[#expected + 1] = (line:gsub("PORT", tostring(running.port)))
        end
        for line in ("\n" .. printed):gmatch "\nanswer: ([^\r\n]*)" do
          said[#said + 1] = line
        end
        for i = #driver.results + 1, #seen do
          local r = seen[i]
          said[#said + 1] = ("%s %s %s"):format(
            r.method,
            r.uri,
            r.headers["content-length"] or "none"
          )
        end
        -- wrk calls init before it sends.
        table.sort(expected)
        table.sort(said)
        assert.same(expected, said, printed)
      end)
    end)
  end
end)
