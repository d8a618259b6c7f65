-- Makes calls of every kind for a long time. Lua's memory in use after a full collection must be
-- the same after a tenth of the calls and at the end. The module has no other memory, which
-- spec/memory/symbols.sh shows.
--
-- Usage: lua spec/memory/soak.lua [CALLS]   50 million if not given
local CALLS = tonumber(arg and arg[1]) or 50000000
assert(CALLS >= 1000000, "expected 1000000 calls at least: a tenth of fewer is still warming up")
-- Bytes: one address more or less may be in a cache. A byte a call would be forty times as much.
local TOLERANCE = 48 * 1024
local HEAVY_EVERY = 200 -- rounds: then the slow operations run, and all answers are checked

-- The entry points, as `require` finds them.
local searchers = package.searchers or package.loaders
local open, open_result = searchers[3] "endpoint", (searchers[4] "endpoint.result")
if type(open) ~= "function" then error(open, 0) end
if type(open_result) ~= "function" then error(open_result, 0) end

local operations = assert(loadfile "spec/memory/operations.lua")(open, open_result)

-- Two lists of the operations as functions, by their numbers: the fast ones and the slow ones.
local function prepare_all()
  local light, heavy = {}, {}
  for number = 1, operations.count do
    (operations.is_heavy(number) and heavy or light)[number] = operations.prepare(number)
  end
  return light, heavy
end

local light, heavy = prepare_all()
local calls = 0

local function run(list)
  for _, f in pairs(list) do
    pcall(f)
    calls = calls + 1
  end
end

-- Raises for a wrong answer.
local function check(list)
  for number, f in pairs(list) do operations.answer(number, pcall(f)) end
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
  local function use()
    local url = make()
    for _ = 1, 2 do operations.endpoint(url) end -- the second time it is kept
  end
  for _ = 1, 64 do use() end
  local before = collected()
  for _ = 65, MOST do
    use()
    local now = collected()
    if now < before - LEAST_DROP then return end
    before = now
  end
end

-- Some operations have a module with a cache of its own. New ones are equally full.
local function measure()
  light, heavy = prepare_all()
  turn_cache(function() return "GET " .. address() end)
  turn_cache(function() return { url = address() } end)
  for _ = 1, 20 do collectgarbage() end -- Lua's own stacks and buffers shrink by one step in each
  return collected()
end

run_until(CALLS / 10)
local before = measure()
run_until(CALLS)
local after = measure()
print(("%s: %d calls; %d bytes after 10 %% of them, %d at the end"):format(operations.version, calls, before, after))
assert(after - before <= TOLERANCE, "BAD: it has grown")
