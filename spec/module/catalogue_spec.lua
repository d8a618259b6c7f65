-- Routes of a real REST API, with all their parameters, as {name} and as :name.
-- The expected result is computed from the row alone.
local endpoint = require "endpoint"
local support = require "support"

-- Another file of such routes may be named, as for `make bench`.
local CATALOGUE = os.getenv "CATALOGUE" or "spec/tools/routes.tsv"

local function split(text)
  local items = {}
  for item in text:gmatch("[^,]+") do items[#items + 1] = item end
  return items
end

-- A value that needs encoding, another one for each name.
local function value_of(name) return name .. " ü/?&%.." end

local function values_of(names)
  local values = {}
  for _, name in ipairs(names) do values[name] = value_of(name) end
  return values
end

local function encode(text)
  return (text:gsub("[^%w%-._~]", function(byte) return ("%%%02X"):format(byte:byte()) end))
end

local function pairs_of(names)
  local items = {}
  for i, name in ipairs(names) do items[i] = encode(name) .. "=" .. encode(value_of(name)) end
  return table.concat(items, "&")
end

-- A line: route <tab> path parameters <tab> query parameters <tab> body keys
local function read_row(line)
  local method, url, in_path, query, body = line:match("^([^#%s]+) (%S+)\t([^\t]*)\t([^\t]*)\t([^\t]*)$")
  return method and { method = method, url = url, path = split(in_path), query = split(query), body = split(body) }
end

local OPTIONS = support.option_names()

-- The body goes through data if one of its keys is an option or a parameter of the URL.
local function parameters_of(row)
  local body = values_of(row.body)
  local parameters = body
  for _, names in ipairs { row.path, row.query, OPTIONS } do
    for _, name in ipairs(names) do
      if body[name] then parameters = { data = body } end
    end
  end
  for _, names in ipairs { row.path, row.query } do
    for _, name in ipairs(names) do parameters[name] = value_of(name) end
  end
  return parameters
end

local function has_body(row) return row.method ~= "GET" and row.method ~= "HEAD" end

local function expected(row)
  local query = { support.unpack(row.query) }
  if not has_body(row) then table.sort(query) end
  local url = support.BASE .. row.url:gsub("{(.-)}", function(name) return encode(value_of(name)) end)
  if #query > 0 then url = url .. "?" .. pairs_of(query) end
  local result = { method = row.method:lower(), url = url, headers = endpoint.DEFAULTS.headers }
  if #row.body > 0 then
    result.body = values_of(row.body)
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

describe("the catalogue", function()
  for style, url_of in pairs(styles) do
    it("gives the expected result for each of its routes with " .. style, function()
      local file, checked = assert(io.open(CATALOGUE, "rb")), 0
      for line in file:lines() do
        local row = read_row(line)
        if row then
          local route = row.method .. " " .. url_of(row) .. query_expression(row)
          assert.same(expected(row), endpoint(route, parameters_of(row)), route)
          checked = checked + 1
        end
      end
      file:close()
      assert.is_true(checked >= 40)
      print(("\n%d routes of %s in %s"):format(checked, CATALOGUE, style))
    end)
  end
end)
