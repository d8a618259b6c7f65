-- Runs specs without busted, under a collector that never rests. Each cycle of the
-- collector walks through all memory, and busted needs ten times that of the module. So
-- this has only as much of busted as the specs use.
--
-- Usage: lua spec/tools/run.lua stress|rest FILE...   With "rest" the collector rests,
-- except where a spec drives it.
local LIMIT = 500 -- cycles of one spec, which then goes on with a collector that rests
local LEAST = 10  -- cycles of a spec on average; with fewer the collector has rested

-- luacheck: globals assert pending describe it

local collector = require "collector"
local is_stress = arg[1] == "stress"

-- --- assertions

local function is_same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do
    if not is_same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

local function demand(ok, message)
  if not ok then error(message, 3) end
end

local function expected(wanted, got)
  return "expected " .. tostring(wanted) .. ", got " .. tostring(got)
end

assert = setmetatable({
  equal = function(wanted, got) demand(wanted == got, wanted ~= got and expected(wanted, got)) end,
  not_equal = function(other, got) demand(other ~= got, "expected another value") end,
  same = function(wanted, got) demand(is_same(wanted, got), "expected tables with the same fields") end,
  is_true = function(got, message) demand(got == true, message or "expected true") end,
  is_false = function(got) demand(got == false, "expected false") end,
  is_nil = function(got) demand(got == nil, "expected nil") end,
  truthy = function(got, message) demand(got, message or "expected something") end,
  falsy = function(got) demand(not got, "expected nothing") end,
  has_no = { errors = function(f) f() end },
}, { __call = function(_, ok, message, ...)
  if not ok then error(message or "assertion failed!", 2) end
  return ok, message, ...
end })

local not_run = 0

function pending(why)
  print("NOT RUN: " .. why)
  not_run = not_run + 1
end

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

-- --- specs

local specs, names = {}, {}

function describe(name, f)
  names[#names + 1] = name
  f()
  names[#names] = nil
end

function it(name, f)
  specs[#specs + 1] = { name = table.concat(names, " ") .. " " .. name, run = f }
end

local run, failed, curtailed = 0, 0, 0

local function traceback(message)
  return debug.traceback(tostring(message), 2)
end

local function run_spec(spec)
  local before = collector.cycles()
  if is_stress then enough = before + LIMIT end
  if is_stress then collector.never_rest() end
  local ok, message = xpcall(spec.run, traceback)
  collector.rest()
  enough = 1 / 0
  run = run + 1
  if is_stress and collector.cycles() - before > LIMIT then curtailed = curtailed + 1 end
  if not ok then
    failed = failed + 1
    print(spec.name .. ": " .. message)
  end
end

-- Each file loads the module anew, as under busted.
local function run_file(path)
  specs = {}
  package.loaded.endpoint, package.loaded.support = nil, nil
  dofile(path)
  for i = 1, #specs do
    run_spec(specs[i])
    specs[i] = false -- what it held is garbage now
  end
end

-- LuaJIT calls no finalizer from machine code. It leaves the machine code for each, which
-- makes it very slow.
if jit then jit.off() end
collector.thorough = true
collector.cycles()
collector.on_cycle(watch)
for i = 2, #arg do run_file(arg[i]) end
local cycles = collector.cycles()
print(("%d specs, %d cycles, %d failed, %d not run%s"):format(run, cycles, failed, not_run,
  curtailed > 0 and ("; %d specs were left after %d cycles"):format(curtailed, LIMIT) or ""))
if is_stress and cycles < LEAST * run then
  print "the collector has rested"
  failed = failed + 1
end
os.exit(failed == 0 and run > 0 and 0 or 1)
