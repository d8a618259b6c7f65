-- SPDX-License-Identifier: MIT
-- The operations of a document: OpenAPI 3.1, "Paths Object", "Path Item Object" and "Operation
-- Object". Here, as in the files beside, a table of the document has the name that OpenAPI gives
-- it, such as `operation_object`; `operation` is what was read of it.
local operations = {}

local budget = require "endpoint.types.document.budget"
local parameters = require "endpoint.types.document.parameters"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local request_body = require "endpoint.types.document.request_body"
local responses = require "endpoint.types.document.responses"
local security = require "endpoint.types.document.security"
local selection = require "endpoint.types.document.selection"
local server = require "endpoint.types.document.server"
local text = require "endpoint.text"
local values = require "endpoint.types.document.values"
local resolve = references.resolve
local keys = reader.keys
local as_table, as_string = values.as_table, values.as_string

-- The last is of OpenAPI 3.2.
local METHODS = { "get", "head", "post", "put", "patch", "delete", "options", "trace", "query" }

-- --- one operation ------------------------------------------------------------------

-- The schemas of the responses. If a reference in them leads nowhere there are none, and a note
-- says so.
local function known_responses(doc, operation, operation_object, json_types)
  local schemas = responses.schemas(doc, operation_object, json_types)
  local reason = doc.faults[as_table(operation_object.responses)]
  if reason then
    reader.note(doc, operation, "its responses have no type: %s", reason)
  end
  return reason and {} or schemas
end

-- The most tags of an operation that are read.
local MOST_TAGS = 50

-- The tags of an operation that are texts.
local function tags_of(doc, operation_object)
  local tags = {}
  for position, tag in ipairs(as_table(operation_object.tags)) do
    if position > MOST_TAGS then
      break
    elseif as_string(tag) then
      budget.spend(doc, #tag)
      tags[#tags + 1] = tag
    end
  end
  return tags
end

-- Reads an Operation Object of a Path Item Object. What it has are the fields of this table. Where
-- there is no summary, the description takes its place, and there is no other description.
local function read(doc, base, path, path_item, method, operation_object, json_types)
  local operation = {
    method = text.upper(method),
    path = path,
    id = as_string(operation_object.operationId),
    summary = as_string(operation_object.summary) or as_string(operation_object.description),
    description = as_string(operation_object.summary) and as_string(operation_object.description),
    deprecated = operation_object.deprecated == true,
    security = security.read(doc, operation_object),
    tags = tags_of(doc, operation_object),
    operation_object = operation_object,
  }
  operation.parameters = parameters.read(doc, path_item, operation_object, operation)
  operation.body = request_body.read(doc, path_item, operation_object)
  operation.responses = known_responses(doc, operation, operation_object, json_types)
  operation.server = server.of_operation(base, operation_object.servers or path_item.servers)
  return operation
end

-- --- all of them --------------------------------------------------------------------

-- Why an operation cannot be called: it needs a reference that leads nowhere. nil if it can.
local function fault_of(doc, path_item, written)
  local operation_object = resolve(doc, written)
  for _, part in ipairs {
    as_string(written["$ref"]) and written or values.NOTHING,
    as_table(path_item.parameters),
    as_table(operation_object.parameters),
    as_table(operation_object.requestBody),
  } do
    if doc.faults[part] then
      return doc.faults[part]
    end
  end
end

-- Calls visitor.take with the path, Path Item Object, method and Operation Object of each
-- operation, and visitor.leave_out with the path and method of what cannot be read, and why.
local function each_in_path(doc, path, path_item, visitor)
  for _, method in ipairs(METHODS) do
    local written = path_item[method]
    local reason = type(written) == "table" and fault_of(doc, path_item, written)
    if reason then
      visitor.leave_out(path, method, reason)
    elseif type(written) == "table" and (method ~= "query" or doc.is_3_2) then
      visitor.take(path, path_item, method, resolve(doc, written))
    end
  end
  for _, method in ipairs(doc.is_3_2 and keys(doc, path_item.additionalOperations) or {}) do
    visitor.leave_out(path, method, "its method is not one of OpenAPI 3.1")
  end
end

-- Adds the fields of a Path Item Object to those that stand beside its $ref, which count where both
-- have one: OpenAPI 3.1 leaves that open.
local function add_fields(doc, path, path_item, more)
  for _, name in ipairs(keys(doc, more)) do
    if path_item[name] == nil then
      path_item[name] = more[name]
    elseif name ~= "$ref" and not name:find "^x%-" then
      local note = ("%s: %s stands beside its $ref and where that leads: the former counts"):format(
        path,
        values.quoted(name)
      )
      budget.spend(doc, #note)
      doc.notes[#doc.notes + 1] = note
    end
  end
end

-- Path Items whose $ref lead to each other.
local MOST_IN_CHAIN = 20

-- A Path Item Object with what its $ref leads to: OpenAPI 3.1, "Path Item Object", `$ref`.
local function path_item_of(doc, path, written)
  local last = resolve(doc, written)
  if last == written or last == values.NOTHING then
    return last
  end
  local path_item, one = {}, written
  for _ = 1, MOST_IN_CHAIN do
    add_fields(doc, path, path_item, one)
    one = as_table(references.target(doc, one))
  end
  return path_item
end

-- The same for all paths. A key x-... is an extension of the document.
local function each_operation(doc, visitor)
  for _, path in ipairs(keys(doc, doc.root.paths)) do
    local written = path:find "^x%-" and values.NOTHING or as_table(doc.root.paths[path])
    local path_item = path_item_of(doc, path, written)
    if path_item == values.NOTHING and doc.faults[written] then
      visitor.leave_out(path, "", doc.faults[written])
    end
    each_in_path(doc, path, path_item, visitor)
  end
end

-- The operations, by path and method, and a list of those that are left out, each a name and why.
-- json_types: gets the JSON media types of all responses; wanted: see selection.new.
function operations.read(doc, base, json_types, wanted)
  local found, left_out, visitor = {}, {}, {}
  function visitor.take(path, path_item, method, operation_object)
    if wanted and not selection.takes(wanted, doc, method, path, operation_object) then
      -- The module's header accept is the same with and without --only, so the JSON media types of
      -- all responses count.
      responses.schemas(doc, operation_object, json_types)
      return
    end
    found[#found + 1] = read(doc, base, path, path_item, method, operation_object, json_types)
  end
  function visitor.leave_out(path, method, reason)
    if wanted and not selection.takes(wanted, doc, method, path, values.NOTHING) then
      return
    end
    local name = (text.upper(method) .. " " .. path):gsub("^ ", "")
    left_out[#left_out + 1] = { operation = name, reason = reason }
  end
  each_operation(doc, visitor)
  return found, left_out
end

return operations
