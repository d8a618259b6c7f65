-- Random calls made of what has broken URL builders before. The module must give the URL
-- that oracle.lua gives, or raise where it raises and blame what is to blame; and each URL
-- must pass url_checker.lua. What differs is shown in its smallest form.
--
-- Usage: LUA_CPATH='build/lua5.4/?.so' LUA_PATH='spec/tools/?.lua' \
--   lua5.4 spec/tools/differential.lua SEED COUNT
local endpoint = require "endpoint"
local checker = require "url_checker"
local oracle = require "oracle"
local support = require "support"

local differential = {}
local null = endpoint.null
local SECRET = "S3CR3T"
differential.SECRET = SECRET

-- --- random calls -------------------------------------------------------------------

local NAMES = { "a", "a", "a", "b", "b", "c", "x-y", "n.m", "p%20q" }
local BYTES = { "..", ".", "%2e", "%2E", "%252E", "%25252e", "%25%32%65", "%252%65", "%25%2532e", "%25%32%66",
  "%25%33B", "%25", "%32", "%65", "%46", ";", ";", "%3B", "%253b", "/", "/", "\\", "%2F", "%252f",
  "%5C", "%25", "25", "2e", "2F", "%", "?", "#", "%3F", "%23", "%2523", "@", ":", "[::1]", "//", "http://h", "http:",
  "https", ":80", ".h", "é", "日", "\226\130", "\255", " ", "\0", "x", "x", "y", "1", "&", "=", ",", "+", "~", "\"", "%41",
  "evil.example", "?k=" .. SECRET, "[]", "l[]", "http://u:" .. SECRET .. "@h" }
local LITERALS = { "/", "/", "/", "/x", "/x/", "x", "-", ".", "..", "/..", "/../", "/./", "%2e", "%252E",
  "%25%32%45", "%252%66", ";", "%3B", "/;",
  "\\", "%2F", "%5c", "%252F", "%25", "%", "2e", "?", "?q=", "#", "#f", "%3F", "%23", "@", ":", "//", "é", " ", "/:a",
  ":b", "...:c", "/:a/:b", ".json", "&", "=", "~", "\"", "[", "]", ":80", ".h", "://", "/é/", "?k=" .. SECRET }
local BAD_LITERALS = { "{", "}", "\1", "\127", "{}", "{a", "{=a}", "{a:0}", "{a:10000}", "{a*:1}", "{a b}", "{,a}", "{a,}",
  "{url}", "/:method", "{a.}" }
local WORDS = { "x", "y", "1", "a/b", "v.w", "", ":", "h:1234", "h:12345", "h:123456", "[::1]:80" }
local OPERATORS = { "", "", "", "", "+", "+", "+", "#", ".", "/", "/", ";", "?", "?", "&" }
local MODIFIERS = { "", "", "", "", "", "*", "*", ":1", ":2", ":3" }
local STARTS = { "/", "/", "/", "/", "/x/", "", "", "", "https://h", "https://h", "https://h/", "http://h.example/x/",
  "https://", "https://", "HTTPS://u:" .. SECRET .. "@h:80", "https://u%41:p@h/", "ws://[::1]", "ftp://h/",
  "foo://h", "foo://", "foo:", "mailto:", "http", "?", "#", "x", "{a}", "{a}:", "{+a}", "https://{+a}", "https://{a}" }
local BAD_STARTS = { "http:", "Https:/", "//", "//h/", "https://%61/", "https://h h/", "https://é/", "https://a@b@c",
  "https://u:" .. SECRET .. "{@h/", "http:" .. SECRET .. "@h/", "https://" .. SECRET .. "@b@c" }
local BASES = { "https://h", "https://h", "https://h/", "https://h/v1", "https://h/v1/", "", "", "", "/", "/v1", "/v1/",
  "https://u:" .. SECRET .. "@h.example:8080/p?q=1", "https://h?k=v", "https://h/v1?k=v&", "https://h/v1/?", "/v1?k=v",
  "foo://h/p", "HTTP://H:80/A", "https://h/é x", "https://h/a;b/c", "https://h/v%2F", "https://h/?k=a/../b" }
local BAD_BASES = { "//h", "h", "v1/", "?k=v", "https://", "https:///x", "https://u@/x", "https://:80", "foo:///x",
  "https://h/../x", "https://h/v1/..", "https://h/%2e%2E/", "https://h/.;x", "https://h/%252e", "/..", "https://h/{a}",
  "https://h#f", "/v1#f", "https://h h/", "https://é/", "https://a@b@c", "https://%61/", "https://h/\1", "https:h",
  "https://u:" .. SECRET .. "@h/..", "https:u:" .. SECRET .. "@h", "https://h/..?k=" .. SECRET }
local METHODS = { "GET", "GET", "GET", "POST", "DELETE", "HEAD", "OPTIONS" }

local function is_one_in(random, n)
  return random(n) == 1
end

