-- What each service refuses of a tool, by its own words and apart from the library's table: see
-- src/endpoint/checks/tools/forms/limits.lua for the sources. Each function raises what is wrong.
local tool_limits = {}

local function set(words)
  local found = {}
  for word in words:gmatch "%S+" do
    found[word] = true
  end
  return found
end

local TYPES = set "string number integer boolean object array null"

local STRICT = set [[type description enum properties required items anyOf additionalProperties
  pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems]]

local SCHEMA = set [[type description enum properties required items anyOf nullable
  pattern minimum maximum minLength maxLength minItems maxItems]]

local function demand(is_so, words, ...)
  if not is_so then
    error(words:format(...), 0)
  end
end

local function types_of(schema)
  return type(schema.type) == "table" and schema.type or { schema.type }
end

local function has_type(schema, wanted)
  for _, one in ipairs(types_of(schema)) do
    if one == wanted then
      return true
    end
  end
  return false
end

-- Calls a function with each schema in one, the levels of objects and lists above, and the place.
local function each(schema, call, level, place)
  call(schema, level, place)
  for name, child in pairs(schema.properties or {}) do
    each(child, call, level + 1, place .. "/" .. name)
  end
  if schema.items then
    each(schema.items, call, level + 1, place .. "/0")
  end
  for position, child in ipairs(schema.anyOf or {}) do
    each(child, call, level, place .. "|" .. position)
  end
end

local function has_known_words(schema, known, place)
  for word in pairs(schema) do
    demand(known[word], "%s: %s", place, word)
  end
  demand(schema.anyOf or schema.type, "%s: no type", place)
  for _, one in ipairs(types_of(schema)) do
    demand(TYPES[one], "%s: type %s", place, tostring(one))
  end
  demand(not has_type(schema, "array") or schema.items, "%s: no items", place)
  demand(not schema.enum or schema.enum[1] ~= nil, "%s: no members", place)
end

local function is_function_name(name)
  demand(type(name) == "string" and name:find "^[%w_-]+$" and #name <= 64, "name %s", name)
end

local function has_names(schema, pattern, place)
  for name in pairs(schema.properties or {}) do
    demand(name:find(pattern) and #name <= 64, "%s: property %s", place, name)
  end
end

-- OpenAI, "Structured model outputs".
local function strict_schema(root)
  local properties, members, bytes = 0, 0, 0
  each(root, function(schema, level, place)
    has_known_words(schema, STRICT, place)
    demand(level <= 10, "%s: level %d", place, level)
    if has_type(schema, "object") then
      local is_required = {}
      for _, name in ipairs(schema.required) do
        is_required[name] = true
      end
      demand(schema.additionalProperties == false, "%s: is open", place)
      for name in pairs(schema.properties) do
        demand(is_required[name], "%s: %s is not required", place, name)
        properties, bytes = properties + 1, bytes + #name
      end
      demand(#schema.required == 0 or next(schema.properties), "%s: required", place)
    end
    for _, member in ipairs(schema.enum or {}) do
      members = members + 1
      bytes = bytes + (type(member) == "string" and #member or 0)
    end
  end, 1, "")
  demand(not root.anyOf, "alternatives at the root")
  demand(properties <= 5000 and members <= 1000 and bytes <= 120000, "is too large")
end

-- Gemini, "Schema".
local function gemini_schema(root)
  each(root, function(schema, _, place)
    has_known_words(schema, SCHEMA, place)
    has_names(schema, "^[%a_][%w_]*$", place)
    demand(schema.anyOf or type(schema.type) == "string", "%s: types", place)
    demand(schema.type or not schema.nullable, "%s: nullable without a type", place)
    demand(not has_type(schema, "object") or next(schema.properties), "%s: no properties", place)
    for _, member in ipairs(schema.enum or {}) do
      demand(type(member) == "string" and member ~= "", "%s: member %s", place, tostring(member))
    end
    for _, name in ipairs(schema.required or {}) do
      demand(schema.properties[name], "%s: required %s", place, name)
    end
  end, 1, "")
end

-- An object of JSON Schema without alternatives at the root.
local function plain_schema(schema)
  demand(schema.type == "object" and schema.properties, "is not an object")
  for _, word in ipairs { "anyOf", "oneOf", "allOf", "enum", "not" } do
    demand(schema[word] == nil, "%s at the root", word)
  end
  each(schema, function(one, _, place)
    has_names(one, "^[%w_.-]+$", place)
  end, 1, "")
end

local function has_fields(tool, known)
  for name in pairs(tool) do
    demand(known[name], "field %s", name)
  end
end

tool_limits.openai = function(tool)
  has_fields(tool, set "type function")
  demand(tool.type == "function", "type")
  has_fields(tool["function"], set "name description parameters")
  is_function_name(tool["function"].name)
  plain_schema(tool["function"].parameters)
end

tool_limits["openai-strict"] = function(tool)
  has_fields(tool, set "type name description parameters strict")
  demand(tool.type == "function" and tool.strict == true, "type")
  is_function_name(tool.name)
  strict_schema(tool.parameters)
end

tool_limits.anthropic = function(tool)
  has_fields(tool, set "name description input_schema")
  is_function_name(tool.name)
  plain_schema(tool.input_schema)
end

tool_limits.gemini = function(tool)
  has_fields(tool, set "name description parameters")
  is_function_name(tool.name)
  demand(tool.name:find "^[%a_]", "name %s", tool.name)
  if tool.parameters then
    gemini_schema(tool.parameters)
  end
end

tool_limits.mcp = function(tool)
  has_fields(tool, set "name description inputSchema annotations")
  is_function_name(tool.name)
  has_fields(tool.annotations, set "readOnlyHint destructiveHint idempotentHint")
  plain_schema(tool.inputSchema)
end

return tool_limits
