-- Random calls of endpoints with defaults: what reaches parse, and whether credentials stay
-- at home. Written from the contract alone; the URL is that of oracle.lua.
--
-- Usage: LUA_CPATH='build/lua5.4/?.so' LUA_PATH='spec/tools/?.lua' \
--   lua5.4 spec/tools/whole_calls.lua SEED COUNT
local endpoint = require "endpoint"
local differential = require "differential"
local oracle = require "oracle"
local support = require "support"

local whole_calls = {}
local null = endpoint.null
local SECRET = differential.SECRET

-- --- random calls -------------------------------------------------------------------

local NAMES = { "a", "b", "x-y", "per_page", "l[]", "é", "api_key", "Token", "x-auth", "keyboard", "idempotency-key" }
local HEADERS = { "authorization", "X-Api-Key", "cookie", "x-trace", "idempotency_key", "accept" }
local BASES = { "https://home.example", "https://home.example/v1", "https://u:" .. SECRET .. "@home.example:443/v1?k=v",
  "HTTP://[::1]:8080", "ftp://home.example:21", "", "/v1", null }
local OTHER_BASES = { "https://HOME.example:0443/v2", "https://home.example:8443", "http://home.example",
  "https://evil.example", "https://x:" .. SECRET .. "@home.example", "https://u:" .. SECRET .. "@home.example",
  "http://[::1]:8080/?", "", "/v1", null, "evil", "https://evil.example/..", "ftp://home.example" }
local STARTS = { "https://home.example", "HTTPS://Home.Example:443/x", "https://home.example:/", "https://home.example:444",
  "https://u:" .. SECRET .. "@home.example/x", "https://U:" .. SECRET .. "@home.example/x", "https://home.example.evil/",
  "https://home.example@evil.example/", "http://home.example:443", "http://[::1]:8080/x", "ftp://home.example/",
  "https://{a}/x", "https://{+a}", "https://{a}@home.example/", "//evil.example", "/x", "/x", "/x", "", "{+a}" }
local PIECES = { "?per_page=5", "&per_page", "?l%5B%5D=1", "?l[]=1", "?a=1&b=2", "?x-y", "?a{b}", "?a{&b}", "?b{#c}",
  "?{a}=1", "?%61=1", "&a=", "#", "#?a=1", "?é=1", "?%C3%A9", "?%c3%a9=", "?=&a;b", "&&", "{?a}", "{&a,b}", "{+a}?b", "/:a",
  "?c&api_key=1", "?a?b&b", "{#c}?a", "{/a}" }

local function is_one_in(random, n)
  return random(n) == 1
end

