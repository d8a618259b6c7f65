-- SPDX-License-Identifier: MIT
-- What an OpenAPI document says, read from its decoded table (OpenAPI 3.1, "OpenAPI Object"):
-- references are followed, and Swagger 2.0 is told in the words of OpenAPI 3.
local document = {}

local budget = require "endpoint.types.document.budget"
local lost_references = require "endpoint.types.document.lost_references"
local operations = require "endpoint.types.document.operations"
local reader = require "endpoint.types.document.reader"
local responses = require "endpoint.types.document.responses"
local schema_resources = require "endpoint.types.document.schema_resources"
local selection = require "endpoint.types.document.selection"
local server = require "endpoint.types.document.server"
local text = require "endpoint.text"
local values = require "endpoint.types.document.values"
local fail = budget.fail
local NULL = require("endpoint").null
local as_table, as_string = values.as_table, values.as_string

-- A number as YAML has it, 3.0, is a version, too.
local function version_of(value)
  return type(value) == "number" and text.pointed(("%.1f"):format(value)) or tostring(value)
end

-- OpenAPI 3.1, "OpenAPI Object": one of paths, components and webhooks must be there.
local function is_without_paths(root)
  return root.openapi ~= nil
    and (type(root.webhooks) == "table" or type(root.components) == "table")
end

local function note_of_paths(root)
  if type(root.webhooks) == "table" then
    return "It describes only webhooks, which the API sends: it has no route to call."
  end
  return "It has only components: it has no route to call."
end

-- OpenAPI 3.1, "OpenAPI Object", `openapi`; Swagger 2.0, "Swagger Object", `swagger`. Raises if it
-- is not a document; returns its version.
local function check(root)
  if type(root) ~= "table" then
    local got = root == NULL and "null" or root == nil and "nothing" or "a " .. type(root)
    fail("expected an OpenAPI document, got %s", got)
  end
  local given = root.openapi or root.swagger
  local version = version_of(given)
  local is_3 = root.openapi and (version:find "^3%.[012]$" or version:find "^3%.[012]%.%d[%w.-]*$")
  if not is_3 and not (root.swagger and (version == "2" or version == "2.0")) then
    local got = given and ", got " .. values.quoted(version) or ""
    fail('expected an OpenAPI document: "openapi" is 3.0, 3.1 or 3.2, or "swagger" is 2.0%s', got)
  end
  if type(root.paths) ~= "table" and not (root.paths == nil and is_without_paths(root)) then
    fail 'expected an OpenAPI document, which has "paths"'
  end
  return version
end

-- Opens a decoded document; raises a string if it is not one.
function document.open(root)
  local version = check(root)
  local doc = reader.open(root)
  doc.is_3_2 = version:find "^3%.2" ~= nil
  doc.words_hold_beside_ref = version:find "^3%.[12]" ~= nil
    and not tostring(root.jsonSchemaDialect):find "draft%-0[3-7]"
  schema_resources.read(doc)
  doc.faults = lost_references.reasons(doc)
  if root.paths == nil then
    doc.notes[1] = note_of_paths(root)
  end
  if doc.is_3_2 then
    doc.notes[#doc.notes + 1] =
      "OpenAPI 3.2 is read as 3.1: what is new in 3.2 is ignored, except for the method QUERY."
  end
  return doc
end

-- Reads a document: `title`, `base` (its first server, or nil), `chosen` (defaults of that server's
-- variables), `accept` (the one JSON media type of its responses, or nil), `operations`, and
-- `left_out` (a list of `operation` and `reason`). globs: patterns of those that are wanted, nil
-- for all. The `notes` of the document say what was passed over.
function document.read(doc, globs)
  local base, chosen = server.of_document(doc)
  local json_types = { types = {}, differs = false }
  local wanted = selection.new(globs)
  local found, left_out = operations.read(doc, base, json_types, wanted)
  if wanted then
    selection.check(wanted)
  end
  local title, accept = as_string(as_table(doc.root.info).title), responses.accept(json_types)
  return {
    title = title,
    base = base,
    chosen = chosen or {},
    accept = accept,
    operations = found,
    left_out = left_out,
  }
end

return document
