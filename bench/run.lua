-- Runs every case in interleaved rounds and prints medians. bench/bench.sh calls it:
--   [ROUNDS=7] [SECONDS=0.1] lua5.4 bench/run.lua lua5.4 luajit
local ROUNDS, SECONDS = tonumber(os.getenv "ROUNDS") or 7, tonumber(os.getenv "SECONDS") or 0.1
local LUAS = arg[1] and { table.unpack(arg) } or { "lua5.4", "luajit" }

-- What a command prints first, or "none" if it fails.
local function first_line(command)
  local pipe = io.popen(command .. " 2>&1")
  local line = pipe:read "l"
  return pipe:close() and line or "none"
end

-- values[program][case][what]: what each round printed; the cases of workloads.lua in order
local values, cases = {}, {}

local function run(program, command)
  io.stderr:write(".")
  local mine = values[program] or {}
  values[program] = mine
  local pipe = io.popen(command)
  for line in pipe:lines() do
    local case, what, value = line:match "^(.-)\t(.-)\t(.*)$"
    mine[case] = mine[case] or {}
    mine[case][what] = mine[case][what] or {}
    table.insert(mine[case][what], tonumber(value) or value)
    if what == "result" and program == LUAS[1] and #mine[case][what] == 1 then table.insert(cases, case) end
  end
  assert(pipe:close(), "failed: " .. command)
end

local function median(program, case, what)
  local list = values[program] and values[program][case] and values[program][case][what]
  if not list then return nil end
  table.sort(list)
  return list[math.ceil(#list / 2)]
end

local function row(...) print("| " .. table.concat({ ... }, " | ") .. " |") end

local function head(...)
  print()
  row(...)
  print("|" .. ("---|"):rep(select("#", ...)))
end

-- Compares octokit's results with ours. cases.lua does so for the other peers.
local function compare_octokit()
  for case, found in pairs(values.node) do
    local theirs = found.result and found.result[1]
    local mine = values[LUAS[1]][case].result[1]
    assert(not theirs or theirs == mine, ("%s: octokit differs:\n%s\n%s"):format(case, theirs, mine))
  end
end

local octokit = first_line "node -p 'require(`./bench/node_modules/@octokit/endpoint/package.json`).version'"
local ours = first_line "sed -n 's/.*ENDPOINT_VERSION \"\\(.*\\)\".*/\\1/p' src/endpoint.h"
for _ = 1, ROUNDS do
  for _, lua in ipairs(LUAS) do
    run(lua, ("LUA_CPATH='build/%s/?.so;;' LUA_PATH='src/?.lua' %s bench/cases.lua %s"):format(lua, lua, SECONDS))
  end
  if octokit ~= "none" then
    run("node", ("node bench/octokit.mjs %s %s"):format(SECONDS, ours))
    compare_octokit()
  end
end

print("machine: " .. first_line "sed -n 's/^model name.*: //p' /proc/cpuinfo", first_line "nproc" .. " cores",
  "load " .. first_line "cat /proc/loadavg")
for _, lua in ipairs(LUAS) do print(lua .. ": " .. first_line(lua .. " -v")) end
print("node: " .. first_line "node --version" .. ", @octokit/endpoint: " .. octokit)
print("date: " .. os.date "!%Y-%m-%d" .. ", commit: " .. first_line "git describe --always --dirty")
print(("command: ROUNDS=%d SECONDS=%g bench/bench.sh %s\n"):format(ROUNDS, SECONDS, table.concat(LUAS, " ")))

print "Nanoseconds a call, medians. ×: endpoint's time divided by the peer's; faster: the reverse."
print(("The catalogue is %s."):format(os.getenv "CATALOGUE" or "the sample of bench/routes.tsv"))

-- Adds a peer's time and the ratio to the cells of a row.
local function add_peer(cells, lua, case, peer)
  local mine, is_octokit = median(lua, case, "endpoint"), peer == "octokit"
  local theirs = median(is_octokit and "node" or lua, case, peer)
  table.insert(cells, theirs and ("%.0f"):format(theirs) or "–")
  table.insert(cells, theirs and ("%.2f"):format(is_octokit and theirs / mine or mine / theirs) or "–")
end

head("case", "lua", "endpoint", "baseline", "×", "by hand", "×", "octokit", "faster")
for _, case in ipairs(cases) do
  for _, lua in ipairs(LUAS) do
    local cells = { case, lua, ("%.0f"):format(median(lua, case, "endpoint")) }
    for _, peer in ipairs { "baseline", "by hand", "octokit" } do add_peer(cells, lua, case, peer) end
    row(table.concat(cells, " | "))
  end
end

head("limit", "lua", "measured", "target", "met")
-- How many times the time of another case, or of another peer of its own, a case may take.
local function at_most(name, lua, mine, other, most)
  row(name, lua, ("%.0f ns, %.0f ns: × %.2f"):format(mine, other, mine / other), "≤ " .. most,
    mine <= most * other and "yes" or "no")
end
for _, lua in ipairs(LUAS) do
  local new, known = median(lua, "new URL", "endpoint"), median(lua, "new URL", "known URL")
  at_most("a new URL, against a known one", lua, new, known, 2.5)
  for _, case in ipairs(cases) do
    local call = median(lua, case, "call")
    if call then
      at_most(case .. ", against the call before it", lua, median(lua, case, "endpoint"), median(lua, call, "endpoint"),
        median(lua, case, "most"))
    end
  end
  for _, case in ipairs { { "1 MB unreserved", 2.3 }, { "1 MB encoded", 0.28 } } do
    local speed, copy = 1e6 / median(lua, case[1], "endpoint"), 1e6 / median(lua, case[1], "baseline")
    row(case[1], lua, ("%.2f GB/s, making the string alone %.2f"):format(speed, copy), ("≥ %g GB/s"):format(case[2]),
      speed >= case[2] and "yes" or "no")
  end
  local mine, least = median(lua, "GET", "endpoint allocations"), median(lua, "GET", "baseline allocations")
  row("GET: allocations", lua, ("%d, baseline %d"):format(mine, least), "no more", mine <= least and "yes" or "no")
end
