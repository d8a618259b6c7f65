-- What LuaSocket's own waiting lets through: an answer that comes before a request is sent, and the
-- signal of Ctrl-C.
local server = require "server"

local PROGRAMS = "spec/request/programs/"

-- Makes a certificate of localhost, and its key.
local CERTIFICATE = [[
cd %s && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
  -keyout key.pem -out certificate.pem -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>&1
]]

-- Starts a server; returns its port, and the function that ends it.
local function start(words)
  local pipe = io.popen("echo $$; exec lua5.4 " .. PROGRAMS .. "refusing_server.lua " .. words)
  local pid, port = pipe:read "*l", pipe:read "*l"
  return port, function()
    server.shell("kill " .. pid)
    pipe:close()
  end
end

local function printed(command)
  local pipe = io.popen(command .. " 2>&1")
  local text = pipe:read "*a"
  pipe:close()
  return text
end

describe("LuaSocket's own waiting", function()
  local directory = server.shell "mktemp -d"
  setup(function()
    server.shell(CERTIFICATE:format(directory))
  end)
  teardown(function()
    server.shell("rm -r " .. directory)
  end)

  for _, lua in ipairs(server.luas()) do
    it("fails, and tries again, where no descriptor is left, on " .. lua, function()
      local program = "sh -c 'ulimit -n 300; exec " .. lua .. " " .. PROGRAMS .. "exhausted.lua'"
      local text = printed(server.command(lua, program, ""))
      assert.equal("false\ttable\t3\tGET /x: Too many open files\n", (text:gsub("3%.0", "3")))
    end)

    it("has other pauses in each process, and leaves math.random alone, on " .. lua, function()
      local seen = {}
      local alone =
        printed(lua .. " -e 'print((\"%.9f %.9f\"):format(math.random(), math.random()))'")
      for _ = 1, 8 do
        local text = printed(server.command(lua, lua .. " " .. PROGRAMS .. "first_pause.lua", ""))
        local pause, rest = text:match "^(%d+%.%d+) (.*)$"
        assert.is_nil(seen[pause or text], text)
        seen[pause] = true
        assert.is_true(tonumber(pause) >= 0.25 and tonumber(pause) < 0.75, pause)
        -- Lua 5.4 seeds the program's own at its start.
        assert.is_true(lua == "lua5.4" or rest == alone, rest)
      end
    end)

    for scheme, is_secure in pairs { http = false, https = true } do
      local title = "finds an early answer to a long body, on %s, over %s"
      it(title:format(lua, scheme), function()
        if not server.has_module(lua, "ssl") then
          pending "no module ssl"
        end
        local port, stop = start("413 " .. (is_secure and directory or ""))
        local program = ("%s %slong_upload.lua %s://localhost:%s %s"):format(
          lua,
          PROGRAMS,
          scheme,
          port,
          is_secure and directory .. "/certificate.pem" or ""
        )
        local text = printed(server.command(lua, program, ""))
        stop()
        assert.equal("false\t413\tin time\n", (text:gsub("413%.0", "413")))
      end)
    end

    it("finds an early answer after another one on the same connection, on " .. lua, function()
      if not server.has_module(lua, "socket") then
        pending "no module socket"
      end
      local port, stop = start "200-413"
      local program = ("%s %stwo_uploads.lua http://127.0.0.1:%s"):format(lua, PROGRAMS, port)
      local text = printed(server.command(lua, program, ""))
      stop()
      assert.equal("200\t413\tin time\n", (text:gsub("%.0", "")))
    end)

    it("ends at once with Ctrl-C, on " .. lua, function()
      if not server.has_module(lua, "socket") then
        pending "no module socket"
      end
      local port, stop = start "nothing"
      local before = os.time()
      -- --foreground: without it the program gets the signal twice, and may die of the second.
      local call = ("%s %ssilent_call.lua http://localhost:%s"):format(lua, PROGRAMS, port)
      local program = "timeout --foreground -s INT 5 " .. call
      local text = printed(server.command(lua, program, ""))
      stop()
      assert.truthy(text:find("interrupted!", 1, true), text)
      assert.is_true(os.time() - before < 15)
    end)

    for where, word in pairs { ["a pause"] = "", ["a pause of a pool"] = "pool" } do
      it(("ends %s at once with Ctrl-C, on %s"):format(where, lua), function()
        if lua == "lua5.1" and word == "pool" then
          pending "Lua 5.1 has no pool without coxpcall"
          return
        end
        local before = os.time()
        local call = ("%s %spausing_call.lua %s"):format(lua, PROGRAMS, word)
        local text = printed(server.command(lua, "timeout --foreground -s INT 5 " .. call, ""))
        assert.truthy(text:find("interrupted!", 1, true), text)
        assert.is_true(os.time() - before < 15)
      end)
    end

    it("says that a proxy closed the connection before TLS, on " .. lua, function()
      if not server.has_module(lua, "ssl") then
        pending "no module ssl"
        return
      end
      local call = ("%s %shung_up_proxy.lua %s/certificate.pem"):format(lua, PROGRAMS, directory)
      assert.equal(
        "GET /x: the proxy closed the connection without a response\n",
        printed(server.command(lua, call, ""))
      )
    end)
  end
end)
