-- Finalizers that touch what a call is reading, at each of its allocations in
-- turn: they empty its tables, change them, call the module, raise. Each such call
-- gives a result or an error, and the next call gives the right answer. Only a
-- sanitizer sees whether freed memory was read: .ci/check collector.
local collector = require "memory.collector"
local endpoint = require "endpoint"
local reader = require "endpoint.result"
local support = require "support"

-- spec/lib/run.lua has each call disturbed in each of its cycles. Under busted, with all
-- specs in memory, a cycle takes a hundred times as long: there each is
-- disturbed once.
local thorough = collector.thorough
local MOST = 400 -- cycles; each call below needs fewer

-- --- strings that nothing but the tables keeps

local made = 0

-- A text that is the same in each run of a call. It is no constant, which the function would
-- keep alive. Lua interns short strings but not long ones, so both sizes occur.
local function text(size)
  made = made + 1
  return (("%d%s"):format(made, ("v"):rep(size or 6)))
end

local function key(letter)
  made = made + 1
  return letter:rep(12) .. made
end

local serial = 0

-- A name that no call before had, so that no cache has its template.
local function new_name()
  serial = serial + 1
  return "new" .. serial
end

local function list(count, size)
  local t = {}
  for i = 1, count do t[i] = text(size) end
  return t
end

local function map(count, t)
  t = t or {}
  for _ = 1, count do t[key "k"] = text() end
  return t
end

-- Returns a template with `count` variables, and sets their values in t.
local function variables(count, t)
  local names = {}
  for i = 1, count do
    names[i] = key "n"
    t[names[i]] = text()
  end
  return "/{" .. table.concat(names, "}/{") .. "}"
end

local function headers()
  return { ["X-" .. text()] = text(60), ["x-" .. text()] = list(3), accept = "application/vnd." .. text() .. "+json" }
end

-- --- calls: each row makes its tables and says what to do with them

local api = endpoint.defaults {
  baseUrl = "https://user:pass@host.example/", per_page = 100, tags = { "a", { "b" } }, data_of = { x = { y = 1 } },
  headers = { ["x-list"] = { "a", "b" }, ["x-own"] = "c" }, mediaType = { format = "raw", previews = { "p", "q" } },
}

