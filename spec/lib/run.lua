-- Runs spec files where busted's own modules cannot go: on a Lua that has none of them, under wine,
-- on other machines; and under a collector that never rests, each of whose cycles walks through all
-- memory, of which busted's is ten times that of the module. It has as much of busted as the specs
-- use.
-- Usage: lua spec/lib/run.lua [thorough | stress] FILE...
-- thorough: collector_spec disturbs each call in each cycle of the collector, not in some.
-- stress: also, each spec runs under a collector that never rests.
-- The last line is like busted's; without it the run broke off.
local LEAST = 3 -- cycles of a spec on average; with fewer the collector has rested

-- luacheck: globals assert pending describe it setup teardown before_each after_each
local collector = require "memory.collector"
local mode = table.remove(arg, (arg[1] == "thorough" or arg[1] == "stress") and 1 or #arg + 1)
local plain_assert = assert

-- Where two values differ, as text; nil if they are the same.
local function difference(wanted, got)
  if wanted == got then
    return
  end
  if type(wanted) ~= "table" or type(got) ~= "table" then
    return tostring(wanted) .. " is not " .. tostring(got)
  end
  for key, value in pairs(wanted) do
    local found = difference(value, got[key])
    if found then
      return "." .. tostring(key) .. " " .. found
    end
  end
  for key in pairs(got) do
    if wanted[key] == nil then
      return "." .. tostring(key) .. " is too much"
    end
  end
end

local function demand(ok, found, message)
  if not ok then
    error(("%s%s"):format(found, message and "\n" .. tostring(message) or ""), 3)
  end
end

local function equal(wanted, got, message)
  demand(wanted == got, difference(wanted, got), message)
end
local function holds(got, message)
  demand(got, "expected a true value", message)
end
assert = setmetatable({
  equal = equal,
  truthy = holds,
  same = function(wanted, got, message)
    local found = difference(wanted, got)
    demand(not found, found, message)
  end,
  is_true = function(got, message)
    equal(true, got, message)
  end,
  is_false = function(got, message)
    equal(false, got, message)
  end,
  is_nil = function(got, message)
    equal(nil, got, message)
  end,
  falsy = function(got, message)
    holds(not got, message)
  end,
}, {
  __call = function(_, ...)
    return plain_assert(...)
  end,
})

-- The one that is being read: its name, the block around it, its children, and functions around
-- them.
local block
local passed, failed, skipped = 0, 0, 0
local PENDING = {} -- raised where a spec is left

function describe(name, f)
  table.insert(block, { name = name, read = f })
end
function it(name, f)
  table.insert(block, { name = name, run = f })
end

function pending(why)
  if not block then
    error({ PENDING, why }, 0)
  end
  it(why, function()
    pending ""
  end)
end

for _, hook in ipairs { "setup", "teardown", "before_each", "after_each" } do
  _G[hook] = function(f)
    table.insert(block[hook], f)
  end
end

local function call_all(functions)
  for _, f in ipairs(functions) do
    f()
  end
end

-- Calls f; what it raises is printed and counted.
local function try(name, f)
  local ok, raised = xpcall(f, function(raised)
    return type(raised) == "table" and raised[1] == PENDING and raised
      or debug.traceback(tostring(raised), 2)
  end)
  if ok then
    return true
  end
  local is_pending = type(raised) == "table"
  if is_pending then
    skipped = skipped + 1
  else
    failed = failed + 1
  end
  print(
    ("%s -> %s\n%s"):format(
      is_pending and "Pending" or "Failure",
      name,
      is_pending and raised[2] or raised
    )
  )
end

local function run_block(name, read, outer)
  local own = { name = name, setup = {}, teardown = {}, before_each = {}, after_each = {} }
  for _, hook in ipairs(outer and { "before_each", "after_each" } or {}) do
    own[hook][1] = function()
      call_all(outer[hook])
    end
  end
  block = own
  local is_read = try(name, read)
  block = nil
  if not is_read or not try(name, function()
    call_all(own.setup)
  end) then
    return
  end
  for i = 1, #own do
    local child = own[i]
    local full = name .. " " .. child.name
    own[i] = false -- what it held is garbage once it has run
    local function run()
      local is_right = try(full, function()
        call_all(own.before_each)
        child.run()
      end)
      local is_left_tidy = try(full, function()
        call_all(own.after_each)
      end)
      if is_right and is_left_tidy then
        passed = passed + 1
      end
    end
    if child.read then
      run_block(full, child.read, own)
    elseif mode == "stress" then
      collector.stress(run)
    else
      run()
    end
  end
  try(name, function()
    call_all(own.teardown)
  end)
end

if mode then
  if jit then
    jit.off()
  end -- its machine code calls no finalizer: it is left for each, which is very slow
  collector.thorough = true
  collector.cycles()
end
for _, path in ipairs(arg) do
  run_block(path, function()
    plain_assert(loadfile(path))()
  end)
end
if mode == "stress" and collector.cycles() < LEAST * passed then
  print "Failure -> the collector has rested"
  failed = failed + 1
end
if mode then
  print(
    ("%d cycles, in %d specs as many as there may be"):format(
      collector.cycles(),
      collector.curtailed
    )
  )
end
print(("%d successes / %d failures / 0 errors / %d pending"):format(passed, failed, skipped))
os.exit(failed == 0 and passed + skipped > 0 and 0 or 1)
