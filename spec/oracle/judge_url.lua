-- The URL of a call, written from the documents alone, as plainly as it can be said and without
-- regard to speed. It shares nothing with src/: a template is masked and matched with patterns,
-- and the rules about the result are asked of the result.
--
-- judge_url.judge { base =, template =, method =, parameters = } returns
--   url      the URL, or nil if the call must raise
--   faults   a list; a message must fit one of them, see judge.lua
--   body     what the result gets
local support = require "support"

local judge_url = {}

local function is_null(value)
  return type(value) == "userdata" -- no other userdata is among the values tried
end

-- A fault: what the message is about, why, the parameters or headers one of which it must name, and
-- the bytes of the template one of which it must name.
local function add_fault(faults, subject, why, names, bytes)
  faults[#faults + 1] = { subject = subject, why = why, names = names, bytes = bytes }
end

-- --- bytes --------------------------------------------------------------------------

local UNRESERVED = "A-Za-z0-9%-._~"
local RESERVED = ":/?#%[%]@!$&'()*+,;="

local function triplet(byte)
  return ("%%%02X"):format(byte:byte())
end

-- Literals, and values under + and #: reserved bytes and triplets stay.
local function encode_literal(text)
  return (text:gsub("[^" .. UNRESERVED .. RESERVED .. "]", triplet):gsub("%%25(%x%x)", "%%%1"))
end

local function encode(text, keeps_reserved)
  return keeps_reserved and encode_literal(text) or (text:gsub("[^" .. UNRESERVED .. "]", triplet))
end

-- --- a path as servers read it ------------------------------------------------------

-- A path is read as a list of units { byte =, places = }: a byte, and the places in the path of
-- the bytes that mean it. Where the contract leaves room: a TAB, LF or CR is never a byte
-- that counts, and within a triplet it means nothing; a segment has ended before what decodes
-- to a separator, however late it does so.

-- The index of the next hexadecimal digit, if only bytes that URL parsers delete stand before it.
local function next_digit(units, at)
  repeat
    at = at + 1
  until not units[at] or not units[at].byte:find "^[\t\n\r]"
  return units[at] and units[at].byte:find "^%x" and at
end

-- The triplets decoded once, from left to right.
local function decoded_once(units)
  local result, at = {}, 1
  while at <= #units do
    local unit, first = units[at], units[at].byte == "%" and next_digit(units, at)
    local second = first and next_digit(units, first)
    if second then
      unit =
        { byte = string.char(tonumber(units[first].byte .. units[second].byte, 16)), places = {} }
      for _, i in ipairs { at, first, second } do
        for _, place in ipairs(units[i].places) do
          unit.places[#unit.places + 1] = place
        end
      end
    end
    result[#result + 1] = unit
    at = (second or at) + 1
  end
  return result
end

-- The units of a path after at most eight rounds, with "/" for all that parts segments and " " for
-- control bytes other than TAB, LF and CR.
local function units_of(path)
  local units = {}
  for at = 1, #path do
    units[at] = { byte = path:sub(at, at), places = { at } }
  end
  for _ = 1, 8 do
    units = decoded_once(units)
  end
  for _, unit in ipairs(units) do
    unit.byte = unit.byte:gsub("\\", "/"):gsub("[^\t\n\r\32-\126\128-\255]", " ")
  end
  return units
end

-- The path's segments { from =, to =, is_dots =, before =, after = }: the places of their first
-- and last byte, and the first byte of the separator before them and the last byte of that after
-- them, if any.
local function segments_of(path)
  local list, text, from, before = {}, "", 1, 1
  local function add(to, after)
    local dots = text:gsub("^[\t\n\r]+", ""):match "^[^;?#\t\n\r ]*"
    list[#list + 1] = {
      from = from,
      to = to,
      is_dots = dots == "." or dots == "..",
      before = before,
      after = after,
    }
  end
  for _, unit in ipairs(units_of(path)) do
    if unit.byte == "/" then
      local first, last = unit.places[1], unit.places[#unit.places]
      add(first - 1, last)
      text, from, before = "", last + 1, first
    else
      text = text .. unit.byte
    end
  end
  add(#path, #path)
  return list
end

-- The places of the bytes that count, as a set.
local function counting_bytes(path)
  local counts, is_hidden = {}, false
  for _, unit in ipairs(units_of(path)) do
    local is_slash = #unit.places == 1 and path:sub(unit.places[1], unit.places[1]) == "/"
    is_hidden = not is_slash and (is_hidden or unit.byte == ";")
    local is_text = not is_hidden and not unit.byte:find "[/\t\n\r ]"
    for _, place in ipairs(unit.places) do
      counts[place] = is_text
    end
  end
  return counts
end

-- --- values -------------------------------------------------------------------------

-- The fewest digits that read back as the number. Above a power of two numbers lie further apart
-- than below it, so that the next digit may read back where the nearest does not.
local function shortest_text(n)
  for precision = 0, 16 do
    local nearest = ("%." .. precision .. "e"):format(n)
    local above = nearest:gsub("(%d)(9*)e", function(digit, nines)
      return ("%d"):format(digit + 1) .. ("0"):rep(#nines) .. "e"
    end)
    if tonumber(nearest) == n then
      return nearest
    end
    if tonumber(above) == n then
      return above
    end
  end
end

-- From here on floats have no place for each integer. A Lua's numbers may be of C's type float.
local LOSSY = 2 ^ 24 + 1 == 2 ^ 24 and 2 ^ 24 or 2 ^ 53

-- ECMAScript's Number-to-String; nil of what no URL holds, floats that may have lost digits among
-- it.
local function number_text(n)
  if math.type and math.type(n) == "integer" then
    return ("%d"):format(n)
  end -- luacheck: ignore 143
  if n ~= n or n >= LOSSY or n <= -LOSSY then
    return nil
  end
  if n == 0 then
    return "0"
  end
  if n < 0 then
    return "-" .. number_text(-n)
  end
  local first, rest, exponent = shortest_text(n):match "^(%d)%.?(%d*)e([-+]%d+)$"
  local digits, e = (first .. rest):gsub("0+$", ""), tonumber(exponent) + 1
  local k = #digits
  if k <= e then
    return digits .. ("0"):rep(e - k)
  end
  if 0 < e then
    return digits:sub(1, e) .. "." .. digits:sub(e + 1)
  end
  if -6 < e then
    return "0." .. ("0"):rep(-e) .. digits
  end
  return digits:sub(1, 1) .. (k > 1 and "." .. digits:sub(2) or "") .. "e-" .. 1 - e
end

-- The text of a scalar, or nil.
local function scalar_text(value)
  if type(value) == "string" then
    return value
  end
  if type(value) == "boolean" then
    return tostring(value)
  end
  if type(value) == "number" then
    return number_text(value)
  end
end

-- Is it a list, with the keys 1..n?
local function is_list(value)
  local count = 0
  for key in pairs(value) do
    count = count + 1
    if type(key) ~= "number" or key < 1 or key ~= math.floor(key) then
      return false
    end
  end
  for i = 1, count do
    if value[i] == nil then
      return false
    end
  end
  return true
end

-- "undefined", "scalar", "list", "map", or nil for what no value may be. A list or map of
-- nulls alone is undefined (RFC 6570 section 2.3).
local function kind_of(value)
  if value == nil or is_null(value) then
    return "undefined"
  end
  if type(value) ~= "table" then
    return scalar_text(value) and "scalar"
  end
  local kind, is_undefined = is_list(value) and "list" or "map", true
  for key, field in pairs(value) do
    if kind == "map" and type(key) ~= "string" then
      return nil
    end
    is_undefined = is_undefined and is_null(field)
  end
  return is_undefined and "undefined" or kind
end

-- The texts of a value, as { name =, text = }: those of a map have names and are sorted by them,
-- and may have one name several times where lists may be inside. Nulls are left out. Nil if one is
-- no text.
local function fields_of(value, may_hold_lists)
  local kind, fields = kind_of(value), {}
  if kind == "undefined" then
    return fields
  end
  if kind == "scalar" then
    return { { text = scalar_text(value) } }
  end
  for _, name in ipairs(kind and support.keys(value) or {}) do
    local field = value[name]
    local may_be = type(field) ~= "table"
      or may_hold_lists and kind == "map" and kind_of(field) ~= "map"
    local inner = may_be and fields_of(field)
    if not inner then
      return nil
    end
    for _, each in ipairs(inner) do
      fields[#fields + 1] = { name = kind == "map" and name, text = each.text }
    end
  end
  return kind and fields
end

-- Well-formed UTF-8, table 3-7 of the Unicode standard: no surrogate, nothing overlong.
local CHARACTERS = {
  "[\194-\223][\128-\191]",
  "\224[\160-\191][\128-\191]",
  "[\225-\236\238\239][\128-\191][\128-\191]",
  "\237[\128-\159][\128-\191]",
  "\240[\144-\191][\128-\191][\128-\191]",
  "[\241-\243][\128-\191][\128-\191][\128-\191]",
  "\244[\128-\143][\128-\191][\128-\191]",
}

-- The first `count` code points; triplets count one if `has_triplets`.
local function prefix_of(text, count, has_triplets)
  local at = 1
  while at <= #text and count > 0 do
    local last = has_triplets and select(2, text:find("^%%%x%x", at)) or at
    for _, character in ipairs(CHARACTERS) do
      last = select(2, text:find("^" .. character, at)) or last
    end
    at, count = last + 1, count - 1
  end
  return text:sub(1, at - 1)
end

-- --- templates ----------------------------------------------------------------------

-- The options and their types.
local OPTIONS = {
  method = "string",
  url = "string",
  baseUrl = "string",
  headers = "table",
  mediaType = "table",
  request = "any",
}

local FILLER = "\14" -- means the bytes of an expression after its first, so that places stay

-- As in appendix A of RFC 6570: first, separator, is it named, what follows an empty value's name,
-- are reserved bytes kept; and its byte in a mask. There each expression is this byte, and FILLER
-- for the others of its bytes.
local OPERATORS = {
  [""] = { "", ",", false, "", false, "\1" },
  ["+"] = { "", ",", false, "", true, "\2" },
  ["#"] = { "#", ",", false, "", true, "\3" },
  ["."] = { ".", ".", false, "", false, "\4" },
  ["/"] = { "/", "/", false, "", false, "\5" },
  [";"] = { ";", ";", true, "", false, "\6" },
  ["?"] = { "?", "&", true, "=", false, "\7" },
  ["&"] = { "&", "&", true, "=", false, "\8" },
}

local function is_name(name)
  if
    name == ""
    or name:find "^[.%-]"
    or name:find "[.%-]$"
    or name:find "%.[.%-]"
    or name:find "%-%."
  then
    return false
  end
  return not name:gsub("%%%x%x", "x"):find "[^%w_.%-]"
end

-- The variables between the braces, or nil.
local function read_expression(inside)
  local operator, list = inside:match "^([+#./;?&]?)(.*)$"
  local expression = { operator = operator, variables = {} }
  for spec in (list .. ","):gmatch "([^,]*)," do
    local name, prefix = spec:match "^(.-):([1-9]%d?%d?%d?)$"
    local explode = spec:find "%*$" ~= nil
    name = name or spec:gsub("%*$", "")
    if not is_name(name) then
      return nil
    end
    local variable = { name = name, explode = explode, prefix = prefix and tonumber(prefix) }
    expression.variables[#expression.variables + 1] = variable
  end
  return expression
end

local function template_fault(t, why, from, to)
  add_fault(t.faults, "template", why, nil, from and { from, to or from })
end

local function set_mask(t, from, to, expression)
  t.expressions[from] = expression
  expression.from, expression.to = from, to
  t.mask = t.mask:sub(1, from - 1)
    .. OPERATORS[expression.operator][6]
    .. FILLER:rep(to - from)
    .. t.mask:sub(to + 1)
end

local function check_variable_name(t, name, from, to)
  if not OPTIONS[name] then
    return
  end
  template_fault(t, "a variable named like an option", from, to)
end

local function read_braces(t)
  local at = 1
  while true do
    local from = t.text:find("[{}]", at)
    if not from then
      return
    end
    local to = t.text:find("}", from, true)
    local expression = t.text:sub(from, from) == "{"
      and to
      and read_expression(t.text:sub(from + 1, to - 1))
    if not expression then
      template_fault(t, "expression", from, to or #t.text + 1)
    end
    expression = expression or { operator = "", variables = {} }
    for _, variable in ipairs(expression.variables) do
      check_variable_name(t, variable.name, from, to)
    end
    set_mask(t, from, to or #t.text, expression)
    at = (to or #t.text) + 1
  end
end

-- Where the authority and the path are: the masks say which expression ends them.
local function find_parts(t)
  local _, scheme = t.mask:find "^%a[%w+.%-]*://"
  t.path_from = 1
  if scheme then
    t.authority_from = scheme + 1
    t.authority_to = (t.mask:find("[/?#\2-\8]", scheme + 1) or #t.mask + 1) - 1
    t.path_from = t.authority_to + 1
  end
  t.path_to = (t.mask:find("[?#\3\7\8]", t.path_from) or #t.mask + 1) - 1
end

local function read_colons(t)
  for at, name, after in t.text:gmatch "():([%a_][%w_]*)()" do
    local before = t.text:sub(at - 1, at - 1)
    if
      at >= t.path_from
      and at <= t.path_to
      and t.mask:sub(at, at) == ":"
      and not before:find "[%w_}\128-\255]"
    then
      check_variable_name(t, name, at, after - 1)
      set_mask(
        t,
        at,
        after - 1,
        { operator = "", variables = { { name = name, explode = false } } }
      )
    end
  end
end

-- RFC 3986 section 3.2.2: IPv4address, four dec-octets.
local function is_ipv4(text)
  local octets = { text:match "^(%d+)%.(%d+)%.(%d+)%.(%d+)$" }
  for _, octet in ipairs(octets) do
    if #octet > 3 or tonumber(octet) > 255 or octet:find "^0." then
      return false
    end
  end
  return octets[1] ~= nil
end

-- How many groups of 16 bits are written, two of them perhaps as an IPv4 address at the end of the
-- whole address; nil if one of them is malformed.
local function group_count(text, ends_address)
  local count = 0
  for group, rest in (text ~= "" and text .. ":" or ""):gmatch "([^:]*):()" do
    if ends_address and rest > #text and is_ipv4(group) then
      count = count + 2
    elseif group:find "^%x%x?%x?%x?$" then
      count = count + 1
    else
      return nil
    end
  end
  return count
end

-- IPv6address: eight groups, or fewer with "::" for the others, which are zero.
local function is_ipv6(text)
  local first, rest = text:match "^(.-)::(.*)$"
  if not first then
    return group_count(text, true) == 8
  end
  local before, after = group_count(first, false), group_count(rest, true)
  return before ~= nil and after ~= nil and before + after < 8
end

local NAME_BYTES = UNRESERVED .. "!$&'()*+,;="

-- The userinfo of an authority, nil without one, and what comes after its @, which is the first.
local function split_userinfo(authority)
  local userinfo, rest = authority:match "^([^@]*)@(.*)$"
  return userinfo, rest or authority
end

-- The host of an authority, which may be an address in brackets, and what comes after it.
local function split_host(host_and_port)
  local address, rest = host_and_port:match "^(%[[^%]]*%]?)(.*)$"
  if address then
    return address, rest
  end
  return host_and_port:match "^([^:]*)(.*)$"
end

-- A host and what comes after it, in a template with expressions as a mask. The fault of a port is
-- anywhere in it, for a digit makes it too great.
local function check_host(text, fault)
  local host, rest = split_host(text)
  if host:find "^%[" and not is_ipv6(host:match "^%[(.*)%]$" or "") then
    fault("no address in brackets", 1, #host)
  elseif not host:find "^%[" then
    for at in host:gmatch("()[^" .. NAME_BYTES .. "\1" .. FILLER .. "]") do
      fault("a byte that no host has", at, at)
    end
  end
  local port = rest:match "^:(.*)$"
  local digits = (port or ""):gsub("[\1" .. FILLER .. "]", "")
  if rest ~= "" and not port then
    fault("text after an address", #host + 1, #host + 1)
  elseif digits:find "%D" or #digits > 0 and tonumber(digits) > 65535 then
    fault("no port", #host + 2, #text)
  end
end

-- Literals of an authority. fault(why, first, last) takes what is wrong at which bytes.
local function check_authority(text, fault)
  local userinfo, host = split_userinfo(text)
  local masked = (userinfo or ""):gsub("%%%x%x", "xxx")
  for byte in masked:gmatch("()[^" .. NAME_BYTES .. ":\1" .. FILLER .. "]") do
    fault("a byte that no userinfo has", byte, byte)
  end
  local before = #text - #host
  check_host(host, function(why, first, last)
    fault(why, before + first, before + last)
  end)
end

-- The default ports of the schemes that need a host.
local PORTS = { http = 80, https = 443, ws = 80, wss = 443, ftp = 21 }

-- The authority, and what may come after it.
local function check_template_authority(t, scheme)
  local authority = t.mask:sub(t.authority_from, t.authority_to)
  check_authority(authority, function(why, first, last)
    template_fault(t, why, t.authority_from + first - 1, t.authority_from + last - 1)
  end)
  local _, host = split_userinfo(authority)
  if PORTS[scheme:lower()] and not host:find "^[^:]" then
    template_fault(t, "no host", t.authority_to + 1 - #host)
  end
  for at, e in pairs(t.expressions) do
    if at >= t.authority_from and at <= t.authority_to and #e.variables > 1 then
      template_fault(t, "two variables in an authority", at, e.to)
    end
  end
  local after = t.authority_to + 1
  while t.mask:find("^\5", after) do
    after = t.expressions[after].to + 1
  end
  if t.mask:find("^/", after) then
    return
  end
  while t.mask:find("^[\3\7]", after) do
    after = t.expressions[after].to + 1
  end
  if t.mask:find("^[^?#]", after) then
    template_fault(t, "text after an authority", after)
  end
end

-- After an expression that ends the path, and before a literal ? or #, nothing is path.
local function check_path_end(t)
  local ending = t.mask:find("[\3\7\8]", t.path_to + 1) == t.path_to + 1
    and t.mask:match("^[^?#]*", t.path_to + 1)
  for at in (ending or ""):gmatch "()[/\1\2\4-\6]" do
    template_fault(t, "path after a query", t.path_to + at)
  end
end

local function check_literals(t)
  for at in t.text:gmatch "()%c" do
    template_fault(t, "control character", at)
  end
  local scheme = t.mask:match "^(%a[%w+.%-]*):"
  if scheme and PORTS[scheme:lower()] and t.mask:sub(#scheme + 2, #scheme + 3) ~= "//" then
    template_fault(t, "scheme without //")
  end
  if t.authority_from then
    check_template_authority(t, scheme)
  end
  check_path_end(t)
  local sharp = t.mask:find("#", 1, true) or #t.mask + 1
  local question = t.mask:find("?", 1, true)
  for at in t.mask:gmatch "()\7" do
    if question and question < at and at < sharp then
      template_fault(t, "{? after ?", at, t.expressions[at].to)
    end
  end
end

function judge_url.compile(text)
  local t = { text = text, mask = text, expressions = {}, faults = {}, uses = {} }
  t.mask = t.mask:gsub("%c", "\15") -- lest a control character be taken for a mask
  read_braces(t)
  find_parts(t)
  read_colons(t)
  check_literals(t)
  for _, expression in pairs(t.expressions) do
    for _, variable in ipairs(expression.variables) do
      t.uses[variable.name] = true
    end
  end
  return t
end

-- --- expansion ----------------------------------------------------------------------

-- The text of a variable without the operator's first byte or separator; nil if undefined.
local function variable_text(call, variable, operator)
  local _, separator, is_named, if_empty, keep = support.unpack(operator)
  local value, texts = call.parameters[variable.name], {}
  local kind, fields = kind_of(value), fields_of(value, variable.explode and separator == "&")
  if not fields or variable.prefix and (kind == "list" or kind == "map") then
    return add_fault(call.faults, "parameter", "value", { [variable.name] = true })
  end
  for i, field in ipairs(fields) do
    local name = field.name and encode(field.name, keep)
      or is_named and variable.explode and variable.name
    local text =
      encode(variable.prefix and prefix_of(field.text, variable.prefix, keep) or field.text, keep)
    if name and variable.explode then
      texts[i] = name .. (is_named and text == "" and if_empty or "=" .. text)
    else
      texts[i] = name and name .. "," .. text or text
    end
  end
  if #texts == 0 then
    return nil
  end
  local text = table.concat(texts, variable.explode and separator or ",")
  if not is_named or variable.explode then
    return text
  end
  return variable.name .. (kind == "scalar" and text == "" and if_empty or "=" .. text)
end

-- Writes an expression, and notes where the text of each variable stands.
local function expand_expression(call, expression)
  local operator, written, is_first = OPERATORS[expression.operator], "", true
  local at = #call.expanded
  for _, variable in ipairs(expression.variables) do
    local note = { name = variable.name, expression = expression, at = at + #written }
    note.text = variable_text(call, variable, operator)
    if note.text then
      written = written .. (is_first and operator[1] or operator[2]) .. note.text
      is_first = false
    end
    note.to = at + #written
    note.own = note.to - #(note.text or "") -- its text without what parts it from others
    call.notes[#call.notes + 1] = note
  end
  call.expanded = call.expanded .. written
end

local function expand(call, t)
  local at = 1
  while at <= #t.text do
    local expression = t.expressions[at]
    local last = expression and expression.to or (t.mask:find("[\1-\8]", at) or #t.mask + 1) - 1
    if expression then
      expand_expression(call, expression)
    else
      call.expanded = call.expanded .. encode_literal(t.text:sub(at, last))
    end
    at = last + 1
  end
end

-- --- faults of a call ---------------------------------------------------------------

-- The names of the variables that wrote between two bytes of the URL.
local function writers(call, from, to)
  local names = {}
  for _, note in ipairs(call.notes) do
    local at, last = note.at + call.shift, note.to + call.shift
    if at < last and at < to and last >= from then
      names[note.name] = true
    end
  end
  return names
end

-- The names of those that wrote nothing, and stand between two bytes of the URL or at the ends of
-- what they enclose. If the path ends at `last`, a {?x} or {#x} after it changes nothing of it.
local function silent(call, from, to, last)
  local names = {}
  for _, note in ipairs(call.notes) do
    local at, operator = note.at + call.shift, note.expression.operator
    local is_after = last and at >= last and (operator == "?" or operator == "#")
    if note.at == note.to and at >= from - 1 and at <= to and not is_after then
      names[note.name] = true
    end
  end
  return names
end

-- Both of them.
local function names_between(call, from, to)
  local names = writers(call, from, to)
  for name in pairs(silent(call, from, to)) do
    names[name] = true
  end
  return names
end

-- A fault of these variables, or of the template if no variable has it, or if it may be.
local function blame(call, why, names, may_be_template)
  if next(names) then
    add_fault(call.faults, "parameter", why, names)
  end
  if may_be_template or not next(names) then
    add_fault(call.faults, "template", why)
  end
end

-- What values write into the authority.
local function check_written_authority(call, t)
  for _, note in ipairs(call.notes) do
    local is_host = (note.text or ""):find("^[" .. UNRESERVED .. "]+$")
    if t.authority_from and note.expression.from <= t.authority_to and not is_host then
      blame(call, "no text of an authority", { [note.name] = true })
    end
  end
  local authority = t.authority_from and call.expanded:match "^[^/]*//([^/?#]*)"
  local _, host_and_port = split_userinfo(authority or "")
  local _, after = split_host(host_and_port)
  local port = after:match "^:(.*)$" or ""
  if port:find "%D" or tonumber(port) and tonumber(port) > 65535 then
    local last = call.expanded:find("[/?#]", t.authority_from) or #call.expanded + 1
    blame(call, "no port", names_between(call, last - #port, last - 1))
  end
end

-- The host of an authority, without userinfo and port.
local function host_of(authority)
  local _, host_and_port = split_userinfo(authority)
  return (split_host(host_and_port))
end

-- A baseUrl as it is written, and what is wrong with it; nil without one.
local function read_base(base)
  if base == nil or is_null(base) then
    return nil
  end
  local read = { prefix = encode_literal(base), scheme = base:match "^(%a[%w+.%-]*)://" }
  local function fault(what, first, last) -- of several faults an error may name any, at its byte
    read.bytes = not read.fault and first and { first, last } or nil
    read.fault = read.fault or what
  end
  local first, last = base:find "[{}?#%c]", base:match "^.*()[{}?#%c]"
  if first then
    fault("a byte that no baseUrl has", first, last)
  end
  local authority_from = read.scheme and #read.scheme + 4 or 1
  local authority, path = base:match("^([^/?#]*)(.*)", authority_from)
  for _, segment in ipairs(segments_of(encode_literal(read.scheme and path or base))) do
    if segment.is_dots then
      fault "dot segment"
    end
  end
  if read.scheme then
    check_authority(authority, function(why, from, to)
      fault(why, authority_from + from - 1, authority_from + to - 1)
    end)
    if host_of(authority) == "" then
      fault "no host"
    end
  elseif base ~= "" and (not base:find "^/" or base:find "^//") then
    fault "neither a path nor scheme://host"
  end
  return read
end

-- The expanded text after the base's path, and how far it has moved.
local function append(base, expanded)
  local prefix, slash = base.prefix, ""
  if prefix ~= "" and expanded:find "^[^?#]" then
    prefix, slash = prefix:gsub("/$", ""), expanded:find "^/" and "" or "/"
  end
  return prefix .. slash .. expanded, #prefix + #slash
end

local function left_over_query(call)
  local parts = {}
  for _, name in ipairs(support.keys(call.left_over)) do
    local value, texts = call.left_over[name], {}
    local fields = kind_of(value) ~= "map" and fields_of(value)
    if not fields then
      blame(call, "a value that no query takes", { [name] = true })
    end
    for i, field in ipairs(fields or {}) do
      texts[i] = field.text
    end
    if texts[1] and not name:find "%[%]$" then
      texts = { table.concat(texts, ",") }
    end
    for _, text in ipairs(texts) do
      parts[#parts + 1] = encode(name) .. "=" .. encode(text)
    end
  end
  return table.concat(parts, "&")
end

-- --- the result ---------------------------------------------------------------------

-- Scheme and // of the result are literals.
local function check_scheme(call, t, url, base)
  if t.authority_from or base.scheme then
    return
  end
  if url:find "^//" then
    blame(call, "a result that begins with //", names_between(call, 1, 2), t.mask:find "^//" ~= nil)
  end
  local scheme, slashes = url:match "^(%a[%w+.%-]*:)(/?/?)"
  local start = scheme and scheme .. (slashes == "//" and slashes or "")
  if start and t.mask:match "^[^\1-\8]*":sub(1, #start) ~= start then
    blame(call, "a scheme from a value", names_between(call, 1, #start))
  end
end

-- Whoever wrote in the segment or in a separator at its ends; else who is there without text.
local function check_dots(call, path, offset)
  for _, segment in ipairs(segments_of(path)) do
    if segment.is_dots then
      local names = writers(call, offset + segment.before, offset + segment.after)
      if not next(names) then
        names = silent(
          call,
          offset + math.min(segment.before + 1, segment.from),
          offset + math.max(segment.after - 1, segment.to),
          offset + segment.to
        )
      end
      blame(call, "dot segment", names)
    end
  end
end

-- Each variable that the path needs is there by itself: its own text has a byte that counts.
local function check_required(call, t, path, offset)
  local counts, shift = counting_bytes(path), call.shift - offset
  for _, note in ipairs(call.notes) do
    local e, is_there = note.expression, false
    if e.from == 1 and e.operator == "+" then
      is_there = (note.text or "") ~= ""
    else
      for place = note.own + shift + 1, note.to + shift do
        is_there = is_there or counts[place]
      end
    end
    local is_required = e.from >= t.path_from
      and e.from <= t.path_to
      and (e.operator == "" or e.operator == "+")
    if is_required and not is_there then
      return blame(call, "nothing that counts", { [note.name] = true })
    end
  end
end

local function check_path(call, t, url, base)
  local is_absolute = t.authority_from or base.scheme
  local offset = is_absolute and select(2, url:find "^%a[%w+.%-]*://[^/?#]*") or 0
  local path = url:sub(offset + 1):match "^[^?#]*"
  check_dots(call, path, offset)
  check_required(call, t, path, offset)
end

-- A special scheme's authority is followed by "/".
local function add_slash(url)
  local scheme, to = url:match "^(%a[%w+.%-]*)://[^/?#]*()[?#]"
  if not scheme or not PORTS[scheme:lower()] then
    return url
  end
  return url:sub(1, to - 1) .. "/" .. url:sub(to)
end

-- What the standard methods send: left-over parameters in the query or the body, or data alone.
local METHODS = {
  GET = "query",
  HEAD = "query",
  POST = "body",
  PUT = "body",
  PATCH = "body",
  DELETE = "body",
  QUERY = "body",
  OPTIONS = "data",
  TRACE = "nothing",
  CONNECT = "nothing",
}

-- The parameters that the template did not use, as a query's; sets the body.
local function take_left_over(call, t)
  local left_over, names, sends = {}, {}, METHODS[call.method] or "data"
  for name, value in pairs(call.parameters) do
    if not t.uses[name] and not (name == "data" and is_null(value)) then
      left_over[name], names[name] = value, not is_null(value) or nil
    end
  end
  if left_over.data ~= nil then
    if sends == "query" or sends == "nothing" then
      add_fault(call.faults, 'option "data"', "a method without body")
    end
    call.body = left_over.data
  elseif sends == "query" then
    return left_over
  elseif sends == "body" then
    call.body = next(left_over) and left_over
  elseif next(names) then
    blame(call, "left over", names)
  end
  return {}
end

function judge_url.judge(request)
  local t = judge_url.compile(request.template)
  local call = {
    base = request.base,
    method = request.method,
    parameters = request.parameters,
    faults = t.faults,
    notes = {},
    shift = 0,
    expanded = "",
  }
  local base = read_base(call.base)
  local is_malformed = #t.faults > 0
  if base and base.fault then
    add_fault(call.faults, 'option "baseUrl"', base.fault, nil, base.bytes)
  end
  if is_malformed then
    return nil, call.faults
  end
  expand(call, t)
  check_written_authority(call, t)
  call.left_over = take_left_over(call, t)
  local left_over, url = left_over_query(call), call.expanded
  if t.authority_from then
    base = nil
  elseif not base then
    add_fault(call.faults, 'option "baseUrl"', "missing")
    return nil, call.faults
  else
    url, call.shift = append(base, url)
  end
  local path, rest = url:match "^([^?#]*)([^#]*)"
  local ampersand = rest:find "^?." and left_over ~= "" and not rest:find "&$" and "&" or ""
  local query = (rest == "" and left_over ~= "" and "?" or rest) .. ampersand .. left_over
  url = add_slash(path .. query .. url:sub(#path + #rest + 1))
  check_scheme(call, t, url, base)
  check_path(call, t, url, base)
  if #call.faults > 0 then
    return nil, call.faults
  end
  return url, call.faults, call.body
end

-- --- for other tools ------------------------------------------------------------------

-- What endpoint.variables must return for a well-formed template.
function judge_url.variables(t)
  local list, known = {}, {}
  for at = 1, #t.text do
    local e = t.expressions[at]
    for _, variable in ipairs(e and e.variables or {}) do
      local row = known[variable.name]
        or {
          name = variable.name,
          operator = e.operator,
          explode = variable.explode,
          prefix = variable.prefix,
          required = false,
        }
      if not known[variable.name] then
        list[#list + 1] = row
      end
      known[variable.name] = row
      row.required = row.required or at <= t.path_to and (e.operator == "" or e.operator == "+")
    end
  end
  return list
end

-- Scheme, userinfo, host, port and path of a URL.
function judge_url.read(url)
  local scheme, authority, rest = url:match "^(%a[%w+.%-]*)://([^/?#]*)(.*)$"
  local userinfo, host_and_port = split_userinfo(authority or "")
  local host, port = split_host(host_and_port)
  return scheme, userinfo, host, port:sub(2), (rest or url):match "^[^?#]*"
end

judge_url.add_fault = add_fault
judge_url.OPTIONS = OPTIONS
judge_url.METHODS = METHODS
judge_url.PORTS = PORTS
judge_url.is_null = is_null
judge_url.is_list = is_list
judge_url.read_base = read_base
judge_url.encode = encode
judge_url.encode_literal = encode_literal

return judge_url