local function pick(random, list)
  return list[random(#list)]
end

local function random_url(random)
  local pieces = { pick(random, STARTS) }
  if is_one_in(random, 8) then pieces = differential.random_call(random).pieces end
  for _ = 1, random(4) - 1 do pieces[#pieces + 1] = pick(random, PIECES) end
  -- The contract leaves open whether such a template is malformed.
  for i, piece in ipairs(pieces) do pieces[i] = piece:gsub("url}", "b}"):gsub(":method", ":b") end
  return pieces
end

local function random_fields(random, names)
  local fields = {}
  for _ = 1, random(4) - 1 do
    fields[pick(random, names)] = is_one_in(random, 5) and null or pick(random, { "v", "w" })
  end
  return fields
end

local function random_parameters(random)
  local fields = random_fields(random, NAMES)
  if is_one_in(random, 4) then
    for name, value in pairs(differential.random_call(random).parameters) do fields[name] = value end
  end
  fields[""] = nil -- whether "?&" has a pair of that name is nowhere said
  return fields
end

local function lower_names(fields)
  local result = {}
  for name, value in pairs(fields) do result[name:lower()] = value end
  return result
end

-- A call as { defaults, given }, each with url (pieces), baseUrl, method, headers and parameters.
local function random_call(random)
  local defaults = { baseUrl = pick(random, BASES), parameters = random_parameters(random) }
  local given = { parameters = random_parameters(random) }
  defaults.headers = lower_names(random_fields(random, HEADERS))
  if is_one_in(random, 5) then defaults.url = random_url(random) end
  if not defaults.url or is_one_in(random, 3) then given.url = random_url(random) end
  if is_one_in(random, 6) then defaults.method = pick(random, { "post", "Head", "get", null }) end
  if is_one_in(random, 4) then given.method = pick(random, { "post", "HEAD", "get", null, "PUT" }) end
  if is_one_in(random, 3) then given.headers = is_one_in(random, 6) and null or random_fields(random, HEADERS) end
  if is_one_in(random, 3) then given.baseUrl = pick(random, OTHER_BASES) end
  return { defaults = defaults, given = given }
end

-- --- what merge makes of it -----------------------------------------------------------

local ENDINGS = { "assertion", "auth", "authorization", "cookie", "credential", "credentials", "jwt", "key", "passphrase",
  "passwd", "password", "secret", "session", "sessionid", "sig", "signature", "token" }

function whole_calls.is_credential(name)
  local text = name:lower():gsub("[-_]", "")
  if text:find "idempotencykey$" or text:find "websocketkey$" then return false end
  for _, ending in ipairs(ENDINGS) do
    if text:sub(-#ending) == ending then return true end
  end
  return false
end

-- The call's, else the default; nil for null.
local function option_of(call, name)
  local value = call.given[name]
  if value == nil then value = call.defaults[name] end
  if value == null then return nil end
  return value
end

-- The names of pairs in the literals of a template's query.
local function literal_pairs(t)
  local names, from = {}, t.mask:find("?", 1, true)
  local to = (t.mask:find("#", 1, true) or #t.mask + 1) - 1
  -- The byte 8 is {&x} and 3 is {#x}: they end a pair, and what is behind goes on with theirs.
  -- Other expressions change the name they stand in.
  for pair in (from and t.mask:sub(from + 1, to) or ""):gsub("[\3\8]", "&%0"):gmatch "[^&]+" do
    names[#names + 1] = pair:match "^[^=]*"
  end
  return names
end

local function is_replaced(t, name, method)
  if method ~= "GET" and method ~= "HEAD" or #t.faults > 0 then return false end
  for _, expression in pairs(t.expressions) do
    for _, variable in ipairs(expression.variables) do
      if variable.name == name then return false end
    end
  end
  for _, written in ipairs(literal_pairs(t)) do
    if oracle.encode_literal(written) == oracle.encode(name) then return true end
  end
  return false
end

local function merged_parameters(call, t, method)
  local parameters = {}
  for name, value in pairs(call.defaults.parameters) do
    if value ~= null and not is_replaced(t, name, method) then parameters[name] = value end
  end
  for name, value in pairs(call.given.parameters) do parameters[name] = value end
  return parameters
end

local function merged_headers(call, built_in)
  local headers = {}
  if call.given.headers ~= null then
    for name, value in pairs(built_in) do headers[name] = value end
    for name, value in pairs(call.defaults.headers) do headers[name] = value ~= null and value or nil end
  end
  for name, value in pairs(call.given.headers ~= null and call.given.headers or {}) do
    headers[name:lower()] = value ~= null and value or nil
  end
  return headers
end

-- --- credentials ------------------------------------------------------------------------

local PORTS = { http = "80", https = "443", ws = "80", wss = "443", ftp = "21" }

-- scheme://userinfo@host:port as a table, nil for a URL without a host.
local function origin_of(url)
  local scheme, authority = url:match "^(%a[%w+.%-]*)://([^/?#]*)"
  if not scheme then return nil end
  local userinfo, rest = authority:match "^(.*)@(.*)$"
  rest = rest or authority
  local host = rest:match "^%[.*%]" or rest:match "^[^:]*"
  local port = rest:sub(#host + 1):gsub("^:0*", "")
  if port == "" or port == PORTS[scheme:lower()] then port = "default" end
  return { text = (scheme .. "://" .. host .. " " .. port):lower(), userinfo = userinfo }
end

local function is_home(url, home)
  local origin = origin_of(url)
  return origin ~= nil and origin.text == home.text and (origin.userinfo == nil or origin.userinfo == home.userinfo)
end

local function leaves_home(call, t, home)
  if t.authority_from then
    for at in pairs(t.expressions) do
      if at >= t.authority_from and at <= t.authority_to then return true end
    end
    local is_given = call.given.url ~= nil and call.given.url ~= null
    return is_given and not is_home(t.text:sub(1, t.authority_to), home)
  end
  local base = call.given.baseUrl
  return base ~= nil and base ~= null and not is_home(base, home)
end

-- The credentials that a call must give itself, as a set of `header "name"`; nil if none.
local function missing_credentials(call, t)
  local base, names = call.defaults.baseUrl, {}
  local home = base ~= nil and base ~= null and origin_of(base)
  if not home or not leaves_home(call, t, home) then return nil end
  local given = call.given.headers
  local own = given == null and {} or lower_names(given or {})
  local function collect(fields, given_fields, title)
    for name, value in pairs(fields) do
      local is_default = value ~= null and given_fields[name] == nil
      if is_default and whole_calls.is_credential(name) then names[title:format(name)] = true end
    end
  end
  collect(given == null and {} or call.defaults.headers, own, 'header "%s"')
  collect(call.defaults.parameters, call.given.parameters, 'default "%s"')
  return next(names) and names
end

-- --- one call -----------------------------------------------------------------------------

local function options_of(side)
  local options = { baseUrl = side.baseUrl, method = side.method, headers = side.headers }
  options.url = side.url and table.concat(side.url)
  for name, value in pairs(side.parameters) do options[name] = value end
  return options
end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b or a ~= a and b ~= b end
  for key, value in pairs(a) do
    if not same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

local function is_about(message, credentials)
  local subject = message:match '^endpoint: (%l+ "[^"]*"): a credential of the defaults '
  return subject and credentials and credentials[subject:gsub("\\x(%x%x)", function(digits)
    return string.char(tonumber(digits, 16))
  end)]
end

-- What is expected of a call.
local function expectation(call, built_in)
  local method, base = option_of(call, "method") or "GET", option_of(call, "baseUrl")
  local pieces = option_of(call, "url")
  local e = { t = oracle.compile(pieces and table.concat(pieces) or ""), method = method:upper() }
  e.headers = merged_headers(call, built_in)
  e.merged = merged_parameters(call, e.t, e.method)
  e.credentials = missing_credentials(call, e.t)
  if pieces then
    e.url, e.faults, e.body = oracle.judge { base = base, template = e.t.text, method = e.method, parameters = e.merged }
  end
  local options = { baseUrl = base, url = pieces and e.t.text, method = e.method, headers = e.headers }
  for name, value in pairs(options) do e.merged[name] = value end
  -- merge asks nothing of what parse refuses for its form.
  local refused = #e.t.faults > 0
  for _, fault in ipairs(e.faults or {}) do
    refused = refused or not e.t.authority_from and fault.why:find "^baseUrl" ~= nil
  end
  e.is_asked = e.credentials ~= nil and not refused
  return e
end

local function clean(message)
  return (tostring(message):gsub("^[^\n]-:%d+: endpoint:", "endpoint:"))
end

-- nil, or what differs: a kind and a text.
local function compare_merge(api, options, e)
  local ok, merged = pcall(api.merge, options)
  if not ok then
    local message = clean(merged)
    if message:find(SECRET, 1, true) then return "merge shows a secret", message end
    if not e.is_asked then return "merge raises", message end
    return not is_about(message, e.credentials) and "merge blames another" or nil, message
  end
  if e.is_asked then return "merge does not raise", support.shown(e.credentials) end
  if not same(merged, e.merged) then
    return "merges otherwise", support.shown(merged) .. " not " .. support.shown(e.merged)
  end
  local fine, result = pcall(endpoint.parse, merged)
  local again, other = pcall(api, options)
  -- Asked before the template's faults are found, a call may raise for a credential.
  if not (e.credentials and not again) and (fine ~= again or fine and not same(result, other)) then
    return "parse(merge()) differs", fine and support.shown(result) or result
  end
end

local function compare_result(result, e)
  if not e.url then return "does not raise", result.url end
  if result.url ~= e.url then return "another URL", result.url .. " not " .. e.url end
  if result.method ~= e.method:lower() then return "another method", result.method end
  if not same(result.body, e.body) then return "another body", support.shown(result.body) end
  if type(e.body) == "table" then e.headers["content-type"] = "application/json; charset=utf-8" end
  if not same(result.headers, e.headers) then return "other headers", support.shown(result.headers) end
end

local function compare_call(api, options, e)
  local ok, result = pcall(api, options)
  if ok then
    if e.is_asked then return "does not raise", support.shown(e.credentials) end
    return compare_result(result, e)
  end
  local message = clean(result)
  if is_about(message, e.credentials) then return nil end
  if not e.faults then return not message:find '^endpoint: option "url"' and "blames another" or nil, message end
  if #e.faults == 0 then return "raises", message end
  return differential.blame_difference(message, e.faults), message
end

function whole_calls.compare(call, built_in)
  local made, api = pcall(endpoint.defaults, options_of(call.defaults))
  if not made then return nil, api, "no endpoint" end
  local options, e = options_of(call.given), expectation(call, built_in)
  local kind, text = compare_merge(api, options, e)
  if not kind then kind, text = compare_call(api, options, e) end
  return kind, text, e.is_asked and "away" or e.url and "url" or "raised"
end

-- --- the smallest call --------------------------------------------------------------------

local function copied(value)
  if type(value) ~= "table" then return value end
  local result = {}
  for key, field in pairs(value) do result[key] = copied(field) end
  return result
end

-- Calls with one field less, for all tables inside.
local needed = { baseUrl = true, headers = true }

local function smaller_calls(call)
  local list = {}
  local function try(path, value)
    local smaller = copied(call)
    local parent = smaller
    for i = 1, #path - 1 do parent = parent[path[i]] end
    if type(path[#path]) == "number" then table.remove(parent, path[#path]) else parent[path[#path]] = value end
    list[#list + 1] = smaller
  end
  local function visit(value, path)
    for key, field in pairs(value) do
      local inner = {}
      for i, step in ipairs(path) do inner[i] = step end
      inner[#inner + 1] = key
      if #path > 0 and key ~= "parameters" and not (path[1] == "defaults" and needed[key]) then try(inner) end
      if type(field) == "table" and #path < 2 then visit(field, inner) end
    end
  end
  visit(call, {})
  return list
end

local function shrunk(call, kind, built_in)
  local is_shrinking = true
  while is_shrinking do
    is_shrinking = false
    for _, smaller in ipairs(smaller_calls(call)) do
      if whole_calls.compare(smaller, built_in) == kind then
        call, is_shrinking = smaller, true
        break
      end
    end
  end
  return call
end

-- Runs `count` random calls. Returns how many ended how, how many differ, and one of each kind
-- of difference as a text.
function whole_calls.run(seed, count)
  local random, built_in = support.random(seed), endpoint.DEFAULTS.headers
  local tally, differing, texts, known = { url = 0, raised = 0, away = 0, ["no endpoint"] = 0 }, 0, {}, {}
  for _ = 1, count do
    local call = random_call(random)
    local kind, _, ending = whole_calls.compare(call, built_in)
    tally[ending] = tally[ending] + 1
    if kind then
      differing = differing + 1
      if not known[kind] then
        known[kind] = true
        local small = shrunk(call, kind, built_in)
        local _, text = whole_calls.compare(small, built_in)
        texts[#texts + 1] = ("%s: %s\n  %s"):format(kind, support.shown(small), text)
      end
    end
  end
  return tally, differing, texts
end

local function main(seed, count)
  local tally, differing, texts = whole_calls.run(seed, count)
  for _, text in ipairs(texts) do print(text) end
  print(("%d calls, seed %d: %d URLs, %d errors, %d kept at home, %d without an endpoint, %d differ"):format(count, seed,
    tally.url, tally.raised, tally.away, tally["no endpoint"], differing))
  os.exit(differing == 0 and tally.url > count / 10 and 0 or 1)
end

if arg and arg[0] and arg[0]:find "whole_calls%.lua$" then
  main(tonumber(arg[1]) or 1, tonumber(arg[2]) or 100000)
end

return whole_calls
