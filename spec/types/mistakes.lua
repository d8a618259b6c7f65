-- Right calls of four APIs, and mistakes in them, for editor.lua.
local mistakes = {}

-- --- an API of our own ------------------------------------------------------------------

local TEXT, WHOLE = { type = "string" }, { type = "integer" }

local function object(required, properties)
  return { type = "object", required = required, properties = properties }
end

local function list(items) return { type = "array", items = items } end

local function q(name, schema, required) return { name = name, ["in"] = "query", required = required, schema = schema } end

local function content(schema) return { required = true, content = { ["application/json"] = { schema = schema } } } end

local ITEM = { ["$ref"] = "#/components/schemas/Item" }

mistakes.shop = { openapi = "3.1.0", servers = { { url = "https://shop.example" } }, paths = {
  ["/items"] = {
    get = { parameters = { q("state", { enum = { "new", "used" } }), q("limit", WHOLE),
      q("tag", list { enum = { "red", "blue" } }) }, responses = { ["200"] = content(list(ITEM)) } },
    post = { requestBody = content(ITEM), responses = { ["201"] = content(ITEM) } } },
  ["/items/{id}"] = { get = { parameters = { { name = "id", ["in"] = "path", required = true, schema = WHOLE } },
    responses = { ["200"] = content(ITEM) } } },
  ["/search"] = { get = { parameters = { q("q", TEXT, true) } } },
}, components = { schemas = { Item = object({ "name", "price" }, { id = { type = "integer", readOnly = true }, name = TEXT,
  price = { type = "number" }, kind = { enum = { "book", "disc" } }, parent = { type = { "string", "null" } },
  tags = list(TEXT), size = object({ "width" }, { width = WHOLE, height = WHOLE }),
  parts = list(object({ "sku" }, { sku = TEXT, count = WHOLE })),
  pay = { oneOf = { object({ "by", "card" }, { by = { enum = { "card" } }, card = TEXT }),
    object({ "by", "iban" }, { by = { enum = { "bank" } }, iban = TEXT }) } },
  exact = { type = "object", additionalProperties = false, properties = { a = TEXT } },
  notes = { type = "object", additionalProperties = TEXT } }) } } }

-- --- right calls ------------------------------------------------------------------------

