-- The official tests of RFC 6570, uri-templates/uritemplate-test, as .ci/fetch suite fetches
-- them. SUITE may name the directory of another version.
local endpoint = require "endpoint"
local json = require "cjson"
local support = require "support"

local DIRECTORY = os.getenv "SUITE" or "build/uritemplate-test"
local FILES = { "spec-examples", "spec-examples-by-section", "extended-tests", "negative-tests" }

-- What newer versions of the suite want refused. Here names may hold "-", since
-- published API routes use such names.
local ACCEPTED = { ["/{default-graph-uri}"] = true, ["/sparql{?query,default-graph-uri}"] = true }

-- Behind a "#" no rule of paths and hosts stands in the way. POST takes the variables that the template
-- does not name into the body.
local api, ROUTE = endpoint.defaults { baseUrl = "" }, "POST #"

-- { file and group, template, expected, variables } of each case.
local function read_cases()
  local cases = {}
  for _, name in ipairs(FILES) do
    local groups = json.decode(support.read(DIRECTORY .. "/" .. name .. ".json"))
    for _, title in ipairs(support.keys(groups)) do
      for _, case in ipairs(groups[title].testcases) do
        cases[#cases + 1] = { name .. ", " .. title, case[1], case[2], groups[title].variables }
      end
    end
  end
  return cases
end

local function assert_refused(template, variables)
  local message = support.message_of(api, ROUTE .. template, variables)
  assert.truthy(message:find "^endpoint: template " or message:find("expected a string for the prefix", 1, true), message)
end

-- One text is expected, or several of which any will do, or false for an error.
local function assert_case(template, expected, variables)
  if expected == false then return assert_refused(template, variables) end
  local url = api(ROUTE .. template, variables).url:sub(2)
  for _, text in ipairs(type(expected) == "table" and expected or { expected }) do
    if text == url then return end
  end
  assert.same(expected, url)
end

describe("the official suite", function()
  if not io.open(DIRECTORY .. "/" .. FILES[1] .. ".json") then
    it("is run", function()
      local why = os.getenv "SUITE_MISSING" or "no " .. DIRECTORY
      print("\nofficial suite: NOT RUN (" .. why .. ")")
      pending(why)
    end)
    return
  end

  local cases = read_cases()
  for _, case in ipairs(cases) do
    local group, template, expected, variables = support.unpack(case, 1, 4)
    it(group .. ": " .. template, function()
      if ACCEPTED[template] then expected = api(ROUTE .. template, variables).url:sub(2) end
      assert_case(template, expected, variables)
    end)
  end

  it("is whole", function() assert.is_true(#cases >= 227, #cases) end)
end)
