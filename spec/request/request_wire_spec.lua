-- endpoint.request, under each Lua and with each client that is here: each promise of
-- the documents, against an nginx that plays the API, over TLS with an authority of its own; and
-- in loops.
local cases = require "request.cases"
local examples = require "docs.examples"
local runs = require "request.runs"
local server = require "server"
local socket = require "socket"
local support = require "support"
local tls = require "request.tls"

local PAIRS, command_of = runs.PAIRS, runs.command_of

-- --- the cases --------------------------------------------------------------------

-- Files of cases below programs/cases/. but: the run that does not have them, plain, tls or nginx.
local FILES = {
  { name = "certificates", but = "plain" },
  { name = "streams" },
  { name = "early_answers", but = "tls" },
  { name = "repeats" },
  { name = "gzip", but = "tls" },
  { name = "connections" },
  { name = "environment_proxies", but = "nginx" },
  { name = "authorities", but = "nginx" },
  { name = "heads" },
  { name = "descriptors", but = "nginx" },
  { name = "resets", but = "tls" },
  { name = "long_bodies" },
  { name = "time_outs" },
  { name = "reasons" },
  { name = "hooks" },
  { name = "tokens" },
  { name = "origins", but = "tls" },
  { name = "cursors" },
  { name = "downloads" },
  { name = "caches" },
  { name = "sockets", but = "tls" },
}

local PROGRAMS = server.shell "pwd" .. "/spec/request/programs/"

-- --- loops ------------------------------------------------------------------------

-- The setting `wait`: many requests at once in the loops that programs have. The code of each loop,
-- and of a program, is that of docs/event-loops.md.

-- The loops, and the Luas that have each, if not all have it.
local LOOPS = {
  { name = "pool", module = "socket" },
  { name = "copas", luas = { "lua5.1", "lua5.2", "luajit" } },
  { name = "luv" },
  { name = "cqueues" },
}

-- The page's program, with the server of these specs.
local PAGE = examples.recipe("many.lua"):gsub('"https://api.github.com"', 'os.getenv "HTTP"')

-- What is below it: it returns the loop that the page gives.
local END = "return { wait = wait, sleep = sleep, spawn = spawn, run = run }\n"

-- Neovim exports a function socket_connect, which Debian's LuaSocket would call in the place of its
-- own, and crash.
local ARCHIVE =
  server.shell "command -v nvim >/dev/null && ls /usr/lib/*/liblua5.1-socket.a 2>/dev/null"

-- Makes a LuaSocket for Neovim.
local function make_socket(directory)
  if ARCHIVE == "" then
    return
  end
  server.shell(
    (
      "cd %s && mkdir socket && cc -shared -Wl,-Bsymbolic -o socket/core.so -Wl,--whole-archive %s "
      .. "-Wl,--no-whole-archive"
    ):format(directory, ARCHIVE)
  )
end

-- The page's program with a loop.
local function page_with(loop)
  return loop .. PAGE .. END
end

-- How often a body of ten bytes is repeated: one loop sends what the sockets do not take while the
-- server sleeps.
local TIMES = { pool = 800000 }

-- A list of programs; `missing` says why one cannot run.
local function looped_programs()
  local list = {}
  for _, loop in ipairs(LOOPS) do
    for _, lua in ipairs(server.luas(loop.luas)) do
      local is_old, missing = lua == "lua5.1", nil
      for _, module in ipairs { loop.module or loop.name, is_old and "coxpcall" or "ssl" } do
        if not server.has_module(lua, module) then
          missing = "no module " .. module
        end
      end
      local code = (is_old and examples.recipe "coxpcall.lua" or "")
        .. examples.recipe(loop.name .. ".lua")
      list[#list + 1] = {
        loop.name .. " on " .. lua,
        lua = lua,
        missing = missing,
        page = page_with(code),
        times = TIMES[loop.name],
      }
    end
  end
  local code, count = examples.recipe "luv.lua":gsub('require "luv"', "vim.loop"):gsub(
    "function run%(%) uv%.run%(%)",
    "function run(is_done) vim.wait(is_done and 50000 or 5000, is_done, 5)"
  )
  assert(count == 1)
  list[#list + 1] = {
    "Neovim",
    lua = "luajit",
    command = "nvim --headless --clean -c 'luafile FILE' -c qall",
    page = page_with("package.cpath = os.getenv 'HERE' .. '/?.so;' .. package.cpath\n" .. code),
    missing = ARCHIVE == "" and "no nvim, or no lua-socket-dev" or nil,
  }
  return list
end

-- --- the programs -----------------------------------------------------------------

-- The programs: the name of each, its Lua and client, its page or else its files of cases, the
-- cases, and the scheme of the API.
local programs = {}

