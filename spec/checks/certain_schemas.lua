-- A document with a schema for each thing that the fast way of the rules knows, and for some that
-- it does not.
local function text(more)
  local schema = { type = "string" }
  for keyword, value in pairs(more or {}) do
    schema[keyword] = value
  end
  return schema
end

local function object(properties, required, more)
  local schema = { type = "object", properties = properties, required = required }
  for keyword, value in pairs(more or {}) do
    schema[keyword] = value
  end
  return schema
end

local function kind(word, properties, required)
  properties.kind = text { enum = { word } }
  table.insert(required, "kind")
  return object(properties, required, { additionalProperties = false })
end

local function ref(name)
  return { ["$ref"] = "#/components/schemas/" .. name }
end

local INTEGER, BOOLEAN = { type = "integer" }, { type = "boolean" }

local many = {}
for position = 1, 30 do
  many["p" .. position] = ({ text(), INTEGER, BOOLEAN, ref "Tree" })[position % 4 + 1]
end

-- Names that would be code, were they not quoted.
local HOSTILE = {
  '"] os.exit(3) --',
  "]] os.exit(3) --",
  "end end os.exit(3) --",
  "%d%s%q",
  "\n os.exit(3)",
  "\\",
  "\0",
  "nil",
  "\195\164",
}
local hostile = {}
for _, name in ipairs(HOSTILE) do
  hostile[name] = text { enum = { name, name .. name } }
end

local SCHEMAS = {
  Fields = object({
    a = text { minLength = 1, maxLength = 5 },
    b = { type = "integer", minimum = 0, maximum = 10 },
    c = { type = "number", exclusiveMinimum = 0, exclusiveMaximum = 9.5 },
    d = BOOLEAN,
    e = text { enum = { "x", "y" } },
    f = text { minLength = 3, format = "date" },
  }, { "a", "b" }),
  Nested = object({
    list = { type = "array", items = ref "Fields", minItems = 1, maxItems = 3 },
    map = { type = "object", additionalProperties = text() },
    any = {},
    free = { type = "object" },
    deep = object { a = object { b = object { c = object { d = { type = "array" } } } } },
  }, { "list" }),
  Union = {
    anyOf = {
      kind("a", { x = text() }, { "x" }),
      kind("b", { y = INTEGER, x = text() }, { "y" }),
      kind("c", { z = ref "Tree" }, {}),
    },
  },
  One = object {
    v = { oneOf = { text { minLength = 2 }, INTEGER, ref "Fields", { type = "null" } } },
    w = { oneOf = { object({ a = text() }, { "a" }), object({ b = text() }, { "b" }) } },
    u = { anyOf = { text { pattern = "^[a-z]+$" }, { type = "array", items = INTEGER } } },
  },
  All = {
    allOf = { object({ a = text() }, { "a" }), { anyOf = { object { b = text() }, ref "Tree" } } },
  },
  Tree = object { value = {}, left = ref "Tree", right = ref "Tree", a = ref "Tree" },
  Expression = {
    oneOf = {
      object({ left = ref "Expression", right = ref "Expression" }, { "left" }),
      object({ left = ref "Expression", op = text() }, { "left", "op" }),
      INTEGER,
    },
  },
  Pet = {
    type = "object",
    properties = { type = text(), name = text() },
    required = { "type" },
    discriminator = { propertyName = "type", mapping = { cat = "#/components/schemas/Cat" } },
    oneOf = { ref "Cat", ref "Dog" },
  },
  Cat = object({ type = text(), lives = INTEGER }, { "type" }),
  Dog = object({ type = text(), bark = BOOLEAN }, { "type", "bark" }),
  Many = object(many, { "p1" }),
  Mixed = object {
    n = { type = { "string", "null", "integer" }, enum = { "a", 1 } },
    m = { type = { "array", "object" } },
    o = { enum = { 1, "a", true, { 1 } } },
    q = { type = { "object", "null" }, properties = { a = text() } },
    r = { items = text() },
    s = { minimum = 3, minLength = 2, required = { "a" } },
    t = { type = "object", minProperties = 1, maxProperties = 2 },
  },
  Rest = object {
    a = { type = "array", uniqueItems = true },
    b = { ["not"] = text() },
    c = { type = "number", multipleOf = 0.1 },
    d = { type = "array", prefixItems = { text() }, contains = INTEGER },
    e = { type = "object", patternProperties = { ["^x"] = INTEGER }, propertyNames = text() },
    f = { type = "object", dependentRequired = { a = { "b" } } },
    g = { ["if"] = text(), ["then"] = { minLength = 2 } },
  },
  Patterns = object {
    a = text { pattern = "^[a-z]{2,4}$" },
    b = text { pattern = "^\\S+$" },
    c = text { pattern = "(a|b)+" },
    d = text { pattern = "^$|^a" },
  },
  Hostile = object(hostile, { HOSTILE[1] }),
  Either = { anyOf = { object({ a = text() }, { "a" }), { type = "array", items = text() } } },
  Never = object { a = false, b = object { c = false }, d = { items = false } },
  Closed = object({ a = text() }, nil, { additionalProperties = false }),
  Free = object({ a = text() }, nil, { additionalProperties = INTEGER }),
  List = { type = "array", items = ref "Union" },
}

local paths = {}
for name, schema in pairs(SCHEMAS) do
  paths["/" .. name] = {
    post = {
      requestBody = {
        required = name < "F",
        content = { ["application/json"] = { schema = ref(name) } },
      },
    },
  }
  paths["/" .. name .. "/{id}"] = {
    put = {
      parameters = {
        { name = "id", ["in"] = "path", required = true, schema = INTEGER },
        { name = "page", ["in"] = "query", schema = INTEGER },
        { name = "tags", ["in"] = "query", schema = { type = "array", items = text() } },
        { name = "x-mark", ["in"] = "header", schema = INTEGER },
      },
      requestBody = { content = { ["application/json"] = { schema = ref(name) } } },
    },
    get = {
      parameters = {
        { name = "id", ["in"] = "path", required = true, schema = text() },
        { name = "v", ["in"] = "query", explode = true, schema = schema },
      },
    },
  }
end

return {
  openapi = "3.1.0",
  servers = { { url = "https://api.example" } },
  paths = paths,
  components = { schemas = SCHEMAS },
}
