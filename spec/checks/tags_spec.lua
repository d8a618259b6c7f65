-- SPDX-License-Identifier: MIT
-- Tags: the property of an object that says which of several schemas is meant.
package.path = "src/?.lua;" .. package.path
local endpoint = require "endpoint"
local support = require "support"
local types = require "endpoint.types"
local null = endpoint.null

local TEXT, WHOLE = { type = "string" }, { type = "integer" }

local function ref(name)
  return { ["$ref"] = "#/components/schemas/" .. name }
end

-- An object that must have the properties.
local function object(properties)
  return { type = "object", properties = properties, required = support.keys(properties) }
end

local SCHEMAS = {
  Text = object { type = { const = "text" }, text = TEXT },
  Link = object { type = { enum = { "link", "url" } }, href = TEXT },
  Item = { oneOf = { ref "A", ref "B" }, discriminator = { propertyName = "type" } },
  A = object { type = { const = "a" }, a = TEXT },
  B = object { type = { const = "b" }, b = TEXT },
  Ref = object { type = { anyOf = { { enum = { "ref" } }, { type = "null" } } }, id = TEXT },
  Button = object { type = { const = 2 }, style = { enum = { 1, 2 } } },
  Row = object { type = { const = 1 }, parts = { type = "array", items = ref "Button" } },
  Easy = {
    type = "object",
    required = { "text" },
    properties = { type = { const = "easy" }, text = TEXT, n = WHOLE },
  },
  Yes = object { is_on = { const = true }, since = TEXT },
  No = object { is_on = { const = false } },
  Self = { oneOf = { ref "Self", ref "A", ref "B" } },
  Pet = {
    type = "object",
    properties = { kind = TEXT },
    required = { "kind" },
    oneOf = { ref "Cat", ref "Dog" },
  },
  Cat = { allOf = { ref "Pet", { type = "object", properties = { claws = WHOLE } } } },
  Dog = { allOf = { ref "Pet", { type = "object", properties = { bark = TEXT } } } },
}

