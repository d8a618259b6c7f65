-- SPDX-License-Identifier: MIT
-- The tables of a document, without those that are data.
local tables = {}

-- Below these keywords are names of the document (Map[string, ...] in OpenAPI), so `example` is one
-- of them, and `$ref` another.
local HAS_NAMES = {
  properties = true,
  patternProperties = true,
  schemas = true,
  definitions = true,
  parameters = true,
  responses = true,
  requestBodies = true,
  headers = true,
  pathItems = true,
  ["$defs"] = true,
  dependentSchemas = true,
}

-- Below these keywords is what a request or a response may hold. There a `$ref` is a name like
-- others.
local IS_DATA =
  { example = true, examples = true, default = true, enum = true, const = true, value = true }

-- Is data below a keyword?
function tables.is_data(keyword)
  return type(keyword) == "string" and (IS_DATA[keyword] or keyword:find "^x%-" ~= nil)
end

-- Are names below a keyword?
function tables.has_names(keyword)
  return HAS_NAMES[keyword] == true
end

-- Numbers come first, and then strings. A decoder of YAML may give other keys, too.
local function is_before(key, other)
  local kind, other_kind = type(key), type(other)
  if kind ~= other_kind then
    return kind == "number" or kind == "string" and other_kind ~= "number"
  end
  return (kind == "number" or kind == "string") and key < other
end

-- The keys of a table, the last one first, and their values: of tables that are put on a stack the
-- last one is looked at first.
local function ordered(value)
  local keys = {}
  for key in next, value do
    keys[#keys + 1] = key
  end
  table.sort(keys, is_before)
  return function()
    local key = table.remove(keys)
    return key, rawget(value, key)
  end
end

local function unordered(value)
  return next, value
end

-- Calls a function with each table of the document, each that is in it, and the key of that. A
-- table may be in several places, as YAML's aliases are. in_order: is the first of these met before
-- the others, in each run?
function tables.each(doc, call, in_order)
  local members = in_order and ordered or unordered
  local stack, has_names = { doc.root }, { [doc.root] = false }
  while stack[1] do
    local value = table.remove(stack)
    for key, inner in members(value) do
      if type(inner) == "table" and (has_names[value] or not tables.is_data(key)) then
        call(value, inner, key)
        if has_names[inner] == nil then
          has_names[inner], stack[#stack + 1] =
            not has_names[value] and tables.has_names(key), inner
        end
      end
    end
  end
end

return tables
