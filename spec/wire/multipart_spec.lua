-- Each client really sends the multipart bodies of uploads.lua to an nginx, and Python's parser
-- reads what arrived.
local echo = require "wire.echo"
local server = require "wire.server"
local support = require "support"
local uploads = require "wire.uploads"

local KEPT = [[
location /kept/ { content_by_lua_block { require "wire.echo".keep() } }
location = /resty { content_by_lua_block {
  local endpoint, clients = require "endpoint", require "endpoint.clients"
  local request = require "wire.uploads"[tonumber(ngx.var.arg_number)]
  local r = endpoint.defaults { baseUrl = "http://127.0.0.1:@PORT@" } (request.route, request.make_options())
  local response, message = require "resty.http".new():request_uri(clients.resty_http(r))
  ngx.print(response and response.status .. " 00 " .. response.body or message)
} }
]]

local ALL = server.with_modules { "lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit" }
local OLD = server.with_modules { "lua5.1", "lua5.2", "luajit" }

-- As in clients_spec.lua. `text`: whether the client sends no streams.
local CLIENTS = {
  { name = "luasocket", module = "socket.http", luas = ALL },
  { name = "lua_http", module = "http.request", luas = OLD },
  { name = "curl", module = "curl", luas = OLD },
  { name = "argv", module = "endpoint", luas = ALL, text = true },
  { name = "curl_command", module = "endpoint", luas = ALL, text = true },
}

-- What Python reads in files: path -> a list of name, file name, media type and data.
local function parts_in(paths)
  local printed, found = server.shell("python3 spec/wire/parts.py " .. table.concat(paths, " ") .. " 2>&1"), {}
  if printed:find("Error", 1, true) then error(printed, 0) end
  for path, fields in printed:gmatch "(%S+) ([^\n]+)" do
    local part = {}
    for field in fields:gmatch "%S+" do part[#part + 1] = field ~= "-" and echo.from_hex(field:match '^"(%x*)"$') end
    found[path] = found[path] or {}
    table.insert(found[path], part)
  end
  return found
end

describe("a multipart body", function()
  local running

  setup(function() running = echo.start(KEPT) end)

  teardown(function()
    local log = server.stop(running)
    assert.falsy(log:find("[error]", 1, true), log)
  end)

  local function path_of(number) return running.directory .. "/kept" .. number end

  -- Asserts that nginx and Python read these requests as they were sent. lines: what the client
  -- printed about each.
  local function check(numbers, lines)
    local paths = {}
    for i, number in ipairs(numbers) do
      paths[i] = path_of(number)
      local body = support.read(paths[i]):match "^.-\r\n\r\n(.*)$"
      assert.equal("200 00 " .. (uploads[number].length or #body), lines[number])
    end
    local found = parts_in(paths)
    for _, number in ipairs(numbers) do
      assert.same(uploads[number].expected, found[path_of(number)])
      os.remove(path_of(number))
    end
  end

  for _, client in ipairs(CLIENTS) do
    for _, lua in ipairs(client.luas) do
      if not echo.has_module(lua, client.module) then
        pending(("sent by %s on %s: there is no module %s"):format(client.name, lua, client.module))
      else
        it(("is read as it was sent by %s on %s"):format(client.name, lua), function()
          local lines = echo.sent_by(running, lua, client, "wire.uploads")
          local numbers = {}
          for number, request in ipairs(uploads) do
            if client.text and request.is_stream then
              assert.truthy(lines[number]:find("sends no function", 1, true), lines[number])
            else
              numbers[#numbers + 1] = number
            end
          end
          check(numbers, lines)
        end)
      end
    end
  end

  if os.getenv "NGINX_LUA_PATH" then
    it("is read as it was sent by lua-resty-http", function()
      local numbers, lines = {}, {}
      for number in ipairs(uploads) do
        numbers[number] = number
        lines[number] = server.shell(("curl -s -m 20 'http://127.0.0.1:%d/resty?number=%d'"):format(running.port, number))
      end
      check(numbers, lines)
    end)
  end

  it("is not read if it is cut", function()
    local path = running.directory .. "/cut"
    local body = uploads[1].make_options().data
    support.write(path, "Content-Type: multipart/form-data; boundary=endpoint-000000000000\r\n\r\n" .. body:sub(1, -30))
    local read, problem = pcall(parts_in, { path })
    assert.is_false(read)
    assert.truthy(problem:find("CloseBoundaryNotFound", 1, true), problem)
  end)
end)
