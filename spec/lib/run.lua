-- Runs specs, in one process, with as much of busted as they use: plain `busted` runs those of
-- each Lua too. Each cycle of a collector that never rests walks through all memory, and
-- busted's is ten times that of the module.
--
-- Usage: lua spec/lib/run.lua [thorough | stress] FILE...
-- thorough: collector_spec disturbs each call in each cycle of the collector, not in some.
-- stress: also, each spec runs under a collector that never rests.
-- The last line is "N passed, N failed, N not run". Without it the run broke off.
local LIMIT = 500 -- cycles of one spec, which then goes on with a collector that rests
local LEAST = 3   -- cycles of a spec on average; with fewer the collector has rested

-- luacheck: globals assert pending describe it setup teardown before_each

local collector = require "memory.collector"
local mode = table.remove(arg, (arg[1] == "thorough" or arg[1] == "stress") and 1 or #arg + 1)
local is_stress = mode == "stress"

-- --- assertions

local function show(value)
  return type(value) == "string" and ("%q"):format(value) or tostring(value)
end

-- Where two values differ, as text; nil if they are the same.
local function difference(wanted, got)
  if type(wanted) ~= "table" or type(got) ~= "table" then
    return wanted ~= got and (": expected %s, got %s"):format(show(wanted), show(got)) or nil
  end
  for key, value in pairs(wanted) do
    local found = difference(value, got[key])
    if found then return "." .. tostring(key) .. found end
  end
  for key, value in pairs(got) do
    if wanted[key] == nil then return (".%s: expected nothing, got %s"):format(tostring(key), show(value)) end
  end
end

local function demand(ok, expected, got, message)
  if ok then return end
  error(("expected %s, got %s%s"):format(expected, got, message and "\n" .. tostring(message) or ""), 3)
end

assert = setmetatable({
  equal = function(wanted, got, message) demand(wanted == got, show(wanted), show(got), message) end,
  same = function(wanted, got, message)
    local found = difference(wanted, got)
    demand(not found, "the same fields", found, message)
  end,
  is_true = function(got, message) demand(got == true, "true", show(got), message) end,
  is_false = function(got, message) demand(got == false, "false", show(got), message) end,
  is_nil = function(got, message) demand(got == nil, "nil", show(got), message) end,
  truthy = function(got, message) demand(got, "something", show(got), message) end,
  falsy = function(got, message) demand(not got, "nothing", show(got), message) end,
}, { __call = function(_, ok, message, ...)
  if not ok then error(message or "assertion failed!", 2) end
  return ok, message, ...
end })

-- --- the cycles of a spec

local enough = 1 / 0 -- the cycle after which the collector rests
-- Kept in locals, since a spec empties the table of globals.
local sethook, is_locked_in_finalizers = debug.sethook, _VERSION >= "Lua 5.4"

-- Runs in each cycle, as a finalizer.
local function watch()
  if collector.cycles() > enough then
    enough = 1 / 0
    if is_locked_in_finalizers then -- Lua 5.4 changes no setting while a finalizer runs
      sethook(function()
        sethook()
        collector.rest()
      end, "", 1)
    else
      collector.rest()
    end
  end
  return true
end

local curtailed = 0

-- Calls f under a collector that never rests.
local function stress(f)
  local before = collector.cycles()
  enough = before + LIMIT
  collector.never_rest()
  local ok, message = f()
  collector.rest()
  enough = 1 / 0
  if collector.cycles() - before > LIMIT then curtailed = curtailed + 1 end
  return ok, message
end

-- --- blocks and specs

-- The block that is being read: its name, the block around it, its children in their order
-- ({ name, read } is a block, { name, run } a spec), and lists of functions around them.
local block
local passed, failed, not_run = 0, 0, 0
local PENDING = {} -- raised where a spec is left

local function add(child)
  block[#block + 1] = child
end

function describe(name, f) add { name = name, read = f } end

function it(name, f) add { name = name, run = f } end

function pending(why)
  if not block then error({ PENDING, why }, 0) end
  add { name = why, run = function() error({ PENDING, "not run" }, 0) end }
end

for _, hook in ipairs { "setup", "teardown", "before_each" } do
  _G[hook] = function(f) table.insert(block[hook], f) end
end

-- The lines of the specs and of what they call.
local function traceback(raised)
  if type(raised) == "table" and raised[1] == PENDING then return raised end
  return (debug.traceback(tostring(raised), 2):gsub("\n[^\n]*lib/run%.lua:[^\n]*", ""):gsub("\n\t%[C%]:[^\n]*", ""))
end

-- Calls f in protected mode. Returns whether it returned; what it raised is printed and counted.
local function try(name, f)
  local ok, raised = xpcall(f, traceback)
  if ok then return true end
  if type(raised) == "table" then
    not_run = not_run + 1
    print(("NOT RUN: %s: %s"):format(name, raised[2]))
  else
    failed = failed + 1
    print(("Failure -> %s\n%s"):format(name, raised))
  end
end

local function call_all(list)
  for _, f in ipairs(list) do f() end
end

-- What runs before each spec, of all blocks around it, the outermost first.
local function call_before(around)
  if around.outer then call_before(around.outer) end
  call_all(around.before_each)
end

local function run_spec(spec, around)
  local function run()
    return try(around.name .. " " .. spec.name, function()
      call_before(around)
      spec.run()
    end)
  end
  if is_stress and stress(run) or not is_stress and run() then passed = passed + 1 end
end

local function run_block(name, read, outer)
  local own = { name = name, outer = outer, setup = {}, teardown = {}, before_each = {} }
  block = own
  local is_read = try(name, read)
  block = nil
  if not is_read or not try(name, function() call_all(own.setup) end) then return end
  for i = 1, #own do
    local child = own[i]
    own[i] = false -- what it held is garbage once it has run
    if child.read then run_block(name .. " " .. child.name, child.read, own) else run_spec(child, own) end
  end
  try(name, function() call_all(own.teardown) end)
end

-- Each file loads the module anew, as under busted.
local function run_file(path)
  local before = passed + failed + not_run
  package.loaded.endpoint, package.loaded.support = nil, nil
  run_block(path, function() assert(loadfile(path))() end)
  if passed + failed + not_run == before then
    failed = failed + 1
    print(("Failure -> %s\nexpected a spec"):format(path))
  end
end

if mode then
  -- LuaJIT calls no finalizer from machine code. It leaves the machine code for each, which
  -- makes it very slow.
  if jit then jit.off() end
  collector.thorough = true
  collector.cycles()
  collector.on_cycle(watch)
end
for i = 1, #arg do run_file(arg[i]) end
if mode then
  print(("%d cycles, %d specs were left after %d"):format(collector.cycles(), curtailed, LIMIT))
  if is_stress and collector.cycles() < LEAST * passed then
    print "Failure -> the collector has rested"
    failed = failed + 1
  end
end
print(("%d passed, %d failed, %d not run"):format(passed, failed, not_run))
os.exit(failed == 0 and passed > 0 and 0 or 1)
