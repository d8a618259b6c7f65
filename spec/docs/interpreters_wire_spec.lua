-- Runs the recipes of docs/programs-with-lua.md, each inside its interpreter, while an nginx records
-- what reaches it. INTERPRETERS names the interpreters and their Luas, such as "wrk=luajit nmap=lua5.3".
-- `make test-interpreters` says which interpreters have no package.
local echo = require "echo"
local examples = require "docs.examples"
local interpreters = require "docs.interpreters"
local json = require "cjson"
local requests = require "docs.driver".requests
local server = require "server"
local support = require "support"

local BETWEEN = 'local endpoint, driver = require "endpoint", require "docs.driver"\n'
  .. support.read "docs/forms-and-uploads.md":match "\nlocal function with_null.-\nend\n"

-- Writes a line into the file `record` for each request, before the answer is sent.
local RECORDER = [[
location /api/ {
  content_by_lua_block { require "echo".answer() }
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
  local interpreter, directory, api = interpreters[name], running.directory .. "/" .. name, running.url .. "/api"
  server.shell("mkdir " .. directory)
  support.write(directory .. "/" .. (interpreter.file or "recipe.lua"),
    (interpreter.before or "") .. examples.recipe(name .. ".lua") .. BETWEEN .. interpreter.behind)
  support.write(directory .. "/settings.cfg", ((interpreter.configuration or ""):gsub("DIR", directory)))
  os.remove(running.directory .. "/record")
  local printed = server.run(lua, (interpreter.start:gsub("DIR", directory):gsub("API", api)),
    ("API=%s ANSWERS=%s/answers"):format(api, directory))
  local seen = lines_of(running.directory .. "/record")
  for i, line in ipairs(seen) do seen[i] = echo.read(line) end
  return lines_of(directory .. "/answers"), seen, printed
end

-- Asserts that a request arrived as it was promised.
local function check(request, seen, port)
  local headers, length = seen.headers, seen.headers["content-length"]
  assert.same({ request.route:match "%u+", request.uri }, { seen.method, seen.uri })
  assert.same({ "Bearer 0123", "application/vnd.service.v3+json", "service-endpoint.js/1.0.0", "127.0.0.1:" .. port },
    { headers.authorization, headers.accept, headers["user-agent"], headers.host })
  assert.equal(request.json and "application/json; charset=utf-8" or nil, headers["content-type"])
  assert.is_nil(headers["transfer-encoding"])
  if request.json then assert.same(request.json, json.decode(seen.body)) else assert.equal(request.body or "", seen.body) end
  assert.is_true(length == tostring(#seen.body) or length == nil and not (request.body or request.json))
end

describe("the recipes for interpreters", function()
  local running, start, stop = server.plan { locations = RECORDER }
  setup(start)
  teardown(stop)

  for name, lua in (os.getenv "INTERPRETERS" or ""):gmatch "(%w+)=(%S+)" do
    describe("run in " .. name, function()
      local interpreter, said, seen, printed = interpreters[name], nil, nil, nil
      setup(function() said, seen, printed = run(running, name, lua) end)

      for number, request in ipairs(requests) do
        it("send a " .. request.name, function()
          check(request, seen[number] or error("it printed: " .. printed), running.port)
        end)
      end

      it("get the statuses, and the notes about the interpreter are true", function()
        local expected, more = {}, {}
        for _, request in ipairs(requests) do
          if request.route:match "%u+" ~= interpreter.silent then
            expected[#expected + 1] = "status " .. (request.status or 200)
          end
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
        assert.same(interpreter.more or {}, more, printed)
      end)
    end)
  end
end)
