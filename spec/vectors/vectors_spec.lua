-- The rules as data: the calls of spec/vectors/*.json, whose README says how they are written.
-- Each call is made, made again through merge and parse, and put to the judges of spec/oracle.
local endpoint = require "endpoint"
local json = require "cjson"
local judge = require "oracle.judge"
local support = require "support"

local collector = package.loaded["memory.collector"] -- of the thin runner, nil under busted
local SECRET = "s3cret" -- stands in calls where no message may show it
local IS_SINGLE = 2 ^ 24 + 1 == 2 ^ 24 -- a Lua whose numbers have 32 bits
local GROUP_KEYS =
  " title source defaults function result words doubles cases expected baseUrls routes values "

-- --- reading

-- JSON's null as a case's route, options or result is nothing.
local function given(value)
  if value ~= json.null then
    return value
  end
end

-- What a case expects: what it says itself, its fields on top of those that the group says of all.
local function expected_of(group, own)
  if group.expected == nil then
    return own
  end
  if own == nil or own == json.null then
    return group.expected
  end
  if type(own) ~= "table" then
    return own
  end
  local expected = {}
  for _, fields in ipairs { group.expected, own } do
    for name, value in pairs(fields) do
      expected[name] = given(value)
    end
  end
  return expected
end

-- The cases of a group, in lists: each of its own cases, and all of its values in each of its
-- routes.
local function lists_of(group)
  local lists = {}
  for i, case in ipairs(group.cases or {}) do
    lists[i] = { case }
  end
  for _, route in ipairs(group.routes or {}) do
    local list = {}
    for i, value in ipairs(group.values or { json.null }) do
      list[i] = { route, { x = value } }
    end
    lists[#lists + 1] = list
  end
  return lists
end

local function endpoint_of(group)
  local api, defaults = endpoint, group.defaults or {}
  for _, options in ipairs(defaults[1] and defaults or { defaults }) do
    api = api.defaults(options)
  end
  return api
end

-- A text in the place of the options is the header that the group names.
local function options_of(group, options)
  if type(options) == "string" then
    return { headers = { [group.result] = options } }
  end
  return given(options)
end

local function is_error(expected)
  return type(expected) == "table"
    and (expected.error or expected.parameter or expected.byte) ~= nil
end

-- --- results and errors

-- A number at the end of a word is a whole one.
local function has_word(message, word)
  return message:find(word:gsub("%p", "%%%0") .. (word:find "%d$" and "%f[%D]" or ""))
end

-- Messages about a parameter's value, and no others, begin with its name.
local function check_message(group, expected, message)
  support.holds(
    message:find "^endpoint: " and not message:find "[^\32-\126]",
    "not a message of endpoint: " .. message
  )
  support.holds(not message:find(SECRET, 1, true), "a secret in: " .. message)
  local parameter, byte = expected.parameter, expected.byte and ("at byte %d"):format(expected.byte)
  local begin = "endpoint: parameter " .. (parameter and ('"%s"'):format(parameter) or "")
  support.holds(
    (message:sub(1, #begin) == begin) == (parameter ~= nil),
    "begins otherwise: " .. message
  )
  for _, list in ipairs { group.words or {}, expected.error or {}, { byte } } do
    for _, word in ipairs(list) do
      support.holds(has_word(message, word), ("expected %q in: %s"):format(word, message))
    end
  end
end

-- A list of variables as a text: of each its operator, name and modifier, and "!" if it is
-- required.
local function variables_text(list)
  local texts = {}
  for i, v in ipairs(list) do
    local modifier = v.explode and "*" or v.prefix and (":%d"):format(v.prefix) or ""
    texts[i] = v.operator .. v.name .. modifier .. (v.required and "!" or "")
  end
  return table.concat(texts, " ")
end

-- A text or a list is the result's URL, the header that the group names, or a list of
-- variables. An object holds fields, where null means absent.
local function check_result(group, expected, result)
  if group["function"] == "variables" then
    return support.equal(expected, variables_text(result))
  end
  if group["function"] == "defaults" then
    result = result.DEFAULTS
  end
  if type(expected) == "table" and not expected[1] then
    support.holds(next(expected), "no field is expected")
    for field, value in pairs(expected) do
      assert.same({ given(value) }, { result[field] })
    end
  elseif group.result then
    assert.same({ given(expected) }, { result.headers[group.result] })
  else
    support.equal(expected, result.url)
  end
end

-- --- the judge

-- The judge knows one defaults, no list of them. It is Lua alone, and has nothing to show to a
-- collector that never rests.
local function check_judge(group, route, options)
  if collector and not collector.rests then
    return
  end
  local defaults = group.defaults or {}
  if defaults[1] then
    return
  end
  if type(route) == "table" then
    route, options = nil, route
  end
  judge.check(defaults, route, options)
end

-- --- the same call in other ways

-- A result once more, through merge and parse; and what is so under GET is so under HEAD.
local function check_again(api, route, options)
  local merged = api.merge(route, options)
  local result = endpoint.parse(merged)
  assert.same(api(route, options), result)
  if merged.method == "GET" then
    merged.method = "HEAD"
    support.equal(result.url, endpoint.parse(merged).url, "under HEAD")
  end
end

-- --- cases

-- The result of a call that must not raise.
local function result_of(f, route, options, expected)
  local ok, result = pcall(f, route, options)
  local message = "expected %s, got the error: %s"
  support.holds(ok, message:format(support.shown(expected), tostring(result)))
  return result
end

local function check_call(group, api, route, options, expected)
  local f = group["function"] and api[group["function"]] or api
  if is_error(expected) then
    local has_raised, message = pcall(support.message_of, f, route, options)
    support.holds(has_raised, ("%s: %s"):format(support.shown(expected), tostring(message)))
    check_message(group, expected, message)
  else
    check_result(group, expected, result_of(f, route, options, expected))
    if f == api then
      check_again(api, route, options)
    end
  end
end

local function with_base(options, base)
  local copy = {}
  for name, value in pairs(options or {}) do
    copy[name] = value
  end
  copy.baseUrl = base
  return copy
end

-- base: the option baseUrl of the call, or nil.
local function check_case(group, case, base)
  if IS_SINGLE and group.doubles then
    return -- its numbers are not those of the row
  end
  local api, before = endpoint_of(group), support.copied(case)
  local route, options, expected =
    given(case[1]), options_of(group, case[2]), expected_of(group, case[3])
  if base then
    options = with_base(options, base)
  end
  check_call(group, api, route, options, expected)
  if not group["function"] then
    check_judge(group, route, options)
  end
  support.equal(nil, judge.difference(before, case, "modified"))
end

-- Calls use(title, case, base) for each call of a list of cases.
local function each_call(group, list, use)
  for _, case in ipairs(list) do
    local title = support.shown(case[1]) .. " with " .. support.shown(case[2])
    for _, base in ipairs(group.baseUrls or { false }) do
      use(title .. (base and " and the baseUrl " .. support.shown(base) or ""), case, base or nil)
    end
  end
end

local function check_list(group, list)
  each_call(group, list, function(title, case, base)
    local ok, message = pcall(check_case, group, case, base)
    support.holds(ok, title .. ": " .. tostring(message))
  end)
end

-- Under a collector that never rests each spec takes so long that the values of a route share one.
local function add_list(group, list)
  if collector then
    return it(support.shown(list[1][1]) .. " with each value", function()
      check_list(group, list)
    end)
  end
  each_call(group, list, function(title, case, base)
    it(title, function()
      check_case(group, case, base)
    end)
  end)
end

local function read_group(group)
  local lists = lists_of(group)
  support.holds(lists[1], group.title .. ": no cases")
  for key in pairs(group) do
    support.holds(GROUP_KEYS:find(" " .. key .. " ", 1, true), group.title .. ": " .. key)
  end
  for _, list in ipairs(lists) do
    add_list(group, list)
  end
end

-- Each cycle of a collector that never rests walks through what is read: one file at a time.
for _, path in ipairs(support.files "spec/vectors/*.json") do
  describe(path:match "([%w_]+)%.json$" .. ":", function()
    local vectors = json.decode(support.read(path))
    for _, group in ipairs(vectors.groups) do
      group.defaults = group.defaults or vectors.defaults
      describe(group.title .. ":", function()
        read_group(group)
      end)
    end
  end)
end

-- --- the official tests of RFC 6570, uri-templates/uritemplate-test

local SUITE = os.getenv "SUITE" or "build/uritemplate-test" -- where .ci/fetch suite puts them
local SUITE_FILES =
  { "spec-examples", "spec-examples-by-section", "extended-tests", "negative-tests" }

-- What newer versions of the suite want refused. Here names may hold "-", since published API
-- routes use such names.
local ACCEPTED = { ["/{default-graph-uri}"] = true, ["/sparql{?query,default-graph-uri}"] = true }

-- One text is expected, or several of which any will do, or false for an error. After a "#" no
-- rule of paths and hosts stands in the way. POST takes the variables that the template does not
-- name into the body.
local function check_official(template, expected, variables)
  local api, route = endpoint.defaults { baseUrl = "" }, "POST #" .. template
  if expected == false and not ACCEPTED[template] then
    local message = support.message_of(api, route, variables)
    local is_wanted = message:find "^endpoint: template "
      or message:find("expected a string for the prefix", 1, true)
    return support.holds(is_wanted, message)
  end
  local url, texts =
    api(route, variables).url:sub(2), type(expected) == "table" and expected or { expected }
  for _, text in ipairs(texts) do
    if text == url then
      return
    end
  end
  support.holds(ACCEPTED[template], url)
end

describe("the official suite:", function()
  local ok, first = pcall(support.read, SUITE .. "/" .. SUITE_FILES[1] .. ".json")
  if not ok then
    return it("is run", function()
      local why = os.getenv "SUITE_MISSING" or first
      print("\nofficial suite: NOT RUN (" .. why .. ")")
      pending(why)
    end)
  end
  local count = 0
  for _, name in ipairs(SUITE_FILES) do
    for title, group in pairs(json.decode(support.read(SUITE .. "/" .. name .. ".json"))) do
      for _, case in ipairs(group.testcases) do
        count = count + 1
        it(name .. ", " .. title .. ": " .. case[1], function()
          check_official(case[1], case[2], group.variables)
        end)
      end
    end
  end

  it("is whole", function()
    assert.is_true(count >= 227, count)
  end)
end)
