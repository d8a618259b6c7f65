-- Routes of a real REST API, with all their parameters, as {name} and as :name, put to the judge.
local judge = require "judge"
local support = require "support"

-- Another file of such routes may be named, as for `make bench`.
local CATALOGUE = os.getenv "CATALOGUE" or "spec/tools/routes.tsv"

-- Sets a value that needs encoding, another one for each name.
local function set_values(parameters, names)
  for name in names:gmatch "[^,]+" do parameters[name] = name .. " ü/?&%.." end
  return parameters
end

-- A line: route <tab> path parameters <tab> query parameters <tab> body keys
local function read_row(line)
  local method, url, path, query, body = line:match "^([^#%s]+) (%S+)\t([^\t]*)\t([^\t]*)\t([^\t]*)$"
  if not method then return end
  -- Under a method with a body the template must name the parameters of the query.
  if method ~= "GET" and method ~= "HEAD" and query ~= "" then url = url .. "{?" .. query .. "}" end
  return method .. " " .. url, set_values(set_values({ data = set_values({}, body) }, path), query)
end

describe("the catalogue", function()
  it("gives what the judge says for each of its routes", function()
    local checked = 0
    for line in support.read(CATALOGUE):gmatch "[^\n]+" do
      local route, parameters = read_row(line)
      if route and route:find "^[GH]E[TA]" then parameters.data = nil end
      -- A hyphen would end the name: such names stay in braces.
      for _, style in ipairs(route and { route, (route:gsub("{([%w_]+)}", ":%1")) } or {}) do
        local kind, text, ending = judge.compare(nil, style, parameters)
        support.equal(nil, kind, style .. ": " .. tostring(text))
        support.equal("url", ending, style)
        checked = checked + 1
      end
    end
    assert.is_true(checked > 80, checked)
    print(("\n%d routes of %s"):format(checked, CATALOGUE))
  end)
end)