-- The arguments of each, and behind an arrow what is read of the answer.
mistakes.calls = {
  shop = {
    list = [["GET /items{?tag*}", { state = "new", limit = 5, tag = { "red" } } -> [1].name]],
    plain = [["GET /items", { limit = 5 } -> [1].size.width]],
    get = [["GET /items/{id}", { id = 7 } -> .size.width]],
    search = [["GET /search", { q = "x" }]],
    create = [["POST /items", { name = "n", price = 2.5, kind = "book", tags = { "a" }, size = { width = 1 },
      parts = { { sku = "s", count = 2 } }, pay = { by = "card", card = "c" }, exact = { a = "b" },
      notes = { any = "text" } } -> .name]],
  },
  github = {
    list = [["GET /repos/{owner}/{repo}/issues", { owner = "a", repo = "b", state = "open", per_page = 5,
      labels = "x" } -> [1].title]],
    get = [["GET /repos/{owner}/{repo}/issues/{issue_number}", { owner = "a", repo = "b", issue_number = 1 } -> .title]],
    search = [["GET /search/issues", { q = "x", sort = "comments" } -> .total_count]],
    exclude = [["GET /user/migrations/{migration_id}{?exclude*}", { migration_id = 7, exclude = { "repositories" } }]],
    create = [["POST /orgs/{org}/repos", { org = "o", name = "n", private = true, visibility = "public" } -> .full_name]],
    review = [["POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews", { owner = "a", repo = "b", pull_number = 1,
      event = "APPROVE", comments = { { path = "p", body = "b" } } }]],
    gist = [["POST /gists", { files = { ["a.lua"] = { content = "x" } }, public = true }]],
    protect = [["PUT /repos/{owner}/{repo}/branches/{branch}/protection", { owner = "a", repo = "b", branch = "m",
      enforce_admins = true, restrictions = { users = { "u" }, teams = { "t" } },
      required_status_checks = { strict = true, contexts = { "c" } },
      required_pull_request_reviews = { required_approving_review_count = 2 } }]],
  },
  kubernetes = {
    list = [["GET /api/v1/namespaces/{namespace}/pods", { namespace = "d", labelSelector = "app=web",
      limit = 5 } -> .items[1].metadata.name]],
    get = [["GET /api/v1/namespaces/{namespace}/pods/{name}", { namespace = "d", name = "n" } -> .metadata.name]],
    create = [["POST /api/v1/namespaces/{namespace}/pods", { namespace = "d",
      metadata = { name = "n", labels = { app = "web" } }, spec = { nodeName = "n",
      containers = { { name = "c", image = "i", args = { "a" }, tty = true } } } } -> .metadata.name]],
  },
  stripe = {
    list = [["GET /v1/customers", { limit = 5, email = "a@b.example" } -> .data[1].id]],
    get = [["GET /v1/customers/{customer}", { customer = "c" }]],
    create = [["POST /v1/payment_intents", { amount = 5, currency = "eur", capture_method = "manual",
      metadata = { a = "b" }, payment_method_types = { "card" },
      shipping = { name = "n", address = { city = "c" } } } -> .id]],
    customer = [["POST /v1/customers", { name = "n", address = { city = "c" } } -> .id]],
    search = [["GET /v1/customers/search", { query = "x" } -> .data[1].id]],
  },
}

-- --- mistakes -------------------------------------------------------------------------

