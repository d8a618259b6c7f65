-- SPDX-License-Identifier: MIT
-- Schemas that references reach by a name of their own: JSON Schema 2020-12 Core, 8.2.1, "$id", and
-- 8.2.2, "$anchor". Such a reference means the same as a JSON pointer into the document.
--
-- A *schema resource* is a schema with an $id, or the whole document, with all that is in it and in
-- no other resource:
--   root      its table
--   uri       its URI without a fragment; that of the document is not known, and so ""
--   anchors   a name -> the table that has it by $anchor or $dynamicAnchor
local schema_resources = {}

local budget = require "endpoint.types.document.budget"
local tables = require "endpoint.types.document.tables"
local text = require "endpoint.text"
local uri = require "endpoint.types.document.uri"
local as_string = require "endpoint.types.document.values".as_string

-- --- places -----------------------------------------------------------------------

-- A key as a token of a JSON pointer in a URI (RFC 6901, sections 3 and 6).
local function token_of(holder, key)
  if type(key) == "number" and holder[1] ~= nil then
    return ("%d"):format(key - 1)
  end
  return (tostring(key):gsub("~", "~0"):gsub("/", "~1"):gsub("%%", "%%25"))
end

-- The JSON pointer of a table, from the root of the document.
local function pointer_to(doc, value)
  local resources = doc.resources
  if resources.pointers[value] then
    return resources.pointers[value]
  end
  local places, place = {}, value
  while place ~= doc.root do
    places[#places + 1], place = place, resources.holder[place]
  end
  local tokens = { "#" }
  for position = #places, 1, -1 do
    place = places[position]
    tokens[#tokens + 1] = token_of(resources.holder[place], resources.key[place])
  end
  local pointer = table.concat(tokens, "/")
  budget.spend(doc, #pointer)
  resources.pointers[value] = pointer
  return pointer
end

-- --- what the document names ----------------------------------------------------------

-- Of several schemas with one name that with the first pointer has it. JSON Schema leaves it open,
-- but what is made of a document must be the same each time.
local function is_first(doc, value, other)
  return not other or pointer_to(doc, value) < pointer_to(doc, other)
end

local function add(doc, anchors, name, value)
  if name and is_first(doc, value, anchors[name]) then
    anchors[name] = value
  end
end

local function add_anchors(doc, resource, value)
  add(doc, resource.anchors, as_string(value["$anchor"]), value)
  add(doc, resource.anchors, as_string(value["$dynamicAnchor"]), value)
end

local function new_resource(root, its_uri)
  return { root = root, uri = its_uri, anchors = {} }
end

-- The resource that a table begins, or else the one that it is in.
local function resource_at(doc, value, outer)
  local id = as_string(value["$id"])
  local relative = id and id:match "^[^#]+"
  if not relative then
    return outer
  end
  local resource = new_resource(value, uri.resolved(relative, outer.uri))
  budget.spend(doc, #resource.uri)
  local by_uri = doc.resources.by_uri
  local other = by_uri[resource.uri]
  if is_first(doc, value, other and other.root) then
    by_uri[resource.uri] = resource
  end
  return resource
end

-- Reads the resources of a document; does nothing if it has no keyword about them.
--   by_uri      the resources
--   of          a table -> the resource that it is in
--   holder, key a table -> the table that it is in, and where
--   pointers    a table -> its JSON pointer, for those that were asked for
--   references  a table -> its $ref as a JSON pointer, for those that were asked for
function schema_resources.read(doc)
  local has = doc.keywords
  if not (has["$id"] or has["$anchor"] or has["$dynamicAnchor"]) then
    return
  end
  local resources = {
    by_uri = {},
    of = { [doc.root] = new_resource(doc.root, "") },
    holder = {},
    key = {},
    pointers = { [doc.root] = "#" },
    references = {},
  }
  doc.resources = resources
  tables.each(doc, function(holder, inner, key)
    if resources.of[inner] then
      return
    end
    resources.holder[inner], resources.key[inner] = holder, key
    resources.of[inner] = resources.of[holder]
    if doc.words_hold_beside_ref or as_string(inner["$ref"]) == nil then
      resources.of[inner] = resource_at(doc, inner, resources.of[holder])
      add_anchors(doc, resources.of[inner], inner)
    end
  end, true)
end

-- --- where a reference leads ----------------------------------------------------------

-- What a fragment means within a resource: a JSON pointer; or an anchor, as it is written if the
-- resource does not have it.
local function pointer_within(doc, resource, fragment)
  if fragment == "" or fragment:sub(1, 1) == "/" then
    return pointer_to(doc, resource.root) .. fragment
  end
  local place = resource.anchors[text.decoded(fragment)]
  return place and pointer_to(doc, place) or "#" .. fragment
end

local function as_pointer(doc, reference, resource)
  local relative, fragment = reference:match "^([^#]*)#?(.*)$"
  if relative ~= "" then
    budget.spend(doc, #resource.uri)
    resource = doc.resources.by_uri[uri.resolved(relative, resource.uri)]
  end
  local pointer = resource and pointer_within(doc, resource, fragment) or reference
  budget.spend(doc, #pointer)
  return pointer
end

-- The $ref of a table as a JSON pointer into the document, if the document has what it names; else
-- as it is written.
function schema_resources.pointer(doc, reference_object)
  local reference, resources = reference_object["$ref"], doc.resources
  local resource = resources and resources.of[reference_object]
  if not resource then
    return reference
  end
  local known = resources.references[reference_object]
  if not known then
    known = as_pointer(doc, reference, resource)
    resources.references[reference_object] = known
  end
  return known
end

return schema_resources
