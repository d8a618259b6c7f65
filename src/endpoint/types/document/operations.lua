-- SPDX-License-Identifier: MIT
-- The operations of a document, each with its parameters, its body, its responses and its server.
local operations = {}

local parameters = require "endpoint.types.document.parameters"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local request_body = require "endpoint.types.document.request_body"
local responses = require "endpoint.types.document.responses"
local security = require "endpoint.types.document.security"
local selection = require "endpoint.types.document.selection"
local server = require "endpoint.types.document.server"
local values = require "endpoint.types.document.values"
local resolve = references.resolve
local keys = reader.keys
local as_table, as_string = values.as_table, values.as_string

-- The last is of OpenAPI 3.2.
local METHODS = { "get", "head", "post", "put", "patch", "delete", "options", "trace", "query" }

local function read_operation(doc, item, raw, method, path)
  local operation = {
    method = method:upper(),
    path = path,
    id = as_string(raw.operationId),
    parameters = {},
    summary = as_string(raw.summary) or as_string(raw.description),
    description = as_string(raw.summary) and as_string(raw.description),
    security = security.read(doc, raw),
    deprecated = raw.deprecated == true,
  }
  parameters.add(doc, item, raw, operation)
  operation.body = request_body.read(doc, item, raw)
  return operation
end

-- Why an operation cannot be called: it needs a reference that leads nowhere. nil if it can.
local function fault_of(doc, item, raw)
  local operation = resolve(doc, raw)
  for _, part in ipairs {
    as_string(raw["$ref"]) and raw or values.NOTHING,
    as_table(item.parameters),
    as_table(operation.parameters),
    as_table(operation.requestBody),
  } do
    if doc.faults[part] then
      return doc.faults[part]
    end
  end
end

-- Calls `take` with each operation, its path, item, method and table, and `leave_out` with what
-- cannot be read, its path and method, and why.
local function each_operation(doc, take, leave_out)
  for _, path in ipairs(keys(doc, doc.root.paths)) do
    -- X-... is an extension.
    local written = path:find "^x%-" and values.NOTHING or as_table(doc.root.paths[path])
    local item = resolve(doc, written)
    if item == values.NOTHING and doc.faults[written] then
      leave_out(path, "", doc.faults[written])
    end
    for _, method in ipairs(METHODS) do
      local raw = item[method]
      local reason = type(raw) == "table" and fault_of(doc, item, raw)
      if reason then
        leave_out(path, method, reason)
      elseif type(raw) == "table" and (method ~= "query" or doc.is_3_2) then
        take(path, item, method, resolve(doc, raw))
      end
    end
    for _, method in ipairs(doc.is_3_2 and keys(doc, item.additionalOperations) or {}) do
      leave_out(path, method, "no method of OpenAPI 3.1")
    end
  end
end

-- The schemas of an operation's answers, none where a reference in them leads nowhere.
local function known_responses(doc, operation, raw, json_types)
  local schemas, reason =
    responses.schemas(doc, raw, json_types), doc.faults[as_table(raw.responses)]
  if reason then
    reader.note(doc, operation, "its answers have no type: %s", reason)
  end
  return reason and {} or schemas
end

-- The operations, by path and method, and a list of those that are left out. json_types: gets the
-- JSON media types of all responses.
function operations.read(doc, base, json_types, wanted)
  local found, left_out = {}, {}
  each_operation(doc, function(path, item, method, raw)
    if wanted and not selection.takes(wanted, doc, method, path, raw) then
      responses.schemas(doc, raw, json_types)
      return
    end
    local operation = read_operation(doc, item, raw, method, path)
    operation.responses = known_responses(doc, operation, raw, json_types)
    operation.source = raw
    operation.server = server.of_operation(base, raw.servers or item.servers)
    found[#found + 1] = operation
  end, function(path, method, reason)
    if wanted and not selection.takes(wanted, doc, method, path, values.NOTHING) then
      return
    end
    left_out[#left_out + 1] =
      { operation = (method:upper() .. " " .. path):gsub("^ ", ""), reason = reason }
  end)
  return found, left_out
end

return operations
