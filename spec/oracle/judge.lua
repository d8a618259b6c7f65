-- What a call must give or whom it must blame, written from the documents alone. The specs, random
-- calls and the fuzzer hold the module against it. The URL is judge_url.lua's.
--
-- A fault is { subject =, why =, names =, bytes = }: the message is about a parameter, header,
-- option ..., names one of the names, and says one of the bytes. The options may hold values of
-- any type, but no metatables, no cycles and no userdata other than null.
local endpoint = require "endpoint"
local judge_url = require "oracle.judge_url"
local support = require "support"

local judge = {}
local add_fault, is_null, is_list = judge_url.add_fault, judge_url.is_null, judge_url.is_list

local function value_of(value)
  if not is_null(value) then
    return value
  end
end

local function copied(list)
  local copy = {}
  for key, value in pairs(list or {}) do
    copy[key] = value
  end
  return copy
end

local function is_finite(number)
  return number - number == 0
end

-- --- routes and methods -----------------------------------------

-- RFC 9110 section 5.6.2
local function is_token(text)
  return text ~= "" and not text:find "[^%w!#$%%&'*+%-.^_`|~]"
end

-- Method (or nil) and URL of a route.
local function read_route(route, faults)
  local text = route:match "^%s*(.-)%s*$"
  local method, url = text:match "^(%S+)%s+(.+)$"
  if not method and (text == "" or judge_url.METHODS[text:upper()]) then
    add_fault(faults, "route", "no URL")
  end
  if method and not is_token(method) then
    add_fault(faults, method:find "[/:]" and "route" or "method", "no token")
  end
  url = url or text
  if judge_url.METHODS[url:match "^(%u+)[/%s]"] then
    add_fault(faults, "route", "a URL that begins with a method")
  end
  return method, url
end

-- --- headers ----------------------------------------------------

-- What is wrong with the value of a header, or nil.
local function header_fault(value)
  if type(value) == "string" then
    return (value:find "[\r\n]" or value:find("\0", 1, true)) and "CR, LF or NUL"
  end
  if type(value) == "number" then
    return not is_finite(value) and "no finite number"
  end
  if type(value) ~= "table" then
    return type(value) ~= "boolean" and not is_null(value) and "a wrong type"
  end
  if not is_list(value) then
    return "no list"
  end
  for _, element in ipairs(value) do
    if type(element) ~= "string" or header_fault(element) then
      return "a wrong element"
    end
  end
end

-- The given headers over the defaults; null for all of them cancels the defaults.
local function merged_headers(defaults, given, faults)
  local headers, known = is_null(given) and {} or copied(defaults), {}
  for name, value in pairs(type(given) == "table" and given or {}) do
    if type(name) ~= "string" then
      add_fault(faults, "headers", "a name that is not a string")
    else
      local lower = name:lower()
      local why = not is_token(name) and "no token"
        or header_fault(value)
        or known[lower] and "a name twice"
      if why then
        add_fault(faults, "header", why, { [lower] = true })
      end
      known[lower] = true
      headers[lower] = value_of(value)
    end
  end
  return headers
end

-- --- media types ------------------------------------------------

-- RFC 6838 section 4.2
local function is_media_name(text)
  return #text <= 127 and text:find "^%w" ~= nil and not text:find "[^%w!#$&%-^_.+]"
end

