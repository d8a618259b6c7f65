-- Finalizers that touch what a call is reading, at each of its allocations in turn: they empty its
-- tables, change them, call the module, raise. Each such call gives a result or an error, and the
-- next call gives the right answer. Only a sanitizer sees whether freed memory was read: .ci/check
-- collector.
local collector = require "memory.collector"
local endpoint = require "endpoint"
local reader = require "endpoint.result"
local support = require "support"

-- spec/lib/run.lua has each call disturbed in each of its cycles. Under busted, with all specs in
-- memory, a cycle takes a hundred times as long: there each is disturbed once.
local thorough = collector.thorough
local MOST = 400 -- cycles; each call below needs fewer

local load_operations = assert(loadfile "spec/memory/operations.lua")
local operations = load_operations(function()
  return endpoint
end, function()
  return reader
end)
local api, text, key, map, variables =
  operations.api, operations.text, operations.key, operations.map, operations.variables

local calls = {} -- their numbers
for number = 1, operations.fresh do
  calls[number] = number
end

-- In these calls the buffer grows for a name, and at once again for the value after it: two
-- cycles pass. In the first a finalizer removes the value, in the second the value is freed.
-- So the name begins where the buffer's first room ends.
local ROOM = tonumber(support.read "src/buffer.h":match "EP_BUFFER_INITIAL = (%d+)")

-- A path that leaves `room` bytes of the buffer unused behind "https://api.service.example".
local function path(room)
  return "/" .. ("x"):rep(ROOM - #support.BASE - 1 - room)
end

local function add_call(name, prepare)
  calls[#calls + 1] = operations.add(name, prepare)
end

for room = 60, 180, 40 do
  -- What comes after the path, and what it writes, for a long name.
  local after = {
    ["an element"] = function(name)
      return "{?" .. name .. "*}", { [name] = { " ", text(9000) } }
    end,
    ["a value"] = function(name)
      return "{?a," .. name .. "}", { a = " ", [name] = text(9000) }
    end,
    ["a parameter"] = function(name)
      return "", { a = " ", [name] = text(9000) }
    end,
    ["a repeated parameter"] = function(name)
      return "", { [name .. "[]"] = { " ", text(9000) } }
    end,
  }
  for _, what in ipairs(support.keys(after)) do
    add_call(what .. " after its name, with room for " .. room, function()
      local expression, o = after[what](key("n"):rep(4))
      return endpoint, path(room) .. expression, o
    end)
  end
end
-- The variables, the parameters and the pairs of the map all lie on the stack here.
add_call("a map beside many variables and parameters", function()
  local o = map(32, { m = map(32) })
  return endpoint, variables(39, o) .. "{?m*}", o
end)
add_call("a long method", function()
  return endpoint, { method = text(3000), url = "/" .. text(3000) }
end)
add_call("a long method in the route", function()
  return endpoint, text(3000) .. " /" .. text(3000), map(1)
end)

-- --- what a finalizer does to a table

local next, pairs, type, rawset, tostring = next, pairs, type, rawset, tostring

local function each_table(t, f)
  for _, value in pairs(t) do
    if type(value) == "table" then
      each_table(value, f)
    end
  end
  f(t)
end

local function clear(t)
  for k in next, t do
    rawset(t, k, nil)
  end
end

-- Other values of other types, under the same keys.
local function change(t)
  for k, value in next, t do
    if type(value) == "table" then
      t[k] = 1.5
    elseif type(value) == "string" and #value % 2 == 0 then
      t[k] = { value .. "!" }
    else
      t[k] = tostring(value) .. "!"
    end
  end
end

-- Other keys: the table gets another size. Lua's own next may then lose its way.
local function refill(t)
  clear(t)
  for i = 1, 70 do
    t["other" .. i] = i
  end
end

local called = 0

local function call()
  for _ = 1, 40 do
    called = called + 1
    endpoint("GET /called/" .. called .. "/{a}", { a = called, b = called })
  end
  api("POST /x", { mediaType = { previews = { "z" } } })
  endpoint.defaults(api.merge("/y"))
  pcall(endpoint, "/{")
end

local deeds = {
  {
    "empties the tables",
    function(t)
      each_table(t, clear)
    end,
  },
  {
    "changes the tables",
    function(t)
      each_table(t, change)
    end,
  },
  {
    "refills the tables",
    function(t)
      each_table(t, refill)
    end,
  },
  {
    "empties the tables and calls the module",
    function(t)
      each_table(t, clear)
      call()
    end,
  },
  {
    "empties the tables and raises",
    function(t)
      each_table(t, clear)
      error("from a finalizer", 0)
    end,
  },
}

-- --- trying

local function answer(number)
  local ok, result = pcall(operations.arguments(number))
  return ok and operations.describe(result) or result
end

-- Is it a result, or an error of the module, of Lua's `next` or of the finalizer?
local function is_proper(ok, result)
  if ok then
    return type(result) == "table"
  end
  for _, words in ipairs {
    "endpoint: ",
    "endpoint.clients: ",
    "invalid key to 'next'",
    "from a finalizer",
  } do
    if type(result) == "string" and result:find(words, 1, true) then
      return true
    end
  end
  return false
end

-- Calls, and lets the finalizer loose in cycle number `at`. Returns whether the call lasted that
-- long.
local function try(number, deed, at)
  local f, a, b = operations.arguments(number)
  local t, cycle, done = b or a, 0, false
  local function finalizer()
    cycle = cycle + 1
    if done then
      return false
    end
    if cycle < at then
      return true
    end
    done = true
    deed(t)
  end
  -- A full cycle runs here, so the first cycle that calls the finalizer belongs to the call.
  collector.never_rest()
  collector.on_cycle(finalizer)
  local ok, result = pcall(f, a, b)
  local lasted = done
  done = true
  collector.rest()
  pcall(collectgarbage) -- an error of a finalizer that came too late
  assert.is_true(is_proper(ok, result), tostring(result))
  return lasted
end

-- Disturbs a call in the cycles from `first` on.
local function disturb(number, deed, first)
  local expected, at, before = answer(number), first, collector.cycles()
  while try(number, deed, at) and thorough do
    assert.equal(expected, answer(number))
    at = at + 1
    assert.is_true(at < MOST)
  end
  assert.equal(expected, answer(number))
  assert.is_true(collector.cycles() > before)
end

-- LuaJIT calls few finalizers from machine code, and may crash where one raises there, without this
-- module, too. What was compiled before must go, for jit.off() alone lets it run on.
local function stop_compiling()
  if jit then
    jit.off()
    jit.flush()
  end
end

local function compile_again()
  if jit and not thorough then
    jit.on()
  end
end

describe("a finalizer that", function()
  setup(stop_compiling)
  teardown(compile_again)

  for i, deed in ipairs(deeds) do
    for j = 1, thorough and #calls or operations.fresh do
      it(deed[1] .. ", in a call with " .. operations.name(calls[j]), function()
        disturb(calls[j], deed[2], thorough and 1 or (i + j) % 8 + 1)
      end)
    end
  end
end)
