-- One round of the cases, in the interpreter that runs this file. Prints lines "case <tab>
-- peer <tab> nanoseconds a call" for bench/run.lua. Compares the results of all peers with
-- ours before, so that all do the same work.
local endpoint = require "endpoint"
local baseline = require "baseline"
local workloads = dofile "bench/workloads.lua"

local unpack = table.unpack or unpack -- luacheck: ignore 143
local loadstring = loadstring or load
local SECONDS = tonumber(arg[1]) or 0.1
local BATCHES = 5

local function report(case, peer, value)
  print(("%s\t%s\t%s"):format(case, peer, value))
end

-- Every field of a result, or of two, on one line, names sorted, as bench/octokit.mjs writes it.
-- Functions, which nobody can compare, are left out.
local function flat(result, second)
  if second ~= nil then result = { result, second } end
  local fields = {}
  local function add(value, name)
    if type(value) == "function" then return end
    if type(value) ~= "table" then
      fields[#fields + 1] = name .. "=" .. tostring(value)
    else
      for key, field in pairs(value) do add(field, name .. "." .. key) end
    end
  end
  add(result, "")
  table.sort(fields)
  return (table.concat(fields, " "):gsub("\n", "\\n"))
end

-- Each peer has a loop of its own, since LuaJIT's traces begin at loops. The result is kept,
-- since LuaJIT does not make tables that nobody uses.
local function loop_of(call)
  return loadstring [[
    local call, kept = ...
    return function(count) for _ = 1, count do kept[1] = call() end end
  ]](call, {})
end

local function seconds_of(loop, count)
  collectgarbage()
  local began = os.clock()
  loop(count)
  return os.clock() - began
end

-- Nanoseconds a call for each peer: medians of interleaved batches.
local function time(peers)
  local loops, counts, times = {}, {}, {}
  for i, peer in ipairs(peers) do
    loops[i], counts[i], times[i] = loop_of(peer.call), 8, {}
    local took = 0
    while took < SECONDS / BATCHES do
      counts[i] = counts[i] * 2
      took = seconds_of(loops[i], counts[i])
    end
    counts[i] = math.ceil(counts[i] * SECONDS / BATCHES / took)
  end
  for batch = 1, BATCHES do
    for i, loop in ipairs(loops) do times[i][batch] = seconds_of(loop, counts[i]) / counts[i] * 1e9 end
  end
  local medians = {}
  for i in ipairs(peers) do
    table.sort(times[i])
    medians[i] = times[i][math.ceil(BATCHES / 2)]
  end
  return medians
end

-- The allocations of one call. A full collection before frees the strings of earlier
-- results, which the call could use again. It also shrinks Lua's stack, which must grow
-- again before the call, since that is not the call's work.
local function allocations(call)
  call()
  collectgarbage()
  collectgarbage "stop"
  select("#", unpack({}, 1, 200))
  local count = baseline.allocations(call)
  collectgarbage "restart"
  return count
end

for _, case in ipairs(workloads) do
  local ours = flat(case.peers[1].call())
  report(case.name, "result", ours)
  for i = 2, #case.peers do
    local peer = case.peers[i]
    local theirs = flat(peer.call())
    local is_same = theirs == ours or case.name == "new URL"
    assert(is_same, case.name .. ": " .. peer.name .. " differs:\n" .. theirs .. "\n" .. ours)
  end
  if case.call then
    report(case.name, "call", case.call)
    report(case.name, "most", case.most)
  end
end

-- Before the timing, since compiling a trace allocates too.
if jit then jit.off() end
for _, peer in ipairs(workloads[1].peers) do report("GET", peer.name .. " allocations", allocations(peer.call)) end
if jit then jit.on() end

for _, case in ipairs(workloads) do
  local times = time(case.peers)
  for i, peer in ipairs(case.peers) do report(case.name, peer.name, ("%.1f"):format(times[i])) end
end

-- Nanoseconds for a value of 1 MB. The baseline makes a string as long as the URL. LuaJIT
-- may find an equal string that is not yet collected, for both.
for _, case in ipairs { { "1 MB unreserved", "a" }, { "1 MB encoded", "\255" } } do
  local value = case[2]:rep(1e6)
  local function call() return endpoint("GET /{x}", { x = value }) end
  local size = #call().url
  local times = time { { call = call }, { call = function() return baseline.fill(size) end } }
  report(case[1], "endpoint", ("%.1f"):format(times[1]))
  report(case[1], "baseline", ("%.1f"):format(times[2]))
end
