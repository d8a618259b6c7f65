-- Reads what `endpoint.types` writes as an editor would, and makes calls of it. Every line must
-- be of a known shape, to its last byte, so that no text of a document can be more than text.
local definitions = {}

-- --- types ------------------------------------------------------------------------

local NAMES = { string = "v", integer = 7, number = 7, boolean = true, table = {}, any = "v", ["function"] = "v" }

local parse_union -- which the functions below call

-- A literal at a position, in which a quote and a backslash are \034 and \092, and the position
-- behind it.
local function parse_literal(text, position)
  local written, behind = text:match('^"([^"%c]*)"()', position)
  local value = written and written:gsub("\\(%d%d%d)", function(digits) return string.char(tonumber(digits)) end)
  if not written or written:gsub("\\%d%d%d", ""):find("\\", 1, true) then error("an open literal: " .. text) end
  return { kind = "constant", value = value }, behind
end

-- The same where the editor drops a pair of quotes within the quotes.
local function parse_quoted(text, position)
  local literal, behind = parse_literal(text, position)
  local first = #literal.value > 1 and literal.value:match "^([\"']).*%1$"
  if first then literal.value = literal.value:sub(2, -2) end
  return literal, behind
end

local function parse_name(text, position)
  local name, behind = text:match("^([%a_][%w_.]*)()", position)
  if not name then error(("no type at byte %d: %s"):format(position, text)) end
  if name == "true" or name == "false" then return { kind = "constant", value = name == "true" }, behind end
  if name == "table" and text:find("^<string, ", behind) then
    local inner, last = parse_union(text, behind + #"<string, ")
    assert(text:sub(last, last) == ">", text)
    return { kind = "map", inner = inner }, last + 1
  end
  return { kind = NAMES[name] ~= nil and "basic" or "name", name = name }, behind
end

local function parse_unit(text, position)
  local byte, number = text:sub(position, position), text:match("^%-?%d+", position)
  local unit
  if byte == '"' then
    unit, position = parse_quoted(text, position)
  elseif number then
    unit, position = { kind = "constant", value = tonumber(number) }, position + #number
  elseif byte == "(" then
    unit, position = parse_union(text, position + 1)
    assert(text:sub(position, position) == ")", text)
    position = position + 1
  else
    unit, position = parse_name(text, position)
  end
  while text:sub(position, position + 1) == "[]" do unit, position = { kind = "list", inner = unit }, position + 2 end
  return unit, position
end

function parse_union(text, position)
  local union = { kind = "union" }
  repeat
    union[#union + 1], position = parse_unit(text, position)
    position = position + 1
  until text:sub(position - 1, position - 1) ~= "|"
  return union, position - 1
end

-- --- lines ------------------------------------------------------------------------

local function field_of(rest)
  local name, position = rest:match "^([%a_][%w_]*)()"
  if not name then
    local key
    key, position = parse_quoted(rest, 2)
    assert(rest:sub(1, 1) .. rest:sub(position, position) == "[]", rest)
    name, position = key.value, position + 1
  end
  local field = { line = rest, name = name, required = rest:sub(position, position) ~= "?" }
  position = position + (field.required and 0 or 1)
  assert(rest:sub(position, position) == " ", rest)
  field.type, position = parse_union(rest, position + 1)
  assert(position > #rest or rest:find("^ # [^%c]*$", position), rest)
  return field
end

local function add_route(rest, to)
  local literal, position = parse_literal(rest, #"fun(route: " + 1)
  local mark, class, other = rest:match("^, options(%??): ([%w_.]+)|?([%w_.]*)%)$", position)
  assert(class, rest)
  other = other ~= "" and other or nil
  local list = class:find "%.plain$" and to.plain or to.routes
  list[#list + 1] = { route = literal.value, class = class, other = other, required = mark == "" }
end

-- A route of an enumeration, whose name the line before its table has.
local function add_name(line, to)
  local route, behind = parse_literal(line, 4)
  assert(line:sub(behind) == "] = 1,", line)
  to.enumeration[route.value] = true
end

-- Lines that say nothing, or the same everywhere.
local IS_KNOWN = { "^$", "^}$", "^%-%-%-@meta _$", "^%-%- [^%c]*$", "^%-%-%-[`ATR][^%c]*$",
  "^local Routes%d* = { %-%- luacheck: ignore$", "^local RoutesWithoutOptions%d* = { %-%- luacheck: ignore$",
  "^%-%-%-@generic [%a_]+: [%w_.|]+$", "^%-%-%-What stands behind it" }

-- Line -> what it adds to `to`; an error for a line of no known shape.
local function add_line(line, to)
  for _, known in ipairs(IS_KNOWN) do
    if line:find(known) then return end
  end
  local tag, rest = line:match "^%-%-%-@(%l+) (.*)$"
  if tag == "class" then
    local name, parents = rest:match "^([%w_.]+) ?:? ?([%w_., ]*)$"
    assert(name, line)
    to.classes[name] = to.classes[name] or { name = name, parents = parents }
    to.class = to.classes[name]
  elseif tag == "field" and rest:find "^%[string%] " then
    to.class.others = rest:sub(10)
  elseif tag == "field" then
    if not rest:find "^headers%? table<string, endpoint" then to.class[#to.class + 1] = field_of(rest) end
  elseif tag == "alias" then
    local alias, position = rest:match "^([%w_.]+) ?()"
    local union = position <= #rest and assert(parse_union(rest, position))
    to.aliases[alias] = union or true
  elseif tag == "overload" then
    local _, behind = parse_literal(rest, #"fun(route: " + 1)
    if rest:sub(behind) ~= ")" then add_route(rest, to) end -- a route to send is a name alone
  elseif tag == "enum" then
    to.enumeration = assert(to[rest:match "^%(key%) [%w_]+%.(Routes%a*)%d*$"], line)
  elseif line:find '^  %["' then
    add_name(line, to)
  else
    local route, behind, element = line:match '^%-%-%-| fun%(route: ()".*"(),.*%): fun%(%): (.*)$'
    if not route then route, behind = line:match '^%-%-%-| fun%(route: ()".*"(),' end
    if route then assert(select(2, parse_literal(line, route)) == behind, line) end
    if element then assert(select(2, parse_union(element, 1)) == #element + 1, line) end
    local rest_of = route and line:sub(1, route - 1) .. line:sub(behind) or line
    assert(element or rest_of:find "^%-%-%-| fun%([%w_.:?, |]*%): [%w_.(), :]+$" or line:find "^%-%-%-| [%w_.]+$", line)
  end
end

-- Classes of which all others inherit nothing but what every call has.
local IS_COMMON = { Options = true, OpenOptions = true, AnyOptions = true, Closed = true }

-- The fields of a class and of its parents, those first that must be there.
local function inherit(classes, class)
  local all, is_there = {}, {}
  local function add(from, required)
    for _, field in ipairs(from) do
      if field.required == required and not is_there[field.name] then
        all[#all + 1], is_there[field.name] = field, true
      end
    end
    for parent in from.parents:gmatch "[%w_.]+" do
      if classes[parent] and not IS_COMMON[parent:match "[^.]*$"] then add(classes[parent], required) end
    end
  end
  add(class, true)
  add(class, false)
  return all
end

-- The definitions in the files that `generate` has made, without the module: `classes` (by
-- name, each a list of fields, with `parents`, and `others`, the type of other names), `routes` (in their order),
-- `plain` ones, `aliases`, and two sets of routes, `Routes` and `RoutesWithoutOptions`.
function definitions.read(files)
  local read = { classes = {}, routes = {}, plain = {}, aliases = {}, Routes = {}, RoutesWithoutOptions = {} }
  for i = 1, #files - 1 do
    assert((loadstring or load)(files[i].text, "=" .. files[i].name))
    assert(#files[i].text < 300000 and files[i].text:find "\n$", files[i].name)
    for line in files[i].text:gmatch "([^\n]*)\n" do add_line(line, read) end
  end
  local whole = {}
  for name, class in pairs(read.classes) do
    whole[name] = inherit(read.classes, class)
    whole[name].name, whole[name].parents, whole[name].others = name, class.parents, class.others
  end
  read.classes = whole
  return read
end

-- The endpoint that the module of the files returns, at `https://h.example` where it has no host.
function definitions.load(made)
  local file = made.files[#made.files]
  local api = assert((loadstring or load)(file.text, "=" .. file.name))()
  return made.base and made.base:find "^%a" and api or api.defaults { baseUrl = "https://h.example" }
end

-- What the module gives to endpoint.defaults; no other thing is done at run time.
function definitions.defaults_in(files)
  local function require_endpoint(name)
    assert(name == "endpoint", name)
    return { defaults = function(options) return options end }
  end
  local text, environment = files[#files].text, { require = require_endpoint }
  return (setfenv and setfenv(assert(loadstring(text)), environment) or assert(load(text, "=api", "t", environment)))()
end

-- --- values -----------------------------------------------------------------------

local value_of -- which the function below calls

-- The options of a class: those that must be there, or with `is_full` all but `data` beside what is in it. Classes
-- hold each other, so those that lie deep have none that may be absent.
function definitions.options_of(read, class, is_full, depth)
  local options = {}
  depth = depth or 0
  for _, field in ipairs(read.classes[class]) do
    local is_wanted = field.required or is_full and depth < 3 and not field.line:find "# the whole body$"
    if is_wanted and not field.name:find "%[key%]$" and depth < 20 then
      options[field.name] = value_of(read, field.type, is_full, depth)
    end
  end
  return options
end

function value_of(read, unit, is_full, depth)
  local function inner() return value_of(read, unit.inner, is_full, depth) end
  if unit.kind == "union" then return value_of(read, unit[1], is_full, depth) end
  if unit.kind == "constant" then return unit.value end
  if unit.kind == "list" then return { inner(), inner() } end
  if unit.kind == "map" then return { k = inner() } end
  if unit.kind == "basic" then return unit.name == "table" and { k = "v" } or NAMES[unit.name] end
  if read.classes[unit.name] then return definitions.options_of(read, unit.name, is_full, depth + 1) end
  assert(unit.name:find "^endpoint%.", unit.name)
  return require "endpoint".null
end

return definitions
