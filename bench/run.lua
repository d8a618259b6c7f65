-- Runs every case in interleaved rounds and prints medians. .ci/bench calls it:
--   [ROUNDS=7] [SECONDS=0.1] lua5.4 bench/run.lua lua5.4 luajit
local function setting(name, default) return tonumber(os.getenv(name)) or default end
local ROUNDS, SECONDS = setting("ROUNDS", 7), setting("SECONDS", 0.1)
local LUAS = arg[1] and { table.unpack(arg) } or { "lua5.4", "luajit" }

-- The first line of a command, or nil if it fails.
local function first_line(command)
  local pipe = io.popen(command .. " 2>&1")
  local line = pipe:read "l"
  return pipe:close() and line or nil
end

local function from_file(name, pattern)
  local file = io.open(name)
  if not file then return nil end
  local found = file:read("a"):match(pattern)
  file:close()
  return found
end

local function progress(text) io.stderr:write("\r\27[K", text):flush() end

-- values[program][case][what]: what each round printed; the cases of workloads.lua in order
local values, cases = {}, {}

local function run(program, command)
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

local rows
local function row(...) rows[#rows + 1] = { ... } end

-- Prints a Markdown table whose columns are as wide as their cells.
local function print_rows()
  local widths = {}
  local function width(text) return utf8.len(text) end
  for _, cells in ipairs(rows) do
    for i, cell in ipairs(cells) do widths[i] = math.max(widths[i] or 3, width(cell)) end
  end
  for n, cells in ipairs(rows) do
    for i, cell in ipairs(cells) do
      local space = (" "):rep(widths[i] - width(cell))
      io.write("| ", i > 2 and space .. cell or cell .. space, " ")
    end
    print "|"
    if n == 1 then
      for i, wide in ipairs(widths) do io.write(i > 2 and "|-" or "|:", ("-"):rep(wide), i > 2 and ":" or "-") end
      print "|"
    end
  end
  print()
end

local function text(format, number) return number and format:format(number) or "–" end

local version = first_line "node --version"
local octokit = version and from_file("bench/node_modules/@octokit/endpoint/package.json", '"version": *"([^"]+)"')
local no_octokit = version and "not installed" or "no node"
local ours = from_file("src/endpoint.h", 'VERSION "([^"]+)"')

-- Compares octokit's results with ours. cases.lua does so for the other peers.
local function compare_octokit()
  for case, found in pairs(values.node) do
    local theirs = found.result and found.result[1]
    local mine = values[LUAS[1]][case].result[1]
    assert(not theirs or theirs == mine, ("%s: octokit differs:\n%s\n%s"):format(case, theirs, mine))
  end
end

for round = 1, ROUNDS do
  for _, lua in ipairs(LUAS) do
    progress(("round %d of %d: %s"):format(round, ROUNDS, lua))
    run(lua, ("LUA_CPATH='build/%s/?.so;;' LUA_PATH='src/?.lua' %s bench/cases.lua %s"):format(lua, lua, SECONDS))
  end
  if octokit then
    progress(("round %d of %d: node"):format(round, ROUNDS))
    run("node", ("node bench/octokit.mjs %s %s"):format(SECONDS, ours))
    compare_octokit()
  end
end
progress ""

local cores = 0
for line in io.lines "/proc/cpuinfo" do cores = cores + (line:match "^processor" and 1 or 0) end
print(("machine: %s, %d cores, load %s"):format(from_file("/proc/cpuinfo", "model name%s*: ([^\n]*)") or "unknown",
  cores, from_file("/proc/loadavg", "^%S+") or "unknown"))
for _, lua in ipairs(LUAS) do print(lua .. ": " .. first_line(lua .. " -v")) end
print("node: " .. (version or "none") .. ", @octokit/endpoint: " .. (octokit or "none"))
print("date: " .. os.date "!%Y-%m-%d" .. ", commit: " .. (first_line "git describe --always --dirty" or "unknown"))
print(("command: ROUNDS=%d SECONDS=%g .ci/bench %s\n"):format(ROUNDS, SECONDS, table.concat(LUAS, " ")))

print "Nanoseconds a call, medians. ×: endpoint's time divided by the peer's; faster: the reverse."
print(("The catalogue is %s.\n"):format(os.getenv "CATALOGUE" or "the sample of spec/tools/routes.tsv"))
rows = {}
row("case", "lua", "endpoint", "baseline", "×", "by hand", "×", "octokit", "faster", "targets", "met")
for _, case in ipairs(cases) do
  for _, lua in ipairs(LUAS) do
    local endpoint = median(lua, case, "endpoint")
    local cells, wanted, met = { case, lua, text("%.0f", endpoint) }, {}, {}
    for _, peer in ipairs { "baseline", "by hand", "octokit" } do
      local faster = peer == "octokit"
      local theirs = median(faster and "node" or lua, case, peer)
      local ratio = theirs and (faster and theirs / endpoint or endpoint / theirs)
      table.insert(cells, faster and not octokit and no_octokit or text("%.0f", theirs))
      table.insert(cells, text(faster and "%.1f" or "%.2f", ratio))
      local goal = median(lua, case, peer .. " target")
      if goal then
        local good = ratio and (faster and ratio >= goal or not faster and ratio <= goal)
        table.insert(wanted, ("%s %s %g"):format(peer, faster and "≥" or "≤", goal))
        table.insert(met, not ratio and "?" or good and "yes" or "no")
      end
    end
    table.insert(cells, table.concat(wanted, ", "))
    table.insert(cells, table.concat(met, ", "))
    row(table.unpack(cells))
  end
end
print_rows()

rows = {}
row("limit", "lua", "measured", "target", "met")
local function limit(name, lua, measured, target, met) row(name, lua, measured, target, met and "yes" or "no") end
for _, lua in ipairs(LUAS) do
  local new, known = median(lua, "new URL", "endpoint"), median(lua, "new URL", "known URL")
  limit("a new URL, against a known one", lua, ("%.0f ns, %.0f ns: × %.2f"):format(new, known, new / known), "≤ 2.5",
    new <= 2.5 * known)
end
for _, case in ipairs(cases) do
  local call = median(LUAS[1], case, "call")
  for _, lua in ipairs(call and LUAS or {}) do
    local client, before, most = median(lua, case, "endpoint"), median(lua, call, "endpoint"), median(lua, case, "most")
    limit(case .. ", against the call before it", lua, ("%.0f ns, %.0f ns: × %.2f"):format(client, before, client / before),
      "≤ " .. most, client <= most * before)
  end
end
for _, case in ipairs { { "1 MB unreserved", 2.8 }, { "1 MB encoded", 0.9 } } do
  for _, lua in ipairs(LUAS) do
    local speed, most = 1e6 / median(lua, case[1], "endpoint"), 1e6 / median(lua, case[1], "baseline")
    limit(case[1], lua, ("%.2f GB/s, making the string alone %.2f"):format(speed, most), ("≥ %g GB/s"):format(case[2]),
      speed >= case[2])
  end
end
for _, case in ipairs { "GET", "POST", "GET with defaults" } do
  for _, lua in ipairs(LUAS) do
    local mine, least = median(lua, case, "endpoint allocations"), median(lua, case, "baseline allocations")
    limit(case .. ": allocations", lua, ("%d, baseline %d"):format(mine, least), "no more", mine <= least)
  end
end
print_rows()
