-- Keywords of JSON Schema in the rules: what each lets pass, in drafts 4, 7 and 2020-12, and by
-- discriminators.
-- luacheck: ignore 631 (rows of JSON)
package.path = "src/?.lua;" .. package.path
local json = require "cjson"
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

-- What it tries, the schema, values that fit, and values that do not, as JSON.
local ROWS = {
  {
    "const",
    '{"const": {"a": [1, null]}}',
    '[{"a": [1.0, null]}]',
    '[{"a": [1]}, {"a": [1, null], "b": 1}, 5]',
  },
  { "const false is not 0", '{"const": false}', "[false]", '[0, [0], "false"]' },
  {
    "enum with lists",
    '{"enum": [[false], 6]}',
    "[[false], 6.0]",
    "[[0], false, 7, [false, false]]",
  },
  {
    "oneOf is exactly one",
    '{"oneOf": [{"type": "integer"}, {"minimum": 2}]}',
    "[1, 2.5]",
    "[3, 1.5]",
  },
  { "not", '{"not": {"type": ["integer", "boolean"]}}', '["x", 1.5]', "[1, true]" },
  { "not within not", '{"not": {"not": {"type": "string"}}}', '["x"]', "[1]" },
  {
    "items after prefixItems",
    '{"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}',
    '[["a", 1], ["a"], {"0": 5}]',
    '[[1], ["a", "b"]]',
  },
  { "items false", '{"prefixItems": [{}], "items": false}', "[[1], 5]", "[[1, 2]]" },
  {
    "draft 7: items as a list",
    '{"items": [{"type": "string"}], "additionalItems": false}',
    '[["a"], "x"]',
    '[["a", 1], [1]]',
  },
  {
    "draft 7: additionalItems alone say nothing",
    '{"items": {}, "additionalItems": false}',
    "[[1, 2]]",
    "[]",
  },
  {
    "draft 7: dependencies",
    '{"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}',
    '[{"a": 1, "b": 1}, {"c": 1, "d": 1}, {"x": 1}]',
    '[{"a": 1}, {"c": 1}]',
  },
  {
    "draft 7: items as a list, additionalItems with a schema",
    '{"items": [{}], "additionalItems": {"type": "integer"}}',
    '[[null, 2, 3], ["x"], {"0": "x"}]',
    '[[1, "x"]]',
  },
  {
    "draft 7: dependencies that are true or false",
    '{"dependencies": {"a": true, "b": false}}',
    '[{"a": 1}, {"c": 1}]',
    '[{"b": 1}, {"a": 1, "b": 1}]',
  },
  {
    "draft 7: dependencies with an empty list",
    '{"dependencies": {"a": []}}',
    '[{"a": 1}, {"c": 1}, 5]',
    "[]",
  },
  { "draft 4: 1.0 is an integer", '{"type": "integer"}', "[1, 1.0]", '[1.5, "1"]' },
  {
    "draft 4: id says nothing of an enumeration",
    '{"enum": [{"id": "http://h.example/a", "type": "null"}]}',
    '[{"id": "http://h.example/a", "type": "null"}]',
    "[null, 5]",
  },
  {
    "draft 4: definitions",
    '{"definitions": {"n": {"minimum": 1}}, "allOf": [{"$ref": '
      .. '"#/paths/~1x/post/requestBody/content/application~1json/schema/properties/v/'
      .. 'definitions/n"}]}',
    '[1, "x"]',
    "[0]",
  },
  { "draft 4: exclusiveMaximum", '{"maximum": 3, "exclusiveMaximum": true}', "[2.5]", "[3, 4]" },
  { "draft 4: exclusiveMinimum", '{"minimum": 3, "exclusiveMinimum": true}', "[3.5]", "[3]" },
  {
    "draft 4: exclusiveMaximum false",
    '{"maximum": 3, "exclusiveMaximum": false}',
    "[3]",
    "[3.5]",
  },
  {
    "dependentSchemas",
    '{"dependentSchemas": {"a": {"properties": {"b": {"type": "integer"}}}, "__proto__": false}}',
    '[{"a": 1, "b": 1}, {"b": "x"}]',
    '[{"a": 1, "b": "x"}, {"__proto__": 1}]',
  },
  {
    "unevaluatedItems",
    '{"prefixItems": [{}], "anyOf": [{"contains": {"const": 7}}, {"const": 8}], '
      .. '"unevaluatedItems": {"type": "string"}}',
    '[[1, 7, "x"], [1, "x", 7]]',
    "[[1, 7, 2]]",
  },
  {
    "unevaluatedItems false",
    '{"allOf": [{"prefixItems": [true, true]}], "unevaluatedItems": false}',
    "[[1, 2], 5]",
    "[[1, 2, 3]]",
  },
  {
    "unevaluatedItems of a cousin",
    '{"allOf": [{"prefixItems": [true]}, {"unevaluatedItems": false}]}',
    '["x"]',
    "[[1]]",
  },
  {
    "recursion",
    '{"type": "object", "properties": {"next": {"$ref": '
      .. '"#/paths/~1x/post/requestBody/content/application~1json/schema/properties/v"}}, '
      .. '"additionalProperties": false}',
    '[{"next": {"next": {"next": {}}}}]',
    '[{"next": {"next": {"nxt": 1}}}]',
  },
  {
    "pointers with escapes",
    '{"$defs": {"a~b/c%d\\"e": {"type": "integer"}}, "items": {"$ref": '
      .. '"#/paths/~1x/post/requestBody/content/application~1json/schema/properties/v/$defs/'
      .. 'a~0b~1c%25d%22e"}}',
    "[[1]]",
    '[["x"]]',
  },
  {
    "names of Lua and JavaScript",
    '{"properties": {"end": {"type": "integer"}, "__proto__": {"type": "integer"}, "": {"type": '
      .. '"integer"}, "$ref": {"type": "integer"}}, "required": ["constructor"]}',
    '[{"constructor": 1, "end": 1, "": 1, "$ref": 1}]',
    '[{"end": 1}, {"constructor": 1, "end": "x"}, {"constructor": 1, "__proto__": "x"}, '
      .. '{"constructor": 1, "": "x"}, {"constructor": 1, "$ref": "x"}]',
  },
  {
    "uniqueItems counts the elements of the list, not those of the last list in it",
    '{"items": {"type": "array"}, "uniqueItems": true}',
    "[[[1], [2]], [[1, 2, 3], [4]]]",
    "[[[1], [2], [1]]]",
  },
  {
    "the type of an object is judged after that of a list in it",
    '{"properties": {"a": {"type": "array"}}, "not": {"type": "array"}}',
    '[{"a": [1]}]',
    "[[1]]",
  },
  { "$dynamicRef refuses nothing", '{"$dynamicRef": "#a", "minimum": 2}', '[5, "x"]', "[1]" },
  {
    "not with $dynamicRef refuses nothing",
    '{"not": {"$dynamicRef": "#a"}}',
    '[5, "x", {"a": 1}]',
    "[]",
  },
  {
    "oneOf with $dynamicRef takes what fits another schema, too",
    '{"oneOf": [{"type": "integer"}, {"$dynamicRef": "#a"}]}',
    "[1, true]",
    "[]",
  },
  {
    "if with $dynamicRef takes what fits either branch",
    '{"if": {"$dynamicRef": "#a"}, "then": {"minimum": 5}, "else": {"maximum": 2}}',
    "[1, 7]",
    "[3]",
  },
  {
    "$dynamicRef may have judged all names",
    '{"properties": {"a": {"type": "integer"}}, "allOf": [{"$dynamicRef": "#a"}], '
      .. '"unevaluatedProperties": false}',
    '[{"a": 1}, {"a": 1, "b": 2}]',
    '[{"a": "x"}]',
  },
  {
    "$recursiveRef may have judged all elements",
    '{"$recursiveRef": "#", "unevaluatedItems": false}',
    "[[1, 2], 5]",
    "[]",
  },
  { "null bytes", '{"enum": ["a\\u0000b"], "maxLength": 3}', '["a\\u0000b"]', '["a", "ab"]' },
  {
    "multiples of fractions",
    '{"multipleOf": 0.01}',
    "[19.99, 0.07, 1e308, 0, -4.35]",
    "[0.001, 19.995]",
  },
  {
    "large numbers",
    '{"type": "integer", "maximum": 1e300}',
    "[12345678910111213141516171819202122, 1.0]",
    "[1e301, 0.5]",
  },
  { "if without then", '{"if": {"const": 1}, "else": {"const": 2}}', "[1, 2]", "[3]" },
  { "then without if", '{"then": false, "else": false}', "[1]", "[]" },
  { "format says nothing", '{"format": "email"}', '["x"]', "[]" },
  {
    "format in not and oneOf refuses nothing",
    '{"not": {"type": "string", "format": "date"}, "oneOf": [{"type": "string", "format": '
      .. '"date"}, {"format": "time"}]}',
    '["x"]',
    "[]",
  },
  {
    "allOf of types that exclude each other",
    '{"allOf": [{"type": "string"}, {"type": "integer"}]}',
    "[]",
    '["x", 1]',
  },
  {
    "additionalProperties beside allOf",
    '{"allOf": [{"properties": {"a": {}}}], "additionalProperties": {"type": "boolean"}}',
    '[{"a": true}]',
    '[{"a": 1}]',
  },
  { "several multiples", '{"allOf": [{"multipleOf": 2}, {"multipleOf": 3}]}', "[6]", "[2, 3]" },
  {
    "minContains 0",
    '{"contains": {"const": 1}, "minContains": 0, "maxContains": 1}',
    "[[2], [1]]",
    "[[1, 1]]",
  },
  {
    "uniqueItems",
    '{"uniqueItems": true}',
    '[[1, true, "1", {"a": 1}, {"a": true}]]',
    '[[{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}]]',
  },
  {
    "without a type any other passes",
    '{"properties": {"a": false}, "items": false, "minLength": 9, "minimum": 9}',
    '[10, true, null, {"b": 1}]',
    '[{"a": 1}, [1], "x", 1]',
  },
}