local function pick(random, list)
  return list[random(#list)]
end

local function random_text(random)
  if is_one_in(random, 3) then return pick(random, WORDS) end
  local text = ""
  for _ = 1, random(3) do text = text .. pick(random, BYTES) end
  return text
end

-- Names of parameters are quoted in messages: none of them is a secret.
local function random_name(random)
  return (random_text(random):gsub(SECRET, "k"))
end

local NUMBERS = { 0, 1, -1, 2.5, 1e21, 1e20, 1e-7, 0.1 + 0.2, -0.0, 200 / 2, 2 ^ 53, 5e-324, 1.7976931348623157e308, 123456 }
local BAD_VALUES = { 0 / 0, 1 / 0, -1 / 0, print, { 1, x = 2 }, { [3] = 1 }, { [1.5] = 1 }, { { 1 } }, { a = { b = 1 } },
  { print }, { {} }, { a = {} }, { "x", {} }, { a = { null }, b = "x" } }

local function random_scalar(random)
  local kind = random(12)
  if kind == 1 then return pick(random, NUMBERS) end
  if kind == 2 then return is_one_in(random, 2) end
  if kind == 3 then return null end
  return random_text(random)
end

local function random_value(random)
  local kind, value = random(24), {}
  if kind == 1 and is_one_in(random, 3) then return pick(random, BAD_VALUES) end
  if kind > 5 then return random_scalar(random) end
  for i = 1, random(3) - 1 do
    if kind < 4 then value[i] = random_scalar(random) else value[random_text(random)] = random_scalar(random) end
  end
  if kind == 5 and is_one_in(random, 2) then value["l[]"] = { random_text(random), random_text(random) } end
  return value
end

local function random_expression(random)
  local list = {}
  for i = 1, is_one_in(random, 5) and 2 or 1 do list[i] = pick(random, NAMES) .. pick(random, MODIFIERS) end
  return "{" .. pick(random, OPERATORS) .. table.concat(list, ",") .. "}"
end

differential.random_text = random_text

-- A call as { base, pieces of the template, method, parameters }.
function differential.random_call(random)
  local call = { method = pick(random, METHODS), pieces = {}, parameters = {} }
  call.pieces[1] = pick(random, is_one_in(random, 12) and BAD_STARTS or STARTS)
  call.base = pick(random, is_one_in(random, 12) and BAD_BASES or BASES)
  if is_one_in(random, 60) then call.base = nil end
  for _ = 1, random(5) - 1 do
    local kind = random(40)
    call.pieces[#call.pieces + 1] = kind == 1 and pick(random, BAD_LITERALS) or kind < 20 and pick(random, LITERALS)
      or random_expression(random)
  end
  for _ = 1, random(5) - 1 do call.parameters[pick(random, NAMES)] = random_value(random) end
  if is_one_in(random, 12) then call.parameters["l[]"] = random_value(random) end
  if is_one_in(random, 12) then call.parameters[random_name(random)] = random_value(random) end
  if is_one_in(random, 60) then call.parameters.data = random_text(random) end
  return call
end

-- --- one call -----------------------------------------------------------------------

-- The options of a call, for the module.
function differential.options(call)
  local options = { url = table.concat(call.pieces), baseUrl = call.base, method = call.method }
  for name, value in pairs(call.parameters) do options[name] = value end
  return options
end

local function unescaped(name)
  return (name:gsub("\\x(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
end

local function is_blamed(message, fault)
  local name = message:match '^endpoint: parameter "([^"]*)"'
  if name then return fault.names[unescaped(name)] end
  local byte = tonumber(message:match "at byte (%d+)")
  return fault.template and (not byte or not fault.bytes or fault.bytes[1] <= byte and byte <= fault.bytes[2])
end

-- How a message differs from what the faults call for, or nil.
function differential.blame_difference(message, faults)
  if message:find(SECRET, 1, true) then return "the message shows a secret" end
  for _, fault in ipairs(faults) do
    if is_blamed(message, fault) then return nil end
  end
  return "blames another"
end

local function shown_faults(faults)
  local texts = {}
  for i, fault in ipairs(faults) do
    local names = support.keys(fault.names)
    texts[i] = fault.why .. (fault.bytes and (" at byte %d to %d"):format(fault.bytes[1], fault.bytes[2]) or "")
      .. (#names > 0 and " of " .. table.concat(names, ", ") or "")
  end
  return table.concat(texts, "; or ")
end

-- What is wrong with the module's answer: nil, or what kind of difference it is, what was
-- expected and what came. The fourth result says how the call ended.
function differential.compare(call)
  local template = table.concat(call.pieces)
  local url, faults = oracle.judge { base = call.base, template = template, method = call.method,
    parameters = call.parameters }
  local ok, result = pcall(endpoint.parse, differential.options(call))
  if not ok then
    local message = tostring(result):gsub("^[^\n]-:%d+: endpoint:", "endpoint:")
    if message:sub(1, 10) ~= "endpoint: " then return "no message of endpoint", "", message, "raised" end
    if url then return "raises", url, message, "raised" end
    return differential.blame_difference(message, faults), shown_faults(faults), message, "raised"
  end
  local violations = checker.violations(template, call.base, result.url)
  if #violations > 0 then return "violates", table.concat(violations, "; "), result.url, "url" end
  if not url then return "does not raise", shown_faults(faults), result.url, "url" end
  if url ~= result.url then return "another URL", url, result.url, "url" end
  return nil, nil, result.url, "url"
end

-- --- the smallest call --------------------------------------------------------------

local function copy_call(call)
  local pieces, parameters = {}, {}
  for i, piece in ipairs(call.pieces) do pieces[i] = piece end
  for name, value in pairs(call.parameters) do parameters[name] = value end
  return { base = call.base, method = call.method, pieces = pieces, parameters = parameters }
end

-- Calls a little smaller than this one.
local function smaller_calls(call)
  local list = {}
  local function try(change)
    local smaller = copy_call(call)
    change(smaller)
    list[#list + 1] = smaller
  end
  for i = 1, #call.pieces do
    try(function(c) table.remove(c.pieces, i) end)
    if #call.pieces[i] > 1 and not call.pieces[i]:find "^{" and not call.pieces[i]:find(SECRET, 1, true) then
      try(function(c) c.pieces[i] = c.pieces[i]:sub(2) end)
      try(function(c) c.pieces[i] = c.pieces[i]:sub(1, -2) end)
    elseif call.pieces[i]:find "^{[^}]*[,:*]" then
      try(function(c) c.pieces[i] = c.pieces[i]:gsub("[,:*][^}]*", "") end)
      if call.pieces[i]:find "," then
        try(function(c) c.pieces[i] = c.pieces[i]:gsub("^({[+#./;?&]?)[^,}]*,", "%1") end)
      end
    end
  end
  for name, value in pairs(call.parameters) do
    try(function(c) c.parameters[name] = nil end)
    if type(value) ~= "string" then
      try(function(c) c.parameters[name] = "x" end)
    elseif #value > 1 and not value:find(SECRET, 1, true) then
      for at = 1, #value do
        try(function(c) c.parameters[name] = value:sub(1, at - 1) .. value:sub(at + 1) end)
      end
    end
  end
  for _, base in ipairs { "", "https://h" } do
    if call.base and #call.base > #base then try(function(c) c.base = base end) end
  end
  if call.method ~= "POST" then try(function(c) c.method = "POST" end) end
  return list
end

-- The smallest call with the same kind of difference.
function differential.shrunk(call, kind)
  local is_shrinking = true
  while is_shrinking do
    is_shrinking = false
    for _, smaller in ipairs(smaller_calls(call)) do
      if differential.compare(smaller) == kind then
        call, is_shrinking = smaller, true
        break
      end
    end
  end
  return call
end

function differential.shown(call)
  return ("%s %s behind baseUrl %s with %s"):format(call.method, support.shown(table.concat(call.pieces)),
    support.shown(call.base), support.shown(call.parameters))
end

-- --- many calls ---------------------------------------------------------------------

-- The same for differences that look alike: without names, texts in quotes and numbers.
local function signature(kind, expected, got)
  if kind == "another URL" then return kind .. got:gsub("[%w%%]+", "x") end
  local text = kind == "raises" and got or kind == "violates" and expected or expected .. got
  return kind .. text:gsub('"[^"]*"', ""):gsub(" of [^;]*", ""):gsub("%d+", "")
end

-- Runs `count` random calls. Returns how many gave a URL and how many raised, how many differ,
-- and at most `most` of the differences as texts, one of each kind.
function differential.run(seed, count, most, on_url)
  local random = support.random(seed)
  local tally, differing, shown, texts = { url = 0, raised = 0 }, 0, {}, {}
  for _ = 1, count do
    local call = differential.random_call(random)
    local kind, expected, got, ending = differential.compare(call)
    tally[ending] = tally[ending] + 1
    if kind then
      differing = differing + 1
      local before = signature(kind, expected, got)
      if #texts < most and not shown[before] then
        local small = differential.shrunk(call, kind)
        local _, wanted, came = differential.compare(small)
        local after = signature(kind, wanted, came)
        if not shown[after] then
          texts[#texts + 1] = ("%s: %s\n  expected %s\n  got      %s"):format(kind, differential.shown(small), wanted, came)
        end
        shown[before], shown[after] = true, true
      end
    elseif ending == "url" and on_url then
      on_url(got)
    end
  end
  return tally, differing, texts
end

local function main(seed, count)
  local tally, differing, texts = differential.run(seed, count, 40)
  for _, text in ipairs(texts) do print(text) end
  print(("%d calls, seed %d: %d URLs, %d errors, %d differ"):format(count, seed, tally.url, tally.raised, differing))
  os.exit(differing == 0 and tally.url > count / 10 and 0 or 1)
end

if arg and arg[0] and arg[0]:find "differential%.lua$" then
  main(tonumber(arg[1]) or 1, tonumber(arg[2]) or 100000)
end

return differential