-- The rules of a body with the property v; and the text of its tag.
local function rules_of(schema, open, without_tags)
  local body = { type = "object", properties = { v = schema } }
  local content = { ["application/json"] = { schema = body } }
  local made = types.generate({
    openapi = "3.1.0",
    components = { schemas = SCHEMAS },
    paths = { ["/x"] = { post = { operationId = "x", requestBody = { content = content } } } },
  }, "api", { checks = true, open = open })
  local written = made.files[#made.files - 1].text
  if without_tags then
    written = written:gsub("tag=%b{}", "")
  end
  return (loadstring or load)(written)(), written:match ".*(tag=%b{})"
end

local function problem_of(rules, value)
  local fits, message = pcall(rules.check, "POST /x", { data = { v = value } })
  return not fits and message:match "POST /x: (.*)" or nil
end

local ALL = { oneOf = { ref "Text", ref "Item", ref "Ref" } }

describe("a tag is", function()
  for _, row in ipairs {
    {
      what = "a required property with constants in all schemas",
      schema = { anyOf = { ref "Text", ref "Link" } },
      tag = 'tag={of="anyOf",property="type",values={link=2,text=1,url=2},is_proven=true}',
    },
    {
      what = "proven through a union in a union, with null in its values",
      schema = ALL,
      tag = 'tag={of="anyOf",property="type",values={a=2,b=2,ref=3,text=1},is_proven=true}',
    },
    {
      what = "a number",
      schema = { anyOf = { ref "Button", ref "Row" } },
      tag = 'tag={of="anyOf",property="type",values={[1]=2,[2]=1},is_proven=true}',
    },
    {
      what = "true or false",
      schema = { anyOf = { ref "Yes", ref "No" } },
      tag = 'tag={of="anyOf",property="is_on",values={[true]=1,[false]=2},is_proven=true}',
    },
    {
      what = "of the objects among other values",
      schema = { anyOf = { TEXT, ref "Text", ref "Link" } },
      tag = 'tag={of="anyOf",property="type",values={link=3,text=2,url=3},is_proven=true}',
    },
    {
      what = "not proven where one schema does not require it",
      schema = { anyOf = { ref "Text", ref "Easy" } },
      tag = 'tag={of="anyOf",property="type",values={easy=2,text=1}}',
    },
    {
      what = "found in the first of a union that is the first schema",
      schema = { anyOf = { ref "Item", ref "Text" } },
      tag = 'tag={of="anyOf",property="type",values={a=1,b=1,text=2},is_proven=true}',
    },
    { what = "not one object alone", schema = { anyOf = { ref "Text", { type = "null" } } } },
    {
      what = "not one object alone that has several values",
      schema = { anyOf = { ref "Link", { type = "null" } } },
    },
    { what = "not there where one schema takes any", schema = { anyOf = { ref "Text", {} } } },
    {
      what = "not there where one schema has it of any value",
      schema = { anyOf = { ref "Text", object { type = TEXT } } },
    },
  } do
    it(row.what, function()
      local _, tag = rules_of(row.schema)
      assert.equal(row.tag, tag)
    end)
  end
end)

describe("of an object that fits no schema the problem is told", function()
  for _, row in ipairs {
    {
      what = "of the schema that its tag means",
      value = { type = "b", a = "x" },
      problem = '"b" is missing in "data.v"',
    },
    {
      what = "of a value that no schema has",
      value = { type = "fish" },
      problem = '"data.v.type": expected a, b, ref or text, got "fish"',
    },
    {
      what = "of a value that is a table",
      value = { type = {} },
      problem = '"data.v.type": expected a, b, ref or text, got a table',
    },
    {
      what = "of no value",
      value = { text = "x" },
      problem = '"type" is missing in "data.v"',
    },
    {
      what = "of the schema that a tag means which it need not have",
      schema = { anyOf = { ref "Text", ref "Easy" } },
      value = { type = "easy", text = "x", n = "one" },
      problem = '"data.v.n": expected an integer, got a string',
    },
    {
      what = "of a number that is wrong below",
      schema = { anyOf = { ref "Button", ref "Row" } },
      value = { type = 1, parts = { { type = 2, style = 9 } } },
      problem = '"data.v.parts[1].style": expected 1 or 2, got 9',
    },
  } do
    it(row.what, function()
      assert.equal(row.problem, problem_of(rules_of(row.schema or ALL), row.value))
    end)
  end
end)

describe("of a model's call the problem is told of the schema that a tag means", function()
  for _, row in ipairs {
    { value = { type = "b", a = "x" }, problem = '"b" is missing in "v"' },
    { value = { type = "fish" }, problem = '"v.type": expected a, b, ref or text, got "fish"' },
    { value = { text = "x" }, problem = '"type" is missing in "v"' },
  } do
    it(row.problem, function()
      local rules = rules_of(ALL)
      local _, sentence = rules.call(function() end, "x", { v = row.value }, endpoint)
      assert.equal("x: " .. row.problem, sentence)
    end)
  end
end)

-- Values of all forms, right and wrong.
local VALUES = { "text", 1, true, null, {}, { "text" } }
local GIVEN = { "text", "link", "url", "a", "b", "ref", "easy", "fish", 1, 2, true, null }
for _, given in ipairs(GIVEN) do
  for _, more in ipairs {
    {},
    { text = "x" },
    { href = "x" },
    { a = "x" },
    { b = "x" },
    { id = "x" },
    { style = 2 },
    { text = 1, n = 1 },
    { parts = { { type = 2, style = 1 } } },
    { since = "x", is_on = given },
  } do
    local value = { type = given }
    for name, inner in pairs(more) do
      value[name] = inner
    end
    VALUES[#VALUES + 1] = value
    VALUES[#VALUES + 1] = more
  end
end

describe("a tag does not change the verdict:", function()
  for _, open in ipairs { false, true } do
    for _, keyword in ipairs { "oneOf", "anyOf" } do
      for _, names in ipairs {
        { "Text", "Link" },
        { "Text", "Item", "Ref" },
        { "Button", "Row" },
        { "Easy", "Text" },
        { "Yes", "No" },
        { "Item", "Item", "Text" },
        { "Self", "A" },
        { "Link", "Text", "Link" },
      } do
        local title = ("%s of %s, %s"):format(
          keyword,
          table.concat(names, ", "),
          open and "open" or "closed"
        )
        it(title, function()
          local schema = { [keyword] = {}, discriminator = { propertyName = "type" } }
          for position, name in ipairs(names) do
            schema[keyword][position] = ref(name)
          end
          local with, without = rules_of(schema, open), rules_of(schema, open, true)
          for _, value in ipairs(VALUES) do
            assert.equal(
              problem_of(without, value) == nil,
              problem_of(with, value) == nil,
              support.shown(value)
            )
          end
        end)
      end
    end
  end
end)

describe("a schema that is an alternative of the one that it includes by allOf", function()
  for _, open in ipairs { false, true } do
    it("is checked as itself and what it includes, " .. (open and "open" or "closed"), function()
      local rules = rules_of(ref "Cat", open)
      assert.is_nil(problem_of(rules, { kind = "cat", claws = 1 }))
      assert.equal(
        '"data.v.claws": expected an integer, got a string',
        problem_of(rules, {
          kind = "cat",
          claws = "x",
        })
      )
      assert.equal('"kind" is missing in "data.v"', problem_of(rules, { claws = 1 }))
    end)
  end
end)