describe("keywords:", function()
  for _, row in ipairs(ROWS) do
    local title, schema, valid, invalid = row[1], row[2], row[3], row[4]
    it(title, function()
      local check = check_of(json.decode(schema))
      for position, value in ipairs(json.decode(valid)) do
        local is_valid, message = check(value)
        assert.is_true(is_valid, ("value %d: %s"):format(position, tostring(message)))
      end
      for position, value in ipairs(json.decode(invalid)) do
        assert.is_false((check(value)), ("value %d passes"):format(position))
      end
    end)
  end

  it("what stands beside a $ref holds from OpenAPI 3.1 on", function()
    for version, is_refused in pairs { ["3.1.0"] = true, ["3.0.3"] = false } do
      local schemas = { S = { type = "string" } }
      local root = { openapi = version, components = { schemas = schemas } }
      local check = check_of({ ["$ref"] = "#/components/schemas/S", maxLength = 1 }, root)
      assert.is_true(check "a")
      assert.equal(not is_refused, (check "ab"))
      assert.is_false((check(5)))
    end
  end)

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

  it("alternatives of a form take a text in the place of a table", function()
    local deep = { type = "object", properties = { a = { type = "integer" } } }
    for _, keyword in ipairs { "anyOf", "oneOf" } do
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
      assert.same({ true }, { pcall(rules.check, "POST /x", { deep = '{"a":1}' }) }, keyword)
      assert.is_false((pcall(rules.check, "POST /x", { deep = 1 })), keyword)
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
  local patterns = require "endpoint.checks.patterns"
  local ecma = require "endpoint.checks.ecma"

  it("are ECMA-262, in the words of PCRE", function()
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
      assert.equal(written, ecma.to_pcre(pattern))
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
      assert.is_nil(ecma.to_pcre(pattern), pattern)
    end
  end)

  if not patterns.are_known() then
    pending "of a stranger end after some steps: there is neither ngx.re nor lrexlib"
  else
    it("of a stranger end after some steps, and such a string is refused", function()
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

  it("that nobody can read, and formats, are told by left_out", function()
    local root = { openapi = "3.1.0" }
    check_of({ type = "string", pattern = "a", format = "date", ["$dynamicRef"] = "#a" }, root)
    local made = types.generate(root, "api", { checks = true })
    local rules = (loadstring or load)(made.files[#made.files - 1].text)()
    local are_known = patterns.are_known
    function patterns.are_known()
      return false
    end
    local sentences = rules.left_out()
    patterns.are_known = are_known
    assert.same({
      "pattern is not judged: there is neither ngx.re nor lrexlib (rex_pcre2)",
      "format is not judged",
      "$dynamicRef is not judged",
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

describe("discriminator:", function()
  local function ref(name)
    return { ["$ref"] = "#/components/schemas/" .. name }
  end
  local function kind(name, property, is_required)
    local made =
      { type = "object", required = { "type" }, properties = { type = { type = "string" } } }
    made.properties[property] = { type = "integer" }
    made.required[2] = is_required and property or nil
    return made, name
  end

  it("beside oneOf names the schema, by mapping or by name", function()
    for _, mapping in ipairs { { cat = "#/components/schemas/Cat", dog = "Dog" }, json.null } do
      local names = mapping == json.null and { "Cat", "Dog" } or { "cat", "dog" }
      local check = check_of({
        oneOf = { ref "Cat", ref "Dog" },
        discriminator = {
          propertyName = "type",
          mapping = mapping ~= json.null and mapping or nil,
        },
      }, {
        openapi = "3.0.3",
        components = {
          schemas = { Cat = kind("Cat", "kittens", true), Dog = kind("Dog", "bark") },
        },
      }, { closed = true })
      assert.is_true(check { type = names[1], kittens = 1 })
      assert.is_true(check { type = names[2], bark = 1 })
      assert.same({ false, '"kittens" is missing in "data.v"' }, { check { type = names[1] } })
      local _, message = check { type = names[2], kittens = 1 }
      assert.truthy(message:find 'no parameter "kittens"', message)
      assert.same(
        { false, ('"data.v.type": expected %s or %s, got "fish"'):format(names[1], names[2]) },
        { check { type = "fish" } }
      )
    end
  end)

  it("in a base schema names those that take it in by allOf", function()
    local base = kind("Base", "name")
    base.discriminator = {
      propertyName = "type",
      mapping = { cat = "#/components/schemas/Cat" },
    }
    local schemas = {
      Base = base,
      Cat = {
        allOf = {
          ref "Base",
          { properties = { kittens = { type = "integer" } }, required = { "kittens" } },
        },
      },
      Dog = { allOf = { ref "Base", { properties = { bark = { type = "boolean" } } } } },
      Pug = { allOf = { ref "Dog", { properties = { snore = { type = "boolean" } } } } },
    }
    local function root()
      return { openapi = "3.0.3", components = { schemas = schemas } }
    end
    local check = check_of(ref "Base", root(), { closed = true })
    for _, value in ipairs {
      { type = "cat", name = 1, kittens = 1 },
      { type = "Dog", bark = true },
      { type = "Pug", bark = true, snore = true },
      { type = "Base", name = 1 },
    } do
      assert.same({ true }, { check(value) })
    end
    for _, value in ipairs {
      { type = "cat", name = 1 },
      { type = "Dog", kittens = 1 },
      { type = "Base", bark = true },
      { type = "fish" },
    } do
      assert.is_false((check(value)), json.encode(value))
    end
    -- From OpenAPI 3.1 on, words beside a $ref hold.
    local function short(name, property)
      return { ["$ref"] = "#/components/schemas/" .. name, properties = property }
    end
    local shortened = {
      openapi = "3.1.0",
      components = {
        schemas = {
          Base = base,
          Cat = short("Base", { kittens = { type = "integer" } }),
          Dog = short("Base", { bark = { type = "boolean" } }),
          Pug = short("Dog", { snore = { type = "boolean" } }),
        },
      },
    }
    check = check_of(ref "Base", shortened, { closed = true })
    for _, value in ipairs {
      { type = "cat", name = 1, kittens = 1 },
      { type = "Dog", bark = true },
      { type = "Pug", bark = true, snore = true },
    } do
      assert.same({ true }, { check(value) })
    end
    for _, value in ipairs { { type = "cat", bark = true }, { type = "Dog", snore = true } } do
      assert.is_false((check(value)), json.encode(value))
    end
    local dogs = check_of(ref "Dog", root(), { closed = true })
    assert.is_true(dogs { type = "Pug", snore = true })
    assert.same({ true }, { dogs { type = "Dog", bark = true } })
    assert.is_false((dogs { type = "Dog", snore = true }))
    local wrapped = check_of({ allOf = { ref "Base" } }, root(), { closed = true })
    assert.same({ true }, { wrapped { type = "cat", kittens = 1 } })
  end)
end)