local calls = {
  { "a route and a few parameters", function()
    local o = { owner = text(), repo = text(60), n = 5.5, flag = true, tags = list(3) }
    return endpoint, "GET /repos/{owner}/:repo{?n,flag,tags*}", map(5, o)
  end },
  { "a list and a map in every way", function()
    return endpoint, "/{l}/x{/l*}{;m*}{.m}{?l,m*}{&long}{#m*}", { l = list(5), m = map(5), long = list(2, 60) }
  end },
  { "a map of many fields", function() return endpoint, "/x{?m*}", { m = map(40) } end },
  { "many parameters in the query", function() return endpoint, "/x#fragment", map(40, { l = list(4) }) end },
  { "many parameters in the body", function() return endpoint, "POST /x", map(40) end },
  { "many variables", function()
    local o = {}
    return endpoint, variables(45, o), o
  end },
  { "a long template, which is new each time", function()
    local name = new_name()
    local o = { [name] = text() }
    return endpoint, variables(5, o) .. ("/x"):rep(600) .. "/{" .. name .. "}", o
  end },
  { "options alone, and a new template", function()
    local name = new_name()
    return endpoint, { url = "/{" .. name .. "}/" .. text(60), [name] = text() }
  end },
  { "a query of over 2 KB before a fragment", function()
    return endpoint, "/x#" .. text(60), map(20, { long = text(3000), tags = list(3, 900) })
  end },
  { "headers, format and previews", function()
    return endpoint, "/x", { headers = headers(), mediaType = { format = text(), previews = list(4) } }
  end },
  { "options alone", function()
    return endpoint, { url = "/" .. text(60) .. "/{a}", method = "m" .. text(), baseUrl = "https://" .. text() .. ".example",
      a = text(), data = map(3), request = map(2) }
  end },
  { "what merge takes", function()
    return endpoint.merge, "GET /" .. text(), map(40, { headers = headers(), baseUrl = "/" .. text(),
      mediaType = { previews = list(3) } })
  end },
  { "what parse takes", function()
    local o = map(8, { a = text(), headers = headers(), mediaType = { format = text() } })
    return endpoint.parse, endpoint.merge("PUT /{a}", o)
  end },
  { "what defaults takes", function()
    local shared = list(3)
    return function(o) return endpoint.defaults(o).DEFAULTS end,
      map(3, { deep = { map(3), { shared, shared, map(2) } }, headers = headers(), mediaType = { previews = list(3) },
        baseUrl = "https://" .. text() })
  end },
  { "defaults of the endpoint's own", function()
    return api, "POST /{per_page}", map(3, { tags = list(2), headers = headers() })
  end },
  { "DEFAULTS while the last ones go", function() return function() return api.DEFAULTS end, api.DEFAULTS end },
  { "a value that is refused", function() return endpoint, "/{a}", { a = { [key "e"] = {} } } end },
  { "a header that is refused", function() return endpoint, "/x", { headers = { [key "H"] = text() .. "\n" } } end },
  { "a variable that is missing", function() return endpoint, "/{" .. key "a" .. "}", map(3) end },
  { "dots", function() return endpoint, "/x/{+a}", { a = "../" .. text() } end },
  { "a preview that is refused", function()
    return endpoint, "/x", { mediaType = { previews = { text(), text() .. " " } } }
  end },
  { "a base address that is refused", function() return endpoint, "/x", { baseUrl = "https://u:p@" .. text() .. "{" } end },
  { "a long query and fragment", function()
    return endpoint, "/x?" .. text(60) .. "{&a}#" .. text(60),
      { a = text(), b = text(), baseUrl = "https://h/" .. text(900) }
  end },
  { "lists in a map and under a name", function()
    return endpoint, "/x{?m*}", { ["l[]"] = list(3), m = { [key "m"] = list(3), ["k[]"] = list(2, 60), e = {} } }
  end },
  { "defaults that leave home", function()
    return endpoint.defaults { headers = { [key "x" .. "-key"] = text() } }, { url = "https://" .. text() .. ".example/",
      headers = headers() }
  end },
  { "defaults that leave home by the base address", function()
    return endpoint.defaults { headers = { cookie = text() } }.merge, { baseUrl = "https://" .. text(60) .. "/é" }
  end },
  { "a result that a client reads", function()
    local function read(r) return { reader.read(r) } end
    return read, { method = text(), url = "https://" .. text(60) .. "/" .. text(60) .. "?" .. text(60), body = text(60),
      headers = map(40, headers()) }
  end },
  { "a result with a long joined list", function()
    local function read(r) return { reader.read(r) } end
    return read, { method = "get", url = "https://h/", headers = { cookie = list(6, 900), host = list(1, 60) } }
  end },
  { "the variables of a template", function()
    return endpoint.variables, { url = "https://" .. text() .. "{/a}" .. variables(3, {}) }
  end },
}

-- In these calls the buffer grows for a name, and at once again for the value behind it: two
-- cycles pass. In the first a finalizer removes the value, in the second the value is freed.
-- So the name begins where the buffer's first room ends.
local ROOM = tonumber(support.read "src/buffer.h":match "EP_BUFFER_INITIAL = (%d+)")

