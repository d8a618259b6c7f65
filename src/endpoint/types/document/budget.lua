-- SPDX-License-Identifier: MIT
-- What reading a document may cost. A document can say the same again and again, and a short one
-- can so ask for endless definitions: there is one budget for the whole of what is read and
-- written.
local budget = {}

-- What is read and written may be so many times as large as the document, and this much for
-- the smallest. None of 2,639 published documents takes a third of that.
local TIMES, LEAST = 16, 100000

-- What a document of a size in bytes may cost.
function budget.allowance(size)
  return LEAST + TIMES * size
end

-- What looking at one value costs, where a byte that is written costs 1.
budget.READ = 16

-- What it costs to copy the name of a property from a part to the whole, or to go through one more
-- of those, or of types, that are known.
budget.COPY = 4

-- Raises a string without a position: the line that reads a document is not at fault.
function budget.fail(problem, ...)
  error("endpoint.types: " .. problem:format(...), 0)
end

-- What a value of a document costs beside READ.
function budget.size_of(value)
  return type(value) == "string" and #value or 0
end

-- Keywords that ask for another walk through the document, which most have not.
local IS_NOTED = {
  ["$id"] = true,
  ["$anchor"] = true,
  ["$dynamicAnchor"] = true,
  ["$dynamicRef"] = true,
  ["$recursiveRef"] = true,
  unevaluatedProperties = true,
  unevaluatedItems = true,
  readOnly = true,
  writeOnly = true,
  discriminator = true,
}

-- How large a document is, and which of these keywords it has, as a set. A table that
-- is in several places, or in itself, counts once.
local function measure(root)
  local size, keywords, stack, is_known = 0, {}, { root }, { [root] = true }
  while stack[1] do
    for key, value in next, table.remove(stack) do
      local kind = type(value)
      size = size + 1 + (type(key) == "string" and #key or 0)
      if IS_NOTED[key] then
        keywords[key] = true
      end
      if kind == "string" then
        size = size + #value
      elseif kind == "table" and not is_known[value] then
        is_known[value], stack[#stack + 1] = true, value
      end
    end
  end
  return size, keywords
end

-- Opens the budget of a document: `left`, from which budget.spend takes, and `most`. On the way it
-- notes in `keywords` which of those above the document has.
function budget.open(doc, root)
  local size, keywords = measure(root)
  doc.most = budget.allowance(size)
  doc.left, doc.keywords = doc.most, keywords
end

-- Gives a document its whole budget again.
function budget.refill(doc)
  doc.left = doc.most
end

-- Takes something of what may be read and written, and raises when nothing is left.
function budget.spend(doc, cost)
  doc.left = doc.left - cost
  if doc.left < 0 then
    budget.fail "the document says the same so often that its definitions would be too large"
  end
end

-- Schemas that hold each other by allOf, oneOf and anyOf.
local MOST_NESTED = 100

-- Goes one level down: `nested` has the `level`. Raises if schemas are nested too deep.
function budget.enter(nested)
  nested.level = nested.level + 1
  if nested.level <= MOST_NESTED then
    return
  end
  budget.fail("schemas are nested more than %d deep by allOf, oneOf and anyOf", MOST_NESTED)
end

return budget
