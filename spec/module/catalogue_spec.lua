-- Every route of a real REST API, with all its parameters, as {name} and as :name.
-- The expected result is computed from the row alone.
local endpoint = require "endpoint"
local support = require "support"

local CATALOGUE = "../shared/data/rest-routes.tsv" -- all rows; beside some checkouts
local SAMPLE = "spec/tools/routes.tsv"             -- some of the rows; in every checkout

local function split(text)
  local items = {}
  for item in text:gmatch("[^,]+") do items[#items + 1] = item end
  return items
end

-- route <tab> path parameters <tab> query parameters <tab> body keys
local function read_rows(path)
  local file, rows = io.open(path, "rb"), {}
  if not file then return nil end
  for line in file:lines() do
    local route, in_path, query, body = line:match("^([^#\t][^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)$")
    if route then
      local method, url = route:match("^(%S+) (%S+)$")
      rows[#rows + 1] = { method = method, url = url, path = split(in_path), query = split(query),
        body = split(body) }
    end
  end
  file:close()
  return rows
end

local rows, source = read_rows(CATALOGUE), CATALOGUE
if not rows then rows, source = read_rows(SAMPLE), SAMPLE end

local OPTIONS = support.option_names()

-- A value that needs encoding, another one for each name.
local function value_of(name) return name .. " ü/?&%.." end

local function encode(text)
  return (text:gsub("[^%w%-._~]", function(byte) return ("%%%02X"):format(byte:byte()) end))
end

local function pairs_of(names)
  local items = {}
  for i, name in ipairs(names) do items[i] = encode(name) .. "=" .. encode(value_of(name)) end
  return table.concat(items, "&")
end

local function has_body(row) return row.method ~= "GET" and row.method ~= "HEAD" end

-- The body goes through data if one of its keys is an option or a parameter of the URL.
local function needs_data(row)
  local taken = {}
  for _, names in ipairs { row.path, row.query, OPTIONS } do
    for _, name in ipairs(names) do taken[name] = true end
  end
  for _, name in ipairs(row.body) do
    if taken[name] then return true end
  end
  return false
end

local function body_of(row)
  local body = {}
  for _, name in ipairs(row.body) do body[name] = value_of(name) end
  return body
end

local function parameters_of(row)
  local parameters = needs_data(row) and { data = body_of(row) } or body_of(row)
  for _, name in ipairs(row.path) do parameters[name] = value_of(name) end
  for _, name in ipairs(row.query) do parameters[name] = value_of(name) end
  return parameters
end

local function expected(row)
  local query = row.query
  if not has_body(row) then
    query = { support.unpack(row.query) }
    table.sort(query)
  end
  local url = support.BASE ..
    row.url:gsub("{(.-)}", function(name) return encode(value_of(name)) end)
  if #query > 0 then url = url .. "?" .. pairs_of(query) end
  local result = { method = row.method:lower(), url = url, headers = {
    accept = "application/vnd.service.v3+json", ["user-agent"] = "service-endpoint.js/" .. endpoint._VERSION } }
  if #row.body > 0 then
    result.body = body_of(row)
    result.headers["content-type"] = "application/json; charset=utf-8"
  end
  return result
end

-- Under a method with a body the template must name the parameters of the query.
local function query_expression(row)
  return has_body(row) and #row.query > 0 and "{?" .. table.concat(row.query, ",") .. "}" or ""
end

local styles = {
  ["{name}"] = function(row) return row.url end,
  [":name"] = function(row) -- a hyphen would end the name: such names stay in braces
    return (row.url:gsub("{([%w_]+)}", ":%1"))
  end,
}

describe("the catalogue " .. source, function()
  for style, url_of in pairs(styles) do
    it(("gives the expected result for each of its %d routes with %s"):format(#rows, style), function()
      local checked = 0
      for _, row in ipairs(rows) do
        local route = row.method .. " " .. url_of(row) .. query_expression(row)
        local ok, result = pcall(endpoint, route, parameters_of(row))
        assert.is_true(ok, route .. ": " .. tostring(result))
        assert.same(expected(row), result, route)
        checked = checked + 1
      end
      assert.is_true(checked >= 40)
      print(("\n%d routes of %s in %s"):format(checked, source, style))
    end)
  end
end)
