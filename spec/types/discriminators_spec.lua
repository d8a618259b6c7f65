-- The editor's definitions of schemas that a value chooses from by `discriminator`, and of what
-- is beside types.
package.path = "src/?.lua;" .. package.path
local definitions = require "types.definitions"
local types = require "endpoint.types"

local TEXT, WHOLE, TRUTH = { type = "string" }, { type = "integer" }, { type = "boolean" }

local function ref(name)
  return { ["$ref"] = "#/components/schemas/" .. name }
end

local function object(properties, required)
  return { type = "object", properties = properties, required = required }
end

-- A schema that takes in another of that name.
local function heir(name, properties, required)
  return { allOf = { ref(name), object(properties, required) } }
end

local function base(discriminator)
  local made = object({ kind = TEXT, name = TEXT }, { "kind" })
  made.discriminator = discriminator or { propertyName = "kind" }
  return made
end

-- Base <- Cat, Dog; Dog <- Pug. changes: schemas that take the place of others.
local function animals(changes)
  local schemas = {
    Base = base(),
    Cat = heir("Base", { kittens = WHOLE, size = WHOLE }, { "kittens" }),
    Dog = heir("Base", { bark = TRUTH, size = TEXT }),
    Pug = heir("Dog", { snore = TRUTH }),
  }
  for name, schema in pairs(changes or {}) do
    schemas[name] = schema
  end
  return schemas
end

local function content(schema)
  return { required = true, content = { ["application/json"] = { schema = schema } } }
end

-- The definitions of a document whose body and answer have a schema.
local function read(schema, schemas, version)
  local made = types.generate({
    openapi = version or "3.0.3",
    servers = { { url = "https://h.example" } },
    paths = {
      ["/x"] = {
        post = {
          operationId = "send",
          requestBody = content(schema),
          responses = { ["200"] = content(schema) },
        },
      },
    },
    components = { schemas = schemas },
  }, "api", { responses = true })
  return definitions.read(made.files)
end

