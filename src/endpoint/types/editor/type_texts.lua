-- SPDX-License-Identifier: MIT
-- Kinds of values, see schema/kinds.lua, as the types that the editor's definitions write.
local type_texts = {}

-- The text of one kind. class_of: gives a name for the node of an object, or nil if it has no
-- class; without class_of there are no classes.
local function text_of(kind, class_of)
  if kind.kind == "scalar" then
    return kind.text
  end
  local inner = kind.inner[1] and type_texts.union(kind.inner, class_of)
  if kind.kind == "map" then
    local class = kind.object and class_of and class_of(kind.object)
    if class then
      return class
    end
    return inner and "table<string, " .. inner .. ">" or "table"
  end
  if not inner then
    return "any[]"
  end
  return (inner:find "|" and #kind.inner > 1 and "(" .. inner .. ")" or inner) .. "[]"
end

-- The text of kinds, each once; empty if any value fits.
function type_texts.union(kinds, class_of)
  local texts = {}
  for _, kind in ipairs(kinds) do
    local text = text_of(kind, class_of)
    if not texts[text] then
      texts[#texts + 1], texts[text] = text, true
    end
  end
  local text = table.concat(texts, "|")
  if not (texts.table and texts["endpoint.Null"]) then
    return text
  end
  -- Where a value may be of a class, as null is, the editor asks a table for its fields unless it
  -- is a map.
  return (("|" .. text .. "|"):gsub("|table|", "|table<string, any>|"):sub(2, -2))
end

return type_texts
