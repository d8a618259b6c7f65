-- Usage: lua certain_differential.lua SEED COUNT [FILE...]   makes COUNT random values for nodes of
-- a document of its own, and for calls of the documents FILE: right, changed and odd.
-- The fast way of the rules and the careful one must say the same of each: the same error, and the
-- same encoder or none. Some are checked again while they change. certain_spec.lua runs a short
-- turn of it.
package.path = "src/?.lua;" .. package.path
local certain_differential = {}

local certain_call = require "endpoint.checks.calls.certain_call"
local checks = require "endpoint.checks"
local constructed = require "endpoint.checks.calls.constructed"
local json = require "cjson"
local types = require "endpoint.types"

local NULL = require "endpoint".null

-- --- two modules of the same rules ------------------------------------------------------

-- The module of a document's rules, and what its file holds.
local function load_rules(text)
  local new, held = checks.new, nil
  function checks.new(data)
    held = data
    return new(data)
  end
  local module = (loadstring or load)(text)()
  checks.new = new
  return module, held
end

local taken = 0
local certain_operation = certain_call.operation

local function fast_operation(...)
  local operation = certain_operation(...)
  taken = taken + (operation and 1 or 0)
  return operation
end

local function unknown()
  return nil
end

-- Calls a function with one way of certain calls.
local function call_by(operation, f, ...)
  certain_call.operation = operation
  local results = { pcall(f, ...) }
  certain_call.operation = certain_operation
  return results[1], results[2]
end

-- What the two ways say of a call, if that is not the same.
local function difference(pair, route, given)
  local was_right, said = call_by(fast_operation, pair.fast.check, route, given)
  local is_right, careful = call_by(unknown, pair.careful.check, route, given)
  if was_right ~= is_right then
    return ("%s: fast says %s, careful %s"):format(route, tostring(said), tostring(careful))
  elseif was_right and (said == nil) ~= (careful == nil) then
    return route .. ": one way has an encoder"
  elseif not was_right and said:match "endpoint.checks.*" ~= careful:match "endpoint.checks.*" then
    return ("%s: fast says %s, careful %s"):format(route, said, careful)
  end
end

function certain_differential.pair_of(root, options)
  local given = { checks = true }
  for name, value in pairs(options or {}) do
    given[name] = value
  end
  local made = types.generate(root, "api", given)
  for _, file in ipairs(made.files) do
    if file.name == "api-checks.lua" then
      local fast, held = load_rules(file.text)
      return { fast = fast, careful = (load_rules(file.text)), held = held }
    end
  end
end

-- --- values -----------------------------------------------------------------------------

local state = 1
local function random(most)
  state = (state * 16807) % 2147483647
  return state % most + 1
end