-- The fields of a class, sorted: those that lines of the definitions have.
local function fields(found, name)
  local class, lines = found.classes[name], {}
  assert(class, name)
  for _, field in ipairs(class) do
    lines[#lines + 1] = field.line
  end
  table.sort(lines)
  return lines
end

local KINDS = '"Base"|"Cat"|"Dog"|"Pug"'

-- The lines of Base and all that take it in.
local function all_fields(kinds, kind_is_optional)
  return {
    "bark? boolean",
    ("kind%s %s"):format(kind_is_optional and "?" or "", kinds),
    "kittens? integer",
    "name? string",
    "size? integer|string",
    "snore? boolean",
  }
end

describe("the editor's definitions: a discriminator", function()
  it("lets a body have the properties of all that take in its base, as optional fields", function()
    local found = read(ref "Base", animals())
    assert.same(all_fields(KINDS), fields(found, "api.send.body"))
    assert.equal("api.Closed", found.classes["api.send.data"].parents:match "api%.Closed")
  end)

  for how, pet in pairs {
    ["by a reference"] = ref "Base",
    ["by allOf without a name"] = { description = "a pet", allOf = { ref "Base" } },
  } do
    it("lets an object in a body have them, too, " .. how, function()
      local found = read(object { pet = pet }, animals())
      local class = found.classes["api.send.body"][1].type[1].name
      assert.same(all_fields(KINDS), fields(found, class))
      assert.equal("api.Closed", found.classes[class].parents)
    end)
  end

  it("lets the elements of a list have them", function()
    local found = read(object { pets = { type = "array", items = ref "Base" } }, animals())
    assert.equal("pets? api.body.Base[]", fields(found, "api.send.body")[1])
    assert.same(all_fields(KINDS), fields(found, "api.body.Base"))
  end)

  it("lets an answer have them", function()
    assert.same(all_fields(KINDS), fields(read(ref "Base", animals()), "api.response.Base"))
  end)

  it("lets one that takes in the base have what it has itself, and all that take it in", function()
    local found = read(object { cat = ref "Cat", dog = ref "Dog" }, animals())
    assert.same(
      { "kind string", "kittens integer", "name? string", "size? integer" },
      fields(found, "api.body.Cat")
    )
    assert.same(
      { "bark? boolean", 'kind "Dog"|"Pug"', "name? string", "size? string", "snore? boolean" },
      fields(found, "api.body.Dog")
    )
  end)

  it(
    "knows one that takes in its base by a $ref with words beside it, from OpenAPI 3.1 on",
    function()
      local function short(name, properties)
        local made = object(properties)
        made["$ref"] = ref(name)["$ref"]
        return made
      end
      local schemas = {
        Base = base(),
        Dog = short("Base", { bark = TRUTH, size = TEXT }),
        Pug = short("Dog", { snore = TRUTH }),
      }
      local found = read(object { base = ref "Base", dog = ref "Dog" }, schemas, "3.1.0")
      assert.same({
        "bark? boolean",
        'kind "Base"|"Dog"|"Pug"',
        "name? string",
        "size? string",
        "snore? boolean",
      }, fields(found, "api.body.Base"))
      assert.same(
        { "bark? boolean", 'kind "Dog"|"Pug"', "name? string", "size? string", "snore? boolean" },
        fields(found, "api.body.Dog")
      )
    end
  )

  for how, cat in pairs { ["names"] = "Cat", ["references"] = "#/components/schemas/Cat" } do
    it("lists the words of a mapping, which leads to " .. how, function()
      local schemas = animals {
        Base = base { propertyName = "kind", mapping = { cat = cat, tom = cat } },
      }
      local found = read(ref "Base", schemas)
      assert.same(all_fields '"Base"|"Dog"|"Pug"|"cat"|"tom"', fields(found, "api.send.body"))
    end)
  end

  it("lists the words that schemas say themselves", function()
    local cat = heir("Base", { kind = { type = "string", enum = { "cat" } } })
    local dog = heir("Base", {})
    dog["x-ms-discriminator-value"] = "dog"
    local found = read(ref "Base", { Base = base(), Cat = cat, Dog = dog })
    assert.same({ 'kind "Base"|"cat"|"dog"', "name? string" }, fields(found, "api.send.body"))
  end)

  it("does not list words for a property that is not a string", function()
    local whole = base()
    whole.properties.kind = WHOLE
    local found = read(ref "Base", animals { Base = whole })
    assert.same(all_fields "integer", fields(found, "api.send.body"))
  end)

  it("is its property's name in Swagger 2.0", function()
    local function named(name)
      return { ["$ref"] = "#/definitions/" .. name }
    end
    local made = types.generate({
      swagger = "2.0",
      host = "h.example",
      paths = {
        ["/x"] = {
          post = {
            operationId = "send",
            parameters = { { name = "b", ["in"] = "body", schema = named "Base" } },
          },
        },
      },
      definitions = {
        Base = base "kind",
        Cat = { allOf = { named "Base", object { kittens = WHOLE } } },
      },
    }, "api")
    assert.same(
      { 'kind "Base"|"Cat"', "kittens? integer", "name? string" },
      fields(definitions.read(made.files), "api.send.body")
    )
  end)

  for _, keyword in ipairs { "oneOf", "anyOf" } do
    for _, row in ipairs {
      {
        how = "by mapping",
        mapping = { cat = "Cat", dog = "#/components/schemas/Dog" },
        kind = 'kind "cat"|"dog"',
      },
      { how = "by name", kind = 'kind "Cat"|"Dog"' },
    } do
      local title =
        "beside %s lists the words of the alternatives, whose properties all are known, "

      it(title:format(keyword) .. row.how, function()
        local body = {
          [keyword] = { ref "Cat", ref "Dog" },
          discriminator = { propertyName = "kind", mapping = row.mapping },
        }
        local found = read(body, {
          Cat = object({ kind = TEXT, kittens = WHOLE }, { "kind", "kittens" }),
          Dog = object({ kind = TEXT, bark = TRUTH }, { "kind" }),
        })
        local expected = { "bark? boolean", row.kind, "kittens? integer" }
        assert.same(expected, fields(found, "api.send.body"))
      end)
    end
  end

  it("beside oneOf lets each alternative that is a base have what takes it in", function()
    local found = read({ oneOf = { ref "Base", ref "Other" } }, {
      Base = base(),
      Cat = heir("Base", { kittens = WHOLE }),
      Other = object { other = TRUTH },
    })
    assert.same(
      { 'kind? "Base"|"Cat"', "kittens? integer", "name? string", "other? boolean" },
      fields(found, "api.send.body")
    )
  end)

  it("of a base that lists its heirs by oneOf ends", function()
    local circle = base()
    circle.oneOf = { ref "Cat", ref "Dog" }
    local found = read(ref "Base", animals { Base = circle })
    assert.same({
      "bark? boolean",
      'kind "Cat"|"Dog"',
      "kittens? integer",
      "name? string",
      "size? integer|string",
    }, fields(found, "api.send.body"))
  end)

  it("opens an object where one that takes it in is open", function()
    local cat = heir("Base", { kittens = WHOLE })
    cat.allOf[2].additionalProperties = WHOLE
    local found = read(object { pet = ref "Base" }, { Base = base(), Cat = cat })
    assert.equal("", found.classes["api.body.Base"].parents)
  end)

  it("says nothing of schemas that take each other in without one", function()
    local plain = object({ kind = TEXT }, { "kind" })
    local found = read(ref "Base", animals { Base = plain })
    assert.same({ "kind string" }, fields(found, "api.send.body"))
  end)

  it("may not cost more than the document's size, again and again", function()
    local schemas = { Base1 = base() }
    for number = 2, 60 do
      schemas["Base" .. number] = { allOf = {} }
      for other = 1, number - 1 do
        table.insert(schemas["Base" .. number].allOf, ref("Base" .. other))
      end
    end
    for number = 1, 1000 do
      schemas["Heir" .. number] = heir("Base60", { ["p" .. number] = TEXT })
    end
    local properties = {}
    for number = 1, 60 do
      properties["p" .. number] = ref("Base" .. number)
    end
    local is_made, problem = pcall(read, object(properties), schemas)
    assert.is_false(is_made)
    assert.truthy(problem:find("the document says the same so often", 1, true), problem)
  end)
end)

-- Schemas of the property v, and its field.
local BESIDE = {
  {
    what = "null beside other types is one of them",
    version = "3.1.0",
    schema = { type = { "string", "integer", "null" } },
    field = "v? string|integer|endpoint.Null",
  },
  {
    what = "null in an enumeration is one of its values",
    version = "3.1.0",
    schema = { enum = { "a", require("cjson").null } },
    field = 'v? "a"|endpoint.Null',
  },
  {
    what = "nullable beside an allOf of a $ref lets null in",
    version = "3.0.3",
    schema = { nullable = true, allOf = { ref "Named" } },
    field = "v? api.body.Named|endpoint.Null",
  },
  {
    what = "nullable where the $ref leads lets null in",
    version = "3.0.3",
    schema = ref "Nullable",
    field = "v? api.body.Nullable|endpoint.Null",
  },
}

-- What may be beside an allOf of one $ref, so that the value has the class of that.
for keyword, value in pairs {
  title = "A",
  default = { a = "x" },
  example = { a = "x" },
  examples = { { a = "x" } },
  externalDocs = { url = "https://h.example" },
  readOnly = false,
  writeOnly = true,
  ["x-a"] = { "x" },
} do
  BESIDE[#BESIDE + 1] = {
    what = keyword .. " beside an allOf of a $ref makes no other class",
    version = "3.1.0",
    schema = { [keyword] = value, allOf = { ref "Named" } },
    field = "v? api.body.Named",
  }
end

describe("the editor's definitions:", function()
  for _, row in ipairs(BESIDE) do
    it(row.what, function()
      local nullable = object { a = TEXT }
      nullable.nullable = true
      local schemas = { Named = object { a = TEXT }, Nullable = nullable }
      local found = read(object { v = row.schema }, schemas, row.version)
      assert.same({ row.field }, fields(found, "api.send.body"))
    end)
  end

  it("a required beside allOf asks for what its parts name", function()
    local body = { required = { "b" }, allOf = { ref "A", object { b = WHOLE } } }
    local found = read(body, { A = object({ a = TEXT, c = TEXT }, { "a" }) })
    assert.same({ "a string", "b integer", "c? string" }, fields(found, "api.send.body"))
  end)

  it("additionalProperties beside properties let other names in, of its type", function()
    local body = object { a = TEXT }
    body.additionalProperties = WHOLE
    local found = read(object { v = body }, {})
    assert.same({ "a? string" }, fields(found, "api.send.v"))
    assert.equal("integer", found.classes["api.send.v"].others)
  end)
end)
