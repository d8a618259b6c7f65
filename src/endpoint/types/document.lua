-- SPDX-License-Identifier: MIT
-- What an OpenAPI document says, read from its decoded table: references are followed, and
-- Swagger 2.0 is told in the words of OpenAPI 3.
local document = {}

local content = require "endpoint.types.document.content"
local errors = require "endpoint.checks.errors"
local reader = require "endpoint.types.document.reader"
local server = require "endpoint.types.document.server"
local text = require "endpoint.text"
local resolve, keys, fail = reader.resolve, reader.keys, reader.fail
local table_of, text_of = reader.table_of, reader.text_of

-- The last is of OpenAPI 3.2.
local METHODS = { "get", "head", "post", "put", "patch", "delete", "options", "trace", "query" }

-- --- patterns ---------------------------------------------------------------------

-- The patterns of the routes, paths and tags that are wanted, to be asked; nil for all operations. In a pattern "*"
-- is any text.
local function new_patterns(globs)
  if not globs then
    return nil
  end
  local wanted = {}
  for position, glob in ipairs(globs) do
    local one =
      { glob = glob, pieces = {}, letters = text.lower(glob:gsub("%*", "")), likeness = 0 }
    for piece in (glob .. "*"):gmatch "([^*]*)%*" do
      one.pieces[#one.pieces + 1] = piece
    end
    wanted[position] = one
  end
  return wanted
end

-- Does a name begin with the first of these pieces, end with the last, and have the others between them, in their
-- order? Each is taken where it comes first. A Lua pattern would try all places of each.
local function is_made_of(name, pieces)
  local first, last = pieces[1], pieces[#pieces]
  if #pieces == 1 then
    return name == first
  end
  local at, stop = #first + 1, #name - #last + 1
  if at > stop or name:sub(1, #first) ~= first or name:sub(stop) ~= last then
    return false
  end
  for i = 2, #pieces - 1 do
    local _, to = name:find(pieces[i], at, true)
    if not to or to >= stop then
      return false
    end
    at = to + 1
  end
  return true
end

-- Remembers the name that is most like a pattern: the shortest of several.
local function compare(one, name)
  local likeness = errors.likeness(one.letters, text.lower(name))
  if
    likeness > one.likeness or likeness == one.likeness and one.nearest and #name < #one.nearest
  then
    one.likeness, one.nearest = likeness, name
  end
end

local function fits(one, name, is_tag)
  if is_tag and name == one.glob or not is_tag and is_made_of(name, one.pieces) then
    one.is_found = true
    return true
  end
  compare(one, name)
  return false
end

-- Is an operation wanted? All patterns are asked, so that each finds its own.
local function takes(wanted, doc, method, path, operation)
  local is_taken = false
  for _, one in ipairs(wanted) do
    is_taken = fits(one, method:upper() .. " " .. path) or is_taken
    is_taken = fits(one, path) or is_taken
    for _, tag in reader.each(doc, operation.tags) do
      is_taken = type(tag) == "string" and fits(one, tag, true) or is_taken
    end
  end
  return is_taken
end

-- Raises for a pattern that no operation fits: it is misspelt, or of another document.
local function check_patterns(wanted)
  for _, one in ipairs(wanted) do
    if not one.is_found then
      local is_near = one.nearest and 2 * one.likeness >= #one.letters
      local hint = is_near and ". The nearest is " .. reader.quoted(one.nearest) or ""
      reader.fail("only %s: the document has no such operation%s", reader.quoted(one.glob), hint)
    end
  end
end

-- --- operations -------------------------------------------------------------------

local function read_operation(doc, item, raw, method, path)
  local operation = {
    method = method:upper(),
    path = path,
    id = text_of(raw.operationId),
    parameters = {},
    summary = text_of(raw.summary) or text_of(raw.description),
    deprecated = raw.deprecated == true,
  }
  content.add_parameters(doc, item, raw, operation)
  operation.body = content.body(doc, item, raw)
  return operation
end

-- Why an operation cannot be called: a reference that leads nowhere, which it needs. nil if there is none.
local function fault_of(doc, item, raw)
  local operation = resolve(doc, raw)
  for _, part in ipairs {
    text_of(raw["$ref"]) and raw or reader.NOTHING,
    table_of(item.parameters),
    table_of(operation.parameters),
    table_of(operation.requestBody),
  } do
    if doc.faults[part] then
      return doc.faults[part]
    end
  end
end

-- Calls `take` with each operation, its path, item, method and table, and `leave_out` with what cannot be read,
-- its path and method, and why.
local function each_operation(doc, take, leave_out)
  for _, path in ipairs(keys(doc, doc.root.paths)) do
    local written = path:find "^x%-" and reader.NOTHING or table_of(doc.root.paths[path]) -- x-... is an extension
    local item = resolve(doc, written)
    if item == reader.NOTHING and doc.faults[written] then
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
    content.responses(doc, raw, json_types), doc.faults[table_of(raw.responses)]
  if reason then
    reader.note(doc, operation, "its answers have no type: %s", reason)
  end
  return reason and {} or schemas
end

-- The operations, by path and method, and a list of those that are left out. json_types: gets the JSON media
-- types of all responses.
local function operations_of(doc, base, json_types, wanted)
  local found, left_out = {}, {}
  each_operation(doc, function(path, item, method, raw)
    if wanted and not takes(wanted, doc, method, path, raw) then
      content.responses(doc, raw, json_types)
      return
    end
    local operation = read_operation(doc, item, raw, method, path)
    operation.responses = known_responses(doc, operation, raw, json_types)
    operation.server = server.of_operation(base, raw.servers or item.servers)
    found[#found + 1] = operation
  end, function(path, method, reason)
    if wanted and not takes(wanted, doc, method, path, reader.NOTHING) then
      return
    end
    left_out[#left_out + 1] =
      { operation = (method:upper() .. " " .. path):gsub("^ ", ""), reason = reason }
  end)
  return found, left_out
end

-- A number as YAML has it, 3.0, is a version, too.
local function version_of(value)
  return type(value) == "number" and ("%.1f"):format(value) or tostring(value)
end

-- Raises for what is no document; returns its version.
local function check(root)
  if type(root) ~= "table" then
    fail("expected an OpenAPI document, got %s", root == nil and "nothing" or "a " .. type(root))
  end
  local given = root.openapi or root.swagger
  local version = version_of(given)
  local is_3 = root.openapi and (version:find "^3%.[012]$" or version:find "^3%.[012]%.%d[%w.-]*$")
  if not is_3 and not (root.swagger and (version == "2" or version == "2.0")) then
    local got = given and ", got " .. reader.quoted(version) or ""
    fail('expected an OpenAPI document: "openapi" is 3.0, 3.1 or 3.2, or "swagger" is 2.0%s', got)
  end
  if type(root.paths) ~= "table" then
    fail 'expected an OpenAPI document, which has "paths"'
  end
  return version
end

-- Opens a decoded document; raises a text if it is none.
function document.open(root)
  local version = check(root)
  local doc = reader.open(root)
  doc.faults = reader.faults(doc)
  doc.is_3_2 = version:find "^3%.2" ~= nil
  if doc.is_3_2 then
    doc.notes[1] = "OpenAPI 3.2 is read as 3.1: what is new in it, but for QUERY, counts as absent."
  end
  return doc
end

-- Reads a document: `title`, `base` (its first server, or nil), `chosen` (defaults of that server's
-- variables), `accept` (the one JSON media type of its responses, or nil), `operations`, and `left_out` (a list
-- of `operation` and `reason`). globs: patterns of those that are wanted, nil for all. The `notes` of the
-- document say what was passed over.
function document.read(doc, globs)
  local base, chosen = server.of_document(doc)
  local json_types = { types = {}, differs = false }
  local wanted = new_patterns(globs)
  local operations, left_out = operations_of(doc, base, json_types, wanted)
  if wanted then
    check_patterns(wanted)
  end
  local title, accept = text_of(table_of(doc.root.info).title), content.accept(json_types)
  return {
    title = title,
    base = base,
    chosen = chosen or {},
    accept = accept,
    operations = operations,
    left_out = left_out,
  }
end

return document
