-- Properties of every call, tried with random templates and values. The seed is
-- fixed, so that a failure can be repeated.
local endpoint = require "endpoint"
local support = require "support"

local ROUNDS = 3000
local null = endpoint.null

local random = support.random(20240607)

local function pick(list)
  return list[random(#list)]
end

local BASE = support.BASE
local NAMES = { "a", "b", "owner", "repo", "x-y", "data1", "_z", "a.b" }
local TEXTS = { "", "x", "a b", "../admin", "a\\..", "..;x", "/", "/?", ".evil.example", ":8080",
  "..", ".", "%2e", "%2E%2e", "@evil.example", "//evil.example", "\\", "é",
  "\0", "\255\254", "{x}", ":y", "a/b", "?q=1", "#f", "a&b=c", "\r\nx: y", "https://evil.example/", ";x",
  "100%", "%41" }
local OPERATORS = { "", "", "+", "#", ".", "/", ";", "?", "&" }
local MODIFIERS = { "", "", "", "*", ":3" }
local LITERALS = { "/", "/repos/", "/x", "-", ".x", "é", "/..x", "?l=1", "#f", "/a%20b", "::", "/..", "..", "%2F" }
-- The beginning of a template: mostly a path, else the default host, another one or none.
local STARTS = { "/", "/", "/", "/", BASE, BASE .. "/", "HTTPS://API.service.example:443", "https://other.example",
  "https://" }
local METHODS = { "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "QUERY" }

local function random_scalar()
  local kind = random(6)
  if kind == 1 then return random(1000000) / 8 end
  if kind == 2 then return random(2) == 1 end
  if kind == 3 then return null end
  return pick(TEXTS)
end

local function random_value()
  local kind, value = random(8), {}
  if kind > 2 then return random_scalar() end
  for i = 1, random(4) - 1 do value[kind == 1 and i or pick(NAMES)] = random_scalar() end
  if kind == 2 and random(3) == 1 then value["l[]"] = { random_scalar(), random_scalar() } end
  return value
end

local function random_template(start)
  local parts = { start or "/" }
  for _ = 1, random(4) do
    if random(2) == 1 then
      parts[#parts + 1] = pick(LITERALS)
    else
      parts[#parts + 1] = "{" .. pick(OPERATORS) .. pick(NAMES) .. pick(MODIFIERS) .. "}"
    end
  end
  return table.concat(parts)
end

-- Each changes options so that any call with them raises.
local FAULTS = {
  function(o) o.headers = { ["a b"] = "v" } end,
  function(o) o.headers = { a = "v\n" } end,
  function(o) o.method = "G T" end,
  function(o) o.baseUrl = "no base" end,
  function(o) o.mediaType = { formats = 1 } end,
  function(o) o[1] = "x" end,
  function(o) o.url = "/y" end,
}

local function random_options()
  local options = {}
  for _ = 1, random(5) do options[pick(NAMES)] = random_value() end
  if random(4) == 1 then options["l[]"] = { random_scalar(), random_scalar() } end
  if random(6) == 1 then options.baseUrl = BASE .. "?v=1" end
  if random(4) == 1 then options.headers = { ["X-" .. pick(NAMES):gsub("%.", "-")] = "v" } end
  if random(6) == 1 then options.mediaType = { format = "raw", previews = { "p" } } end
  return options
end

local function copy(value)
  if type(value) ~= "table" then return value end
  local result = {}
  for key, field in pairs(value) do result[key] = copy(field) end
  return result
end

-- Calls check(result, route, options) for each random call that has a result.
local function for_random_calls(check)
  local results, errors = 0, 0
  for _ = 1, ROUNDS do
    local route, options = pick(METHODS) .. " " .. random_template(), random_options()
    local ok, result = pcall(endpoint, route, options)
    if ok then
      results = results + 1
      check(result, route, options)
    else
      errors = errors + 1
      support.holds(result:find("endpoint: ", 1, true), result)
    end
  end
  assert.is_true(results > ROUNDS / 4, "too few results: " .. results)
  assert.is_true(errors > ROUNDS / 20, "too few errors: " .. errors)
end

describe("random calls", function()
  it("have the result of parse(merge(...))", function()
    for_random_calls(function(result, route, options)
      assert.same(result, endpoint.parse(endpoint.merge(route, options)), route)
    end)
  end)

  -- With two faults the messages may differ: merge checks headers before parse checks the
  -- template.
  it("raise if, and only if, parse(merge(...)) raises", function()
    local raised = 0
    for _ = 1, ROUNDS do
      local route, options = pick(METHODS) .. " " .. random_template(pick(STARTS)), random_options()
      for _ = 1, random(3) - 1 do pick(FAULTS)(options) end
      local ok, message = pcall(endpoint, route, options)
      local again, other = pcall(function() return endpoint.parse(endpoint.merge(route, options)) end)
      support.equal(ok, again, route)
      if not ok then
        raised = raised + 1
        support.holds(message:find("endpoint: ", 1, true), message)
        support.holds(other:find("endpoint: ", 1, true), other)
      end
    end
    assert.is_true(raised > ROUNDS / 2, "too few errors: " .. raised)
  end)

  it("do not modify their input", function()
    for _ = 1, ROUNDS do
      local route, options = pick(METHODS) .. " " .. random_template(), random_options()
      local before = copy(options)
      pcall(endpoint, route, options)
      pcall(endpoint.merge, route, options)
      pcall(endpoint.defaults, options)
      assert.same(before, options)
    end
  end)

  it("have the same result when they are repeated with equal input", function()
    for_random_calls(function(result, route, options)
      assert.same(result, endpoint(route, copy(options)))
    end)
  end)

  it("have a URL of 0x21 to 0x7E, in which every % begins a triplet", function()
    for_random_calls(function(result, route)
      support.holds(support.is_sound_url(result.url), route)
    end)
  end)

  -- The origin that a template names, as it is sent; that of the base for a path. Nil if
  -- an expression can write into the host.
  local function literal_origin(template)
    local origin, rest = template:match("^(%a+://[^/?#{]+)(.*)$")
    if template:sub(1, 1) == "/" then return BASE end
    while rest and rest:find("^{[/?#+]") do rest = rest:gsub("^%b{}", "") end
    if rest and (rest == "" or rest:find("^[/?#]")) then return (origin:gsub("é", "%%C3%%A9")) end
  end

  it("have the origin of the template or of the base", function()
    local absolute = 0
    for _ = 1, 3 * ROUNDS do
      local template = random_template(pick(STARTS))
      local ok, result = pcall(endpoint, template, random_options())
      local origin = literal_origin(template)
      if ok and origin then
        absolute = absolute + (template:sub(1, 1) == "/" and 0 or 1)
        support.equal(origin, result.url:match("^%a+://[^/?#]*"), template)
      end
    end
    assert.is_true(absolute > ROUNDS / 10, "too few absolute templates: " .. absolute)
  end)

  it("send no credential of the defaults to another origin", function()
    local api = endpoint.defaults { headers = { authorization = "s3cret" } }
    local home, refused = 0, 0
    for _ = 1, 3 * ROUNDS do
      local template, options = random_template(pick(STARTS)), random_options()
      if random(4) == 1 then options.baseUrl = pick { "", "/v1", "https://other.example", BASE .. "/v2" } end
      local ok, result = pcall(api, template, options)
      if ok and result.headers.authorization then
        home = home + 1
        local origin = result.url:match("^(%a+://[^/?#]*)"):lower():gsub(":443$", "")
        support.equal(BASE, origin, template)
      elseif not ok and result:find("credential", 1, true) then
        refused = refused + 1
      end
    end
    assert.is_true(home > ROUNDS / 10 and refused > ROUNDS / 10, ("%d home, %d refused"):format(home, refused))
  end)

  -- Counts the dot segments of a path, which servers decode before they remove them.
  local function dot_segments(path)
    local found = 0
    path = path:gsub("%%2[fF]", "/"):gsub("%%5[cC]", "/"):gsub("%%2[eE]", ".")
    for segment in ("/" .. path .. "/"):gmatch("/([^/;]*)%f[/;]") do
      if segment == "." or segment == ".." then found = found + 1 end
    end
    return found
  end

  it("have no dot segments but the template's own, also between %2F and %5C", function()
    local own = 0
    for_random_calls(function(result, route)
      local template = route:match(" (.*)$")
      local found = dot_segments(result.url:sub(#BASE + 1):match("^[^?#]*"))
      own = own + found
      if found > 0 then
        local literal = template:gsub("{[/;?&#][^}]*}.*", ""):gsub("[?#].*", ""):gsub("%b{}", "\0")
        support.holds(found <= dot_segments(literal) + (template:find("{[/;?&#]") and 3 or 0), route .. " " .. result.url)
      end
    end)
    assert.is_true(own > 0)
  end)

  it("take a prefix as they take a value that is that prefix", function()
    local pieces, refused = { ".", "..", "/", "\\", ";", "a", "bc", "%2e", "%" }, 0
    for _ = 1, ROUNDS do
      local value, length = "", random(6)
      for _ = 1, random(6) do value = value .. pieces[random(#pieces)] end
      local short = value:sub(1, length)
      local ok, whole = pcall(endpoint, "/x/{p}/y", { p = short })
      local _, prefix = pcall(endpoint, ("/x/{p:%d}/y"):format(length), { p = value })
      if not ok then refused = refused + 1 end
      support.equal(ok and whole.url or whole, type(prefix) == "table" and prefix.url or prefix, value .. " " .. length)
    end
    assert.is_true(refused > ROUNDS / 10, "too few: " .. refused)
  end)

  it("name in an error about the path a parameter that contributes to it", function()
    local named = 0
    for _ = 1, ROUNDS do
      local template, options = random_template(), random_options()
      local _, message = pcall(endpoint, template, options)
      local name, why = tostring(message):match('parameter "([^"]+)" (.-):')
      if why and why:find("^makes") then
        named = named + 1
        options[name] = "harmless"
        local again, other = pcall(endpoint, template, options)
        support.holds(again or other ~= message, template .. " " .. message)
      elseif why and (why:find "^is" or why:find "^begins") then
        named = named + 1
        options[name] = "harmless"
        local _, other = pcall(endpoint, template, options)
        support.holds(type(other) ~= "string" or not other:find('parameter "' .. name .. '" ' .. why, 1, true), template)
      end
    end
    assert.is_true(named > ROUNDS / 20, "too few: " .. named)
  end)
end)

describe("decoding a URL", function()
  local function decode(text)
    return (text:gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
  end

  local function random_bytes()
    local bytes = {}
    for i = 1, random(20) do bytes[i] = string.char(random(256) - 1) end
    return table.concat(bytes)
  end

  it("restores the value of {x}", function()
    for _ = 1, ROUNDS do
      local value = random_bytes()
      local ok, result = pcall(endpoint, "GET /{x}/end", { x = value })
      if ok then
        support.equal(value, decode(result.url:match("^https://api.service.example/([^/]*)/end$")))
      else
        support.holds(("/" .. value:gsub("\\", "/") .. "/"):find("/%.%.?[/;]"), value)
      end
    end
  end)

  it("restores names and values of the query", function()
    for _ = 1, ROUNDS do
      local name, value = "n" .. random_bytes(), random_bytes()
      local found, text = endpoint("GET /", { [name] = value }).url:match("%?([^=&]*)=([^=&]*)$")
      support.equal(name, decode(found))
      support.equal(value, decode(text))
    end
  end)
end)
