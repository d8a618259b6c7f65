-- Makes calls of every kind for a long time. The memory in use after a full collection
-- must be the same after a tenth of the calls and at the end.
--
-- Usage: lua spec/tools/soak.lua [CALLS]   50 million if not given
-- For glibc set MALLOC_TRIM_THRESHOLD_ and MALLOC_MMAP_THRESHOLD_ to 65536. Otherwise it
-- adapts them to the calls, and its unused memory changes by some megabytes.
local CALLS = tonumber(arg and arg[1]) or 50000000
assert(CALLS >= 1000000, "expected 1000000 calls at least: a tenth of fewer is still warming up")
-- Bytes: one address more or less may be in a cache. A byte a call would be forty times as much.
local LUA_TOLERANCE = 48 * 1024
local RSS_TOLERANCE = 4096 -- KB, for the unused memory of the system's allocator
local HEAVY_EVERY = 200 -- rounds: then the slow operations run, and all answers are checked

-- LuaJIT has an allocator of its own. With less garbage it has less unused memory.
if jit then collectgarbage("setpause", 120) end

-- The entry points, as `require` finds them.
local searchers = package.searchers or package.loaders
local open, open_result = searchers[3] "endpoint", (searchers[4] "endpoint.result")
if type(open) ~= "function" then error(open, 0) end
if type(open_result) ~= "function" then error(open_result, 0) end

local operations = assert(loadfile "spec/c/operations.lua")(open, open_result)

-- Two lists of the operations as functions: the fast ones and the slow ones.
local function prepare_all()
  local light, heavy = {}, {}
  for number = 1, operations.count do
    local steps = operations.steps(number)
    local list = operations.is_heavy(number) and heavy or light
    list[#list + 1] = { number = number, run = operations.prepare(number), steps = steps }
  end
  return light, heavy
end

local light, heavy = prepare_all()
local calls = 0

local function run(list)
  for _, operation in ipairs(list) do
    local f = operation.run
    for step = 1, operation.steps do pcall(f, step) end
    calls = calls + operation.steps
  end
end

-- Raises for a wrong answer.
local function check(list)
  for _, operation in ipairs(list) do operations.answer(operation.number, pcall(operation.run, 1)) end
end

local rounds = 0

local function run_until(enough)
  while calls < enough do
    run(light)
    if rounds % HEAVY_EVERY == 0 then
      run(heavy)
      check(light)
      check(heavy)
      operations.check_state()
    end
    rounds = rounds + 1
  end
end

-- --- measuring

-- The bytes in use after collecting until nothing more goes.
local function collected()
  if jit then jit.flush() end -- the machine code of traces is no leak
  local before
  repeat
    before = collectgarbage "count"
    collectgarbage()
  until collectgarbage "count" >= before
  return collectgarbage "count" * 1024
end

local sweeps = 0

-- A new URL, as long as all others.
local function address()
  sweeps = sweeps + 1
  return ("/soak/%08d"):format(sweeps) .. ("x"):rep(10000)
end

-- How full the caches are depends on the calls before. This fills them with routes of equal
-- size until they forget all, so that they are equally full at each measurement.
local function turn_cache(make)
  local MOST, LEAST_DROP = 200, 4096
  for _ = 1, 64 do operations.endpoint(make()) end
  local before = collected()
  for _ = 65, MOST do
    operations.endpoint(make())
    local now = collected()
    if now < before - LEAST_DROP then return end
    before = now
  end
end

local function rss()
  local file = io.open "/proc/self/status"
  return file and tonumber(file:read "*a":match "VmRSS:%s*(%d+) kB") or 0
end

-- Some operations have a module with a cache of its own. New ones are equally full.
local function measure()
  light, heavy = prepare_all()
  turn_cache(function() return "GET " .. address() end)
  turn_cache(function() return { url = address() } end)
  for _ = 1, 20 do collectgarbage() end -- Lua's own stacks and buffers shrink by one step in each
  return collected(), rss()
end

local function compare(what, unit, before, after, tolerance)
  print(("%s: %s after 10 %% of %d calls and at the end: %d and %d %s"):format(operations.version, what, calls,
    before, after, unit))
  assert(after - before <= tolerance, "BAD")
end

run_until(CALLS / 10)
local bytes, resident = measure()
run_until(CALLS)
local bytes_at_end, resident_at_end = measure()
compare("Lua's memory", "bytes", bytes, bytes_at_end, LUA_TOLERANCE)
compare("resident memory", "KB", resident, resident_at_end, RSS_TOLERANCE)
