-- SPDX-License-Identifier: MIT
-- The types of a call's responses, for the definitions of a sender.
local response_types = {}

local budget = require "endpoint.types.document.budget"
local classes = require "endpoint.types.editor.classes"
local schema = require "endpoint.types.schema"
local type_texts = require "endpoint.types.editor.type_texts"

-- The text of what the elements of lists are; nil if something is not a list, or not known.
local function element_of(kinds, class_of)
  local texts = {}
  for _, list in ipairs(kinds) do
    if list.kind ~= "list" then
      return nil
    end
    texts[#texts + 1] = list.inner[1] and type_texts.union(list.inner, class_of) or nil
  end
  return texts[1] and table.concat(texts, "|") or nil
end

-- Adds the alias of what the responses of a call are. Returns its name, or "any", and the type of
-- the elements of a list.
function response_types.add(writer, signature, alias)
  local texts, element = {}, nil
  local namer = classes.namer(writer, "received", alias)
  for number, node in ipairs(signature.responses) do
    local word = number == 1 and "body" or "body_" .. number
    local function class_of(object)
      return namer(object, word)
    end
    local kinds = schema.kinds(writer.doc, node)
    local text = type_texts.union(kinds, class_of)
    if text ~= "" then
      texts[#texts + 1] = text
    end
    element = #signature.responses == 1 and element_of(kinds, class_of) or nil
  end
  if not texts[1] then
    return "any"
  end
  local head = "---@alias " .. alias .. " " .. table.concat(texts, "|")
  writer.blocks[#writer.blocks + 1] = { head = head }
  budget.spend(writer.doc, #head)
  return alias, element
end

return response_types
