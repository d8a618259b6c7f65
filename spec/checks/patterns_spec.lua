-- Patterns as patterns of Lua: each says of each string what PCRE says, and takes linear time. What
-- nobody checks is told.
package.path = "src/?.lua;" .. package.path
local ecma = require "endpoint.checks.validator.ecma"
local lua_patterns = require "endpoint.checks.validator.lua_patterns"
local patterns = require "endpoint.checks.validator.patterns"
local types = require "endpoint.types"

local PLAIN = {
  "",
  "^$",
  "^",
  "$",
  "^[a-z]+$",
  "^[a-z][a-z0-9-]{0,4}$",
  "^[^@]+@[^@]+$",
  "^[0-9a-f]{4}$",
  "^.{1,3}$",
  "^.$",
  "^..$",
  "^[^a]{2}$",
  "^a{2,}$",
  "^a{2,3}b{0,2}$",
  "^a*b?c$",
  "^ab+",
  "b+a$",
  "a",
  "a|b$|^ c",
  "^$|^[a-z]+$",
  "\\s",
  "\\s+$",
  "x?\\s+$",
  "a*b*a*$",
  "^\\S+$",
  ".*\\S.*",
  "^\\w+\\W\\w+$",
  "^[\\w.-]+$",
  "^[\\w-.]+$",
  "^[\\d-]+$",
  "\\D",
  "[^\\s]",
  "[a-z]+[0-9]",
  "a[b]*c",
  "^\\x61\\u0062\\t$",
  "^[\\-\\]\\[\\\\^$.]+$",
  "^a+?$",
  "^[^\\d ]*$",
  "[ -~]",
  "^[!-/]$",
}

-- What Lua cannot say, or not in linear time.
local OTHERS = {
  "(a)",
  "^a*a*b$",
  "ab*c*b*d",
  "\\bx",
  "\\p{L}",
  "^\195\164$",
  "\\1",
  "a{3,2}",
  "[z-a]",
  "[a",
  "a++",
  "*a",
  "^[a-z]{0,30}[0-9]{0,30}$",
  "[\\n]\\s",
}

local PARTS = {
  "a",
  "b",
  "ab",
  "c",
  "0",
  "f",
  "@",
  "-",
  ".",
  " ",
  "\n",
  "\v",
  "]",
  "^",
  "\195\164",
  "\194\160",
  "\226\128\168",
  "\239\187\191",
  "\240\159\152\128",
}

