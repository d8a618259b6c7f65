-- Keywords of JSON Schema in the rules: what each lets pass, in drafts 4, 7 and 2020-12, and by
-- discriminators.
-- luacheck: ignore 631 (rows of JSON)
package.path = "src/?.lua;" .. package.path
local json = require "cjson"
local patterns = require "endpoint.checks.validator.patterns"
local support = require "support"
local types = require "endpoint.types"

-- The check of a schema: is a value, the body `v`, valid? Or nil and a message.
local function check_of(schema, more, options)
  local root = more or { openapi = "3.1.0" }
  local body = { type = "object", properties = { v = schema } }
  root.paths = {
    ["/x"] = {
      post = { requestBody = { content = { ["application/json"] = { schema = body } } } },
    },
  }
  local made =
    types.generate(root, "api", { checks = true, open = not (options and options.closed) })
  local rules
  for _, file in ipairs(made.files) do
    rules = file.name == "api-checks.lua" and (loadstring or load)(file.text)() or rules
  end
  return function(value)
    local is_valid, message = pcall(rules.check, "POST /x", { data = { v = value } })
    return is_valid, not is_valid and message:match "POST /x: (.*)" or nil
  end
end

-- Schemas, values that fit, and values that do not, as JSON.
local ROWS = {
  {
    what = "const",
    schema = '{"const": {"a": [1, null]}}',
    valid = '[{"a": [1.0, null]}]',
    invalid = '[{"a": [1]}, {"a": [1, null], "b": 1}, 5]',
  },
  {
    what = "const false is not 0",
    schema = '{"const": false}',
    valid = "[false]",
    invalid = '[0, [0], "false"]',
  },
  {
    what = "enum with lists",
    schema = '{"enum": [[false], 6]}',
    valid = "[[false], 6.0]",
    invalid = "[[0], false, 7, [false, false]]",
  },
  {
    what = "oneOf is exactly one",
    schema = '{"oneOf": [{"type": "integer"}, {"minimum": 2}]}',
    valid = "[1, 2.5]",
    invalid = "[3, 1.5]",
  },
  {
    what = "anyOf with false alone",
    schema = '{"properties": {"a": {"anyOf": [false]}}}',
    valid = '[{"b": 1}, 5]',
    invalid = '[{"a": 1}]',
  },
  {
    what = "oneOf with false alone",
    schema = '{"properties": {"a": {"oneOf": [false]}}}',
    valid = '[{"b": 1}, 5]',
    invalid = '[{"a": 1}]',
  },
  {
    what = "not",
    schema = '{"not": {"type": ["integer", "boolean"]}}',
    valid = '["x", 1.5]',
    invalid = "[1, true]",
  },
  {
    what = "not within not",
    schema = '{"not": {"not": {"type": "string"}}}',
    valid = '["x"]',
    invalid = "[1]",
  },
  {
    what = "items after prefixItems",
    schema = '{"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}',
    valid = '[["a", 1], ["a"], {"0": 5}]',
    invalid = '[[1], ["a", "b"]]',
  },
  {
    what = "items false",
    schema = '{"prefixItems": [{}], "items": false}',
    valid = "[[1], 5]",
    invalid = "[[1, 2]]",
  },
  {
    what = "draft 7: items as a list",
    schema = '{"items": [{"type": "string"}], "additionalItems": false}',
    valid = '[["a"], "x"]',
    invalid = '[["a", 1], [1]]',
  },
  {
    what = "draft 7: additionalItems alone say nothing",
    schema = '{"items": {}, "additionalItems": false}',
    valid = "[[1, 2]]",
    invalid = "[]",
  },
  {
    what = "draft 7: dependencies",
    schema = '{"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}',
    valid = '[{"a": 1, "b": 1}, {"c": 1, "d": 1}, {"x": 1}]',
    invalid = '[{"a": 1}, {"c": 1}]',
  },
  {
    what = "draft 7: items as a list, additionalItems with a schema",
    schema = '{"items": [{}], "additionalItems": {"type": "integer"}}',
    valid = '[[null, 2, 3], ["x"], {"0": "x"}]',
    invalid = '[[1, "x"]]',
  },
  {
    what = "draft 7: dependencies that are true or false",
    schema = '{"dependencies": {"a": true, "b": false}}',
    valid = '[{"a": 1}, {"c": 1}]',
    invalid = '[{"b": 1}, {"a": 1, "b": 1}]',
  },
  {
    what = "draft 7: dependencies with an empty list",
    schema = '{"dependencies": {"a": []}}',
    valid = '[{"a": 1}, {"c": 1}, 5]',
    invalid = "[]",
  },
  {
    what = "draft 4: 1.0 is an integer",
    schema = '{"type": "integer"}',
    valid = "[1, 1.0]",
    invalid = '[1.5, "1"]',
  },
  {
    what = "draft 4: id says nothing of an enumeration",
    schema = '{"enum": [{"id": "http://h.example/a", "type": "null"}]}',
    valid = '[{"id": "http://h.example/a", "type": "null"}]',
    invalid = "[null, 5]",
  },
  {
    what = "draft 4: definitions",
    schema = '{"definitions": {"n": {"minimum": 1}}, "allOf": [{"$ref": '
      .. '"#/paths/~1x/post/requestBody/content/application~1json/schema/properties/v/'
      .. 'definitions/n"}]}',
    valid = '[1, "x"]',
    invalid = "[0]",
  },
  {
    what = "draft 4: exclusiveMaximum",
    schema = '{"maximum": 3, "exclusiveMaximum": true}',
    valid = "[2.5]",
    invalid = "[3, 4]",
  },
  {
    what = "draft 4: exclusiveMinimum",
    schema = '{"minimum": 3, "exclusiveMinimum": true}',
    valid = "[3.5]",
    invalid = "[3]",
  },
  {
    what = "draft 4: exclusiveMaximum false",
    schema = '{"maximum": 3, "exclusiveMaximum": false}',
    valid = "[3]",
    invalid = "[3.5]",
  },
  {
    what = "dependentSchemas",
    schema = '{"dependentSchemas": {"a": {"properties": {"b": {"type": "integer"}}}, "__proto__": false}}',
    valid = '[{"a": 1, "b": 1}, {"b": "x"}]',
    invalid = '[{"a": 1, "b": "x"}, {"__proto__": 1}]',
  },
  {
    what = "unevaluatedItems",
    schema = '{"prefixItems": [{}], "anyOf": [{"contains": {"const": 7}}, {"const": 8}], '
      .. '"unevaluatedItems": {"type": "string"}}',
    valid = '[[1, 7, "x"], [1, "x", 7]]',
    invalid = "[[1, 7, 2]]",
  },
  {
    what = "unevaluatedItems false",
    schema = '{"allOf": [{"prefixItems": [true, true]}], "unevaluatedItems": false}',
    valid = "[[1, 2], 5]",
    invalid = "[[1, 2, 3]]",
  },
  {
    what = "unevaluatedItems of a cousin",
    schema = '{"allOf": [{"prefixItems": [true]}, {"unevaluatedItems": false}]}',
    valid = '["x"]',
    invalid = "[[1]]",
  },
  {
    what = "recursion",
    schema = '{"type": "object", "properties": {"next": {"$ref": '
      .. '"#/paths/~1x/post/requestBody/content/application~1json/schema/properties/v"}}, '
      .. '"additionalProperties": false}',
    valid = '[{"next": {"next": {"next": {}}}}]',
    invalid = '[{"next": {"next": {"nxt": 1}}}]',
  },
  {
    what = "pointers with escapes",
    schema = '{"$defs": {"a~b/c%d\\"e": {"type": "integer"}}, "items": {"$ref": '
      .. '"#/paths/~1x/post/requestBody/content/application~1json/schema/properties/v/$defs/'
      .. 'a~0b~1c%25d%22e"}}',
    valid = "[[1]]",
    invalid = '[["x"]]',
  },
  {
    what = "names of Lua and JavaScript",
    schema = '{"properties": {"end": {"type": "integer"}, "__proto__": {"type": "integer"}, "": {"type": '
      .. '"integer"}, "$ref": {"type": "integer"}}, "required": ["constructor"]}',
    valid = '[{"constructor": 1, "end": 1, "": 1, "$ref": 1}]',
    invalid = '[{"end": 1}, {"constructor": 1, "end": "x"}, {"constructor": 1, "__proto__": "x"}, '
      .. '{"constructor": 1, "": "x"}, {"constructor": 1, "$ref": "x"}]',
  },
  {
    what = "uniqueItems counts the elements of the list, not those of the last list in it",
    schema = '{"items": {"type": "array"}, "uniqueItems": true}',
    valid = "[[[1], [2]], [[1, 2, 3], [4]]]",
    invalid = "[[[1], [2], [1]]]",
  },
  {
    what = "the type of an object is checked after that of a list in it",
    schema = '{"properties": {"a": {"type": "array"}}, "not": {"type": "array"}}',
    valid = '[{"a": [1]}]',
    invalid = "[[1]]",
  },
  {
    what = "$dynamicRef refuses nothing",
    schema = '{"$dynamicRef": "#a", "minimum": 2}',
    valid = '[5, "x"]',
    invalid = "[1]",
  },
  {
    what = "not with $dynamicRef refuses nothing",
    schema = '{"not": {"$dynamicRef": "#a"}}',
    valid = '[5, "x", {"a": 1}]',
    invalid = "[]",
  },
  {
    what = "oneOf with $dynamicRef takes what fits another schema, too",
    schema = '{"oneOf": [{"type": "integer"}, {"$dynamicRef": "#a"}]}',
    valid = "[1, true]",
    invalid = "[]",
  },
  {
    what = "if with $dynamicRef takes what fits either branch",
    schema = '{"if": {"$dynamicRef": "#a"}, "then": {"minimum": 5}, "else": {"maximum": 2}}',
    valid = "[1, 7]",
    invalid = "[3]",
  },
  {
    what = "$dynamicRef may have evaluated all names",
    schema = '{"properties": {"a": {"type": "integer"}}, "allOf": [{"$dynamicRef": "#a"}], '
      .. '"unevaluatedProperties": false}',
    valid = '[{"a": 1}, {"a": 1, "b": 2}]',
    invalid = '[{"a": "x"}]',
  },
  {
    what = "$recursiveRef may have evaluated all elements",
    schema = '{"$recursiveRef": "#", "unevaluatedItems": false}',
    valid = "[[1, 2], 5]",
    invalid = "[]",
  },
  {
    what = "null bytes",
    schema = '{"enum": ["a\\u0000b"], "maxLength": 3}',
    valid = '["a\\u0000b"]',
    invalid = '["a", "ab"]',
  },
  {
    what = "multiples of fractions",
    schema = '{"multipleOf": 0.01}',
    valid = "[19.99, 0.07, 1e308, 0, -4.35]",
    invalid = "[0.001, 19.995]",
  },
  {
    what = "multiples of large numbers, by their decimal digits",
    schema = '{"multipleOf": 3}',
    valid = "[2.14821e21, 9007199254740990, 3e300]",
    invalid = "[4.5511000000000003e22, 1e300, 0.3]",
  },
  {
    what = "multiples where the floats of some Luas say something else",
    schema = '{"multipleOf": 81.5}',
    valid = "[81.5, 8.15e26, 163]",
    invalid = "[8.1e26, 81]",
  },
  {
    what = "names that a pattern may take, which nobody can read",
    schema = '{"type": "object", "patternProperties": {"^(?<=a)+[": {}}, "properties": {"b": {}}, '
      .. '"unevaluatedProperties": false}',
    valid = '[{"x": 1}, {"b": 1}]',
    invalid = "[1]",
  },
  {
    what = "large numbers",
    schema = '{"type": "integer", "maximum": 1e300}',
    valid = "[12345678910111213141516171819202122, 1.0]",
    invalid = "[1e301, 0.5]",
  },
  {
    what = "if without then",
    schema = '{"if": {"const": 1}, "else": {"const": 2}}',
    valid = "[1, 2]",
    invalid = "[3]",
  },
  {
    what = "then without if",
    schema = '{"then": false, "else": false}',
    valid = "[1]",
    invalid = "[]",
  },
  { what = "format says nothing", schema = '{"format": "email"}', valid = '["x"]', invalid = "[]" },
  {
    what = "format in not and oneOf refuses nothing",
    schema = '{"not": {"type": "string", "format": "date"}, "oneOf": [{"type": "string", "format": '
      .. '"date"}, {"format": "time"}]}',
    valid = '["x"]',
    invalid = "[]",
  },
  {
    what = "allOf of types that exclude each other",
    schema = '{"allOf": [{"type": "string"}, {"type": "integer"}]}',
    valid = "[]",
    invalid = '["x", 1]',
  },
  {
    what = "additionalProperties beside allOf",
    schema = '{"allOf": [{"properties": {"a": {}}}], "additionalProperties": {"type": "boolean"}}',
    valid = '[{"a": true}]',
    invalid = '[{"a": 1}]',
  },
  {
    what = "several multiples",
    schema = '{"allOf": [{"multipleOf": 2}, {"multipleOf": 3}]}',
    valid = "[6]",
    invalid = "[2, 3]",
  },
  {
    what = "minContains 0",
    schema = '{"contains": {"const": 1}, "minContains": 0, "maxContains": 1}',
    valid = "[[2], [1]]",
    invalid = "[[1, 1]]",
  },
  {
    what = "uniqueItems",
    schema = '{"uniqueItems": true}',
    valid = '[[1, true, "1", {"a": 1}, {"a": true}]]',
    invalid = '[[{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}]]',
  },
  {
    what = "without a type any other passes",
    schema = '{"properties": {"a": false}, "items": false, "minLength": 9, "minimum": 9}',
    valid = '[10, true, null, {"b": 1}]',
    invalid = '[{"a": 1}, [1], "x", 1]',
  },
}

