-- Runs checks of calls in interleaved rounds, beside those of ajv and of api7/jsonschema, and
-- prints medians; fails for a case that is slower than it may be. bench/bench.sh calls it:
--   [ROUNDS=7] [SECONDS=0.1] [JSONSCHEMA_PATH=folder] lua5.4 bench/run_checks.lua
-- The folder has the sources of api7/jsonschema, and net/url.lua of golgote/neturl in its lib.
local ROUNDS, SECONDS = tonumber(os.getenv "ROUNDS") or 7, tonumber(os.getenv "SECONDS") or 0.1

local PROGRAMS = {
  {
    name = "Lua 5.4",
    command = "LUA_CPATH='build/lua5.4/?.so;;' LUA_PATH='src/?.lua;;' lua5.4 bench/checks.lua %s",
  },
  {
    name = "LuaJIT",
    command = "LUA_CPATH='build/luajit/?.so;;' LUA_PATH='src/?.lua;;' luajit bench/checks.lua %s",
  },
  { name = "node", command = "node bench/ajv.mjs %s" },
}

-- figures["program peer"][case]: what each round printed; the cases in their order
local figures, cases = {}, {}

local function add(column, case, figure)
  figures[column] = figures[column] or {}
  if not figures[column][case] then
    figures[column][case] = {}
    cases[#cases + 1] = column == "Lua 5.4 endpoint" and case or nil
  end
  table.insert(figures[column][case], figure)
end

local function has_ajv()
  local file = io.open "build/ajv/ajv2020.bundle.js"
  return file and file:close()
end

local function run(program)
  if program.name == "node" and not has_ajv() then
    return
  end
  local pipe = io.popen(program.command:format(SECONDS))
  for line in pipe:lines() do
    local case, peer, figure = line:match "^(.-)\t(.-)\t(.*)$"
    add(program.name .. " " .. peer, case, tonumber(figure))
  end
  assert(pipe:close(), "failed: " .. program.command)
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
  for _, program in ipairs(PROGRAMS) do
    run(program)
  end
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

print "\nNanoseconds a check, medians of interleaved rounds.\n"
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
