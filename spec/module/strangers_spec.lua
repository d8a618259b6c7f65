-- The guide's "Untrusted input": a table that a stranger made, with every option
-- name as a key.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null

describe("a client's table below a key of the program (CWE-915)", function()
  local headers = { accept = "text/plain", ["user-agent"] = "x", authorization = "token 0123" }
  local api = endpoint.defaults { baseUrl = "https://h.example/v1", headers = headers }
  local names = support.option_names()
  for _, name in ipairs { "api_key", "q", "__index", "" } do names[#names + 1] = name end
  local values = { "https://evil.example/", "DELETE", "", 5, true, null, { authorization = "evil" }, {}, { "a", "b" },
    { previews = { "x" }, format = "raw" } }

  -- Calls f with each option name and each value in a table.
  local function for_each(f)
    assert.equal(11, #names)
    for _, name in ipairs(names) do
      for _, value in ipairs(values) do f({ [name] = value }, name, value) end
    end
  end

  it("changes nothing but the query", function()
    for_each(function(stranger, name, value)
      local ok, r = pcall(api, "GET /search{?query*}", { query = stranger })
      if type(value) == "table" and next(value) and not value[1] then
        assert.truthy(not ok and r:find 'endpoint: parameter "query"', name)
      else
        assert.is_true(ok, r)
        assert.same({ method = "get", headers = headers, url = r.url }, r)
        local query = r.url:match "^https://h%.example/v1/search(.*)$"
        assert.is_true(query == "" or query:match "^%?([%w_]*)=" == name, r.url)
      end
    end)
  end)

  it("changes nothing but the body", function()
    for_each(function(stranger)
      local r = api("POST /notes", { data = stranger })
      local own = { ["content-type"] = "application/json; charset=utf-8" }
      for header, value in pairs(headers) do own[header] = value end
      assert.same({ method = "post", headers = own, url = "https://h.example/v1/notes", body = stranger }, r)
      assert.equal(stranger, r.body)
    end)
  end)

  it("would change the request without that key", function()
    assert.equal("https://evil.example/search", api("GET /search", { baseUrl = "https://evil.example",
      headers = { authorization = "evil" } }).url)
  end)

  it("is to blame for more pairs of a map than Lua's stack holds, and the program for more parameters", function()
    local many = {}
    for i = 1, 5000 do many["k" .. i] = i end
    if _VERSION == "Lua 5.1" then
      assert.truthy(support.message_of(api, "/x{?query*}", { query = many }):find('endpoint: parameter "query"', 1, true))
      local message = support.message_of(api, "/x", many)
      assert.truthy(message:find "endpoint: more than 39%d%d parameters", message)
    else -- later Luas hold hundreds of thousands
      local url = api("/x{?query*}", { query = many }).url
      assert.equal(url, api("/x", many).url)
      assert.equal(5000, select(2, url:gsub("=", "")))
    end
  end)
end)
