-- Runs the recipes of src/endpoint/README.md, each inside its interpreter, while an nginx records
-- what reaches it. INTERPRETERS names the interpreters and their Luas, such as "wrk=luajit nmap=lua5.3".
-- `make test-interpreters` says which interpreters have no package.
local echo = require "wire.echo"
local examples = require "examples"
local interpreters = require "interpreters.interpreters"
local json = require "cjson"
local requests = require "interpreters.requests"
local server = require "wire.server"
local support = require "support"

local load_text = loadstring or load

local GUIDE = support.read "src/endpoint/README.md"

local WITH_NULL = 'local endpoint = require "endpoint"\n' .. GUIDE:match "\nlocal function with_null.-\nend\n"

-- The code of each recipe by the name of its interpreter.
local RECIPES = {}
for _, block in ipairs(examples.blocks_of(GUIDE)) do
  local name = block.name:match "^(%w+)%.lua$"
  if name then RECIPES[name] = block.code end
end

-- Writes a line into the file `record` for each request, before the answer is sent.
local RECORDER = [[
location /api/ {
  content_by_lua_block { require "wire.echo".answer() }
  header_filter_by_lua_block {
    if ngx.var.uri == "/api/away" then
      ngx.status, ngx.header.location = 302, "/api/followed"
    end
    local file = assert(io.open(ngx.config.prefix() .. "record", "ab"))
    file:write(ngx.header["x-echo"], "\n")
    file:close()
  }
}
]]

local function lines_of(path)
  local lines, file = {}, io.open(path, "rb")
  for line in (file and file:read "*a" or ""):gmatch "[^\n]+" do lines[#lines + 1] = line end
  if file then file:close() end
  return lines
end

-- Writes the interpreter's files and runs it. Returns the lines that it wrote into its file of
-- answers, what reached the server, and what it printed.
local function run(running, name, lua)
  local interpreter, directory = interpreters[name], running.directory .. "/" .. name
  local api = "http://127.0.0.1:" .. running.port .. "/api"
  server.shell("mkdir " .. directory)
  support.write(directory .. "/" .. (interpreter.file or "recipe.lua"),
    (interpreter.before or "") .. RECIPES[name] .. WITH_NULL .. interpreter.behind)
  support.write(directory .. "/settings.cfg", ((interpreter.configuration or ""):gsub("DIR", directory)))
  os.remove(running.directory .. "/record")
  local printed = server.shell(("API=%s ANSWERS=%s/answers LUA_PATH='src/?.lua;spec/?.lua;;' "
    .. "LUA_CPATH='build/%s/?.so;;' timeout 60 %s 2>&1"):format(api, directory, lua,
    (interpreter.start:gsub("DIR", directory):gsub("API", api))))
  local seen = lines_of(running.directory .. "/record")
  for i, line in ipairs(seen) do seen[i] = json.decode(echo.from_hex(line)) end
  return lines_of(directory .. "/answers"), seen, printed
end

local function check_headers(request, seen, port)
  local headers = seen.headers
  assert.equal("Bearer 0123", headers.authorization)
  assert.equal("application/vnd.service.v3+json", headers.accept)
  assert.equal("service-endpoint.js/1.0.0", headers["user-agent"])
  assert.equal("127.0.0.1:" .. port, headers.host)
  assert.equal(request.content_type, headers["content-type"])
  assert.is_nil(headers["transfer-encoding"])
end

local function check_body(request, seen)
  local body = echo.from_hex(seen.body)
  if request.json then assert.same(request.json, json.decode(body)) else assert.equal(request.body or "", body) end
  local length = seen.headers["content-length"]
  if request.body or request.json then assert.equal(tostring(#body), length) end
  assert.is_true(length == nil or length == tostring(#body))
end

describe("the recipes for interpreters", function()
  local running

  setup(function() running = echo.start(RECORDER) end)

  teardown(function()
    local log = server.stop(running)
    assert.falsy(log:find("[error]", 1, true), log)
  end)

  it("are valid Lua programs", function()
    local count = 0
    for name, code in pairs(RECIPES) do
      assert(load_text(code, "=" .. name))
      count = count + 1
    end
    assert.is_true(count >= 12, count)
  end)

  for name, lua in (os.getenv "INTERPRETERS" or ""):gmatch "(%w+)=(%S+)" do
    describe("run in " .. name, function()
      local interpreter, said, seen, printed = interpreters[name], nil, nil, nil
      setup(function() said, seen, printed = run(running, name, lua) end)

      for number, request in ipairs(requests) do
        it("send a " .. request.name, function()
          local arrived = seen[number] or error("it printed: " .. printed)
          local method = request.route:match "%u+"
          assert.same({ method, request.uri }, { arrived.method, arrived.uri })
          check_headers(request, arrived, running.port)
          check_body(request, arrived)
        end)
      end

      it("get the statuses, and the notes about the interpreter are true", function()
        local expected, more = {}, {}
        for _, request in ipairs(requests) do
          local silent = interpreter.silent and interpreter.silent[request.route:match "%u+"]
          if not silent then expected[#expected + 1] = "status " .. (request.status or 200) end
        end
        for _, line in ipairs(interpreter.says) do expected[#expected + 1] = (line:gsub("PORT", tostring(running.port))) end
        -- wrk calls init before it sends.
        table.sort(expected)
        table.sort(said)
        assert.same(expected, said, printed)
        for i = #requests + 1, #seen do
          local r = seen[i]
          more[#more + 1] = ("%s %s %s"):format(r.method, r.uri, r.headers["content-length"] or "none")
        end
        assert.same(interpreter.more, more, printed)
      end)
    end)
  end
end)