-- The files of a run, and their cases.
local function files_of(run)
  local paths, list = {}, {}
  for _, file in ipairs(FILES) do
    if file.but ~= run then
      local path = PROGRAMS .. "cases/" .. file.name .. ".lua"
      paths[#paths + 1] = path
      for _, case in ipairs(cases.read(path, run)) do
        list[#list + 1] = case
      end
    end
  end
  return table.concat(paths, ","), list
end

for _, pair in ipairs(PAIRS) do
  local lua, client = pair[1], pair[2]
  for _, run in ipairs(lua == "nginx" and { "nginx" } or { "plain", "tls" }) do
    local paths, list = files_of(run)
    programs[#programs + 1] = {
      client .. " on " .. lua,
      lua = lua,
      client = client,
      run = run,
      paths = paths,
      cases = list,
      scheme = run == "tls" and "https" or "http",
    }
  end
end

-- Files of cases that Neovim's client has: it needs no LuaSocket.
local EDITOR = { "caches", "cursors", "downloads", "editor", "hooks", "origins", "tokens" }

if server.shell "command -v nvim" ~= "" then
  local paths, list = {}, {}
  for number, name in ipairs(EDITOR) do
    paths[number] = PROGRAMS .. "cases/" .. name .. ".lua"
    for _, case in ipairs(cases.read(paths[number], "plain")) do
      list[#list + 1] = case
    end
  end
  programs[#programs + 1] = {
    "neovim in Neovim",
    lua = "luajit",
    client = "neovim",
    run = "plain",
    paths = table.concat(paths, ","),
    cases = list,
    scheme = "http",
    command = "nvim --headless --clean -c 'luafile FILE' -c qall",
  }
end
for _, loop in ipairs(looped_programs()) do
  for _, scheme in ipairs { "http", "https" } do
    programs[#programs + 1] = {
      loop[1],
      lua = loop.lua,
      page = loop.page,
      times = loop.times,
      cases = cases.read(PROGRAMS .. "many_at_once.lua"),
      scheme = scheme,
      command = loop.command,
      missing = loop.missing,
    }
  end
end

-- --- the specs --------------------------------------------------------------------

-- A port that is free, for another server on the same host.
local function free_port()
  local listener = socket.bind("127.0.0.1", 0)
  local _, port = listener:getsockname()
  listener:close()
  return math.floor(port)
end
local THIRD = free_port()

local OTHER_SERVER = [[
server {
  listen 127.0.0.1:@THIRD@;
  location / { content_by_lua_block { ngx.print(ngx.req.raw_header()) } }
}
server {
  listen unix:@DIRECTORY@/api.sock;
  location / { return 200 "$http_host $request_method $request_uri"; }
  location /moved { return 302 http://127.0.0.1:@THIRD@/a; }
  location /none { return 444; }
  location /unended { content_by_lua_block {
    ngx.req.socket(true):send "HTTP/1.1 200 OK\r\n\r\nabc"
    ngx.exit(444)
  } }
}
]]

local running, start, stop = server.plan {
  locations = support.read(PROGRAMS .. "api.conf") .. runs.LOCATIONS,
  outside = tls.servers .. OTHER_SERVER,
  facts = { THIRD = THIRD },
  errors = "",
  prepare = tls.write_certificates,
}

-- The shell's text that runs a program.
local function command_for(number, program, environment)
  if program.missing then
    return "true"
  end
  local file = PROGRAMS .. "run_cases.lua"
  if program.page then
    file = PROGRAMS .. "run_loop.lua"
    environment.PAGE = ("%s/%dpage.lua"):format(running.directory, number)
    environment.TIMES = program.times or 1
    support.write(environment.PAGE, program.page)
  end
  environment.API = program.scheme == "https" and running.tls_url or running.url
  environment.CLIENT, environment.NUMBER = program.client, number
  environment.CASES, environment.RUN = program.paths, program.run
  return command_of(running, program, file, environment)
end

describe("endpoint.request on the wire", function()
  local texts, proxy, pid
  setup(function()
    start()
    local here, commands = running.directory, {}
    make_socket(here)
    proxy = io.popen("echo $$; exec lua5.4 " .. PROGRAMS .. "proxy.lua")
    pid = proxy:read "*l"
    local environment = {
      HTTP = running.url,
      CA = here .. "/authorities.pem",
      HERE = here,
      PORT = running.port,
      SECOND = running.second_port,
      THIRD = THIRD,
      PROXY = proxy:read "*l",
      http_proxy = "127.0.0.1:1",
      https_proxy = "127.0.0.1:1",
    }
    for number, program in ipairs(programs) do
      commands[number] = command_for(number, program, environment)
    end
    texts = server.run_all(running, commands)
  end)
  teardown(function()
    server.shell("kill " .. pid)
    proxy:close()
    stop()
  end)

  for number, program in ipairs(programs) do
    describe(("by %s, over %s:"):format(program[1], program.scheme), function()
      if program.missing then
        it("sends many requests at once", function()
          pending(program.missing)
        end)
        return
      end
      for _, case in ipairs(program.cases) do
        it(case.title, function()
          cases.check(case, texts[number])
        end)
      end
      if program.page then
        it("prints what the page's program asks for, twice", function()
          local text = texts[number]:gsub("\r", "")
          assert.equal("x\nx\n", text:sub(1, 4))
        end)
      end
    end)
  end

  it("no byte of a request reaches another host", function()
    local log, sent = support.read(running.directory .. "/bytes.log"), 0
    for _, text in ipairs(texts) do
      sent = sent + select(2, ("\n" .. text):gsub("\nsent%f[\n%z]", ""))
    end
    assert.equal(sent, select(2, log:gsub("[^\n]+", "")))
    assert.truthy(sent > #PAIRS)
  end)
end)
