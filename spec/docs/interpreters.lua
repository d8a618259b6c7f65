-- How each interpreter is started, in a directory DIR of its own. Its program is `before`, then
-- the recipe of docs/programs-with-lua.md, its function with_null and the local `driver` (driver.lua), then
-- `behind`, which sends. Fields:
-- start: the command; file: the program's name, recipe.lua unless given
-- says: the answers that the program writes beside the statuses
-- more: what reaches the server after the requests of driver.lua, if anything: method, URI, content-length
-- silent: the method after which the interpreter waits for a body that never comes
local interpreters = {}

interpreters.tarantool = {
  start = "tarantool DIR/recipe.lua",
  behind = [[
driver.run(send)
driver.try(json.encode, { a = endpoint.null })
driver.try(json.encode, { a = 2 ^ 53 - 1 })
for _, route in ipairs { "QUERY /q", "PATCH /empty" } do send(driver.api(route)) end
os.exit(0)
]],
  says = { '{"a":null}', '{"a":9007199254740991}' },
  more = { "QUERY /api/q 0", "PATCH /api/empty none" },
}

interpreters.haproxy = {
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
  behind = [[
core.register_task(function()
      driver.run(send)
  driver.try(send, driver.api "PATCH /x")
  driver.try(function() return send(endpoint "GET http://127.0.0.1:1/").status end)
  os.exit(0)
end)
]],
  says = { "HAProxy does not send PATCH", "503" },
}

interpreters.neovim = {
  start = "nvim --headless --clean -c 'luafile DIR/recipe.lua' -c qall",
  behind = [[
driver.run(send, function(text) return text:match "^HTTP/%S+ (%d+)" end)
driver.try(vim.json.encode, { a = vim.NIL })
driver.try(vim.json.encode, { a = endpoint.null })
driver.try(vim.json.encode, with_null({ b = { endpoint.null, 1 } }, vim.NIL))
]],
  says = { '{"a":null}', '{"a":}', '{"b":[null,1]}' },
}

interpreters.wrk = {
  start = "wrk --threads 1 --connections 1 --duration 1s --script DIR/recipe.lua API",
  behind = [[
local asked = 0
function init()
  driver.try(string.match, text_of(endpoint "GET http://other.example/"), "Host: ([^\r]*)")
  driver.try(string.match, text_of(endpoint("GET /", { headers = { host = "mine" } })), "Host: ([^\r]*)")
end
function request()
  asked = asked + 1 -- wrk does not send the first
  return text_of(driver.results[math.max(asked - 1, 1)])
end
function response(status) driver.say("status " .. status) end
]],
  says = { "127.0.0.1:PORT", "mine" },
  silent = "HEAD",
}

interpreters.nmap = {
  start = "nmap -n --script DIR/recipe.nse",
  file = "recipe.nse",
  before = "description, categories = '', {}\n",
  behind = [[
local json = require "json"
function prerule() return true end
function action()
  driver.run(send)
  driver.try(function() return send(endpoint "GET http://127.0.0.1:1/").status end)
  driver.try(json.generate, { a = json.NULL })
  driver.try(json.generate, { a = endpoint.null })
  driver.try(json.generate, with_null({ b = endpoint.null }, json.NULL))
end
]],
  says = { "nil", '{"a": null}', "Unknown data type in generate", '{"b": null}' },
}

interpreters.rspamd = {
  start = "rspamadm lua --batch DIR/recipe.lua",
  behind = [[
local function status(r)
  local message, response = send(r, { ev_base = rspamadm_ev_base, session = rspamadm_session, config = rspamd_config })
  return message or response.code
end
driver.run(status, tostring)
driver.try(status, driver.api("QUERY /q", { a = 1 }))
driver.try(status, driver.api "REBIND /q")
driver.try(require "ucl".to_format, { a = endpoint.null }, "json-compact")
]],
  says = { "200", "200", "{}" },
  more = { "POST /api/q 7", "GET /api/q 0" },
}

return interpreters
