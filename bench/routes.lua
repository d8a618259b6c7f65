-- Prints the operations of the OpenAPI document on standard input, as JSON: [[route, parameters], ...]. Each has all
-- of its parameters and the keys of its body, but those whose names are options, and each value is the name.
--   lua5.4 bench/routes.lua <document.json >build/routes.json
local json = require "cjson"

local METHODS = { "get", "post", "put", "patch", "delete" }
local TAKEN = { method = true, url = true, baseUrl = true, headers = true, mediaType = true, data = true, request = true }

local document = json.decode(io.read "*a")
local paths, routes = {}, {}
for path in pairs(document.paths) do paths[#paths + 1] = path end
table.sort(paths)

-- What the JSON pointer of a `$ref` leads to; names in these have nothing to decode.
local function resolved(value)
  local target = value["$ref"] and document
  for name in (value["$ref"] or ""):gmatch "/([^/]+)" do target = target[name] end
  return target or value
end

local function names_of(operation)
  local names, body = {}, operation.requestBody and resolved(operation.requestBody).content["application/json"]
  local function add(name) names[name] = not TAKEN[name] and name or nil end
  for _, parameter in ipairs(operation.parameters or {}) do
    parameter = resolved(parameter)
    if parameter["in"] ~= "header" then add(parameter.name) end
  end
  for name in pairs(body and resolved(body.schema).properties or {}) do add(name) end
  return names
end

for _, path in ipairs(paths) do
  for _, method in ipairs(METHODS) do
    local operation = document.paths[path][method]
    if operation then routes[#routes + 1] = { method:upper() .. " " .. path, names_of(operation) } end
  end
end
io.write(json.encode(routes), "\n")
