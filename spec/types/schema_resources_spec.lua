-- References by $id and $anchor, and $dynamicRef: JSON Schema 2020-12 Core, sections 8.2.1 to
-- 8.2.3.
package.path = "src/?.lua;" .. package.path
local types = require "endpoint.types"

-- Says whether a value fits the schema Value of a document with these schemas; and what was made of
-- the document. is_closed: are names that the document does not have refused?
local function check_of(schemas, is_closed, version)
  local body = {
    type = "object",
    properties = { v = { ["$ref"] = "#/components/schemas/Value" } },
  }
  local made = types.generate({
    openapi = version or "3.1.0",
    components = { schemas = schemas },
    paths = {
      ["/x"] = {
        post = { requestBody = { content = { ["application/json"] = { schema = body } } } },
      },
    },
  }, "api", { checks = true, open = not is_closed })
  local rules = (loadstring or load)(made.files[#made.files - 1].text)()
  return function(value)
    return pcall(rules.check, "POST /x", { data = { v = value } })
  end,
    made
end

local INTEGER, STRING = { type = "integer" }, { type = "string" }

local function ref(reference)
  return { ["$ref"] = reference }
end

-- Schemas of a document, in which Value must take an integer and no string.
local ROWS = {
  {
    what = "an absolute $id",
    schemas = {
      Value = ref "https://h.example/count",
      Count = { ["$id"] = "https://h.example/count", type = "integer" },
    },
  },
  {
    what = "an $id that is not the URL of anything",
    schemas = {
      Value = ref "urn:example:schemas:count",
      Count = { ["$id"] = "urn:example:schemas:count", type = "integer" },
    },
  },
  {
    what = "an $id with an empty fragment",
    schemas = {
      Value = ref "https://h.example/count",
      Count = { ["$id"] = "https://h.example/count#", type = "integer" },
    },
  },
  {
    what = "a relative $id, from the document",
    schemas = { Value = ref "count", Count = { ["$id"] = "count", type = "integer" } },
  },
  {
    what = "an $id that is relative to the one around it",
    schemas = {
      Value = ref "https://h.example/a/count.json",
      Tree = {
        ["$id"] = "https://h.example/a/tree.json",
        ["$defs"] = { count = { ["$id"] = "count.json", type = "integer" } },
      },
    },
  },
  {
    what = "a reference that is relative to the $id around it",
    schemas = {
      Value = { ["$id"] = "https://h.example/a/tree.json", allOf = { ref "../b/count.json" } },
      Count = { ["$id"] = "https://h.example/b/count.json", type = "integer" },
    },
  },
  {
    what = "a reference that is relative to the $id beside it",
    schemas = {
      Value = { ["$id"] = "https://h.example/a/", ["$ref"] = "count" },
      Count = { ["$id"] = "https://h.example/a/count", type = "integer" },
      Other = { ["$id"] = "https://h.example/count", type = "string" },
    },
  },
  {
    what = "a JSON pointer within an $id",
    schemas = {
      Value = ref "https://h.example/all#/$defs/a~1b%25c",
      All = { ["$id"] = "https://h.example/all", ["$defs"] = { ["a/b%c"] = INTEGER } },
    },
  },
  {
    what = "a JSON pointer that begins at the $id around it",
    schemas = {
      ["$defs"] = STRING,
      Value = {
        ["$id"] = "https://h.example/all",
        allOf = { ref "#/$defs/count" },
        ["$defs"] = { count = INTEGER },
      },
    },
  },
  {
    what = "a JSON pointer from the document, though there is an $id around it",
    schemas = {
      Value = { ["$id"] = "https://h.example/all", allOf = { ref "#/components/schemas/Count" } },
      Count = INTEGER,
    },
  },
  {
    what = "the schema itself, by #",
    schemas = {
      Value = {
        ["$id"] = "https://h.example/tree",
        type = { "integer", "array" },
        items = ref "#",
      },
    },
    valid = { 1, 2 },
    invalid = { 1, "x" },
  },
  {
    what = "an $anchor of the document",
    schemas = {
      Value = ref "#count",
      Names = { items = { ["$anchor"] = "count", type = "integer" } },
    },
  },
  {
    what = "an $anchor of a schema with an $id",
    schemas = {
      Value = ref "https://h.example/all#count",
      All = {
        ["$id"] = "https://h.example/all",
        ["$defs"] = { c = { ["$anchor"] = "count", type = "integer" } },
      },
      Other = { ["$anchor"] = "count", type = "string" },
    },
  },
  {
    what = "the $anchor of the schema with an $id around it, not that of the document",
    schemas = {
      Value = {
        ["$id"] = "https://h.example/all",
        allOf = { ref "#count" },
        ["$defs"] = { c = { ["$anchor"] = "count", type = "integer" } },
      },
      Other = { ["$anchor"] = "count", type = "string" },
    },
  },
  {
    what = "a $dynamicAnchor",
    schemas = { Value = ref "#count", Count = { ["$dynamicAnchor"] = "count", type = "integer" } },
  },
  {
    what = "the first of two schemas of a list with an $anchor",
    schemas = {
      Value = ref "#count",
      Pair = { prefixItems = { STRING, { ["$anchor"] = "count", type = "integer" } } },
    },
  },
  {
    what = "an $anchor below a name with characters that a JSON pointer and a URL encode",
    schemas = {
      Value = ref "#count",
      Names = {
        properties = { ["a/b%41~1c d"] = { ["$anchor"] = "count", type = "integer" } },
      },
    },
  },
  {
    what = "an $anchor that the reference writes percent-encoded",
    schemas = { Value = ref "#c%6Funt", Count = { ["$anchor"] = "count", type = "integer" } },
  },
  {
    what = "the first of several schemas with one $id",
    schemas = {
      Value = ref "https://h.example/count",
      A = { ["$id"] = "https://h.example/count", type = "integer" },
      B = { ["$id"] = "https://h.example/count", type = "string" },
      C = { ["$id"] = "https://h.example/count", type = "string" },
      D = { ["$id"] = "https://h.example/count", type = "string" },
      E = { ["$id"] = "https://h.example/count", type = "string" },
    },
  },
  {
    what = "the first of several schemas with one $anchor",
    schemas = {
      Value = ref "#count",
      A = { ["$anchor"] = "count", type = "integer" },
      B = { ["$anchor"] = "count", type = "string" },
      C = { ["$anchor"] = "count", type = "string" },
      D = { ["$anchor"] = "count", type = "string" },
      E = { ["$anchor"] = "count", type = "string" },
    },
  },
  {
    what = "a schema of that $id, and no property or value of that name",
    schemas = {
      Value = ref "https://h.example/count",
      Names = {
        properties = { ["$id"] = STRING, ["$anchor"] = STRING },
        enum = { { ["$id"] = "https://h.example/count", type = "string" } },
      },
      Count = { ["$id"] = "https://h.example/count", type = "integer" },
    },
  },
  {
    what = "an $id with other words beside the reference",
    schemas = {
      Value = { ["$ref"] = "https://h.example/count", minimum = 1 },
      Count = { ["$id"] = "https://h.example/count", type = "integer" },
    },
    invalid = 0,
  },
  {
    what = "an $id that leads to another one",
    schemas = {
      Value = ref "https://h.example/a",
      A = { ["$id"] = "https://h.example/a", ["$ref"] = "b" },
      B = { ["$id"] = "https://h.example/b", type = "integer" },
    },
  },
}

describe("a reference leads to", function()
  for _, row in ipairs(ROWS) do
    it(row.what, function()
      local check = check_of(row.schemas)
      local is_valid, message = check(row.valid or 1)
      assert.is_true(is_valid, message)
      assert.is_false((check(row.invalid or "x")))
    end)
  end

  it("the same schema in each run, if an alias of YAML has the reference in 30 places", function()
    local shared, schemas = ref "item", { Value = { properties = {} } }
    for position = 10, 39 do
      local name, base = "n" .. position, "https://h.example/" .. position
      schemas.Value.properties[name] = { ["$id"] = base .. "/", properties = { at = shared } }
      schemas["S" .. position] = { ["$id"] = base .. "/item", const = position }
    end
    local check = check_of(schemas)
    assert(check { n10 = { at = 10 } })
    assert.is_false((check { n10 = { at = 11 } }))
  end)

  it("a schema whose name the editor knows", function()
    local _, made = check_of {
      Value = ref "https://h.example/count",
      Count = {
        ["$id"] = "https://h.example/count",
        type = "object",
        properties = { n = INTEGER },
      },
    }
    assert.truthy(made.files[1].text:find("api.body.Count", 1, true), made.files[1].text)
  end)
end)

-- A list whose elements are what another resource says, and strings if none does.
local LIST = {
  ["$id"] = "https://h.example/list",
  type = "array",
  items = { ["$dynamicRef"] = "#item" },
  ["$defs"] = { default = { ["$dynamicAnchor"] = "item", type = "string" } },
}

-- A tree whose branches are trees as the schema has them that was entered first.
local TREE = {
  ["$id"] = "https://h.example/tree",
  ["$dynamicAnchor"] = "node",
  type = "object",
  properties = { n = INTEGER, branches = { items = { ["$dynamicRef"] = "#node" } } },
}

-- Schemas of a document, with values that fit Value and values that do not.
local DYNAMIC_ROWS = {
  {
    what = "the $dynamicAnchor beside it, if no schema has another",
    schemas = { List = LIST, Value = ref "https://h.example/list" },
    valid = { { "a" } },
    invalid = { { 1 } },
  },
  {
    what = "the $dynamicAnchor of the schema that led here",
    schemas = {
      List = LIST,
      Value = {
        ["$id"] = "https://h.example/counts",
        ["$ref"] = "list",
        ["$defs"] = { count = { ["$dynamicAnchor"] = "item", type = "integer" } },
      },
    },
    valid = { { 1 } },
    invalid = { { "a" } },
  },
  {
    what = "another schema on each of two ways",
    schemas = {
      List = LIST,
      Value = {
        properties = {
          a = {
            ["$id"] = "https://h.example/a",
            ["$ref"] = "list",
            ["$defs"] = { item = { ["$dynamicAnchor"] = "item", type = "integer" } },
          },
          b = {
            ["$id"] = "https://h.example/b",
            ["$ref"] = "list",
            ["$defs"] = { item = { ["$dynamicAnchor"] = "item", type = "boolean" } },
          },
        },
      },
    },
    valid = { { a = { 1 }, b = { true } } },
    invalid = { { a = { true } }, { b = { 1 } } },
  },
  {
    what = "the outermost of several",
    schemas = {
      List = LIST,
      Inner = {
        ["$id"] = "https://h.example/inner",
        ["$ref"] = "list",
        ["$defs"] = { item = { ["$dynamicAnchor"] = "item", type = "boolean" } },
      },
      Value = {
        ["$id"] = "https://h.example/outer",
        ["$ref"] = "inner",
        ["$defs"] = { item = { ["$dynamicAnchor"] = "item", type = "integer" } },
      },
    },
    valid = { { 1 } },
    invalid = { { true } },
  },
  {
    what = "no $anchor of another resource, though it has that name",
    schemas = {
      List = LIST,
      Value = {
        ["$id"] = "https://h.example/counts",
        ["$ref"] = "list",
        ["$defs"] = { count = { ["$anchor"] = "item", type = "integer" } },
      },
    },
    valid = { { "a" } },
    invalid = { { 1 } },
  },
  {
    what = "the same schema as a $ref, if it names an $anchor",
    schemas = {
      List = {
        ["$id"] = "https://h.example/list",
        items = { ["$dynamicRef"] = "#item" },
        ["$defs"] = { default = { ["$anchor"] = "item", type = "string" } },
      },
      Value = {
        ["$id"] = "https://h.example/counts",
        ["$ref"] = "list",
        ["$defs"] = { count = { ["$dynamicAnchor"] = "item", type = "integer" } },
      },
    },
    valid = { { "a" } },
    invalid = { { 1 } },
  },
  {
    what = "the same schema as a $ref, if it is a JSON pointer",
    schemas = {
      List = {
        ["$id"] = "https://h.example/list",
        items = { ["$dynamicRef"] = "#/$defs/default" },
        ["$defs"] = { default = { ["$dynamicAnchor"] = "item", type = "string" } },
      },
      Value = {
        ["$id"] = "https://h.example/counts",
        ["$ref"] = "list",
        ["$defs"] = { count = { ["$dynamicAnchor"] = "item", type = "integer" } },
      },
    },
    valid = { { "a" } },
    invalid = { { 1 } },
  },
  {
    what = "the schema that extends a tree, at each depth",
    schemas = {
      Tree = TREE,
      Value = {
        ["$id"] = "https://h.example/strict",
        ["$dynamicAnchor"] = "node",
        ["$ref"] = "tree",
        unevaluatedProperties = false,
      },
    },
    valid = { { n = 1, branches = { { n = 2, branches = { { n = 3 } } } } } },
    invalid = {
      { m = 1 },
      { branches = { { m = 1 } } },
      { branches = { { branches = { { m = 1 } } } } },
      { branches = { { branches = { { n = "x" } } } } },
    },
  },
  {
    what = "the tree itself, where no schema extends it",
    schemas = { Tree = TREE, Value = ref "https://h.example/tree" },
    valid = { { n = 1, branches = { { m = 2 } } } },
    invalid = { { branches = { { n = "x" } } } },
  },
  {
    what = "no schema of a resource that the value has left",
    schemas = {
      List = LIST,
      Value = {
        ["$id"] = "https://h.example/main",
        ["if"] = {
          ["$id"] = "first",
          ["$defs"] = { item = { ["$dynamicAnchor"] = "item", type = "boolean" } },
          required = { "x" },
        },
        ["then"] = {
          ["$id"] = "second",
          properties = { x = ref "list" },
          ["$defs"] = { item = { ["$dynamicAnchor"] = "item", type = "integer" } },
        },
      },
    },
    valid = { { x = { 1 } } },
    invalid = { { x = { true } }, { x = { "a" } } },
  },
  {
    what = "a schema, and a $ref beside it to another",
    schemas = {
      Value = {
        ["$id"] = "https://h.example/both",
        ["$ref"] = "#/$defs/even",
        ["$dynamicRef"] = "#small",
        allOf = { { minimum = 0 } },
        ["$defs"] = {
          even = { multipleOf = 2 },
          small = { ["$dynamicAnchor"] = "small", maximum = 10 },
        },
      },
    },
    valid = { 4 },
    invalid = { 3, 12, -2 },
  },
  {
    what = "a schema, below a property with the name of a keyword",
    schemas = {
      Value = { properties = { example = { ["$dynamicRef"] = "#item" } } },
      Item = { ["$dynamicAnchor"] = "item", type = "integer" },
    },
    valid = { { example = 1 } },
    invalid = { { example = "x" } },
  },
  {
    what = "a schema, and a value with its name is a value",
    schemas = {
      Value = {
        properties = {
          a = { ["$dynamicRef"] = "#item" },
          b = { const = { ["$ref"] = "other.json" } },
        },
      },
      Item = { ["$dynamicAnchor"] = "item", type = "integer" },
    },
    valid = { { a = 1, b = { ["$ref"] = "other.json" } } },
    invalid = { { a = "x" }, { b = {} } },
  },
  {
    what = "a schema, though others are in an extension of OpenAPI",
    schemas = {
      Value = {
        properties = {
          a = { ["$dynamicRef"] = "#item" },
          b = ref "#/components/schemas/More/x-more/count",
        },
      },
      Item = { ["$dynamicAnchor"] = "item", type = "integer" },
      More = { ["x-more"] = { count = { items = INTEGER } } },
    },
    valid = { { a = 1, b = { 1 } } },
    invalid = { { a = "x" }, { b = { "x" } } },
  },
  {
    what = "true and false",
    schemas = {
      Value = {
        properties = {
          a = { ["$dynamicRef"] = "#/components/schemas/Any" },
          b = { ["$dynamicRef"] = "#/components/schemas/None" },
        },
      },
      Any = true,
      None = false,
    },
    valid = { { a = 1 } },
    invalid = { { b = 1 } },
  },
}

describe("$dynamicRef leads to", function()
  for _, row in ipairs(DYNAMIC_ROWS) do
    it(row.what, function()
      local check = check_of(row.schemas)
      for _, value in ipairs(row.valid) do
        assert(check(value))
      end
      for position, value in ipairs(row.invalid) do
        assert.is_false((check(value)), "value " .. position .. " that does not fit")
      end
    end)
  end

  it("nothing, and any value is taken, if no schema has its name", function()
    local check = check_of { Value = { ["$dynamicRef"] = "#item", type = "integer" } }
    assert(check(1))
    assert.is_false((check "x"))
  end)

  -- The list is one schema more for those that reach it by Value.
  local function list_of(item)
    return {
      List = {
        ["$id"] = "https://h.example/list",
        type = "array",
        items = item,
        ["$defs"] = { default = { ["$dynamicAnchor"] = "name", type = "string" } },
      },
      Value = {
        ["$id"] = "https://h.example/names",
        ["$ref"] = "list",
        ["$defs"] = {
          name = { ["$dynamicAnchor"] = "name", type = "object", properties = { n = INTEGER } },
        },
      },
    }
  end

  it("schemas that need a reference that leads nowhere, and their calls are left out", function()
    local schemas = list_of {
      type = "object",
      properties = { lost = ref "#/nowhere", name = { ["$dynamicRef"] = "#name" } },
    }
    local _, made = check_of(schemas)
    assert.same(
      { { operation = "POST /x", reason = '$ref "#/nowhere" leads nowhere' } },
      made.left_out
    )
  end)

  it("schemas whose properties with readOnly are left out of what is sent", function()
    local check = check_of(
      list_of {
        type = "object",
        properties = {
          id = { type = "integer", readOnly = true },
          name = { ["$dynamicRef"] = "#name" },
        },
      },
      true
    )
    assert(check { { name = { n = 1 } } })
    assert.is_false((check { { name = "x" } }))
    assert.is_false((check { { id = 1 } }))
  end)

  it("a schema whose name the editor knows", function()
    local schemas = list_of { ["$dynamicRef"] = "#name" }
    schemas.Value["$defs"].name = nil
    schemas.Name = {
      ["$id"] = "https://h.example/names/of",
      ["$ref"] = "https://h.example/list",
      ["$defs"] = {
        { ["$dynamicAnchor"] = "name", ["$ref"] = "https://h.example/person" },
      },
    }
    schemas.Person =
      { ["$id"] = "https://h.example/person", type = "object", properties = { n = INTEGER } }
    schemas.Value = ref "https://h.example/names/of"
    local _, made = check_of(schemas)
    assert.truthy(made.files[1].text:find("@class api.body.Person\n", 1, true), made.files[1].text)
  end)
end)

describe("the editor knows what $dynamicRef makes of a schema by", function()
  -- The lines of a class.
  local function class(made, name)
    return made.files[1].text:match("@class api%.body%." .. name .. "\n(.-)\n\n")
  end

  it("the name of the schema that chooses it", function()
    local function page_of(item)
      return {
        ["$id"] = "https://h.example/page-of-" .. item,
        ["$ref"] = "page",
        ["$defs"] = { item = { ["$dynamicAnchor"] = "item", type = item } },
      }
    end
    local _, made = check_of {
      Page = {
        ["$id"] = "https://h.example/page",
        type = "object",
        properties = { all = { items = { ["$dynamicRef"] = "#item" } } },
        ["$defs"] = { default = { ["$dynamicAnchor"] = "item" } },
      },
      Numbers = page_of "number",
      Names = page_of "string",
      Same = ref "https://h.example/page",
      Value = {
        type = "object",
        properties = {
          names = ref "#/components/schemas/Names",
          numbers = ref "https://h.example/page-of-number",
          same = ref "#/components/schemas/Same",
        },
      },
    }
    assert.equal("---@field all? number[]", class(made, "Numbers"))
    assert.equal("---@field all? string[]", class(made, "Names"))
    assert.equal("---@field all? any[]", class(made, "Page"))
  end)
end)

describe("$dynamicRef in OpenAPI 3.0, which does not have it,", function()
  it("lets any value pass", function()
    local check = check_of({
      Value = { ["$dynamicRef"] = "#item" },
      Item = { ["$dynamicAnchor"] = "item", type = "integer" },
    }, false, "3.0.3")
    assert(check "x")
  end)
end)

describe("a reference that leads nowhere is told:", function()
  it("an unknown $id is another file", function()
    local ok, problem = pcall(check_of, {
      Value = ref "https://h.example/cuont",
      Count = { ["$id"] = "https://h.example/count", type = "integer" },
    })
    assert.is_false(ok)
    local words = 'endpoint.types: $ref "https://h.example/cuont" leads to another file: '
    assert.equal(words, problem:sub(1, #words))
  end)

  -- The order of `next` changes from run to run. Of 30 schemas a run would take the first one by
  -- chance once in 30 times.
  for _, keyword in ipairs { "$ref", "$dynamicRef" } do
    it("the first of 30 with " .. keyword .. " that lead to other files", function()
      local schemas = { Value = {} }
      for position = 10, 39 do
        schemas["S" .. position] = { [keyword] = position .. ".json" }
      end
      local ok, problem = pcall(check_of, schemas)
      assert.is_false(ok)
      local words = ('endpoint.types: %s "10.json" leads to another file: '):format(keyword)
      assert.equal(words, problem:sub(1, #words))
    end)
  end

  for _, row in ipairs {
    { reference = "#cuont", problem = '$ref "#cuont": no schema has this $anchor' },
    {
      reference = "https://h.example/count#c",
      problem = '$ref "https://h.example/count#c": no schema has this $anchor',
    },
    {
      reference = "https://h.example/count#/c",
      problem = '$ref "https://h.example/count#/c" leads nowhere',
    },
  } do
    it(row.reference, function()
      local _, made = check_of {
        Value = ref(row.reference),
        Count = { ["$id"] = "https://h.example/count", ["$anchor"] = "count", type = "integer" },
      }
      assert.equal(row.problem, made.left_out[1] and made.left_out[1].reason or made.notes[1])
    end)
  end
end)