local function one_of(list)
  return list[random(#list)]
end

-- A table that is in itself, and one that is in many places.
local LOOP, SHARED = {}, { x = 1 }
LOOP.a, LOOP[1] = LOOP, LOOP

local ODD = {
  function()
    return 0 / 0
  end,
  function()
    return math.huge
  end,
  function()
    return NULL
  end,
  function()
    return {}
  end,
  function()
    return json.empty_array
  end,
  function()
    return { 1, nil, 3 }
  end,
  function()
    return { 1, a = 2 }
  end,
  function()
    return { [2] = 1 }
  end,
  function()
    return { [1.5] = 1 }
  end,
  function()
    return print
  end,
  function()
    return coroutine.create(function() end)
  end,
  function()
    return LOOP
  end,
  function()
    return { SHARED, SHARED }
  end,
  function()
    return setmetatable({}, { __jsontype = one_of { "array", "object" } })
  end,
  function()
    return setmetatable({ "a" }, { __jsontype = "object" })
  end,
  function()
    return setmetatable({ a = 1 }, {
      __index = function()
        return "a"
      end,
    })
  end,
  function()
    return setmetatable({}, {
      __index = error,
      __len = error,
      __pairs = error,
      __eq = error,
      __metatable = false,
    })
  end,
  function()
    return ("\128"):rep(random(4))
  end,
  function()
    return ("\195\164"):rep(random(30))
  end,
  function()
    return "a\255"
  end,
  function()
    return ("a"):rep(300)
  end,
  function()
    local deep = "x"
    for _ = 1, random(300) do
      deep = { deep }
    end
    return deep
  end,
  function()
    local deep = 1
    for _ = 1, random(300) do
      deep = { a = deep, left = deep, value = 1 }
    end
    return deep
  end,
}

-- Values of C, also with metamethods that raise. `==` calls __eq of these, even beside nil.
if rawget(_G, "jit") then
  local ffi = require "ffi"
  local hostile = ffi.metatype("struct { int number; }", {
    __index = error,
    __sub = error,
    __mod = error,
    __lt = error,
    __len = error,
  })
  for _, make in ipairs {
    function()
      return ffi.new("int64_t", random(100))
    end,
    function()
      return ffi.new("uint64_t", -1)
    end,
    function()
      return ffi.new("double", 1.5)
    end,
    function()
      return hostile(1)
    end,
  } do
    ODD[#ODD + 1] = make
  end
end

ODD[#ODD + 1] = function()
  return io.stdout
end

local PLAIN = { "", "a", "ab-1", "2020-01-01", "5", "0x10", 0, 1, -1, 5, 1.5, 100, true, false }
for _, number in ipairs { 1e300, 2 ^ 53, 2 ^ 63, -2 ^ 63, 1 / -math.huge, 5e-324 } do
  PLAIN[#PLAIN + 1] = number
end
PLAIN[#PLAIN + 1], PLAIN[#PLAIN + 2] = math.mininteger, math.maxinteger

local value_of -- which the functions below call

local function object_of(rulebook, node, depth)
  local object, required = {}, {}
  for _, name in ipairs(node.required or {}) do
    required[name] = true
  end
  for name, child in pairs(node.properties or {}) do
    if required[name] or random(4) == 1 then
      object[name] = value_of(rulebook, child, depth + 1)
    end
  end
  if random(8) == 1 then
    object[one_of { "a", "b", "headers", "data", "url", "x", 1 }] = one_of(PLAIN)
  end
  local other = node.additionalProperties
  for position = 1, type(other) == "table" and random(4) - 1 or 0 do
    object["k" .. position] = value_of(rulebook, other, depth + 1)
  end
  return object
end

local function list_of(rulebook, node, depth)
  local list = {}
  for position = 1, random(4) - 1 do
    list[position] = value_of(rulebook, node.items or {}, depth + 1)
  end
  return list
end

local function number_of(node)
  return node.minimum
    or node.exclusiveMinimum and node.exclusiveMinimum + 1
    or node.maximum
    or random(9)
end

local function string_of(node)
  local least, most = node.minLength or 0, node.maxLength or 20
  return ("a"):rep(math.min(math.max(least, random(8)), most, 1000))
end

-- A value for a node: mostly one that fits.
function value_of(rulebook, node, depth)
  if random(25) == 1 then
    return one_of(ODD)()
  elseif not node or depth > 12 or random(25) == 1 then
    return one_of(PLAIN)
  end
  node = node.ref and rulebook.schemas[node.ref] or node
  local list = node.anyOf or node.oneOf or node.allOf
  if node.discriminator and random(2) == 1 then
    local words = {}
    for word in pairs(node.discriminator.mapping) do
      words[#words + 1] = word
    end
    local word = one_of(words)
    local value = value_of(rulebook, node.discriminator.mapping[word], depth + 1)
    if type(value) == "table" and getmetatable(value) == nil then
      value[node.discriminator.propertyName] = word
    end
    return value
  elseif list and #list > 0 and random(5) > 1 then
    return value_of(rulebook, one_of(list), depth + 1)
  elseif node.enum and #node.enum > 0 then
    return one_of(node.enum)
  end
  local kind = type(node.type) == "table" and one_of(node.type) or node.type
  if not kind then
    kind = node.properties and "object" or node.items and "array" or one_of { "string", "object" }
  end
  if kind == "object" then
    return object_of(rulebook, node, depth)
  elseif kind == "array" then
    return list_of(rulebook, node, depth)
  elseif kind == "string" then
    return string_of(node)
  elseif kind == "integer" or kind == "number" then
    return number_of(node)
  elseif kind == "boolean" then
    return random(2) == 1
  end
  return NULL
end

-- The options of a call.
local function options_of(rulebook, rules)
  local given = object_of(rulebook, rules.at, 0)
  if rules.params and random(2) == 1 then
    given[rules.params_name] = value_of(rulebook, rules.params, 0)
  end
  if not rules.body or random(12) == 1 then
    return given
  elseif not rules.is_beside or random(12) == 1 then
    given.data = value_of(rulebook, rules.body, 0)
    return given
  end
  local body = value_of(rulebook, rules.body, 0)
  for name, value in next, type(body) == "table" and body or {} do
    given[name] = value
  end
  return given
end

-- --- values that change meanwhile -----------------------------------------------------

-- The tables in a value, without those that a metatable guards.
local function add_tables(list, value, is_known)
  if type(value) ~= "table" or is_known[value] or getmetatable(value) ~= nil then
    return list
  end
  is_known[value] = true
  list[#list + 1] = value
  for _, one in next, value do
    add_tables(list, one, is_known)
  end
  return list
end

local function keys_of(object)
  local keys = {}
  for key in next, object do
    keys[#keys + 1] = key
  end
  return keys
end

-- Gives a key of one of the tables another value, or none. Lua has no rule for a key that is added
-- while a table is walked.
local function change(list)
  local object = one_of(list)
  local keys = keys_of(object)
  if keys[1] ~= nil then
    object[one_of(keys)] = random(3) > 1 and one_of(ODD)() or nil
  end
end

-- A check of a value that a hook changes after a number of steps, as another thread's finalizer
-- would: what it says may be of either value, but it raises nothing else.
local function difference_of_changed(pair, route, given)
  local list = add_tables({}, given, { [LOOP] = true, [SHARED] = true })
  debug.sethook(function()
    change(list)
  end, "", random(60))
  local was_right, said = call_by(fast_operation, pair.fast.check, route, given)
  debug.sethook()
  if not was_right and not tostring(said):find("endpoint.checks: ", 1, true) then
    return ("%s: a value that changes raises %s"):format(route, tostring(said))
  end
end

-- --- a turn -----------------------------------------------------------------------------

-- Tries a number of calls; returns how many the fast way took, and lines about what differs.
function certain_differential.run(pair, seed, count)
  state, taken = seed, 0
  local makers = pair.held.schemas
  local schemas = setmetatable({}, {
    __index = function(_, number)
      return constructed(makers[number])
    end,
  })
  local rulebook, found, rules_of = { schemas = schemas }, {}, {}
  for _ = 1, count do
    local operation = one_of(pair.held.operations)
    rules_of[operation] = rules_of[operation] or constructed(operation[4])
    local route = operation[1]
    if random(4) == 1 then
      route = route:gsub("{[?&].-}", "")
    end
    local options = options_of(rulebook, rules_of[operation])
    found[#found + 1] = difference(pair, route, options)
    if random(5) == 1 then
      found[#found + 1] = difference_of_changed(pair, route, options)
    end
  end
  return taken, found
end

if not arg or not arg[0]:find "certain_differential%.lua$" then
  return certain_differential
end

local seed, count, failed, whole = tonumber(arg[1]) or 1, tonumber(arg[2]) or 10000, 0, 0
local roots = { { "the schemas of the specs", require "checks.certain_schemas" } }
for position = 3, #arg do
  local file = assert(io.open(arg[position]))
  roots[#roots + 1] = { arg[position], json.decode(file:read "*a") }
  file:close()
end
for _, row in ipairs(roots) do
  for _, options in ipairs { {}, { open = true } } do
    local pair = certain_differential.pair_of(row[2], options)
    local took, found = certain_differential.run(pair, seed, count)
    for position = 1, math.min(#found, 5) do
      print(row[1] .. ": " .. found[position]:sub(1, 500))
    end
    failed, whole = failed + #found, whole + took
  end
end
print(
  ("certain: %d calls, %d taken by the fast way, %d differ"):format(
    2 * #roots * count,
    whole,
    failed
  )
)
os.exit(failed == 0 and whole > 0)
