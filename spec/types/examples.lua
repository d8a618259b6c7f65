-- Usage: lua examples.lua FILE...   asks the rules of each OpenAPI document about the examples of
-- request bodies that stand in it. What ajv says of them by the document's own schema, `check` must
-- say, too: but for names that the document does not have, properties that only responses have, and
-- what LISTED below gives a reason for. Prints the counts, and each difference. `.ci/fetch
-- validator` brings ajv.
-- With SEEN=COUNT, lua-language-server sees the calls that `check` takes, of so many documents.
package.path = "spec/lib/?.lua;spec/?.lua;src/?.lua;" .. package.path
local document = require "endpoint.types.document"
local json = require "cjson"
local language_server = require "types.language_server"
local media_types = require "endpoint.types.document.media_types"
local printer = require "endpoint.types.rules.printer"
local result = require "endpoint.result"
local schema = require "endpoint.types.schema"
local signature = require "endpoint.types.signature"
local support = require "support"
local types = require "endpoint.types"

local load_text = loadstring or load
local ROOT = language_server.new_root "examples"

-- Right examples that may be refused: the document, a pattern of the message, and the reason.
local LISTED = {
  {
    "mist.com.json",
    "^PUT /api/v1/sites/{site_id}/devices/{device_id}: no parameter ",
    "no alternative has all of its names",
  },
}

-- --- counts ---------------------------------------------------------------------------

local counts, differences = {}, 0

local function count(...)
  local key = table.concat({ ... }, ": ")
  counts[key] = (counts[key] or 0) + 1
end

local function report(one, title, message)
  differences = differences + 1
  print(
    ("%s: %s %s: %s: %s\n  %s"):format(
      one.file,
      one.method,
      one.path,
      title,
      message,
      json.encode(one.value):sub(1, 600)
    )
  )
end

-- --- calls ----------------------------------------------------------------------------

