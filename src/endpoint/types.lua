-- SPDX-License-Identifier: MIT
-- From an OpenAPI document to a Lua module for its API, and definitions that tell an editor
-- the API's routes and parameters. docs/openapi.md says what comes out.
local types = {}

local endpoint = require "endpoint"

-- This is a rock of its own, and what it takes of the rock endpoint is private there: all of it
-- must be of this version.
local VERSION = "1.0.0"

local function check_version(name, found)
  if found ~= VERSION then
    local message = "endpoint.types: endpoint-types %s needs endpoint %s, but found %s %s: "
      .. "install endpoint and endpoint-types of one version"
    error(message:format(VERSION, VERSION, name, tostring(found or "without a version")), 0)
  end
end

check_version("endpoint", endpoint._VERSION)
for _, name in ipairs {
  "endpoint.result",
  "endpoint.text",
  "endpoint.checks.validator.keywords",
  "endpoint.checks.validator.patterns",
} do
  check_version(name, require(name).VERSION)
end

local budget = require "endpoint.types.document.budget"
local editor = require "endpoint.types.editor"
local document = require "endpoint.types.document"
local protected = require "endpoint.protected"
local rules = require "endpoint.types.rules"
local schema = require "endpoint.types.schema"
local signature = require "endpoint.types.signature"
local source = require "endpoint.types.source"
local text = require "endpoint.text"
local values = require "endpoint.types.document.values"

local MARK = "-- Written by endpoint-types. Not to be changed by hand.\n"

-- Was a file written by this module? Its second line says so. written: its text.
function types.is_written(written)
  return written:sub(1, 1000):match "^.-\n(.-\n)" == MARK
end

local MODULE = [=[
-- %s
]=] .. MARK .. [=[
local endpoint = require "endpoint"

local made = endpoint.defaults {%s}

return made --[[@as %s.Api]]
]=]

local function defaults_of(base, accept)
  local parts = {}
  if base then
    parts[1] = "baseUrl = " .. source.literal(base)
  end
  if accept then
    parts[#parts + 1] = "headers = { accept = " .. source.literal(accept) .. " }"
  end
  return parts[1] and " " .. table.concat(parts, ", ") .. " " or ""
end

-- The signatures of all operations, and a list of an operation and a reason for each that has none.
local function signatures_of(doc, api, base, progress)
  local signatures, left_out = {}, {}
  for _, left in ipairs(api.left_out) do
    left_out[#left_out + 1] = { operation = text.shown(left.operation), reason = left.reason }
  end
  for number, operation in ipairs(api.operations) do
    local new_signature, reason = signature.new(doc, base or "/", operation)
    signatures[#signatures + 1] = new_signature
    if not new_signature then
      local name = operation.method .. " " .. operation.path
      left_out[#left_out + 1] = { operation = text.shown(name), reason = text.shown(reason) }
    end
    if progress then
      progress(number, #api.operations)
    end
  end
  return signatures, left_out
end

-- The files of the module, which is the last of them.
local function files_of(doc, api, base, signatures, name, options)
  local files = {}
  for number, written in ipairs(editor.texts(doc, signatures, name, options)) do
    files[number] = { name = ("%s-types-%d.lua"):format(name, number), text = written }
  end
  local title = source.line(api.title or name)
  schema.forget_kinds(doc)
  if options.checks then
    local written = ("-- %s: the rules of its calls\n"):format(title)
      .. MARK
      .. rules.text(doc, signatures, name, options, base)
    files[#files + 1] = { name = name .. "-checks.lua", text = written }
  end
  files[#files + 1] =
    { name = name .. ".lua", text = MODULE:format(title, defaults_of(base, api.accept), name) }
  return files
end

-- A module with one of these names would hide another, or never be loaded.
local IS_TAKEN = {
  endpoint = true,
  cjson = true,
  _G = true,
  bit = true,
  bit32 = true,
  coroutine = true,
  debug = true,
  ffi = true,
  io = true,
  jit = true,
  math = true,
  os = true,
  package = true,
  string = true,
  table = true,
  utf8 = true,
}

local function check_name(name)
  local given = type(name) == "string" and values.quoted(name) or "a " .. type(name)
  if type(name) ~= "string" or not name:find "^[A-Za-z_][A-Za-z0-9_]*$" or IS_TAKEN[name] then
    budget.fail(
      "name: expected letters, digits and _, and not the name of another module, got %s",
      given
    )
  end
end

-- A note about the address of the API, where the document leaves it open; nil if it does not.
local function note_of_server(api, base)
  if not base then
    return "Its first server cannot be a baseUrl: set one with defaults."
  end
  if not base:find "^%a" then
    return ("Its server is a path, %s: set a baseUrl with defaults."):format(base)
  end
  if not api.chosen[1] then
    return nil
  end
  return ("Its server is %s, with %s: set another baseUrl with defaults."):format(
    base,
    table.concat(api.chosen, ", ")
  )
end

-- What was passed over in the document, and what was chosen.
local function notes_of(doc, api, base)
  doc.notes[#doc.notes + 1] = note_of_server(api, base)
  return doc.notes
end

local function printable(lines)
  for position, line in ipairs(lines) do
    lines[position] = text.shown(line)
  end
  return lines
end

-- The document's server, nil if the module does not take it as a baseUrl.
local function base_of(api)
  local is_taken = api.base and protected.call(endpoint.parse, { url = "/x", baseUrl = api.base })
  return is_taken and api.base or nil
end

-- Makes the files of a module called `name` for a decoded document. Raises a string without a
-- position if it is not a document. options, a table or nil:
-- * `only`: a list of patterns of routes and of tags; nil for all operations;
-- * `responses`: true for types of them and of a sender, and with `checks` for their rules;
-- * `checks`: true for the rules of the calls;
-- * `open`: true to accept names in calls that the document does not have;
-- * `closed_responses`: true to refuse such names in responses;
-- * `progress`: a function that is called with how many operations are done, and of how many.
-- Returns a table:
-- * `files`: a list of `name` and `text`, the module itself last;
-- * `operations`: how many the document has; `left_out`: a list of `operation` and `reason`;
-- * `base`: the baseUrl, nil if the document's first server cannot be one;
-- * `notes`: lines about what was passed over, and about that server.
function types.generate(root, name, options)
  options = options or {}
  check_name(name)
  local doc = document.open(root)
  schema.open(doc, options)
  local api = document.read(doc, options.only)
  local base = base_of(api)
  local signatures, left_out = signatures_of(doc, api, base, options.progress)
  return {
    files = files_of(doc, api, base, signatures, name, options),
    left_out = left_out,
    base = base,
    operations = #api.operations + #api.left_out,
    notes = printable(notes_of(doc, api, base)),
  }
end

return types
