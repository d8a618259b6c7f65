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
      .. "install the rocks endpoint and endpoint-types of one version"
    error(message:format(VERSION, VERSION, name, tostring(found or "without a version")), 0)
  end
end

check_version("endpoint", endpoint._VERSION)
for _, name in ipairs {
  "endpoint.result",
  "endpoint.text",
  "endpoint.checks.keywords",
} do
  check_version(name, require(name).VERSION)
end

local budget = require "endpoint.types.document.budget"
local definitions = require "endpoint.types.definitions"
local document = require "endpoint.types.document"
local rules = require "endpoint.types.rules"
local signature = require "endpoint.types.signature"
local source = require "endpoint.types.source"
local text = require "endpoint.text"
local values = require "endpoint.types.document.values"

local MARK = "-- Written by endpoint-types. Not to be changed by hand.\n"

-- Was a file written by this module? Its second line says so.
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

-- The calls of all operations, and a list of an operation and a reason for each that has none.
local function signatures_of(doc, read, base, progress)
  local signatures, left_out = {}, {}
  for _, left in ipairs(read.left_out) do
    left_out[#left_out + 1] = { operation = text.shown(left.operation), reason = left.reason }
  end
  for number, operation in ipairs(read.operations) do
    local made, reason = signature.new(doc, base or "/", operation)
    signatures[#signatures + 1] = made
    if not made then
      local route = operation.method .. " " .. operation.path
      left_out[#left_out + 1] = { operation = text.shown(route), reason = text.shown(reason) }
    end
    if progress then
      progress(number, #read.operations)
    end
  end
  return signatures, left_out
end

local function files_of(doc, read, base, signatures, name, options)
  local files = {}
  for number, written in ipairs(definitions.texts(doc, signatures, name, options)) do
    files[number] = { name = ("%s-types-%d.lua"):format(name, number), text = written }
  end
  local title = source.line(read.title or name)
  if options.checks then
    local written = ("-- %s: the rules of its calls\n"):format(title)
      .. MARK
      .. rules.text(doc, signatures, name, options)
    files[#files + 1] = { name = name .. "-checks.lua", text = written }
  end
  files[#files + 1] =
    { name = name .. ".lua", text = MODULE:format(title, defaults_of(base, read.accept), name) }
  return files
end

-- A module of such a name would stand before another, or never be loaded.
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

-- What was chosen of servers where the document leaves it open, nil if it does not.
local function note_of_server(read, base)
  if not base then
    return "Its first server cannot be a baseUrl: set one with defaults."
  end
  if not base:find "^%a" then
    return ("Its server is a path, %s: set a baseUrl with defaults."):format(base)
  end
  if not read.chosen[1] then
    return nil
  end
  return ("Its server is %s, with %s: set another baseUrl with defaults."):format(
    base,
    table.concat(read.chosen, ", ")
  )
end

-- What was passed over in the document, and what was chosen.
local function notes_of(doc, read, base)
  doc.notes[#doc.notes + 1] = note_of_server(read, base)
  return doc.notes
end

local function printable(lines)
  for position, line in ipairs(lines) do
    lines[position] = text.shown(line)
  end
  return lines
end

-- Makes the files of a module called `name` for a decoded document: `files` (a list of `name`
-- and `text`, the module itself last), `operations` (how many the document has), `left_out`
-- (a list of `operation` and `reason`), `base`, nil if the document's first server cannot be a
-- baseUrl, and `notes` (lines about what was passed over, and about that server). Raises a string
-- without a position if it is not a document. options: `only`, a list of patterns of routes and
-- of tags; `responses`, true for types of them and of a sender, and with `checks` for their rules;
-- `open`, true to mark no name that the document does not have; `progress`, called with how many
-- operations are done, of how many.
function types.generate(root, name, options)
  options = options or {}
  check_name(name)
  local doc = document.open(root)
  local read = document.read(doc, options.only)
  local base = read.base
      and pcall(endpoint.parse, { url = "/x", baseUrl = read.base })
      and read.base
    or nil
  local signatures, left_out = signatures_of(doc, read, base, options.progress)
  return {
    files = files_of(doc, read, base, signatures, name, options),
    left_out = left_out,
    base = base,
    operations = #read.operations + #read.left_out,
    notes = printable(notes_of(doc, read, base)),
  }
end

return types