local function add_once(list, name)
  for _, known in ipairs(list) do
    if known == name then
      return
    end
  end
  list[#list + 1] = name
end

-- Adds the names of a list, without "-preview" at their ends, each once.
local function add_previews(previews, list, faults)
  if type(list) ~= "table" or not is_list(list) then
    return add_fault(faults, "mediaType", "no list of previews")
  end
  for _, name in ipairs(list) do
    local count
    name = type(name) == "string" and name or ""
    repeat
      name, count = name:gsub("%-preview$", "")
    until count == 0
    if not is_media_name(name) then
      add_fault(faults, "mediaType", "no name of a preview")
    end
    add_once(previews, name)
  end
end

-- { format =, previews = } of the given option over the default one; nil if nothing is set.
local function merged_media_type(default, given, faults)
  if is_null(given) then
    default = nil
  end
  default, given = default or {}, type(given) == "table" and given or {}
  for key in pairs(given) do
    if key ~= "format" and key ~= "previews" then
      add_fault(faults, 'option "mediaType"', "another key")
    end
  end
  local format, previews = given.format, {}
  if format == nil then
    format = default.format
  end
  if is_null(format) or format == "" then
    format = nil
  end
  if format ~= nil and (type(format) ~= "string" or not is_media_name(format)) then
    add_fault(faults, "mediaType", "no name of a format")
    format = nil
  end
  if not is_null(given.previews) then
    add_previews(previews, default.previews or {}, faults)
    if given.previews ~= nil then
      add_previews(previews, given.previews, faults)
    end
  end
  if format or previews[1] then
    return { format = format, previews = previews[1] and previews }
  end
end

-- A part of accept in a format, or as it is.
local function part_in_format(part, format)
  local before, name, rest, after = part:match "^(%s*)(application/vnd%.[%w_]+)(.-)(%s*)$"
  if not name then
    return part
  end
  local version = rest:match "^%.v%d+%f[^%w_]" or ""
  local suffix = rest:sub(#version + 1):gsub("^%.[%w_]+", "")
  if suffix ~= "" and suffix ~= "+json" then
    return part
  end
  return before .. name .. version .. "." .. format .. after
end

local function in_format(accept, format)
  local parts = {}
  for part in (accept .. ","):gmatch "([^,]*)," do
    parts[#parts + 1] = part_in_format(part, format)
  end
  return table.concat(parts, ",")
end

local function with_previews(accept, media, faults)
  local names, values = {}, {}
  for run in accept:gmatch "[%w_%-]+" do
    local name = run:match "^(.+)%-preview"
    if name then
      add_once(names, name)
    end
  end
  for _, name in ipairs(media.previews) do
    add_once(names, name)
  end
  local vendor = (accept .. ","):match "application/vnd%.([%w_]+)[.+;,%s]" or "service"
  if #vendor > 127 then
    add_fault(faults, "header", "a long vendor", { accept = true })
  end
  local suffix = media.format and "." .. media.format or "+json"
  for i, name in ipairs(names) do
    values[i] = ("application/vnd.%s.%s-preview%s"):format(vendor, name, suffix)
  end
  return table.concat(values, ",")
end

-- The accept header that a media type makes of one.
local function changed_accept(accept, media, faults)
  if not media or accept == nil and not media.previews then
    return accept
  end
  if accept ~= nil and type(accept) ~= "string" then
    add_fault(faults, "header", "no string for mediaType", { accept = true })
    return nil
  end
  accept = accept or ""
  if accept:lower():find("application/octet-stream", 1, true) then
    return accept
  end
  return media.previews and with_previews(accept, media, faults) or in_format(accept, media.format)
end

-- --- options over defaults --------------------------------------

-- The options and parameters that are given; data is among the parameters.
local function read_options(options, faults)
  local given = { parameters = {} }
  for key, value in pairs(options or {}) do
    local wanted = judge_url.OPTIONS[key]
    if type(key) ~= "string" then
      add_fault(faults, "options", "a key that is not a string")
    elseif not wanted then
      given.parameters[key] = value
    elseif wanted == "any" or type(value) == wanted or is_null(value) then
      given[key] = value
    else
      add_fault(faults, ('option "%s"'):format(key), "a wrong type")
    end
  end
  return given
end

-- The given options and parameters over the defaults. A null cancels a default.
local function merged_options(own, given, faults)
  local function option(name)
    if given[name] == nil then
      return own[name]
    end
    return value_of(given[name])
  end
  local m = {
    baseUrl = option "baseUrl",
    url = option "url",
    method = option "method" or "GET",
    request = option "request",
  }
  if not is_token(m.method) then
    add_fault(faults, "method", "no token")
  end
  m.method = m.method:upper()
  m.headers = merged_headers(own.headers, given.headers, faults)
  m.mediaType = merged_media_type(own.mediaType, given.mediaType, faults)
  m.parameters = copied(own.parameters)
  for name, value in pairs(given.parameters) do
    m.parameters[name] = value
  end
  m.parameters.data = value_of(m.parameters.data)
  return m
end

local function decoded(text)
  return (text:gsub("%%(%x%x)", function(hex)
    return string.char(tonumber(hex, 16))
  end))
end

-- The names of pairs in the literals of a template's query: no expression is in them or after
-- them.
local function literal_pairs(t)
  local names, from = {}, t.mask:find("?", 1, true)
  local to = (t.mask:find "[#\3]" or #t.mask + 1) - 1
  for at, name in (from and "&" .. t.mask:sub(from + 1, to) or ""):gmatch "&()([^&=]*)" do
    if not name:find "[\1-\8]" then
      names[decoded(t.text:sub(from + at - 1, from + at + #name - 2))] = true
    end
  end
  return names
end

-- Default parameters that the url's own query replaces go.
local function drop_replaced(m, own, given, t)
  if m.method ~= "GET" and m.method ~= "HEAD" or #t.faults > 0 then
    return
  end
  local written = literal_pairs(t)
  for name in pairs(own.parameters) do
    local is_default = given.parameters[name] == nil and name ~= "data" and not t.uses[name]
    if is_default and name ~= "" and written[name] then
      m.parameters[name] = nil
    end
  end
end

-- --- defaults ---------------------------------------------------

local function resembles(name, option)
  return name:gsub("[-_]", ""):lower() == option:lower()
end

-- What an endpoint keeps of the options that endpoint.defaults is given.
local function read_defaults(options, faults)
  local given, built_in = read_options(options, faults), endpoint.DEFAULTS
  local own = {
    baseUrl = built_in.baseUrl,
    headers = built_in.headers,
    method = built_in.method,
    parameters = {},
  }
  own = merged_options(own, given, faults)
  local base = judge_url.read_base(own.baseUrl)
  if base and base.fault then
    add_fault(faults, 'option "baseUrl"', base.fault, nil, base.bytes)
  end
  for name, value in pairs(given.parameters) do
    local is_slip = resembles(name, "baseUrl")
      or type(value) == "table" and resembles(name, "mediaType")
    if is_slip then
      add_fault(faults, "default", "an option in another spelling", { [name] = true })
    end
    own.parameters[name] = value_of(value)
  end
  return own
end

-- --- home -------------------------------------------------------

-- The origin of a URL as a text and its userinfo, nil for a URL without a host.
local function origin_of(url)
  local scheme, userinfo, host, port = judge_url.read(judge_url.encode_literal(url))
  if not scheme then
    return nil
  end
  port = port:gsub("^0+(%d)", "%1")
  if port == "" or port == tostring(judge_url.PORTS[scheme:lower()]) then
    port = "default"
  end
  return { text = (scheme .. "://" .. host .. " " .. port):lower(), userinfo = userinfo }
end

-- Is an absolute URL at home? Home is nil if it is this server, of a bare path.
local function is_home(url, home)
  local origin = origin_of(url)
  return home ~= nil
    and origin.text == home.text
    and (origin.userinfo == nil or origin.userinfo == home.userinfo)
end

local function leaves_home(given, t, home)
  if not t.authority_from then
    local base = value_of(given.baseUrl)
    if base and origin_of(base) then
      return not is_home(base, home)
    end
    return base ~= nil and home ~= nil
  end
  if t.mask:sub(t.authority_from, t.authority_to):find "\1" then
    return true
  end
  return value_of(given.url) ~= nil and not is_home(t.text:sub(1, t.authority_to), home)
end

-- The first of the defaults that the call does not give itself.
local function first_default(fields, is_given, may_leave)
  for _, name in ipairs(support.keys(fields)) do
    if is_given[name] == nil and not may_leave(name) then
      return name
    end
  end
end

local function may_header_leave(name)
  return name == "content-type" or name == "user-agent" or name:find "^accept" ~= nil
end

-- The fault of a call that takes a default away from home: the first header, or else the first
-- other. A template or the baseUrl of a relative one that is malformed says nothing of home.
local function find_away(own, given, t, base)
  if
    #t.faults > 0
    or not t.authority_from and not (base and not base.fault)
    or (own.baseUrl or "") == ""
  then
    return nil
  end
  if not leaves_home(given, t, origin_of(own.baseUrl)) then
    return nil
  end
  local headers = {}
  for name in pairs(value_of(given.headers) or {}) do
    headers[type(name) == "string" and name:lower() or name] = true
  end
  local header = not is_null(given.headers)
    and first_default(own.headers, headers, may_header_leave)
  local name = header
    or first_default(own.parameters, given.parameters, function()
      return false
    end)
  if not name then
    return nil
  end
  return {
    subject = header and "header" or "default",
    why = "away from home",
    names = { [name] = true },
  }
end

-- --- one call ---------------------------------------------------

-- What is expected of a call: `refused`, the faults of its defaults, or `is_open`, or
--   merged, merge_faults   what merge gives, and why it raises
--   result, faults         the same for the call
--   t, parameters          its template and its parameters
function judge.expectation(defaults, route, options)
  local e = { refused = {}, merge_faults = {}, faults = {} }
  local own = read_defaults(defaults, e.refused)
  if #e.refused > 0 then
    return e
  end
  local given = read_options(options, e.merge_faults)
  if route then
    local method, url = read_route(route, e.merge_faults)
    if value_of(given.url) ~= nil then
      add_fault(e.merge_faults, 'option "url"', "beside a route")
    end
    if method and value_of(given.method) ~= nil then
      add_fault(e.merge_faults, 'option "method"', "beside a route")
    end
    given.url, given.method = url, method or given.method
    if method and not is_token(method) then
      given.method = "GET"
    end
  end
  local m = merged_options(own, given, e.merge_faults)
  e.t = judge_url.compile(m.url or "")
  drop_replaced(m, own, given, e.t)
  local result = { method = m.method:lower(), headers = copied(m.headers), request = m.request }
  result.url, e.faults, result.body = judge_url.judge {
    base = m.baseUrl,
    template = e.t.text,
    method = m.method,
    parameters = m.parameters,
  }
  if not m.url then
    e.faults = { { subject = 'option "url"', why = "missing" } }
  end
  e.merge_faults[#e.merge_faults + 1] = find_away(own, given, e.t, judge_url.read_base(m.baseUrl))
  for _, fault in ipairs(e.t.faults) do
    e.merge_faults[#e.merge_faults + 1] = fault
  end
  for _, fault in ipairs(e.merge_faults) do
    e.faults[#e.faults + 1] = fault
  end
  result.headers.accept = changed_accept(m.headers.accept, m.mediaType, e.faults)
  local is_json = type(result.body) == "table"
    or type(result.body) == "number"
    or type(result.body) == "boolean"
  if is_json and result.headers["content-type"] == nil then
    result.headers["content-type"] = "application/json; charset=utf-8"
  end
  e.parameters, e.merged = m.parameters, copied(m.parameters)
  for name in pairs(judge_url.OPTIONS) do
    e.merged[name] = m[name]
  end
  e.result = result
  return e
end

-- --- messages ---------------------------------------------------

-- The one of these names that a message shows, escaped and perhaps cut.
local function shown_one(shown, names)
  shown = shown:gsub("\\x(%x%x)", function(digits)
    return string.char(tonumber(digits, 16))
  end)
  if names[shown] then
    return shown
  end
  local start = shown:match "^(.*)%.%.%.$"
  for name in pairs(start and names or {}) do
    if name:sub(1, #start) == start then
      return name
    end
  end
end

-- Is it true what a message says of a value? Both kinds of text follow the name at once.
local function is_true(said, value)
  local is_absent = value == nil or is_null(value)
  if said:find "^ is missing" then
    return is_absent
  end
  if said:find "^ is empty" then
    return value == "" or type(value) == "table"
  end
  return not said:find "^ " or not is_absent
end

local function fits(message, fault, parameters)
  local subject, shown, said = message:match '^endpoint: (%l+) "([^"]*)"(.*)$'
  if fault.names then
    local name = subject == fault.subject and shown_one(shown, fault.names)
    return name and (subject ~= "parameter" or not parameters or is_true(said, parameters[name]))
  end
  local begins = message:sub(1, #fault.subject + 10) == "endpoint: " .. fault.subject
  if fault.subject == "template" then
    begins = begins or subject == "url"
  end
  local byte = fault.bytes and tonumber(message:match "^.*at byte (%d+)")
  return begins and (not byte or fault.bytes[1] <= byte and byte <= fault.bytes[2])
end

-- How a message differs from the faults: it must fit one of them. Nil if it does.
local function blame_difference(message, faults, parameters)
  if message:sub(1, 10) ~= "endpoint: " then
    return "raises an error that is not of endpoint"
  end
  for _, fault in ipairs(faults) do
    if fits(message, fault, parameters) then
      return nil
    end
  end
  return #faults == 0 and "raises" or "raises another error"
end

local function shown_fault(fault)
  local names = table.concat(support.keys(fault.names or {}), ", ")
  local bytes = fault.bytes and (" at byte %d to %d"):format(fault.bytes[1], fault.bytes[2]) or ""
  return ("an error of the %s%s: %s%s"):format(
    fault.subject,
    names ~= "" and " " .. names or "",
    fault.why,
    bytes
  )
end

-- The faults in words, each once.
local function shown_faults(faults)
  local texts, known = {}, {}
  for _, fault in ipairs(faults) do
    local text = shown_fault(fault)
    texts[#texts + 1] = not known[text] and text or nil
    known[text] = true
  end
  return table.concat(texts, "; or ")
end

-- What should come of a call, in words.
local function shown_expectation(wanted, faults)
  if #faults > 0 then
    return shown_faults(faults)
  end
  return wanted and wanted.url and "the URL " .. tostring(wanted.url) or "a result"
end

-- --- the module against it --------------------------------------

-- Where two values differ, field by field, as a text; nil if they are equal. NaN equals itself.
function judge.difference(wanted, got, place)
  if type(wanted) == "table" and type(got) == "table" then
    for key, value in pairs(wanted) do
      local text = judge.difference(value, got[key], place .. "." .. tostring(key))
      if text then
        return text
      end
    end
    for key, value in pairs(got) do
      if wanted[key] == nil then
        return ("%s.%s: expected nothing, got %s"):format(place, tostring(key), tostring(value))
      end
    end
  elseif wanted ~= got and (wanted == wanted or got == got) then
    return ("%s: expected %s, got %s"):format(place, tostring(wanted), tostring(got))
  end
end

-- Values that a call gives go into the body and into merge's output by reference.
local function reference_difference(t, options, answer, merged)
  local body = answer[1] and answer[2].body
  local is_data = value_of(options.data) ~= nil and not t.uses.data
  for name, value in pairs(options) do
    local is_own = type(value) == "table" and name ~= "headers" and name ~= "mediaType"
    local in_body = is_data and name == "data" and body
      or not is_data and type(body) == "table" and body[name]
    if is_own and (merged[1] and merged[2][name] ~= value or in_body and in_body ~= value) then
      return "copies what is given", tostring(name)
    end
  end
end

-- What is wrong with the answer { ok, result } to a call, as a kind and a text; nil if nothing is.
local function answer_difference(what, answer, wanted, faults, parameters)
  if answer[1] then
    if #faults > 0 then
      local url = type(answer[2]) == "table" and answer[2].url
      return what .. " does not raise",
        ("expected %s, got %s"):format(shown_faults(faults), tostring(url or "a result"))
    end
    local text = judge.difference(wanted, answer[2], what)
    return text and what .. " has another result", text
  end
  local message = tostring(answer[2]):gsub("^[^\n]-:%d+: endpoint:", "endpoint:")
  local kind = blame_difference(message, faults, parameters)
  local expected = shown_expectation(wanted, faults)
  return kind and what .. " " .. kind, ("expected %s, got the error: %s"):format(expected, message)
end

-- The answer of a function to the arguments of a call.
function judge.answer(f, route, options)
  if route then
    return { pcall(f, route, options) }
  end
  return { pcall(f, options) }
end

-- Makes the call, and its parts. Returns a kind of difference and a text, or nil; how the call
-- ended, "url", "raised", "away" or "refused"; and its answer { ok, result } and the endpoint.
function judge.compare(defaults, route, options)
  local e, api = judge.expectation(defaults, route, options), endpoint
  if defaults then
    local made, message = pcall(endpoint.defaults, defaults)
    if not made or #e.refused > 0 then
      local kind, text = answer_difference("defaults", { made, message }, nil, e.refused)
      return kind, text, "refused"
    end
    api = message
  end
  local answer, merged = judge.answer(api, route, options), judge.answer(api.merge, route, options)
  local ending = answer[1] and "url" or "raised"
  if #e.merge_faults == 1 and e.merge_faults[1].why == "away from home" then
    ending = "away"
  end
  local kind, text = answer_difference("the call", answer, e.result, e.faults, e.parameters)
  if not kind then
    kind, text = answer_difference("merge", merged, e.merged, e.merge_faults)
  end
  if not kind then
    kind, text = reference_difference(e.t, options or {}, answer, merged)
  end
  if not kind and merged[1] then
    kind, text = answer_difference(
      "parse(merge())",
      { pcall(endpoint.parse, merged[2]) },
      e.result,
      e.faults,
      e.parameters
    )
  end
  if not kind then
    local variables = { pcall(api.variables, route or options) }
    if variables[1] or e.merged.url and #e.merge_faults == 0 then
      kind, text = answer_difference("variables", variables, judge_url.variables(e.t), e.t.faults)
    end
  end
  return kind, text, ending, answer, api
end

-- Makes the call, and raises where it differs. Returns its answer.
function judge.check(defaults, route, options)
  local kind, text, _, answer = judge.compare(defaults, route, options)
  support.holds(
    not kind,
    kind and ("%s, %s: %s: %s"):format(support.shown(route), support.shown(options), kind, text)
  )
  return answer
end

return judge