-- The rules of a document, and of each operation its call. open: no name is refused.
local function read_document(path)
  local root = json.decode(support.read(path))
  local function rules(open)
    local made = types.generate(root, "api", { checks = true, open = open })
    return assert(load_text(made.files[#made.files - 1].text))(), made
  end
  local closed, made = rules(false)
  local doc, known =
    document.open(root), { rules = closed, open = rules(true), made = made, calls = {} }
  schema.open(doc, {})
  for _, operation in ipairs(document.read(doc).operations) do
    local call, reason = signature.new(doc, made.base or "/", operation)
    known.calls[operation.method .. " " .. operation.path] = call or { reason = reason }
  end
  return known
end

local SAMPLES = { string = "v", integer = 7, number = 7, boolean = true }

-- A value for a field that must be there: what the document gives for the parameter, or one of the
-- field's first type.
local function value_of(field, given, known)
  local first = field.kinds[1] or { kind = "scalar", text = "string" }
  if
    given ~= nil
    and (type(given) == "table") == (first.kind ~= "scalar")
    and field.node ~= nil
  then
    return given
  elseif known ~= nil then
    return known
  elseif first.kind == "list" then
    return { "v" }
  elseif first.kind == "map" then
    return { k = "v" }
  end
  local literal = first.text:match '^"(.*)"$'
  return literal or tonumber(first.text) or SAMPLES[first.text] or "v"
end

local function add_required(options, fields, parameters)
  for _, field in ipairs(fields) do
    if field.required and field.name ~= "data" then
      options[field.name] = value_of(field, parameters[field.name], options[field.name])
    end
  end
end

-- Why an example cannot be given to `check`, or nil.
local function obstacle(call, one)
  if not call then
    return "the module does not have the operation"
  elseif call.reason then
    return "the module leaves the operation out: " .. call.reason:gsub("[{\"'].*", "...")
  elseif not call.body then
    return "the method has no body"
  elseif media_types.best(one.media_types) ~= one.media_type then
    return "the module takes another media type of the operation"
  elseif call.body.format == "text" then
    return "neither JSON nor a form: the body is a string that the caller encodes"
  elseif type(one.value) == "string" then
    return "a string: the caller encodes it as JSON"
  elseif one.value == json.null then
    return "null: it is no body"
  end
end

-- The parameters that an operation must have.
local function parameters_of(call, one)
  local options = {}
  add_required(options, call.fields, one.parameters.query)
  add_required(options, call.fields, one.parameters.path)
  if call.params then
    local inner = {}
    add_required(inner, call.params.fields, one.parameters.query)
    options[call.params.name] = (next(inner) or call.params.required) and inner or nil
  end
  return options
end

-- The options of an example's call: its properties beside the parameters, where they can be there.
local function options_of(call, one)
  local options, value = parameters_of(call, one), one.value
  if not call.body_fields[1] or type(value) ~= "table" or value[1] ~= nil or not next(value) then
    options.data = value
    return options
  end
  for name, property in pairs(value) do
    if options[name] ~= nil or result.is_option(name) then
      options = parameters_of(call, one)
      options.data = value
      return options
    end
    options[name] = property
  end
  return options
end

-- --- all examples -----------------------------------------------------------------------

local function message_of(rules, call, options)
  local is_taken, message = pcall(rules.check, call.route, options)
  return not is_taken and message:match ": (.*)$" or nil
end

local function listed_reason(one, message)
  for _, row in ipairs(LISTED) do
    if one.file:match "[^/]*$" == row[1] and message:find(row[2]) then
      return row[3]
    end
  end
end

-- Those that `check` takes, for the editor.
local taken = {}

local function compare(known, call, one)
  local options = options_of(call, one)
  local message = message_of(known.rules, call, options)
  if not one.valid then
    if not message and os.getenv "DETAILS" then
      print("TAKEN", one.file, one.method, one.path, one.error, json.encode(one.value):sub(1, 300))
    end
    return count("wrong by ajv", message and "refused" or "taken")
  end
  local has_names = (one.unknown[1] and "names that the document does not have")
    or one.read_only[1] and "properties that only responses have"
  if not message then
    count("right", has_names and "taken with " .. has_names or "taken")
    taken[#taken + 1] = { call = call, options = options, is_known = not has_names }
  elseif has_names and message:find "no parameter" then
    count("right", "refused", has_names)
    local problem = one.unknown[1]
      and not one.read_only[1]
      and message_of(known.open, call, options)
    if problem and not listed_reason(one, problem) then
      report(one, "refused by the open rules", problem)
    end
  elseif listed_reason(one, message) then
    count("right", "refused", listed_reason(one, message))
  else
    count("right", "refused", "without a reason")
    report(one, "refused", message)
  end
end

local function try(known, one)
  local call = known.calls[one.method .. " " .. one.path]
  local reason = obstacle(call, one)
  count "all"
  if one.reason then
    count("ajv takes no such schema", one.reason)
  elseif reason then
    count("not asked", (reason:gsub("%s+$", "")))
  else
    compare(known, call, one)
  end
end

-- --- the editor -----------------------------------------------------------------------

local SEEN = language_server.is_installed() and tonumber(os.getenv "SEEN") or 0

local function write_workspace(directory, known)
  language_server.shell("rm -rf " .. directory)
  language_server.new_workspace(directory, true)
  for _, file in ipairs(known.made.files) do
    if not file.name:find "checks" then
      support.write(directory .. "/" .. file.name, file.text)
    end
  end
  local lines = { 'local api, N = require "api", require "endpoint".null' }
  for position, one in ipairs(taken) do
    lines[position + 1] = ("print(api(%s, %s))"):format(
      printer.literal(one.call.route),
      printer.literal(one.options)
    )
  end
  support.write(directory .. "/calls.lua", table.concat(lines, "\n") .. "\nprint(N)\n")
  return lines
end

-- No right call is marked.
local function try_editor(path, known)
  local directory = ROOT .. "/seen"
  local lines = write_workspace(directory, known)
  for _, found in ipairs(language_server.found_in(directory)) do
    local one = found.file == "calls.lua" and taken[found.line - 1]
    if one and one.is_known then
      differences = differences + 1
      print(
        ("%s: %s: %s\n  %s"):format(path, found.code, found.message, lines[found.line]:sub(1, 600))
      )
      count("the editor", "marked", found.code)
    end
  end
  counts["the editor: calls"] = (counts["the editor: calls"] or 0) + #taken
end

-- --- all documents ----------------------------------------------------------------------

local function try_document(path, examples)
  local is_read, known = pcall(read_document, path)
  if not is_read then
    count("documents that cannot be read", tostring(known):gsub("[{\"'].*", "..."):sub(1, 100))
    return
  end
  count "documents"
  taken = {}
  for _, one in ipairs(examples) do
    try(known, one)
  end
  if taken[1] and (counts["documents for the editor"] or 0) < SEEN then
    count "documents for the editor"
    try_editor(path, known)
  end
end

support.write(ROOT .. "/files", table.concat(arg, "\n") .. "\n")
local lines = assert(io.popen("xargs -d '\\n' node spec/types/examples.mjs <" .. ROOT .. "/files"))
local path, examples
for line in lines:lines() do
  local one = json.decode(line)
  if path and one.file ~= path then
    try_document(path, examples)
  end
  if one.file ~= path then
    path, examples = one.file, {}
  end
  examples[#examples + 1] = one
end
lines:close()
if path then
  try_document(path, examples)
end
for _, key in ipairs(support.keys(counts)) do
  print(counts[key], key)
end
local is_right = differences == 0 and (counts["right: taken"] or 0) > 0
language_server.remove_root(ROOT, is_right)
os.exit(is_right and 0 or 1)
