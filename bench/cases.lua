-- One round of the cases, in the interpreter that runs it: prints lines
-- "case <tab> peer <tab> nanoseconds a call" for bench/run.lua. Results of all
-- peers are compared with ours first, so that all do the same work.
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

-- Every field of a result on one line, names sorted, as bench/octokit.mjs writes it.
local function flat(result)
  local fields = {}
  local function add(value, name)
    if type(value) ~= "table" then
      fields[#fields + 1] = name .. "=" .. tostring(value)
    else
      for key, field in pairs(value) do add(field, name .. "." .. key) end
    end
  end
  add(result, "")
  table.sort(fields)
  return table.concat(fields, " ")
end

-- A loop of its own for each peer, since LuaJIT's traces begin at loops; the
-- result is kept, since LuaJIT leaves out tables that nobody sees.
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

-- Allocations of one call. A full collection first, so that no string of an
-- earlier result is found again; it shrinks the stack, which must be wide again
-- since that is no work of the call's.
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
    assert(theirs == ours or case.name == "new URL", case.name .. ": " .. peer.name .. " differs:\n" .. theirs .. "\n" .. ours)
  end
  for name, target in pairs(case.targets) do report(case.name, name .. " target", target) end
end

-- Before the timing, since compiling a trace allocates too.
if jit then jit.off() end
for _, case in ipairs(workloads) do
  for _, peer in ipairs(case.peers) do report(case.name, peer.name .. " allocations", allocations(peer.call)) end
end
if jit then jit.on() end

for _, case in ipairs(workloads) do
  local times = time(case.peers)
  for i, peer in ipairs(case.peers) do report(case.name, peer.name, ("%.1f"):format(times[i])) end
end

-- Nanoseconds for a value of 1 MB. The baseline makes a string as long as the
-- URL; LuaJIT finds an equal one that is not yet collected, for either peer.
for _, case in ipairs { { "1 MB unreserved", "a" }, { "1 MB encoded", "\255" } } do
  local value = case[2]:rep(1e6)
  local function call() return endpoint("GET /{x}", { x = value }) end
  local size = #call().url
  local times = time { { call = call }, { call = function() return baseline.fill(size) end } }
  report(case[1], "endpoint", ("%.1f"):format(times[1]))
  report(case[1], "baseline", ("%.1f"):format(times[2]))
end