-- A path that leaves `room` bytes of the buffer unused behind "https://api.service.example".
local function path(room)
  return "/" .. ("x"):rep(ROOM - #support.BASE - 1 - room)
end

local everyday_calls = #calls

local function add_call(name, f) calls[#calls + 1] = { name, f } end

for room = 60, 180, 40 do
  -- What comes behind the path, and what it writes, for a long name.
  local behind = {
    ["an element"] = function(name) return "{?" .. name .. "*}", { [name] = { " ", text(9000) } } end,
    ["a value"] = function(name) return "{?a," .. name .. "}", { a = " ", [name] = text(9000) } end,
    ["a parameter"] = function(name) return "", { a = " ", [name] = text(9000) } end,
    ["a repeated parameter"] = function(name) return "", { [name .. "[]"] = { " ", text(9000) } } end,
  }
  for _, what in ipairs(support.keys(behind)) do
    add_call(what .. " behind its name, with room for " .. room, function()
      local expression, o = behind[what](key("n"):rep(4))
      return endpoint, path(room) .. expression, o
    end)
  end
end
-- The variables, the parameters and the pairs of the map all lie on the stack here.
add_call("a map beside many variables and parameters", function()
  local o = map(32, { m = map(32) })
  return endpoint, variables(39, o) .. "{?m*}", o
end)
add_call("a long method", function() return endpoint, { method = text(3000), url = "/" .. text(3000) } end)
add_call("a long method in the route", function() return endpoint, text(3000) .. " /" .. text(3000), map(1) end)

-- --- what a finalizer does to a table

local next, pairs, type, rawset, tostring = next, pairs, type, rawset, tostring

local function each_table(t, f)
  for _, value in pairs(t) do
    if type(value) == "table" then each_table(value, f) end
  end
  f(t)
end

local function clear(t)
  for k in next, t do rawset(t, k, nil) end
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
  for i = 1, 70 do t["other" .. i] = i end
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
  { "empties the tables", function(t) each_table(t, clear) end },
  { "changes the tables", function(t) each_table(t, change) end },
  { "refills the tables", function(t) each_table(t, refill) end },
  { "empties the tables and calls the module", function(t)
    each_table(t, clear)
    call()
  end },
  { "empties the tables and raises", function(t)
    each_table(t, clear)
    error("from a finalizer", 0)
  end },
}

-- --- trying

-- A value as one string, which keeps no table of it alive.
local function described(value)
  if type(value) ~= "table" then return tostring(value) .. "," end
  local parts = {}
  for i, k in ipairs(support.keys(value)) do parts[i] = tostring(k) .. "=" .. described(value[k]) end
  return "{" .. table.concat(parts) .. "}"
end

local function answer_of(ok, result) return ok and described(result) or result end

local function prepare(row)
  made = 0
  return row[2]()
end

local function answer(row) return answer_of(pcall(prepare(row))) end

-- Is it a result, or an error of the module, of Lua's `next` or of the finalizer?
local function is_proper(ok, result)
  if ok then return type(result) == "table" end
  for _, words in ipairs { "endpoint: ", "endpoint.clients: ", "invalid key to 'next'", "from a finalizer" } do
    if type(result) == "string" and result:find(words, 1, true) then return true end
  end
  return false
end

-- Calls, and lets the finalizer loose in cycle number `at`. Returns whether the
-- call lasted that long.
local function try(row, deed, at)
  local f, a, b = prepare(row)
  local t, cycle, done = b or a, 0, false
  local function finalizer()
    cycle = cycle + 1
    if done then return false end
    if cycle < at then return true end
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

-- Disturbs a call in the cycles from `first` on. Machine code calls no finalizers.
local function disturb(row, deed, first)
  local expected, at, before = answer(row), first, collector.cycles()
  if jit then jit.off() end
  while try(row, deed, at) and thorough do
    assert.equal(expected, answer(row))
    at = at + 1
    assert.is_true(at < MOST)
  end
  if jit and not thorough then jit.on() end
  assert.equal(expected, answer(row))
  assert.is_true(collector.cycles() > before)
end

describe("a finalizer that", function()
  for i, deed in ipairs(deeds) do
    for j = 1, thorough and #calls or everyday_calls do
      local row = calls[j]
      it(deed[1] .. ", in a call with " .. row[1], function()
        disturb(row, deed[2], thorough and 1 or (i + j) % 8 + 1)
      end)
    end
  end
end)
