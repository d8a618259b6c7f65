-- Runs every case in interleaved rounds and prints medians. bench/bench.sh calls it:
--   [ROUNDS=7] [SECONDS=0.1] lua5.4 bench/run.lua
local limits = require "bench.limits"

local ROUNDS, SECONDS = tonumber(os.getenv "ROUNDS") or 7, tonumber(os.getenv "SECONDS") or 0.1
local LUAS = { "lua5.4", "luajit" }

-- What a command prints first, or "none" if it fails.
local function first_line(command)
  local pipe = io.popen(command .. " 2>&1")
  local line = pipe:read "l"
  return pipe:close() and line or "none"
end

-- values[program][case][what]: what each round printed; the names of the cases of cases.lua in
-- order
local values, cases = { ["lua5.4"] = {}, luajit = {}, node = {} }, {}

local function run(program, command)
  io.stderr:write(".")
  local mine, pipe = values[program], io.popen(command)
  for line in pipe:lines() do
    local case, what, value = line:match "^(.-)\t(.-)\t(.*)$"
    mine[case] = mine[case] or {}
    mine[case][what] = mine[case][what] or {}
    table.insert(mine[case][what], tonumber(value) or value)
    if what == "result" and program == LUAS[1] and #mine[case][what] == 1 then
      table.insert(cases, case)
    end
    local ours = values[LUAS[1]][case].result
    assert(
      what ~= "result" or program ~= "node" or value == ours[1],
      case .. ": octokit differs:\n" .. line
    )
  end
  assert(pipe:close(), "failed: " .. command)
end

local function median(program, case, what)
  local list = values[program][case] and values[program][case][what]
  if not list then
    return nil
  end
  table.sort(list)
  return list[math.ceil(#list / 2)]
end

local function row(...)
  print("| " .. table.concat({ ... }, " | ") .. " |")
end

local function head(...)
  print()
  row(...)
  print("|" .. ("---|"):rep(select("#", ...)))
end

local octokit = first_line(
  "node -p 'require(`./build/octokit/node_modules/@octokit/endpoint/package.json`).version'"
)
for _ = 1, ROUNDS do
  for _, lua in ipairs(LUAS) do
    run(
      lua,
      ("LUA_CPATH='build/%s/?.so;;' LUA_PATH='src/?.lua' %s bench/cases.lua %s"):format(
        lua,
        lua,
        SECONDS
      )
    )
  end
  if octokit ~= "none" then
    run("node", "node bench/octokit.mjs " .. SECONDS)
  end
end

print(
  "machine: " .. first_line "sed -n 's/^model name.*: //p' /proc/cpuinfo",
  first_line "nproc" .. " cores",
  "load " .. first_line "cat /proc/loadavg"
)
for _, lua in ipairs(LUAS) do
  print(lua .. ": " .. first_line(lua .. " -v"))
end
print(
  "node: "
    .. first_line "node --version"
    .. ", @octokit/endpoint: "
    .. (octokit == "none" and "NOT RUN (npm has not installed it)" or octokit)
)
print("date: " .. os.date "!%Y-%m-%d" .. ", commit: " .. first_line "git describe --always --dirty")
print(("command: ROUNDS=%d SECONDS=%g make bench\n"):format(ROUNDS, SECONDS))

print "Nanoseconds a call, medians. ×: endpoint's time divided by the peer's; faster: the reverse."

head("case", "lua", "endpoint", "baseline", "×", "by hand", "×", "octokit", "faster")
for _, case in ipairs(cases) do
  for _, lua in ipairs(LUAS) do
    local mine = median(lua, case, "endpoint")
    local cells = { case, lua, ("%.0f"):format(mine) }
    for _, peer in ipairs { "baseline", "by hand", "octokit" } do
      local theirs = median(peer == "octokit" and "node" or lua, case, peer)
      table.insert(cells, theirs and ("%.0f"):format(theirs) or "–")
      table.insert(
        cells,
        theirs and ("%.2f"):format(peer == "octokit" and theirs / mine or mine / theirs) or "–"
      )
    end
    row(table.unpack(cells))
  end
end

-- How many times the time of the call before it a client's function may take.
local MOST = { plain = 2, luasocket = 3, resty_http = 3, lua_https = 3, curl = 4, argv = 5 }

limits.head()
for _, lua in ipairs(LUAS) do
  for _, case in ipairs(cases) do
    local client, call = case:match "^clients%.(.+), (%u+)$"
    if client then
      limits.print(
        ("%s: %s, beside the call before it"):format(lua, case),
        median(lua, case, "endpoint"),
        median(lua, call, "endpoint"),
        MOST[client]
      )
    end
  end
end
limits.exit()
