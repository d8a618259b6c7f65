-- Runs checks of calls beside those of ajv and of api7/jsonschema, and prints medians of rounds;
-- fails for a case that is slower than it may be. bench/bench.sh calls it:
--   [ROUNDS=7] [SECONDS=0.1] [JSONSCHEMA_PATH=folder] lua5.4 bench/run_checks.lua
-- The folder has the sources of api7/jsonschema, and net/url.lua of golgote/neturl in its lib.
-- In a round each case is measured by each peer in turn, in a new process for each of them: what
-- LuaJIT has compiled before, or has given up to compile, changes the times of either. A process
-- prints the fastest of ten turns.
local json = require "cjson"

local ROUNDS, SECONDS = tonumber(os.getenv "ROUNDS") or 7, tonumber(os.getenv "SECONDS") or 0.1

local LUA = "LUA_CPATH='build/%s/?.so;;' LUA_PATH='src/?.lua;;' %s bench/checks.lua %s"

local PROGRAMS = {
  { name = "Lua 5.4", command = LUA:format("lua5.4", "lua5.4", SECONDS) },
  { name = "LuaJIT", command = LUA:format("luajit", "luajit", SECONDS) },
}

local PEERS = { "endpoint", os.getenv "JSONSCHEMA_PATH" and "jsonschema" }

-- figures["program peer"][case]: what each round printed
local figures = {}

local function cases_of(path)
  local file = assert(io.open(path))
  local document = json.decode(file:read "*a")
  file:close()
  local cases = {}
  for _, list in ipairs { document["x-calls"], document["x-real"] } do
    for _, call in ipairs(list) do
      cases[#cases + 1] = call.name
    end
  end
  return cases
end

local cases = cases_of "bench/checks.json"

local function has_ajv()
  local file = io.open "build/ajv/ajv2020.bundle.js"
  return file and file:close()
end

-- Notes what a program prints.
local function run(name, command)
  local pipe = io.popen(command)
  for line in pipe:lines() do
    local case, peer, figure = line:match "^(.-)\t(.-)\t(.*)$"
    local column = name .. " " .. peer
    figures[column] = figures[column] or {}
    figures[column][case] = figures[column][case] or {}
    table.insert(figures[column][case], tonumber(figure))
  end
  assert(pipe:close(), "failed: " .. command)
end

local function run_round()
  for _, case in ipairs(cases) do
    for _, program in ipairs(PROGRAMS) do
      for _, peer in ipairs(PEERS) do
        run(program.name, ("%s '%s' %s"):format(program.command, case, peer))
      end
    end
  end
  if has_ajv() then
    run("node", "node bench/ajv.mjs " .. SECONDS)
  end
end

local function median(column, case)
  local list = figures[column] and figures[column][case]
  if not list then
    return "NOT RUN"
  end
  table.sort(list)
  return ("%.0f"):format(list[math.ceil(#list / 2)])
end

for _ = 1, ROUNDS do
  run_round()
end

-- A check of a right value takes at most this much of the time that api7/jsonschema takes.
local LIMITS = { ["Lua 5.4"] = 0.9, LuaJIT = 1.1 }

local COLUMNS = {
  "Lua 5.4 endpoint",
  "Lua 5.4 jsonschema",
  "LuaJIT endpoint",
  "LuaJIT jsonschema",
  "node ajv",
}

print "\nNanoseconds a check, medians of rounds; each case and peer in a process of its own.\n"
print("| case | " .. table.concat(COLUMNS, " | ") .. " |")
print("|" .. ("---|"):rep(#COLUMNS + 1))
for _, case in ipairs(cases) do
  local cells = { case }
  for _, column in ipairs(COLUMNS) do
    cells[#cells + 1] = median(column, case)
  end
  print("| " .. table.concat(cells, " | ") .. " |")
end

local status = 0
for name, limit in pairs(LIMITS) do
  for _, case in ipairs(cases) do
    local ours = tonumber(median(name .. " endpoint", case))
    local peer = tonumber(median(name .. " jsonschema", case))
    if peer and ours > limit * peer then
      local words = "FAILED: %s, %s: %.2f of the time of api7/jsonschema, at most %.1f"
      print(words:format(name, case, ours / peer, limit))
      status = 1
    end
  end
end
os.exit(status)
