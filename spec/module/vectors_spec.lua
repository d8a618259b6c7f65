-- The rules as data: the calls of spec/vectors/*.json, whose README says how they are written.
-- Each call is made, made again through merge and parse, and put to the judges of spec/tools.
local endpoint = require "endpoint"
local json = require "cjson"
local judge = require "judge"
local support = require "support"

local SECRET = "s3cret" -- stands in calls where no message may show it
local IS_SINGLE = 2 ^ 24 + 1 == 2 ^ 24 -- a Lua whose numbers have 32 bits
local GROUP_KEYS = { title = true, source = true, defaults = true, ["function"] = true, result = true, words = true,
  doubles = true, cases = true }

-- --- reading

-- JSON's null as a case's route, options or result is nothing.
local function given(value)
  if value ~= json.null then return value end
end

local function check_group(group)
  for key in pairs(group) do
    if not GROUP_KEYS[key] then error(("%s: a group has no %q"):format(group.title, key)) end
  end
  if #group.cases == 0 then error(group.title .. ": no cases") end
  for i, case in ipairs(group.cases) do
    if #case ~= 3 and #case ~= 4 then error(("%s: case %d has %d fields"):format(group.title, i, #case)) end
  end
end

local function endpoint_of(group)
  local api, defaults = endpoint, group.defaults or {}
  for _, options in ipairs(defaults[1] and defaults or { defaults }) do api = api.defaults(options) end
  return api
end

local function function_of(api, group)
  local name = group["function"] or "endpoint"
  return name == "endpoint" and api or api[name]
end

-- A text in the place of the options is the header that the group names.
local function options_of(group, options)
  if type(options) == "string" then return { headers = { [group.result] = options } } end
  return given(options)
end

local function words_of(group, expected)
  local words = {}
  for _, list in ipairs { group.words or {}, expected.error } do
    for _, word in ipairs(list) do words[#words + 1] = word end
  end
  return words
end

-- --- results and errors

-- A number at the end of a word is a whole one.
local function has_word(message, word)
  return message:find(word:gsub("%p", "%%%0") .. (word:find "%d$" and "%f[%D]" or ""))
end

local function check_message(message, words)
  support.holds(message:find "^endpoint: " and not message:find "[^\32-\126]", "not a message of endpoint: " .. message)
  support.holds(not message:find(SECRET, 1, true), "a secret in: " .. message)
  for _, word in ipairs(words) do
    support.holds(has_word(message, word), ("expected %q in: %s"):format(word, message))
  end
end

-- A text or a list is the result's URL, the header that the group names, or a list of
-- variables. An object holds fields, where null means absent.
local function check_result(group, expected, result)
  if group["function"] == "variables" then return assert.same(expected, result) end
  if group["function"] == "defaults" then result = result.DEFAULTS end
  if type(expected) == "table" and not expected[1] then
    support.holds(next(expected), "no field is expected")
    for field, value in pairs(expected) do assert.same({ given(value) }, { result[field] }) end
  elseif group.result then
    assert.same({ given(expected) }, { result.headers[group.result] })
  else
    support.equal(expected, result.url)
  end
end

-- --- the judge

-- The judge knows one defaults, no list of them.
local function check_judge(group, route, options)
  local defaults = group.defaults or {}
  if defaults[1] then return end
  if type(route) == "table" then route, options = nil, route end
  local kind, text = judge.compare(defaults, route, options)
  support.holds(not kind, kind and kind .. ": " .. text)
end

-- --- the same call in other ways

-- merge writes methods in upper case.
local function check_merged_message(message, words)
  local lower = {}
  for i, word in ipairs(words) do lower[i] = word:lower() end
  check_message(message:lower(), lower)
end

-- The call through merge and parse. What is so under GET is so under HEAD.
local function check_again(api, route, options, words)
  local ok, merged = pcall(api.merge, route, options)
  if not ok then
    support.holds(words, merged)
    return check_message(support.message_of(api.merge, route, options), words)
  elseif words then
    return check_merged_message(support.message_of(endpoint.parse, merged), words)
  end
  local result = endpoint.parse(merged)
  assert.same(api(route, options), result)
  if merged.method == "GET" then
    merged.method = "HEAD"
    support.equal(result.url, endpoint.parse(merged).url, "under HEAD")
  end
end

-- --- cases

local function check_case(group, case)
  local api = endpoint_of(group)
  local route, options, expected = given(case[1]), options_of(group, case[2]), case[3]
  if IS_SINGLE and group.doubles then return check_judge(group, route, options) end
  local f, words = function_of(api, group), nil
  if type(expected) == "table" and expected.error then
    words = words_of(group, expected)
    check_message(support.message_of(f, route, options), words)
  else
    check_result(group, expected, f(route, options))
  end
  if f ~= api then return end
  check_again(api, route, options, words)
  check_judge(group, route, options)
end

for _, path in ipairs(support.files "spec/vectors/*.json") do
  local text = support.read(path)
  local groups, untouched = json.decode(text).groups, json.decode(text).groups
  for i, group in ipairs(groups) do
    check_group(group)
    describe(("%s: %s:"):format(path:match "([%w_]+)%.json$", group.title), function()
      for j, case in ipairs(group.cases) do
        it(support.shown(case[1]) .. " with " .. support.shown(case[2]), function()
          check_case(group, case)
          assert.same(untouched[i].cases[j], case) -- no call modifies what it is given
        end)
      end
    end)
  end
end