describe("keywords:", function()
  for _, row in ipairs(ROWS) do
    local check = check_of(json.decode(row.schema))

    for _, value in ipairs(json.decode(row.valid)) do
      it(("%s: %s takes %s"):format(row.what, row.schema, json.encode(value)), function()
        local is_valid, message = check(value)
        assert.is_true(is_valid, message)
      end)
    end

    for _, value in ipairs(json.decode(row.invalid)) do
      it(("%s: %s refuses %s"):format(row.what, row.schema, json.encode(value)), function()
        assert.is_false((check(value)), "the value passes")
      end)
    end
  end

  for version, is_refused in pairs { ["3.1.0"] = true, ["3.0.3"] = false } do
    local title = "a keyword beside a $ref %s in OpenAPI %s"

    it(title:format(is_refused and "holds" or "does not hold", version), function()
      local schemas = { S = { type = "string" } }
      local root = { openapi = version, components = { schemas = schemas } }
      local check = check_of({ ["$ref"] = "#/components/schemas/S", maxLength = 1 }, root)
      assert.is_true(check "a")
      assert.equal(not is_refused, (check "ab"))
      assert.is_false((check(5)))
    end)
  end

  for _, name in ipairs { "array_mt", "empty_array_mt" } do
    it("an empty table with lua-cjson's " .. name .. " is a list", function()
      local former = rawget(json, name)
      json[name] = former or {} -- some versions have none
      local marked = setmetatable({}, json[name])
      local takes_list = check_of { type = "array" }(marked)
      local takes_object = check_of { type = "object" }(marked)
      json[name] = former
      assert.same({ true, false }, { takes_list, takes_object })
    end)
  end

  for _, keyword in ipairs { "anyOf", "oneOf" } do
    it("alternatives of a form take a string in the place of a table: " .. keyword, function()
      local deep = { type = "object", properties = { a = { type = "integer" } } }
      local schema = { type = "object", properties = { deep = deep } }
      schema[keyword] = {
        { properties = { deep = deep }, required = { "deep" } },
        { properties = { name = { type = "string" } }, required = { "name" } },
      }
      local content = { ["application/x-www-form-urlencoded"] = { schema = schema } }
      local root = {
        openapi = "3.1.0",
        paths = { ["/x"] = { post = { requestBody = { content = content } } } },
      }
      local made = types.generate(root, "api", { checks = true, open = true })
      local rules = (loadstring or load)(made.files[#made.files - 1].text)()
      assert.same({ true }, { pcall(rules.check, "POST /x", { deep = '{"a":1}' }) })
      assert.is_false((pcall(rules.check, "POST /x", { deep = 1 })))
    end)
  end

  it("multiples of integers of which no float has all digits", function()
    local decimal = require "endpoint.checks.validator.decimal"
    local odd = math.maxinteger or 2 ^ 53 - 1
    for _, sign in ipairs { 1, -1 } do
      assert.is_false(decimal.is_multiple(sign * odd, 2))
      assert.is_true(decimal.is_multiple(sign * (odd - 1), 2))
      assert.is_true(decimal.is_multiple(sign * (odd - 1), 0.5))
    end
  end)

  it("an empty table with a mark is what the mark says", function()
    local check = check_of { type = "object" }
    assert.is_true((check {}))
    assert.is_false((check(setmetatable({}, { __jsontype = "array" }))))
    assert.is_true((check(setmetatable({}, { __jsontype = "object" }))))
  end)
end)

describe("patterns:", function()
  local ecma = require "endpoint.checks.validator.ecma"

  for pattern, written in pairs {
    ["^a$"] = "^a\\z",
    ["a.b"] = "a[^\\n\\r\\x{2028}\\x{2029}]b",
    ["[^]"] = "[\\x{0}-\\x{10ffff}]",
    ["[]"] = "(?!)",
    ["[[:x]"] = "[\\[:x]",
    ["a{,2}"] = "a\\{,2}",
    ["\\cJ\\u00e9\\x41\\0"] = "\\x{a}\\x{00e9}\\x{41}\\x{0}",
    ["\\ud83d\\ude00"] = "\\x{1f600}",
    ["\\p{Letter}\\P{Script=Greek}"] = "\\p{L}\\P{Greek}",
    ["(?<n>a)\\k<n>\\1"] = "(?<n>a)\\k<n>\\1",
    ["(?:a+?|b{2,3})"] = "(?:a+?|b{2,3})",
    ["[\\b\\-\\d]"] = "[\\x{08}\\-\\d]",
  } do
    it(("are ECMA-262: %s is %s of PCRE"):format(pattern, written), function()
      assert.equal(written, ecma.to_pcre(pattern))
    end)
  end

  for _, pattern in ipairs {
    "\\Aa",
    "(?i)a",
    "a++",
    "(?>a)",
    "(*FAIL)",
    "(?R)",
    "\\u12",
    "[a",
    "\\",
    "\\p{x y}",
  } do
    it("are ECMA-262, and not " .. pattern, function()
      assert.is_nil(ecma.to_pcre(pattern))
    end)
  end

  if not patterns.are_known() then
    pending "of a stranger end after some steps: there is neither ngx.re nor lrexlib"
  else
    it("of a stranger end after some steps, and the string is refused", function()
      local check = check_of { pattern = "^(a+)+$" }
      assert.is_true(check(("a"):rep(5000)))
      local before = os.clock()
      local _, message = check(("a"):rep(5000) .. "b")
      assert.truthy(message:find "the pattern takes too many steps", message)
      assert.is_true(os.clock() - before < 5)
      _, message = check "\255a"
      assert.truthy(message:find "expected a string in UTF%-8", message)
    end)
  end

  it("that cannot be read here, and formats, are told by left_out", function()
    local root = { openapi = "3.1.0" }
    check_of({ type = "string", pattern = "(a)", format = "date", ["$dynamicRef"] = "#a" }, root)
    local made = types.generate(root, "api", { checks = true })
    local rules = (loadstring or load)(made.files[#made.files - 1].text)()
    local are_known = patterns.are_known
    function patterns.are_known()
      return false
    end
    local sentences = rules.left_out()
    patterns.are_known = are_known
    assert.same({
      "pattern is not checked where it has groups: "
        .. "there is neither ngx.re nor lrexlib (rex_pcre2)",
      "format is not checked",
      "$dynamicRef is not checked",
    }, sentences)
  end)
end)

describe("an object whose names are closed", function()
  it("tells an unknown name before what else is wrong, in any order of its names", function()
    local schema, given = { type = "object", properties = {} }, { unknown = 1 }
    for position = 1, 30 do
      schema.properties["p" .. position], given["p" .. position] = { type = "integer" }, "x"
    end
    local is_right, message = check_of(schema, nil, { closed = true })(given)
    assert.is_false(is_right)
    assert.truthy(message:find 'no parameter "unknown"', message)
  end)
end)

-- The order of `next` changes from run to run. Of 30 names that are all wrong a run would tell the
-- first one by chance once in 30 times.
describe("of 30 wrong names the first is told, for", function()
  local NAMES, GIVEN = {}, {}
  for position = 10, 39 do
    NAMES[#NAMES + 1] = "n" .. position
    GIVEN["n" .. position] = "x"
  end

  -- { [name] = one } for each of the names
  local function each(one)
    local made = {}
    for _, name in ipairs(NAMES) do
      made[name] = one
    end
    return made
  end

  local INTEGER = { type = "integer" }
  local WRONG = {
    {
      what = "properties, where the names are closed",
      schema = { type = "object", properties = each(INTEGER) },
      closed = true,
      message = '"data.v.n10": expected an integer',
    },
    {
      what = "properties",
      schema = { type = "object", properties = each(INTEGER) },
      message = '"data.v.n10": expected an integer',
    },
    {
      what = "a name that is not known",
      schema = { type = "object", properties = { other = {} }, additionalProperties = false },
      message = 'no parameter "n10" in "data.v"',
    },
    {
      what = "additionalProperties",
      schema = { type = "object", additionalProperties = INTEGER },
      message = '"data.v.n10": expected an integer',
    },
    {
      what = "patternProperties",
      schema = { type = "object", patternProperties = { ["^n"] = INTEGER } },
      message = '"data.v.n10": expected an integer',
      needs_patterns = true,
    },
    {
      what = "several patterns of patternProperties",
      schema = {
        type = "object",
        patternProperties = {
          ["^n"] = INTEGER,
          ["^.*1"] = { maxLength = 0 },
          ["10"] = { const = "a" },
        },
      },
      message = '"data.v.n10": expected a, got "x"',
      needs_patterns = true,
    },
    {
      what = "propertyNames",
      schema = { type = "object", propertyNames = { maxLength = 1 } },
      message = '"data.v": the name "n10"',
    },
    {
      what = "dependentRequired",
      schema = { type = "object", dependentRequired = each { "missing" } },
      message = 'which "n10" needs',
    },
    {
      what = "dependentSchemas",
      schema = {
        type = "object",
        dependentSchemas = {
          n10 = { required = { "a" } },
          n11 = { required = { "b" } },
          n12 = { required = { "c" } },
          n13 = { required = { "d" } },
          n14 = { required = { "e" } },
          n15 = { required = { "f" } },
        },
      },
      message = '"a" is missing',
    },
    {
      what = "unevaluatedProperties",
      schema = { type = "object", unevaluatedProperties = INTEGER },
      message = '"data.v.n10": expected an integer',
    },
    {
      what = "unevaluatedProperties = false",
      schema = { type = "object", unevaluatedProperties = false },
      message = 'no parameter "n10" in "data.v"',
    },
  }
  for _, row in ipairs(WRONG) do
    it(row.what, function()
      if row.needs_patterns and not patterns.are_known() then
        pending "there is neither ngx.re nor lrexlib"
      end
      local is_right, message = check_of(row.schema, nil, { closed = row.closed })(GIVEN)
      assert.is_false(is_right)
      assert.truthy(message:find(row.message, 1, true), message)
    end)
  end
end)

describe("a body that no value fits is refused:", function()
  for _, media_type in ipairs { "application/json", "application/x-www-form-urlencoded" } do
    for _, keyword in ipairs { "allOf", "anyOf", "oneOf" } do
      it(("%s, by %s"):format(media_type, keyword), function()
        local schema = { type = "object", properties = { a = {} }, [keyword] = { false } }
        local content = { [media_type] = { schema = schema } }
        local made = types.generate({
          openapi = "3.1.0",
          paths = { ["/x"] = { post = { operationId = "x", requestBody = { content = content } } } },
        }, "api", { checks = true })
        local rules = (loadstring or load)(made.files[#made.files - 1].text)()
        local _, message = pcall(rules.check, "POST /x", { data = { a = 1 } })
        assert.truthy(message:find('"data": expected no value, got a table', 1, true), message)
        _, message = pcall(rules.check, "POST /x", { a = 1 })
        assert.truthy(message:find('no parameter "a"', 1, true), message)
        assert.equal("x", rules.tools()[1].name)
      end)
    end
  end
end)

describe("a pattern that takes too many steps is told", function()
  local define = patterns.are_known() and it or pending
  define("before 30 wrong names, whichever of them is found first", function()
    local properties, given = { z = { pattern = "^(a+)+$" } }, { z = ("a"):rep(5000) .. "!" }
    for position = 10, 39 do
      properties["n" .. position], given["n" .. position] = { type = "integer" }, "x"
    end
    local _, message = check_of { type = "object", properties = properties }(given)
    assert.truthy(message:find("takes too many steps", 1, true), message)
  end)
end)

describe("discriminator:", function()
  local function ref(name)
    return { ["$ref"] = "#/components/schemas/" .. name }
  end
  -- An object with a property, which may be required; and its `type`, which is the value, or any.
  local function kind(property, is_required, value)
    local made = { type = "object", required = { "type" }, properties = {} }
    made.properties.type = value and { const = value } or { type = "string" }
    made.properties[property] = { type = "integer" }
    made.required[2] = is_required and property or nil
    return made
  end

  for how, row in pairs {
    ["by mapping"] = {
      cat = "cat",
      dog = "dog",
      mapping = { cat = "#/components/schemas/Cat", dog = "Dog" },
    },
    ["by name"] = { cat = "Cat", dog = "Dog" },
  } do
    local check = check_of({
      oneOf = { ref "Cat", ref "Dog" },
      discriminator = { propertyName = "type", mapping = row.mapping },
    }, {
      openapi = "3.0.3",
      components = {
        schemas = { Cat = kind("kittens", true, row.cat), Dog = kind("bark", false, row.dog) },
      },
    }, { closed = true })

    it("beside oneOf names the schema that a value must fit, " .. how, function()
      assert.same({ true }, { check { type = row.cat, kittens = 1 } })
      assert.same({ true }, { check { type = row.dog, bark = 1 } })
    end)

    it("beside oneOf tells what the schema misses, " .. how, function()
      assert.same({ false, '"kittens" is missing in "data.v"' }, { check { type = row.cat } })
    end)

    it("beside oneOf tells what no schema has, " .. how, function()
      local _, message = check { type = row.dog, wings = 1 }
      assert.truthy(message:find 'no parameter "wings"', message)
    end)

    it("beside oneOf asks for the property, " .. how, function()
      assert.same({ false, '"type" is missing in "data.v"' }, { check { bark = 1 } })
    end)

    it("beside oneOf tells the words that there are, " .. how, function()
      local words = ('"data.v.type": expected %s or %s, got "fish"'):format(row.cat, row.dog)
      assert.same({ false, words }, { check { type = "fish" } })
    end)
  end

  it("beside oneOf refuses and takes nothing, where the schemas do not", function()
    local check = check_of({
      oneOf = { ref "Cat", ref "Dog" },
      discriminator = { propertyName = "type" },
    }, {
      openapi = "3.0.3",
      components = { schemas = { Cat = kind("kittens", true), Dog = kind("bark", true) } },
    })
    assert.same({ true }, { check { type = "fish", kittens = 1 } })
    assert.same({ true }, { check { type = "Dog", kittens = 1 } })
    local message = '"data.v": expected a value that fits one of 2 schemas, got one that fits 2'
    assert.same({ false, message }, { check { type = "Cat", kittens = 1, bark = 1 } })
  end)

  it("says whose problem is told where no schema fits", function()
    local check = check_of({
      oneOf = { ref "Cat", ref "Dog" },
      discriminator = { propertyName = "type", mapping = { woof = "Dog" } },
    }, {
      openapi = "3.0.3",
      components = { schemas = { Cat = kind("kittens", true), Dog = kind("bark", true) } },
    })
    assert.same({ false, '"kittens" is missing in "data.v"' }, { check { type = "Cat" } })
    assert.same({ false, '"bark" is missing in "data.v"' }, { check { type = "woof" } })
  end)

  local BASE = kind "name"
  BASE.discriminator = { propertyName = "type", mapping = { cat = "#/components/schemas/Cat" } }

  -- Schemas that take in others by allOf.
  local function by_all_of()
    return {
      openapi = "3.0.3",
      components = {
        schemas = {
          Base = BASE,
          Cat = {
            allOf = {
              ref "Base",
              { properties = { kittens = { type = "integer" } }, required = { "kittens" } },
            },
          },
          Dog = { allOf = { ref "Base", { properties = { bark = { type = "boolean" } } } } },
          Pug = { allOf = { ref "Dog", { properties = { snore = { type = "boolean" } } } } },
        },
      },
    }
  end

  -- The same by a $ref with words beside it, which hold from OpenAPI 3.1 on.
  local function by_ref()
    local function short(name, property)
      return { ["$ref"] = "#/components/schemas/" .. name, properties = property }
    end
    return {
      openapi = "3.1.0",
      components = {
        schemas = {
          Base = BASE,
          Cat = short("Base", { kittens = { type = "integer" } }),
          Dog = short("Base", { bark = { type = "boolean" } }),
          Pug = short("Dog", { snore = { type = "boolean" } }),
        },
      },
    }
  end

  for _, case in ipairs {
    {
      what = "in a base, of schemas that take it in by allOf,",
      check = check_of(ref "Base", by_all_of(), { closed = true }),
      takes = {
        { type = "cat", name = 1, kittens = 1 },
        { type = "Dog", bark = true },
        { type = "Pug", bark = true, snore = true },
        { type = "Base", name = 1 },
        { type = "cat", name = 1 },
        { type = "Dog", kittens = 1 },
        { type = "fish" },
      },
      refuses = { { type = "cat", wings = 2 }, { type = 1 }, { kittens = 1 } },
    },
    {
      what = "in a base, of schemas that take it in by a $ref,",
      check = check_of(ref "Base", by_ref(), { closed = true }),
      takes = {
        { type = "cat", name = 1, kittens = 1 },
        { type = "Dog", bark = true },
        { type = "Pug", bark = true, snore = true },
        { type = "cat", bark = true },
      },
      refuses = { { type = "cat", wings = 2 } },
    },
    {
      what = "in the base of a schema between",
      check = check_of(ref "Dog", by_all_of(), { closed = true }),
      takes = { { type = "Pug", snore = true }, { type = "Dog", bark = true } },
      refuses = { { type = "Dog", kittens = 1 } },
    },
    {
      what = "in a base that is alone in allOf",
      check = check_of({ allOf = { ref "Base" } }, by_all_of(), { closed = true }),
      takes = { { type = "cat", kittens = 1 } },
      refuses = {},
    },
  } do
    for _, value in ipairs(case.takes) do
      it(("%s takes %s"):format(case.what, support.shown(value)), function()
        assert.same({ true }, { case.check(value) })
      end)
    end

    for _, value in ipairs(case.refuses) do
      it(("%s refuses %s"):format(case.what, support.shown(value)), function()
        assert.is_false((case.check(value)))
      end)
    end
  end
end)

-- Calls f, which must not take more steps of the interpreter.
local function within_steps(most, f)
  local compiler, is_over = rawget(_G, "jit"), false
  if compiler then
    compiler.off() -- what LuaJIT compiles calls no hook
  end
  debug.sethook(function()
    is_over = true
    error "it takes too many steps"
  end, "", most)
  local ok, problem = pcall(f)
  debug.sethook()
  if compiler then
    compiler.on()
  end
  assert(not is_over, ("took more than %d steps"):format(most))
  assert(ok, problem)
end

describe("unevaluatedProperties of schemas that lead to each other in two ways", function()
  -- S1 -> S2 or T2, T1 -> S2 or T2, and so on: 20 steps, and 2^20 ways.
  local function ladder()
    local schemas = {}
    for i = 1, 20 do
      local function both()
        local names = { "S" .. i + 1, "T" .. i + 1 }
        return {
          { ["$ref"] = "#/components/schemas/" .. names[1] },
          { ["$ref"] = "#/components/schemas/" .. names[2] },
        }
      end
      schemas["S" .. i] = { anyOf = both() }
      schemas["T" .. i] = { anyOf = both(), minProperties = 1 }
    end
    local integer = { type = "integer" }
    schemas.S21 = { type = "object", properties = { a = integer } }
    schemas.T21 = { type = "object", properties = { b = integer } }
    return { openapi = "3.1.0", components = { schemas = schemas } }
  end

  local TOP = {
    allOf = { { ["$ref"] = "#/components/schemas/S1" } },
    unevaluatedProperties = false,
  }

  it("are checked in linear time", function()
    local check = check_of(TOP, ladder())
    within_steps(1000000, function()
      assert(check { a = 1, b = 2 })
    end)
  end)

  for why, value in pairs {
    ["a name that no schema has"] = { a = 1, b = 2, c = 3 },
    ["a name whose schema does not fit"] = { a = 1, b = "x" },
  } do
    it("refuse " .. why, function()
      assert.is_false(check_of(TOP, ladder())(value))
    end)
  end
end)