-- A mistake, and in each API that has a place for it a call, what is replaced in its text and, behind "=>", by what.
-- Three points stand for all that follows.
mistakes.rows = {
  { "a route that there is not", shop = 'list: /items{?tag*} => /itms', github = 'list: {repo}/issues => isues',
    kubernetes = 'get: pods/{name} => pod/{name}', stripe = 'list: customers => customrs' },
  { "a method that the path does not have", shop = 'get: GET => DELETE', github = 'list: GET => PUT',
    kubernetes = 'list: GET => PUT', stripe = 'search: GET => DELETE' },
  { "no parameters at all", shop = 'get: , {... =>', github = 'get: , {... =>', kubernetes = 'get: , {... =>',
    stripe = 'get: , {... =>' },
  { "a missing parameter of the path", shop = 'get: id = 7 =>', github = 'get: repo = "b", =>',
    kubernetes = 'get: , name = "n" =>', stripe = 'get: customer = "c" =>' },
  { "a misspelt parameter of the path", shop = 'get: id = 7 => ID = 7', github = 'get: owner = "a" => ownr = "a"',
    kubernetes = 'get: name = "n" => nme = "n"', stripe = 'get: customer = "c" => custmer = "c"' },
  { "a parameter of the path of a wrong type", shop = 'get: 7 => "x"', github = 'get: 1 => "x"',
    kubernetes = 'get: "n" => true', stripe = 'get: "c" => true' },
  { "a misspelt name in the query", shop = 'list: limit => limt', github = 'list: per_page => per_pge',
    kubernetes = 'list: labelSelector => labelSelectr', stripe = 'list: email => emal' },
  { "a wrong type in the query", shop = 'list: 5 => "x"', github = 'list: 5 => "x"', kubernetes = 'list: 5 => "x"',
    stripe = 'list: 5 => "x"' },
  { "a value in the query that the enumeration does not have", shop = 'list: "new" => "old"',
    github = 'list: "open" => "opened"' },
  { "a value in the query in the place of a list", shop = 'list: { "red" } => 5',
    github = 'exclude: { "repositories" } => 5' },
  { "an element in the query that the enumeration does not have", shop = 'list: "red" => "red", "gren"' },
  { "a missing parameter of the query", shop = 'search: q = "x" =>', github = 'search: q = "x", =>',
    stripe = 'search: query = "x" =>' },
  { "a missing property of the body", shop = 'create: name = "n", =>', github = 'create: name = "n", =>',
    stripe = 'create: currency = "eur", =>' },
  { "a misspelt property", shop = 'create: price => parnt = "x", price', github = 'create: private => privat',
    kubernetes = 'create: metadata => apiVersin = "v1", metadata', stripe = 'customer: name => emal' },
  { "a property of a wrong type", shop = 'create: 2.5 => "x"', github = 'create: true => "x"',
    kubernetes = 'create: metadata => kind = true, metadata', stripe = 'create: 5 => "x"' },
  { "a value that the property's enumeration does not have", shop = 'create: "book" => "bok"',
    github = 'review: "APPROVE" => "APROVE"', stripe = 'create: "manual" => "x"' },
  { "an element of a wrong type", shop = 'create: "a" => 5', github = 'protect: "u" => 5',
    kubernetes = 'create: "a" => true', stripe = 'create: "card" => 5' },
  { "a text in the place of an object", shop = 'create: { width = 1 } => "x"',
    github = 'gist: { ["a.lua"] = { content = "x" } } => "x"',
    kubernetes = 'create: { name = "n", labels = { app = "web" } } => "x"',
    stripe = 'create: { name = "n", address = { city = "c" } } => "x"' },
  { "a missing property of an object", shop = 'create: width => height', github = 'protect: , contexts = { "c" } =>',
    kubernetes = 'create: , containers... => } }', stripe = 'create: name = "n", =>' },
  { "a misspelt name in an object", shop = 'create: width = 1 => width = 1, hight = 1',
    github = 'protect: required_approving_review_count = 2 => dismiss_stale_review = true',
    kubernetes = 'create: labels => nme = "n", labels', stripe = 'create: city => cty' },
  { "a property of an object of a wrong type", shop = 'create: width = 1 => width = "x"',
    github = 'protect: strict = true => strict = "x"', kubernetes = 'create: name = "n" => name = true',
    stripe = 'create: name = "n" => name = true' },
  { "a missing property of an object of a list", shop = 'create: sku = "s", =>', github = 'review: path = "p", =>',
    kubernetes = 'create: name = "c", =>' },
  { "a misspelt name in an object of a list", shop = 'create: count => cont', github = 'review: body => lin = 2, body',
    kubernetes = 'create: image => imge' },
  { "a name that no member of a union has", shop = 'create: card = "c" => card = "c", cvc = "x"' },
  { "a value that no member of a union has", shop = 'create: "card" => "cash"' },
  { "a value of a wrong type in a map", shop = 'create: "text" => 5', github = 'gist: { content = "x" } => 5',
    kubernetes = 'create: "web" => true', stripe = 'create: "b" => true' },
  { "null where it may not be", shop = 'create: "n" => endpoint.null', github = 'create: "n" => endpoint.null',
    stripe = 'create: "eur" => endpoint.null' },
  { "a property that only answers have", shop = 'create: price => id = 7, price' },
  { "a body that is no object", shop = 'create: name... => data = 5 }', github = 'create: name... => data = 5 }',
    kubernetes = 'create: metadata... => data = 5 }', stripe = 'create: amount... => data = 5 }' },
  { "a field that the answer does not have", is_of_answer = true, shop = 'get: .size.width => .nme',
    github = 'get: .title => .ttle', kubernetes = 'get: .metadata.name => .metadat', stripe = 'list: .data[1].id => .dat' },
  { "a field that an object in the answer does not have", is_of_answer = true, shop = 'list: .name => .nme',
    github = 'list: .title => .ttle', kubernetes = 'list: .name => .nme', stripe = 'list: .id => .idd' },
}

return mistakes
