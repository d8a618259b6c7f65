-- Reads what `endpoint.types` writes as an editor would, and makes calls of it. Every line must
-- be of a known shape, to its last byte, so that no text of a document can be more than text.
local definitions = {}

-- --- types ------------------------------------------------------------------------

local NAMES = {
  string = "v",
  integer = 7,
  number = 7,
  boolean = true,
  table = {},
  any = "v",
  ["function"] = "v",
}

-- A line in which a byte 1 and a number mean each literal, and a list of these literals, false
-- for one that is open. In a literal a quote and a backslash are \034 and \092.
local function split(line)
  assert(not line:find "%c", line)
  local known = {}
  return line:gsub('"([^"]*)"', function(written)
    local value, count = written:gsub("\\(%d%d%d)", function(digits)
      return string.char(tonumber(digits))
    end)
    known[#known + 1] = select(2, written:gsub("\\", "")) == count
      and { kind = "constant", value = value }
    return "\1" .. #known
  end),
    known
end

-- A text as the editor reads it in a type: it drops a pair of quotes within the quotes.
local function unquoted(text)
  local _, inner = text:match "^([\"'])(.*)%1$"
  return inner or text
end

local function parse_name(name, known)
  local unit = known[tonumber(name:match "^\1(%d+)$")]
  if unit then
    return unit.kind == "constant" and { kind = "constant", value = unquoted(unit.value) } or unit
  end
  if name:find "^%-?%d+$" then
    return { kind = "constant", value = tonumber(name) }
  end
  if name == "true" or name == "false" then
    return { kind = "constant", value = name == "true" }
  end
  assert(name:find "^[%a_][%w_.]*$", name)
  return { kind = NAMES[name] ~= nil and "basic" or "name", name = name }
end

-- The types of a union. What is in brackets is put into the list of what is known.
local function parse(text, known)
  local function keep(unit)
    known[#known + 1] = unit
    return "\1" .. #known
  end
  text = text:gsub("%b()", function(inner)
    return keep(parse(inner:sub(2, -2), known))
  end)
  text = text:gsub("table(%b<>)", function(inner)
    return keep { kind = "map", inner = parse(inner:match "^<string, (.*)>$", known) }
  end)
  local union = { kind = "union" }
  for part in (text .. "|"):gmatch "([^|]*)|" do
    local name, lists = part:match "^([^%[]*)(.*)$"
    local unit = parse_name(name, known)
    for _ = 1, #lists, 2 do
      unit = { kind = "list", inner = unit }
    end
    assert(lists == ("[]"):rep(#lists / 2), text)
    union[#union + 1] = unit
  end
  return union
end

-- --- lines ------------------------------------------------------------------------

local function field_of(rest, known)
  local name, mark, union = rest:match "^([%a_][%w_]*)(%??) (.*)$"
  if not name then
    name, mark, union = rest:match "^%[\1(%d+)%](%??) (.*)$"
    name = unquoted(known[tonumber(name)].value)
  end
  return { name = name, required = mark == "", type = parse(union:gsub(" # .*", ""), known) }
end

-- Lines that say nothing, or the same everywhere.
local IS_KNOWN = {
  "^$",
  "^}$",
  "^%-%-%-@meta _$",
  "^%-%- [^%c]*$",
  "^%-%-%-`%u+ [^%c`]*`[^%c]*$", -- an operation
  "^%-%-%-The options of each route%.$",
  "^%-%-%-Routes to send%.$",
  "^%-%-%-A request without a route of the document: [^%c]*$",
  "^local Routes%d* = { %-%- luacheck: ignore$",
  "^local RoutesWithoutOptions%d* = { %-%- luacheck: ignore$",
  "^%-%-%-@generic [%a_]+: [%w_.|]+$",
  "^%-%-%-What stands behind it",
  "^%-%-%-@field headers%? table<string, endpoint",
}

local add = {} -- a tag -> a function that adds what is after it

function add.class(rest, to)
  local name, parents = rest:match "^([%w_.]+) ?:? ?([%w_., ]*)$"
  to.classes[name] = to.classes[name]
    or { name = name, parents = parents, operation = to.operation, has = {} }
  to.class = to.classes[name]
end

function add.field(rest, to, known, line)
  local others = rest:match "^%[string%] (.*)$"
  if others then
    to.class.others = others
  else
    local field = field_of(rest, known)
    field.line = line:match "^%S+ (.*)$"
    assert(not to.class.has[field.name], line)
    to.class.has[field.name] = true
    to.class[#to.class + 1] = field
  end
end

function add.alias(rest, to, known)
  local name, union = rest:match "^([%w_.]+) ?(.*)$"
  to.aliases[name] = union == "" or parse(union, known)
end

function add.overload(rest, to, known)
  local route, mark, class, other =
    rest:match "^fun%(route: \1(%d+), options(%??): ([%w_.]+)|?([%w_.]*)%)$"
  if not route then
    return assert(rest:find "^fun%(route: \1%d+%)$", rest)
  end -- a route to send is a name alone
  local list = class:find "%.plain$" and to.plain or to.routes
  list[#list + 1] = {
    route = known[tonumber(route)].value,
    class = class,
    other = other ~= "" and other or nil,
    required = mark == "",
  }
end

function add.enum(rest, to)
  to.enumeration = assert(to[rest:match "^%(key%) [%w_]+%.(Routes%a*)%d*$"], rest)
end

-- Line -> what it adds to `to`; an error for a line of no known shape.
local function add_line(line, to)
  to.operation = line:match "^%-%-%-`(%u+ .-)`" or line:find "^%-%-%-@class" and to.operation
  for _, known in ipairs(IS_KNOWN) do
    if line:find(known) then
      return
    end
  end
  local text, known = split(line)
  local tag, rest = text:match "^%-%-%-@(%l+) (.*)$"
  if tag then
    return add[tag](rest, to, known, line)
  end
  -- Of an enumeration, whose name the line before its table has.
  local route = text:match "^  %[\1(%d+)%] = 1,$"
  if route then
    to.enumeration[known[tonumber(route)].value] = true
    return
  end
  local element = text:match "^%-%-%-| fun%([%w_.:?, |\1]*%): fun%(%): (.*)$"
  if element then
    return parse(element, known)
  end
  assert(
    text:find "^%-%-%-| fun%([%w_.:?, |\1]*%): [%w_.(), :]+$" or text:find "^%-%-%-| [%w_.]+$",
    line
  )
end

-- Classes of which all others inherit nothing but what every call has.
local IS_COMMON = { Options = true, OpenOptions = true, AnyOptions = true, Closed = true }

-- The fields of a class and of its parents, those first that must be there.
local function inherit(classes, class)
  local all, is_there = {}, {}
  local function take(from, required)
    for _, field in ipairs(from) do
      if field.required == required and not is_there[field.name] then
        all[#all + 1], is_there[field.name] = field, true
      end
    end
    for parent in from.parents:gmatch "[%w_.]+" do
      if classes[parent] and not IS_COMMON[parent:match "[^.]*$"] then
        take(classes[parent], required)
      end
    end
  end
  take(class, true)
  take(class, false)
  return all
end

-- The definitions in the files that `generate` has made, without the module: `classes` (by
-- name, each a list of fields, with `parents`, `others`, the type of other names, and `operation`),
-- `routes` (in their order), `plain` ones, `aliases`, and two sets of routes, `Routes` and
-- `RoutesWithoutOptions`.
function definitions.read(files)
  local read =
    { classes = {}, routes = {}, plain = {}, aliases = {}, Routes = {}, RoutesWithoutOptions = {} }
  for i = 1, #files - 1 do
    assert((loadstring or load)(files[i].text, "=" .. files[i].name))
    assert(#files[i].text < 300000 and files[i].text:find "\n$", files[i].name)
    for line in files[i].text:gmatch "([^\n]*)\n" do
      add_line(line, read)
    end
  end
  local whole = {}
  for name, class in pairs(read.classes) do
    whole[name] = inherit(read.classes, class)
    whole[name].parents, whole[name].others, whole[name].operation =
      class.parents, class.others, class.operation
  end
  read.classes = whole
  return read
end

-- The endpoint that the module of the files returns, at `https://h.example` where it has no host.
function definitions.load(made)
  local file = made.files[#made.files]
  local api = assert((loadstring or load)(file.text, "=" .. file.name))()
  return made.base and made.base:find "^%a" and api
    or api.defaults { baseUrl = "https://h.example" }
end

-- What the module gives to endpoint.defaults; no other thing is done at run time.
function definitions.defaults_in(files)
  local function require_endpoint(name)
    assert(name == "endpoint", name)
    return {
      defaults = function(options)
        return options
      end,
    }
  end
  local text, environment = files[#files].text, { require = require_endpoint }
  return (setfenv and setfenv(assert(loadstring(text)), environment) or assert(
    load(text, "=api", "t", environment)
  ))()
end

-- --- values -----------------------------------------------------------------------

local value_of -- which the function below calls

-- The options of a class: those that must be there, or with `is_full` all but `data` beside what is
-- in it. Classes hold each other, so those that lie deep have none that may be absent.
function definitions.options_of(read, class, is_full, depth)
  local options = {}
  depth = depth or 0
  for _, field in ipairs(read.classes[class]) do
    local is_wanted = field.required
      or is_full and depth < 3 and not field.line:find "# the whole body$"
    if is_wanted and not field.name:find "%[key%]$" and depth < 20 then
      options[field.name] = value_of(read, field.type, is_full, depth)
    end
  end
  return options
end

function value_of(read, unit, is_full, depth)
  local function inner()
    return value_of(read, unit.inner, is_full, depth)
  end
  if unit.kind == "union" then
    return value_of(read, unit[1], is_full, depth)
  end
  if unit.kind == "constant" then
    return unit.value
  end
  if unit.kind == "list" then
    return { inner(), inner() }
  end
  if unit.kind == "map" then
    return { k = inner() }
  end
  if unit.kind == "basic" then
    return unit.name == "table" and { k = "v" } or NAMES[unit.name]
  end
  if read.classes[unit.name] then
    return definitions.options_of(read, unit.name, is_full, depth + 1)
  end
  assert(unit.name:find "^endpoint%.", unit.name)
  return require "endpoint".null
end

return definitions
