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

-- Calls a function with each table of the document, each that is in it, and the key of that.
function tables.each(doc, call)
  local stack, has_names = { doc.root }, { [doc.root] = false }
  for _, copy in ipairs(doc.copies) do
    if has_names[copy] == nil then
      has_names[copy], stack[#stack + 1] = false, copy
    end
  end
  while stack[1] do
    local value = table.remove(stack)
    for key, inner in next, value do
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
