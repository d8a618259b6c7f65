-- One round of endpoint.checks, and of api7/jsonschema where there is LuaJIT and the folder that
-- JSONSCHEMA_PATH names. Prints lines "case <tab> peer <tab> nanoseconds a check" for
-- bench/run_checks.lua. Each check builds its own tables, as callers do.
--   checks.lua SECONDS
local json = require "cjson"
local types = require "endpoint.types"

local load_text, SECONDS = loadstring or load, tonumber(arg[1]) or 0.1

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  return text
end

-- A value of JSON as Lua's source text.
local function literal(value)
  if type(value) == "number" then
    return ("%.14g"):format(value)
  elseif type(value) ~= "table" then
    return ("%q"):format(value)
  end
  local fields = {}
  for key, field in pairs(value) do
    fields[#fields + 1] = (type(key) == "string" and ("[%q]="):format(key) or "") .. literal(field)
  end
  return "{" .. table.concat(fields, ",") .. "}"
end

-- A function that calls f with a value that it builds.
local function building(f, value)
  return load_text("local f = ... return function() return f(" .. literal(value) .. ") end")(f)
end

local document = json.decode(read "bench/checks.json")
local calls = document["x-calls"]
document["x-calls"] = nil

-- --- peers ------------------------------------------------------------------------

-- A peer gives, for a call, a function that takes a value and says whether it fits.
local peers = {}

local made = types.generate(document, "bench", { checks = true })
local rules = assert(load_text(made.files[#made.files - 1].text))()

function peers.endpoint(call)
  local check, route = rules.check, call.route
  return function(value)
    return pcall(check, route, value)
  end
end

local folder = os.getenv "JSONSCHEMA_PATH"
if jit and folder then
  package.path = folder .. "/lib/?.lua;" .. package.path
  local jsonschema = require "jsonschema"
  function peers.jsonschema(call)
    local definitions = json.decode(read "bench/checks.json").components.schemas
    local whole = { definitions = definitions, ["$ref"] = "#/definitions/" .. call.schema }
    local text = json.encode(whole):gsub("#\\/components\\/schemas\\/", "#\\/definitions\\/")
    return jsonschema.generate_validator(json.decode(text))
  end
end

-- --- measuring --------------------------------------------------------------------

local function nanoseconds(f)
  local count, took = 500, 0
  while took < SECONDS / 2 do
    count = count * 2
    local began = os.clock()
    for _ = 1, count do
      f()
    end
    took = os.clock() - began
  end
  return took / count * 1e9
end

for _, call in ipairs(calls) do
  for _, peer in ipairs { "endpoint", "jsonschema" } do
    local fits = peers[peer] and peers[peer](call)
    if fits then
      assert(fits(call.value), peer .. ": a right value is refused: " .. call.name)
      assert(not fits(call.wrong), peer .. ": a wrong value passes: " .. call.name)
      print(("%s\t%s\t%.1f"):format(call.name, peer, nanoseconds(building(fits, call.value))))
    end
  end
end
