-- The URL of a call, written a second time from the contract alone, as plainly as it can
-- be said and without regard to speed. Specs hold the module against it. It shares nothing
-- with src/: a template is masked and matched with patterns, and each byte of the result
-- keeps beside it who wrote it, so that the rules about the result are asked of the result.
--
-- oracle.judge { base =, template =, method =, parameters = } returns
--   url      the URL, or nil if the call must raise
--   faults   a list of { why, names = set of parameters one of which is to blame,
--            bytes = { from, to } in the template, template = true }; a message must fit one
--   body     what the result gets
local oracle = {}

local null_type = "userdata" -- no other userdata is among the values tried

-- --- bytes --------------------------------------------------------------------------

local UNRESERVED = "A-Za-z0-9%-._~"
local RESERVED = ":/?#%[%]@!$&'()*+,;="

local function triplet(byte)
  return ("%%%02X"):format(byte:byte())
end

-- Literals, and values under + and #: reserved bytes and triplets stay.
local function encode_literal(text)
  text = text:gsub("%%(%x%x)", "\1%1"):gsub("[^\1" .. UNRESERVED .. RESERVED .. "]", triplet)
  return (text:gsub("\1", "%%"))
end

local function encode(text, keep_reserved)
  if not keep_reserved then return (text:gsub("[^" .. UNRESERVED .. "]", triplet)) end
  -- The byte 1 may stand in a value, where it means itself.
  local parts = {}
  for part in (text .. "\1"):gmatch "([^\1]*)\1" do parts[#parts + 1] = encode_literal(part) end
  return table.concat(parts, "%01")
end

-- --- a path as servers read it ------------------------------------------------------

local MEANINGS = { ["2E"] = ".", ["2F"] = "/", ["5C"] = "/", ["3B"] = ";", ["3F"] = "?", ["23"] = "#" }

-- The hexadecimal digit at a byte, which may be a triplet, and its last byte.
local function digit_at(path, at)
  local digit = path:match("^%x", at)
  if digit then return digit, at end
  local _, last, hex = path:find("^%%(%x%x)", at)
  while hex == "25" do _, last, hex = path:find("^(%x%x)", last + 1) end
  digit = hex and string.char(tonumber(hex, 16)):match "^%x$"
  if digit then return digit, last end
end

-- What stands at a byte of a path, and its last byte: a separator is "/" whatever it is
-- written as, and "x" is any other byte or triplet.
local function unit_at(path, at)
  local byte = path:sub(at, at)
  if byte == "\\" then return "/", at end
  if byte:find "[/.;]" then return byte, at end
  if byte ~= "%" then return "x", at end
  local last = at
  while path:sub(last + 1, last + 2) == "25" do last = last + 2 end
  local high, high_at = digit_at(path, last + 1)
  local low, low_at = digit_at(path, (high_at or last) + 1)
  local meaning = high and low and MEANINGS[(high .. low):upper()]
  if meaning then return meaning, low_at end
  return "x", path:find("^%x%x", at + 1) and at + 2 or at
end

-- The path's segments as { from, to, units = { { meaning, from, to } } }.
local function segments_of(path)
  local list, at = { { from = 1, units = {} } }, 1
  while at <= #path do
    local meaning, last = unit_at(path, at)
    local segment = list[#list]
    if meaning == "/" then
      segment.to = at - 1
      list[#list + 1] = { from = last + 1, units = {} }
    else
      segment.units[#segment.units + 1] = { meaning, at, last }
    end
    at = last + 1
  end
  list[#list].to = #path
  return list
end

local function is_dots(segment)
  local text = ""
  for _, unit in ipairs(segment.units) do
    if unit[1]:find "[;?#]" then break end
    text = text .. unit[1]
  end
  return text == "." or text == ".."
end

-- The bytes of a path that count, as a set of positions.
local function counting(path)
  local counts = {}
  for _, segment in ipairs(segments_of(path)) do
    for _, unit in ipairs(segment.units) do
      if unit[1] == ";" then break end
      for i = unit[2], unit[3] do counts[i] = true end
    end
  end
  return counts
end

-- --- values -------------------------------------------------------------------------

-- With the fewest digits that mean n. Below a power of two there is less room than above it: the
-- text nearest to it may mean another number when the one above does not.
local function shortest_text(n)
  for precision = 0, 16 do
    local text = ("%." .. precision .. "e"):format(n)
    local above = text:gsub("%de", function(digit) return ("%de"):format(math.min(9, tonumber(digit:sub(1, 1)) + 1)) end)
    for _, candidate in ipairs { text, above } do
      if tonumber(candidate) == n then return candidate end
    end
  end
end

-- ECMAScript's Number-to-String.
local function number_text(n)
  if n ~= n or n == math.huge or n == -math.huge then return nil end
  if math.type and math.type(n) == "integer" then return ("%d"):format(n) end -- luacheck: ignore 143
  if n == 0 then return "0" end
  if n < 0 then return "-" .. number_text(-n) end
  local first, rest, exponent = shortest_text(n):match "^(%d)%.?(%d*)e([-+]%d+)$"
  local digits, e = (first .. rest):gsub("0+$", ""), tonumber(exponent) + 1
  local k = #digits
  if k <= e and e <= 21 then return digits .. ("0"):rep(e - k) end
  if 0 < e and e <= 21 then return digits:sub(1, e) .. "." .. digits:sub(e + 1) end
  if -6 < e and e <= 0 then return "0." .. ("0"):rep(-e) .. digits end
  local sign = e > 0 and "+" or "-"
  return digits:sub(1, 1) .. (k > 1 and "." .. digits:sub(2) or "") .. "e" .. sign .. math.abs(e - 1)
end

-- The text of a scalar, or nil.
local function scalar_text(value)
  if type(value) == "string" then return value end
  if type(value) == "boolean" then return tostring(value) end
  if type(value) == "number" then return number_text(value) end
end

-- "undefined", "scalar", "list", "map", or nil for what no value may be. A list or map of
-- nulls alone is undefined (RFC 6570 section 2.3).
local function kind_of(value)
  if value == nil or type(value) == null_type then return "undefined" end
  if type(value) ~= "table" then return scalar_text(value) and "scalar" or nil end
  local fields, nulls, strings, positions = 0, 0, 0, 0
  for key, field in pairs(value) do
    fields = fields + 1
    if type(field) == null_type then nulls = nulls + 1 end
    if type(key) == "string" then strings = strings + 1 end
    if type(key) == "number" and key >= 1 and key == math.floor(key) then positions = math.max(positions, key) end
  end
  local is_list = strings == 0 and positions == fields
  if nulls == fields and (is_list or strings == fields) then return "undefined" end
  if strings == fields then return "map" end
  if is_list then return "list" end
end

-- The texts of a list without its nulls. Nil for one with an element that is no scalar.
local function list_texts(list)
  local texts = {}
  for _, element in ipairs(list) do
    if type(element) ~= null_type then
      local text = scalar_text(element)
      if not text then return nil end
      texts[#texts + 1] = text
    end
  end
  return texts
end

-- The fields of a map, sorted, without its nulls, as { name, text } or, where lists may be
-- inside, several of one name.
local function map_pairs(map, may_hold_lists)
  local names, fields = {}, {}
  for name in pairs(map) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local value = map[name]
    local kind = kind_of(value)
    local texts
    if kind == "scalar" then
      texts = { scalar_text(value) }
    elseif kind == "undefined" and (type(value) == null_type or may_hold_lists) then
      texts = {}
    elseif kind == "list" and may_hold_lists then
      texts = list_texts(value)
    end
    if not texts then return nil end
    for _, text in ipairs(texts) do fields[#fields + 1] = { name, text } end
  end
  return fields
end

-- The first `count` code points; triplets count one if `has_triplets`.
local function prefix_of(text, count, has_triplets)
  local at = 1
  for _ = 1, count do
    local last = has_triplets and select(2, text:find("^%%%x%x", at))
      or select(2, text:find("^[\194-\223][\128-\191]", at))
      or select(2, text:find("^[\224-\239][\128-\191][\128-\191]", at))
      or select(2, text:find("^[\240-\244][\128-\191][\128-\191][\128-\191]", at))
      or at
    at = last + 1
  end
  return text:sub(1, at - 1)
end

-- --- templates ----------------------------------------------------------------------

local OPTIONS = { method = true, url = true, baseUrl = true, headers = true, mediaType = true, request = true }
-- first, separator, is it named, what follows an empty value's name, are reserved bytes kept
local OPERATORS = {
  [""] = { "", ",", false, "", false }, ["+"] = { "", ",", false, "", true }, ["#"] = { "#", ",", false, "", true },
  ["."] = { ".", ".", false, "", false }, ["/"] = { "/", "/", false, "", false }, [";"] = { ";", ";", true, "", false },
  ["?"] = { "?", "&", true, "=", false }, ["&"] = { "&", "&", true, "=", false },
}
-- In a mask each expression is this byte, repeated as often as the expression has bytes,
-- the bytes behind the first being FILLER.
local MASKS = {
  [""] = "\1", ["+"] = "\2", ["#"] = "\3", ["."] = "\4", ["/"] = "\5", [";"] = "\6", ["?"] = "\7", ["&"] = "\8",
}
local FILLER = "\14"

local function is_name(name)
  if name == "" or name:find "^[.%-]" or name:find "[.%-]$" or name:find "%.%." then return false end
  return not name:gsub("%%%x%x", "x"):find "[^%w_.%-]"
end

-- The variables between the braces, or nil.
local function read_expression(inside)
  local operator, list = inside:match "^([+#./;?&]?)(.*)$"
  local expression = { operator = operator, variables = {} }
  for spec in (list .. ","):gmatch "([^,]*)," do
    local name, explode, prefix = spec, false, nil
    if spec:find "%*$" then
      name, explode = spec:sub(1, -2), true
    elseif spec:find ":" then
      name, prefix = spec:match "^(.-):([1-9]%d?%d?%d?)$"
    end
    if not name or not is_name(name) or OPTIONS[name] then return nil end
    local variable = { name = name, explode = explode, prefix = prefix and tonumber(prefix) }
    expression.variables[#expression.variables + 1] = variable
  end
  return expression
end

local function template_fault(t, why, from, to)
  t.faults[#t.faults + 1] = { why = why, bytes = { from, to or from }, template = true, names = {} }
end

local function set_mask(t, from, to, expression)
  t.expressions[from] = expression
  expression.from, expression.to = from, to
  t.mask = t.mask:sub(1, from - 1) .. MASKS[expression.operator] .. FILLER:rep(to - from) .. t.mask:sub(to + 1)
end

local function read_braces(t)
  local at = 1
  while true do
    local from = t.text:find("[{}]", at)
    if not from then return end
    local to = t.text:find("}", from, true)
    local expression = t.text:sub(from, from) == "{" and to and read_expression(t.text:sub(from + 1, to - 1))
    if not expression then template_fault(t, "expression", from, to or #t.text + 1) end
    set_mask(t, from, to or #t.text, expression or { operator = "", variables = {} })
    at = (to or #t.text) + 1
  end
end

-- Where the authority and the path are: the masks say which expression ends them.
local function find_parts(t)
  local _, scheme = t.mask:find "^%a[%w+.%-]*://"
  t.path_from = 1
  if scheme then
    t.authority_from = scheme + 1
    if t.mask:sub(scheme + 1, scheme + 1) == "\2" then
      t.authority_to = t.mask:find("[^" .. FILLER .. "]", scheme + 2)
    else
      t.authority_to = t.mask:find("[/?#\2-\8]", scheme + 1)
    end
    t.authority_to = (t.authority_to or #t.mask + 1) - 1
    t.path_from = t.authority_to + 1
  end
  t.path_to = (t.mask:find("[?#\3\7\8]", t.path_from) or #t.mask + 1) - 1
end

local function read_colons(t)
  for at, name, after in t.text:gmatch "():([%a_][%w_]*)()" do
    local before = t.text:sub(at - 1, at - 1)
    if at >= t.path_from and at <= t.path_to and t.mask:sub(at, at) == ":" and not before:find "[%w_}\128-\255]" then
      if OPTIONS[name] then template_fault(t, "a variable named like an option", at, after - 1) end
      set_mask(t, at, after - 1, { operator = "", variables = { { name = name, explode = false } } })
    end
  end
end

-- Literals of an authority. `at` is where the text begins in the whole.
local function check_authority(text, at, fault)
  local signs = select(2, text:gsub("@", ""))
  if signs > 1 then
    local second = text:find("@", text:find("@", 1, true) + 1, true)
    fault("a second @", at + second - 1)
  end
  local userinfo, host = text:match "^(.*@)(.*)$"
  local before = #(userinfo or "")
  local function check(part, offset, allows_triplets)
    if allows_triplets then part = part:gsub("%%%x%x", "xxx") end
    for bad in part:gmatch("()[^" .. UNRESERVED .. "!$&'()*+,;=:%[%]@\1\2" .. FILLER .. "]") do
      fault("a byte that no authority has", at + offset + bad - 1)
    end
  end
  check(userinfo or "", 0, true)
  check(host or text, before, false)
end

-- A dot segment of literals: it begins and ends at separators, the path's ends, ? or #.
local function check_literal_dots(t)
  local path = t.mask:sub(t.path_from, t.path_to)
  local at_literal_end = not t.mask:find("^[\3\7\8]", t.path_to + 1)
  local list = segments_of(path)
  for i, segment in ipairs(list) do
    local text = path:sub(segment.from, segment.to)
    if is_dots(segment) then
      local first = t.path_from + segment.from - 1
      if not text:find "[\1-\8]" and (i < #list or at_literal_end) then template_fault(t, "dot segment", first) end
    end
  end
end

local SPECIAL = { http = true, https = true, ws = true, wss = true, ftp = true }

local function check_literals(t)
  for at in t.text:gmatch "()%c" do template_fault(t, "control character", at) end
  local scheme = t.mask:match "^(%a[%w+.%-]*):"
  if scheme and SPECIAL[scheme:lower()] and t.mask:sub(#scheme + 2, #scheme + 3) ~= "//" then
    t.faults[#t.faults + 1] = { why = "scheme without //", template = true, names = {} }
  end
  if t.authority_from then
    local authority = t.mask:sub(t.authority_from, t.authority_to)
    check_authority(authority, t.authority_from, function(why, at) template_fault(t, why, at) end)
    local userinfo, host = authority:match "^(.-)([^@]*)$"
    if SPECIAL[scheme:lower()] and not host:find "^[^:]" then
      template_fault(t, "no host", t.authority_from + #userinfo)
    end
  end
  check_literal_dots(t)
  local sharp = t.mask:find("#", 1, true) or #t.mask + 1
  local question = t.mask:find("?", 1, true)
  for at in t.mask:gmatch "()\7" do
    if question and question < at and at < sharp then
      template_fault(t, "{? behind ?", at, t.expressions[at].to)
    end
  end
end

local function compile(text)
  local t = { text = text, mask = text, expressions = {}, faults = {} }
  t.mask = t.mask:gsub("%c", "\15") -- lest a control character be taken for a mask
  read_braces(t)
  find_parts(t)
  read_colons(t)
  check_literals(t)
  return t
end

-- --- expansion ----------------------------------------------------------------------

-- A text, each of whose bytes has beside it a byte for the variable that wrote it (0 for
-- nobody) and one for its segment of the template (0 for none).
local function rope(text, who, segment)
  return { text = text, who = string.char(who or 0):rep(#text), segment = string.char(segment or 0):rep(#text) }
end

local function cut(r, from, to)
  return { text = r.text:sub(from, to), who = r.who:sub(from, to), segment = r.segment:sub(from, to) }
end

local function join(a, b)
  return { text = a.text .. b.text, who = a.who .. b.who, segment = a.segment .. b.segment }
end

-- The text of a variable without the operator's first byte or separator; nil if undefined.
local function variable_text(call, variable, operator)
  local value = call.parameters[variable.name]
  local _, separator, named, if_empty, keep = operator[1], operator[2], operator[3], operator[4], operator[5]
  local kind = kind_of(value)
  local function fault()
    call.faults[#call.faults + 1] = { why = "value", names = { [variable.name] = true } }
  end
  local function pair(name, text)
    return name .. (text == "" and if_empty or "=" .. encode(text, keep))
  end
  if not kind then return fault() end
  if kind == "undefined" then
    return nil
  end
  if kind == "scalar" then
    local text = scalar_text(value)
    if variable.prefix then text = prefix_of(text, variable.prefix, keep) end
    if named then return pair(variable.name, text) end
    return encode(text, keep)
  end
  if variable.prefix then
    return fault()
  end
  local parts = {}
  if kind == "list" then
    local texts = list_texts(value)
    if not texts then return fault() end
    for i, text in ipairs(texts) do
      parts[i] = named and variable.explode and pair(variable.name, text) or encode(text, keep)
    end
  else
    local fields = map_pairs(value, variable.explode and separator == "&")
    if not fields then return fault() end
    for _, field in ipairs(fields) do
      local name, text = encode(field[1], keep), field[2]
      if variable.explode then
        parts[#parts + 1] = named and pair(name, text) or name .. "=" .. encode(text, keep)
      else
        parts[#parts + 1] = name .. "," .. encode(text, keep)
      end
    end
  end
  if #parts == 0 then return nil end
  if variable.explode then return table.concat(parts, separator) end
  return (named and variable.name .. "=" or "") .. table.concat(parts, ",")
end

-- Writes an expression and notes what each variable wrote.
local function expand_expression(call, expression, segment)
  local operator = OPERATORS[expression.operator]
  local result, is_first = rope "", true
  for _, variable in ipairs(expression.variables) do
    local text = variable_text(call, variable, operator)
    local note = { name = variable.name, text = text, expression = expression, at = #call.expanded.text + #result.text,
      value = call.parameters[variable.name] }
    call.notes[#call.notes + 1] = note
    if text then
      result = join(result, rope((is_first and operator[1] or operator[2]) .. text, #call.notes, segment))
      is_first = false
    end
    note.to = #call.expanded.text + #result.text
  end
  expression.written = result.text
  return result
end

-- Writes a literal of the path: its separators end segments.
local function path_literal(call, text)
  local result, at = rope "", 1
  while at <= #text do
    local meaning, last = unit_at(text, at)
    local is_separator = meaning == "/"
    if is_separator then call.segment = call.segment + 1 end
    result = join(result, rope(text:sub(at, last), 0, is_separator and 0 or call.segment))
    at = last + 1
  end
  return result
end

local function write(call, piece)
  call.expanded = join(call.expanded, piece)
end

-- Expands the template. call.must_write has, for each segment that must keep a byte, the
-- names of its plain and + variables and the expression any text of which counts.
local function expand(call, t)
  local at = 1
  while at <= #t.text do
    if at == t.path_from then call.authority_length = #call.expanded.text end
    local expression = t.expressions[at]
    local in_path = at >= t.path_from and at <= t.path_to
    if expression then
      if in_path and expression.operator == "/" then call.segment = call.segment + 1 end
      write(call, expand_expression(call, expression, in_path and call.segment or 0))
      if in_path and (expression.operator == "" or expression.operator == "+") then
        local must = call.must_write[call.segment] or { expressions = {} }
        call.must_write[call.segment] = must
        must.expressions[#must.expressions + 1] = expression
        local begins = expression.operator == "+" and at == t.path_from
          or expression.operator == "" and at == 1 and call.base == ""
        if begins then must.any = expression end
      end
      at = expression.to + 1
    else
      local to = (t.mask:find("[\1-\8]", at) or #t.mask + 1) - 1
      if at < t.path_from then to = math.min(to, t.path_from - 1) end
      if in_path then to = math.min(to, t.path_to) end
      local text = encode_literal(t.text:sub(at, to))
      write(call, in_path and path_literal(call, text) or rope(text))
      at = to + 1
    end
  end
  call.authority_length = call.authority_length or #call.expanded.text
end

-- --- faults of a call ---------------------------------------------------------------

local function add_fault(call, why, names, is_template)
  call.faults[#call.faults + 1] = { why = why, names = names, template = is_template }
end

-- The names of the variables that wrote in a segment of the result or beside it; else of
-- those that stand there, or could have ended the path before it, without text. `shift` is
-- how far the expanded text has moved.
local function segment_names(call, url, segment, shift)
  local names, wrote = {}, false
  local function touches(note)
    return note.at + shift <= segment.to and note.to + shift >= segment.from - 1
  end
  for i = math.max(segment.before, 1), math.min(segment.behind, #url.text) do
    local note = call.notes[url.who:byte(i)]
    if note then names[note.name], wrote = true, true end
  end
  -- What stands between it and the segment, or the separator itself, may have moved.
  for _, note in ipairs(call.notes) do
    if note.to > note.at and touches(note) then names[note.name], wrote = true, true end
  end
  if wrote then return names end
  for _, note in ipairs(call.notes) do
    local ends_path = note.expression.operator:find "[?#]" and note.at + shift < segment.from
    if touches(note) or ends_path and note.to == note.at then names[note.name] = true end
  end
  return names
end

-- The names of all variables between two bytes of the result, with or without text.
local function all_between(call, url, from, to, shift)
  local names = {}
  for i = math.max(from, 1), math.min(to, #url.text) do
    local note = call.notes[url.who:byte(i)]
    if note then names[note.name] = true end
  end
  for _, note in ipairs(call.notes) do
    local at = note.at + shift
    if (note.text or "") == "" and at >= from - 1 and at <= to then names[note.name] = true end
  end
  return names
end

local function names_of(expression)
  local names = {}
  for _, variable in ipairs(expression.variables) do names[variable.name] = true end
  return names
end

local function is_host(text)
  text = text:gsub(":%d%d?%d?%d?%d?$", "", 1)
  return text:find("^[" .. UNRESERVED .. "]+$") ~= nil or text:find "^%[[%x:.]+%]$" ~= nil
end

-- What values may write into the authority, and what follows it.
local function check_written_authority(call, t)
  if not t.authority_from then return end
  for at = t.authority_from, t.authority_to do
    local expression = t.expressions[at]
    if expression then
      for _, note in ipairs(call.notes) do
        if note.expression == expression and (note.text or "") == "" then
          add_fault(call, "nothing in the authority", { [note.name] = true })
        end
      end
      local fits = is_host(expression.written)
      if expression.operator == "" then fits = not expression.written:find("[^" .. UNRESERVED .. "]") end
      if not fits then add_fault(call, "what no authority may get", names_of(expression)) end
    end
  end
  if call.expanded.text:find("^[^/?#]", call.authority_length + 1) then
    -- Who wrote the byte, or nothing before it; no value mends a literal one.
    local names = {}
    for _, note in ipairs(call.notes) do
      if note.expression.from > t.authority_to and note.at == call.authority_length then names[note.name] = true end
    end
    add_fault(call, "text behind the authority", names, next(names) == nil)
  end
end

-- The host of an authority, without userinfo and port.
local function host_of(authority)
  local host = authority:match "([^@]*)$"
  return host:match "^%[.*%]" or host:match "^[^:]*"
end

-- Base: { prefix, query } or nil with a fault.
local function read_base(call)
  local base = call.base
  if base == nil or type(base) == null_type then return nil end
  local why
  local function fault(what) why = why or what end
  if base:find "[{}#%c]" then fault "a byte that no baseUrl has" end
  local prefix, query = base:match "^([^?]*)%??(.*)$"
  local scheme = base:match "^(%a[%w+.%-]*)://"
  local path = prefix
  if scheme then
    local authority
    authority, path = prefix:sub(#scheme + 4):match "^([^/]*)(.*)$"
    check_authority(authority, 1, fault)
    if host_of(authority) == "" then fault "no host" end
  elseif base ~= "" and (not base:find "^/" or base:find "^//") then
    fault "neither a path nor scheme://host"
  end
  for _, segment in ipairs(segments_of(encode_literal(path))) do
    if is_dots(segment) then fault "dot segment" end
  end
  return { prefix = encode_literal(prefix), query = encode_literal(query), scheme = scheme, fault = why }
end

-- Behind the base's path.
local function append(base, expanded)
  local first, last = expanded.text:sub(1, 1), base.prefix:sub(-1)
  if base.prefix == "" or first == "" or first == "?" or first == "#" then
    return join(rope(base.prefix), expanded), #base.prefix
  elseif last == "/" and first == "/" then
    return join(rope(base.prefix), cut(expanded, 2, -1)), #base.prefix - 1
  elseif last == "/" or first == "/" then
    return join(rope(base.prefix), expanded), #base.prefix
  end
  return join(rope(base.prefix .. "/"), expanded), #base.prefix + 1
end

local function join_queries(a, b)
  if a.text == "" then return b end
  if b.text == "" then return a end
  return join(a, join(rope(a.text:find "&$" and "" or "&"), b))
end

local function left_over_query(call)
  local names, parts = {}, {}
  for name in pairs(call.left_over) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local value = call.left_over[name]
    local kind, texts = kind_of(value), nil
    if kind == "undefined" then texts = {} end
    if kind == "scalar" then texts = { scalar_text(value) } end
    if kind == "list" then texts = list_texts(value) end
    if not texts then
      add_fault(call, "a value that no query takes", { [name] = true })
    elseif name:find "%[%]$" then
      for _, text in ipairs(texts) do parts[#parts + 1] = encode(name) .. "=" .. encode(text) end
    elseif #texts > 0 then
      parts[#parts + 1] = encode(name) .. "=" .. encode(table.concat(texts, ","))
    end
  end
  return rope(table.concat(parts, "&"))
end

-- --- the result ---------------------------------------------------------------------

-- path, query (nil if there is no "?"), fragment with its "#", and the "?".
local function split(r)
  local sharp = r.text:find("#", 1, true) or #r.text + 1
  local question = r.text:sub(1, sharp - 1):find("?", 1, true)
  local query = question and cut(r, question + 1, sharp - 1)
  return cut(r, 1, (question or sharp) - 1), query, cut(r, sharp, -1), question and cut(r, question, question)
end

local function is_whole_url(call, t)
  local first = t.expressions[1]
  return call.base == "" and first ~= nil and first.operator == "+"
end

-- Scheme, // and host of the result.
local function check_scheme(call, t, url, shift, base)
  local is_whole = is_whole_url(call, t)
  local text = url.text
  local scheme = text:match "^%a[%w+.%-]*:"
  local has_host = text:find "^%a[%w+.%-]*://" ~= nil
  if not is_whole and not t.authority_from and not (base and base.scheme) then
    if text:find "^//" then
      local names = all_between(call, url, 1, 2, shift)
      add_fault(call, "a result that begins with //", names, true)
    end
    if scheme then
      local literal = t.mask:match "^[^\1-\8]*"
      local own = has_host and scheme .. "//" or scheme
      if literal:sub(1, #own) ~= own then
        add_fault(call, "a scheme from a value", all_between(call, url, 1, #own, shift))
      end
    end
  end
  if scheme and SPECIAL[scheme:sub(1, -2):lower()] then
    local authority = text:match "^%a[%w+.%-]*://([^/?#]*)"
    if not authority then
      add_fault(call, "a special scheme without //", all_between(call, url, 1, #scheme + 2, shift), not is_whole)
    elseif host_of(authority) == "" then
      local names = all_between(call, url, 1, #scheme + 3 + #authority, shift)
      add_fault(call, "no host", names, not is_whole)
    end
  end
end

local function check_path(call, url, shift)
  local _, scheme_to = url.text:find "^%a[%w+.%-]*://[^/?#]*"
  local from = (scheme_to or 0) + 1
  local path = url.text:sub(from):match "^[^?#]*"
  local list = segments_of(path)
  for i, segment in ipairs(list) do
    if is_dots(segment) then
      local place = { from = from + segment.from - 1, to = from + segment.to - 1 }
      place.before = from + (list[i - 1] and list[i - 1].to + 1 or segment.from) - 1
      place.behind = from + (list[i + 1] and list[i + 1].from - 1 or segment.to + 1) - 1
      local names = segment_names(call, url, place, shift)
      add_fault(call, "dot segment", names, next(names) == nil)
    end
  end
  local counts, kept = counting(path), {}
  for i = 1, #path do
    if counts[i] then kept[url.segment:byte(from + i - 1)] = true end
  end
  for segment, must in pairs(call.must_write) do
    if not kept[segment] and not (must.any and must.any.written ~= "") then
      add_fault(call, "nothing that counts", { [must.expressions[1].variables[1].name] = true })
    end
  end
end

-- A special scheme's authority is followed by "/".
local function add_slash(url)
  local scheme = url.text:match "^(%a[%w+.%-]*)://"
  local authority_to = scheme and SPECIAL[scheme:lower()] and select(2, url.text:find "^%a[%w+.%-]*://[^/?#]*")
  if not authority_to or not url.text:find("^[?#]", authority_to + 1) then return url end
  return join(cut(url, 1, authority_to), join(rope "/", cut(url, authority_to + 1, -1)))
end

local WITH_BODY = { POST = true, PUT = true, PATCH = true, DELETE = true, QUERY = true }
local WITHOUT_DATA = { GET = true, HEAD = true, TRACE = true, CONNECT = true }

-- The parameters that the template did not use, as a query's; sets the body.
local function take_left_over(call, t)
  local used = {}
  for _, expression in pairs(t.expressions) do
    for _, variable in ipairs(expression.variables) do used[variable.name] = true end
  end
  local left_over, names = {}, {}
  for name, value in pairs(call.parameters) do
    if not used[name] then
      left_over[name] = value
      if type(value) ~= null_type then names[name] = true end
    end
  end
  if type(left_over.data) == null_type then left_over.data = nil end
  if left_over.data ~= nil then
    if WITHOUT_DATA[call.method] then add_fault(call, "data", {}, true) end
    call.body = left_over.data
    return {}
  end
  if call.method == "GET" or call.method == "HEAD" then return left_over end
  if not WITH_BODY[call.method] and next(names) then add_fault(call, "left over", names) end
  if WITH_BODY[call.method] and next(left_over) then call.body = left_over end
  return {}
end

function oracle.judge(request)
  local t = compile(request.template)
  local call = { base = request.base, method = request.method, parameters = request.parameters, faults = t.faults,
    notes = {}, must_write = {}, segment = 1, expanded = rope "" }
  local base = read_base(call)
  if #t.faults > 0 then
    -- Which of two faults is told is nowhere said.
    if base and base.fault then add_fault(call, "baseUrl: " .. base.fault, {}, true) end
    return nil, call.faults
  end
  expand(call, t)
  check_written_authority(call, t)
  if base and base.fault then add_fault(call, "baseUrl: " .. base.fault, {}, true) end
  call.left_over = take_left_over(call, t)
  local left_over = left_over_query(call)
  local url, shift = call.expanded, 0
  if not t.authority_from then
    if not base then
      add_fault(call, "no baseUrl", {}, true)
      return nil, call.faults
    end
    url, shift = append(base, url)
  end
  local path, query, fragment, question = split(url)
  local all = join_queries(rope(base and not t.authority_from and base.query or ""), query or rope "")
  all = join_queries(all, left_over)
  if query or all.text ~= "" then all = join(question or rope "?", all) end
  url = add_slash(join(path, join(all, fragment)))
  check_scheme(call, t, url, shift, not t.authority_from and base or nil)
  check_path(call, url, shift)
  if #call.faults > 0 then return nil, call.faults end
  return url.text, call.faults, call.body
end

oracle.compile = compile
oracle.encode = encode
oracle.encode_literal = encode_literal

return oracle
