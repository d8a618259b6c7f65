-- SPDX-License-Identifier: MIT
-- $dynamicRef: JSON Schema 2020-12 Core, 7.1, "Lexical Scope and Dynamic Scope", and 8.2.3.2.
--
-- Where it leads depends on the schema resources that a value has passed on its way to it: to the
-- first of them with that $dynamicAnchor. So the document is copied, and a schema once for each way
-- that makes a difference. In the copies there are references that always lead to the same schema.
--
-- A *scope* is what makes the difference:
--   targets   the name of a $dynamicAnchor -> the table that has it in the first resource
--   after     a resource -> the scope after it was entered
--   copies    a table -> its copy in this scope
local dynamic_scope = {}

local budget = require "endpoint.types.document.budget"
local references = require "endpoint.types.document.references"
local result = require "endpoint.result"
local schema_resources = require "endpoint.types.document.schema_resources"
local tables = require "endpoint.types.document.tables"
local text = require "endpoint.text"
local as_string = require "endpoint.types.document.values".as_string

-- --- scopes ---------------------------------------------------------------------------

local function names_of(targets)
  local names = {}
  for name in next, targets do
    names[#names + 1] = name
  end
  return result.sorted(names)
end

-- The scope with these targets, the same table each time.
local function scope_of(copier, targets)
  local words = {}
  for _, name in ipairs(names_of(targets)) do
    local place = targets[name]
    if not copier.numbers[place] then
      copier.count = copier.count + 1
      copier.numbers[place] = copier.count
    end
    words[#words + 1] = name .. "=" .. copier.numbers[place]
  end
  local key = table.concat(words, "\n")
  budget.spend(copier.doc, #key)
  copier.scopes[key] = copier.scopes[key] or { targets = targets, after = {}, copies = {} }
  return copier.scopes[key]
end

-- A scope with the anchors of a resource that it does not have, or itself if it has all.
local function with_anchors(copier, scope, resource)
  local targets, is_other = {}, false
  for name, place in next, scope.targets do
    budget.spend(copier.doc, budget.COPY)
    targets[name] = place
  end
  for name, place in next, resource.dynamic_anchors do
    budget.spend(copier.doc, budget.COPY)
    if targets[name] == nil then
      targets[name], is_other = place, true
    end
  end
  return is_other and scope_of(copier, targets) or scope
end

-- The scope after a resource was entered.
local function entered(copier, scope, resource)
  local known = scope.after[resource] or with_anchors(copier, scope, resource)
  scope.after[resource] = known
  return known
end

-- --- copies ---------------------------------------------------------------------------

-- The copy of a table in a scope. What is in it is copied later.
local function copy_of(copier, value, scope, has_names)
  if scope.copies[value] then
    return scope.copies[value]
  end
  local copy = {}
  scope.copies[value] = copy
  local work = { value = value, copy = copy, scope = scope, has_names = has_names }
  copier.work[#copier.work + 1] = work
  return copy
end

local function resource_of(copier, value)
  return schema_resources.of(copier.doc, value)
end

-- A table of the document that a reference leads to, in the scope after it.
local function copy_of_target(copier, target, scope)
  if type(target) ~= "table" then
    return target
  end
  local copy = copy_of(copier, target, entered(copier, scope, resource_of(copier, target)), false)
  copier.doc.names[copy] = copier.doc.names[target]
  copier.copies[#copier.copies + 1] = copy
  return copy
end

-- Notes a table that says no more than what its reference leads to, if that is not what any
-- reference would lead to.
local function note_variant(copier, work, target, copy)
  local own = type(target) == "table"
    and entered(copier, copier.outermost, resource_of(copier, target))
  if own and own.copies[target] ~= copy and not references.holds_beside(copier.doc, work.value) then
    table.insert(copier.variants, { named = work.copy, variant = copy })
  end
end

-- Gives the variants of a schema the names of those that choose them: of several the first by `<`.
local function name_variants(copier)
  local names, chosen = copier.doc.names, {}
  for _, row in ipairs(copier.variants) do
    local name = names[row.named]
    if name and (not chosen[row.variant] or name < chosen[row.variant]) then
      chosen[row.variant] = name
    end
  end
  for variant, name in next, chosen do
    names[variant] = name
  end
end

-- Where a $dynamicRef leads in a scope; nil if it leads nowhere in any.
local function dynamic_target(copier, value, scope)
  local doc, written = copier.doc, value["$dynamicRef"]
  local target = references.target(doc, schema_resources.of_dynamic(doc, value))
  local name = written:match "#([^/].*)$"
  name = name and text.decoded(name)
  local is_dynamic = name
    and type(target) == "table"
    and resource_of(copier, target).dynamic_anchors[name] == target
  return is_dynamic and scope.targets[name] or target
end

-- Gives a copy the references of its table.
local function add_references(copier, work)
  local value, copy, located = work.value, work.copy, copier.doc.located
  local target = references.target(copier.doc, value)
  if target ~= nil then
    located[copy] = copy_of_target(copier, target, work.scope)
    note_variant(copier, work, target, located[copy])
  end
  if not as_string(value["$dynamicRef"]) then
    return
  end
  target = dynamic_target(copier, value, work.scope)
  if target == nil then
    return
  end
  local holder = copy
  if as_string(value["$ref"]) then
    holder = {}
    copy.allOf = { holder, { allOf = copy.allOf } }
  end
  holder["$ref"], copy["$dynamicRef"] = value["$dynamicRef"], nil
  located[holder] = copy_of_target(copier, target, work.scope)
end

local function fill(copier, work)
  for key, inner in next, work.value do
    budget.spend(copier.doc, budget.READ)
    if type(inner) == "table" and (work.has_names or not tables.is_data(key)) then
      local scope = entered(copier, work.scope, resource_of(copier, inner))
      inner = copy_of(copier, inner, scope, not work.has_names and tables.has_names(key))
    end
    work.copy[key] = inner
  end
  if not work.has_names then
    add_references(copier, work)
  end
end

-- Are there references by $dynamicRef that are followed?
function dynamic_scope.is_followed(doc)
  return doc.keywords["$dynamicRef"] and doc.words_hold_beside_ref and doc.resources ~= false
end

-- Gives a document a root without $dynamicRef: a copy. doc.located has where the references of the
-- copies lead.
function dynamic_scope.resolve(doc)
  if not dynamic_scope.is_followed(doc) then
    return
  end
  local copier =
    { doc = doc, scopes = {}, numbers = {}, count = 0, work = {}, copies = {}, variants = {} }
  copier.outermost = entered(copier, scope_of(copier, {}), resource_of(copier, doc.root))
  doc.located = {}
  local root = copy_of(copier, doc.root, copier.outermost, false)
  local position = 0
  while copier.work[position + 1] do
    position = position + 1
    fill(copier, copier.work[position])
  end
  name_variants(copier)
  doc.root, doc.copies, doc.targets = root, copier.copies, {}
end

return dynamic_scope
