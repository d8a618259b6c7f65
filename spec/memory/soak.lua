-- Makes calls of every kind for a long time. Lua's memory in use after a full collection must be
-- the same after a tenth of the calls and at the end. The module has no other memory, which
-- spec/memory/symbols.sh shows.
--
-- Usage: lua spec/memory/soak.lua [CALLS]   50 million if not given
local CALLS = tonumber(arg and arg[1]) or 50000000
assert(CALLS >= 1000000, "expected 1000000 calls at least: a tenth of fewer is still warming up")
local TOLERANCE = 4096 -- bytes; if one kind of call leaves a byte, more are left
local CHECK_EVERY = 200 -- rounds: then all answers are checked

-- The entry points, as `require` finds them.
local searchers = package.searchers or package.loaders
local open, open_result = searchers[3] "endpoint", (searchers[4] "endpoint.result")
if type(open) ~= "function" then
  error(open, 0)
end
if type(open_result) ~= "function" then
  error(open_result, 0)
end

local operations = assert(loadfile "spec/memory/operations.lua")(open, open_result)

-- The operations as functions. Their templates are few, so the cache holds the same at each
-- measurement.
local functions, calls, rounds = {}, 0, 0
for number = 1, operations.count do
  functions[number] = operations.prepare(number)
end

local function run_until(enough)
  while calls < enough do
    for number, f in ipairs(functions) do
      local ok, value = pcall(f)
      if rounds % CHECK_EVERY == 0 then
        operations.answer(number, ok, value)
      end
    end
    if rounds % CHECK_EVERY == 0 then
      operations.check_state()
    end
    calls, rounds = calls + #functions, rounds + 1
  end
end

-- The bytes in use after collecting until nothing more goes.
local function measure()
  if jit then
    jit.flush()
  end -- the machine code of traces is not a leak
  for _ = 1, 20 do
    collectgarbage()
  end -- Lua's own stacks and buffers shrink by one step in each
  return collectgarbage "count" * 1024
end

run_until(CALLS / 10)
local before = measure()
run_until(CALLS)
local after = measure()
print(
  ("%s: %d calls; %d bytes after 10 %% of them, %d at the end"):format(
    operations.version,
    calls,
    before,
    after
  )
)
assert(after - before <= TOLERANCE, "BAD: it has grown")
