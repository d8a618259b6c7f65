-- Runs specs without busted, under a collector that never rests: of busted what
-- the specs use and no more, for each cycle walks through everything that there
-- is, and busted is ten times as much as the module.
--
-- Usage: lua spec/tools/run.lua stress|rest FILE...   rest: as far as the specs do not
-- drive the collector themselves.
local LIMIT = 500 -- cycles of one spec, which then goes on with a collector that rests
local LEAST = 10  -- cycles of a spec on the average, or else they have not been what they should

-- luacheck: globals assert pending describe before_each it

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

function pending(why) error({ pending = why }, 0) end

-- --- the cycles of a spec

local enough = 1 / 0
local sethook, is_deaf = debug.sethook, _VERSION >= "Lua 5.4" -- a spec empties the globals

local function watch()
  if collector.cycles() > enough then
    enough = 1 / 0
    if is_deaf then -- from 5.4 on no setting changes while a finalizer runs
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

local specs, names, prepare = {}, {}, nil

function describe(name, f)
  names[#names + 1] = name
  f()
  names[#names], prepare = nil, nil
end

-- For the specs of that describe below it.
function before_each(f) prepare = f end

function it(name, f)
  specs[#specs + 1] = { name = table.concat(names, " ") .. " " .. name, prepare = prepare, run = f }
end

local run, failed, not_run, curtailed = 0, 0, 0, 0

local function traceback(message)
  if type(message) == "table" and message.pending then return message end
  return debug.traceback(tostring(message), 2)
end

local function report_failure(spec, message)
  if type(message) == "table" then
    not_run = not_run + 1
    print(spec.name .. ": NOT RUN (" .. message.pending .. ")")
  else
    failed = failed + 1
    print(spec.name .. ": " .. message)
  end
end

local function run_spec(spec)
  if spec.prepare then spec.prepare() end
  local before = collector.cycles()
  if is_stress then enough = before + LIMIT end
  if is_stress then collector.never_rest() end
  local ok, message = xpcall(spec.run, traceback)
  collector.rest()
  enough = 1 / 0
  run = run + 1
  if is_stress and collector.cycles() - before > LIMIT then curtailed = curtailed + 1 end
  if not ok then report_failure(spec, message) end
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

-- LuaJIT calls no finalizer from machine code, and leaves the machine code for
-- each: it crawls.
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
