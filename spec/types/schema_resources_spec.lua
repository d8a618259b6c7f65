-- References by $id and $anchor: JSON Schema 2020-12 Core, sections 8.2.1 to 8.2.3.
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

  it("what it says without an $id beside it, where such words do not hold", function()
    local takes = check_of({
      Value = {
        ["$id"] = "https://h.example/a/",
        allOf = { { ["$id"] = "https://h.example/b/", ["$ref"] = "count" } },
      },
      Count = { ["$id"] = "https://h.example/a/count", type = "integer" },
      Other = { ["$id"] = "https://h.example/b/count", type = "string" },
    }, false, "3.0.3")
    assert.same({ true, false }, { takes(1), (takes "x") })
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

describe("$dynamicRef", function()
  for _, version in ipairs { "3.0.3", "3.1.0" } do
    it("is not followed, and lets any value pass, in OpenAPI " .. version, function()
      local check = check_of({
        Value = { ["$dynamicRef"] = "#item" },
        Item = { ["$dynamicAnchor"] = "item", type = "integer" },
      }, false, version)
      assert(check "x")
    end)
  end
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
  it("the first of 30 that lead to other files", function()
    local schemas = { Value = {} }
    for position = 10, 39 do
      schemas["S" .. position] = ref(position .. ".json")
    end
    local ok, problem = pcall(check_of, schemas)
    assert.is_false(ok)
    local words = 'endpoint.types: $ref "10.json" leads to another file: '
    assert.equal(words, problem:sub(1, #words))
  end)

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