-- Strings of up to four parts, and some of more.
local function strings()
  local list, state = { "" }, 1
  local function random(most)
    state = (state * 16807) % 2147483647
    return state % most + 1
  end
  for _ = 1, 600 do
    local parts = {}
    for position = 1, random(5) do
      parts[position] = PARTS[random(#PARTS)]
    end
    list[#list + 1] = table.concat(parts)
  end
  return list
end

describe("a pattern of ECMA-262", function()
  local STRINGS = strings()
  local is_there, rex = pcall(require, "rex_pcre2")
  local define = is_there and it or pending

  for _, pattern in ipairs(PLAIN) do
    define(("says in Lua what it says in PCRE: %q"):format(pattern), function()
      local rows = assert(lua_patterns.of(pattern))
      local compiled = rex.new(ecma.to_pcre(pattern), rex.flags().UTF)
      for _, string in ipairs(STRINGS) do
        local expected = compiled:exec(string) ~= nil
        assert.equal(expected, lua_patterns.fits(rows, string), ("%q"):format(string))
      end
    end)
    it(("is checked without a library: %q"):format(pattern), function()
      assert.equal("plain", patterns.kind_of(pattern))
    end)
  end

  for _, pattern in ipairs(OTHERS) do
    it(("is not one of Lua: %q"):format(pattern), function()
      assert.is_nil(lua_patterns.of(pattern))
    end)
  end

  it("refuses in Lua what is not UTF-8", function()
    for _, string in ipairs { "a\255", "\195", "\237\160\128", "\244\144\128\128", "\192\128" } do
      assert.is_nil(lua_patterns.fits(lua_patterns.of "a", string))
    end
  end)

  it("takes linear time in Lua", function()
    for _, pattern in ipairs(PLAIN) do
      local rows, string = lua_patterns.of(pattern), ("a0 "):rep(10000)
      for _, long in ipairs { string, ("a"):rep(30000), (" "):rep(30000) } do
        local began = os.clock()
        lua_patterns.fits(rows, long .. "!")
        assert.is_true(os.clock() - began < 0.5, pattern)
      end
    end
  end)
end)

-- --- what is told -------------------------------------------------------------------------

-- What is made of a document with these patterns.
local function made_of(list)
  local properties = {}
  for position, pattern in ipairs(list) do
    properties["p" .. position] = { type = "string", pattern = pattern }
  end
  local schema = { type = "object", properties = properties }
  local body = { content = { ["application/json"] = { schema = schema } } }
  local root = { openapi = "3.1.0", paths = { ["/x"] = { post = { requestBody = body } } } }
  return types.generate(root, "api", { checks = true })
end

local function rules_of(made)
  for _, file in ipairs(made.files) do
    if file.name == "api-checks.lua" then
      return (loadstring or load)(file.text)()
    end
  end
end

describe("a pattern that is not checked", function()
  for _, pattern in ipairs {
    "(?i)a",
    "(?P<n>a)",
    "\\Aa",
    "a\\z",
    "a++",
    "(",
    "a)(b",
    "a)",
    "[b-a]",
    "a{3,2}",
    "(?>a)",
    "(*FAIL)",
    "+a",
    "(|*a)",
  } do
    it("is told when the rules are made, and by left_out: " .. pattern, function()
      local made = made_of { pattern }
      local sentence = 'POST /x: the pattern "%s" is not checked: it is not one of ECMA-262'
      sentence = sentence:format(pattern)
      assert.same({ sentence }, rules_of(made).left_out())
      assert.truthy(table.concat(made.notes, "\n"):find(sentence, 1, true))
    end)
  end

  it("is told by left_out where the program's expressions cannot say it", function()
    local sentences = rules_of(made_of { "(\\p{Graph})" }).left_out()
    assert.equal(1, #sentences)
    assert.truthy(sentences[1]:find "is not checked", sentences[1])
  end)

  it("is one of at most twenty that are told by name", function()
    local list = {}
    for position = 1, 50 do
      list[position] = "(?i)" .. position
    end
    local sentences = rules_of(made_of(list)).left_out()
    assert.equal(21, #sentences)
    assert.equal("30 more patterns are not checked", sentences[21])
  end)

  it("is not told where Lua can say all of them", function()
    assert.same({}, rules_of(made_of { "^[a-z]+$", "a|b" }).left_out())
  end)
end)

describe("a match that nginx gives up with the number", function()
  local NAME = "endpoint.checks.validator.patterns"

  -- What is said of a string where ngx.re fails with this number.
  local function said(number)
    local own = rawget(_G, "ngx")
    rawset(_G, "ngx", {
      re = {
        find = function(instance)
          return nil, nil, instance ~= "" and "pcre_exec() failed: " .. number or nil
        end,
      },
    })
    package.loaded[NAME] = nil
    local inside = require(NAME)
    local ok, fits, problem = pcall(function()
      return inside.matcher_of({}, "(a)")("a")
    end)
    package.loaded[NAME] = patterns
    rawset(_G, "ngx", own)
    assert(ok, fits)
    assert.is_nil(fits)
    return problem.words
  end

  local limit = said "-8"
  for _, number in ipairs { "-21", "-27", "-46", "-47", "-53", "-63" } do
    it(number .. " took too many steps", function()
      assert.equal(limit, said(number))
    end)
  end

  for _, number in ipairs { "-10", "-3" } do
    it(number .. " has another reason", function()
      assert.is_true(limit ~= said(number))
    end)
  end
end)
