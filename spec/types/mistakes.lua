-- Right calls of four APIs, and mistakes in them, for editor.lua. A mistake is a call and what changes it.
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

local REPO = { owner = "a", repo = "b" }

-- route: as the document has it; lua: as the module does, where that differs; read: what is taken of the answer.
mistakes.calls = {
  shop = {
    list = { method = "GET", route = "/items", lua = "GET /items{?tag*}",
      query = { state = "new", limit = 5, tag = { "red" } }, read = "[1].name" },
    plain = { method = "GET", route = "/items", query = { limit = 5 }, read = "[1].size.width" },
    get = { method = "GET", route = "/items/{id}", path = { id = 7 }, read = ".size.width" },
    search = { method = "GET", route = "/search", query = { q = "x" } },
    create = { method = "POST", route = "/items", body = { name = "n", price = 2.5, kind = "book", tags = { "a" },
      size = { width = 1 }, parts = { { sku = "s", count = 2 } }, pay = { by = "card", card = "c" }, exact = { a = "b" },
      notes = { any = "text" } }, read = ".name" },
  },
  github = {
    list = { method = "GET", route = "/repos/{owner}/{repo}/issues", path = REPO,
      query = { state = "open", per_page = 5, labels = "x" }, read = "[1].title" },
    get = { method = "GET", route = "/repos/{owner}/{repo}/issues/{issue_number}",
      path = { owner = "a", repo = "b", issue_number = 1 }, read = ".title" },
    search = { method = "GET", route = "/search/issues", query = { q = "x", sort = "comments" }, read = ".total_count" },
    exclude = { method = "GET", route = "/user/migrations/{migration_id}",
    lua = "GET /user/migrations/{migration_id}{?exclude*}",
      path = { migration_id = 7 }, query = { exclude = { "repositories" } } },
    create = { method = "POST", route = "/orgs/{org}/repos", path = { org = "o" },
      body = { name = "n", private = true, visibility = "public" }, read = ".full_name" },
    review = { method = "POST", route = "/repos/{owner}/{repo}/pulls/{pull_number}/reviews",
      path = { owner = "a", repo = "b", pull_number = 1 }, body = { event = "APPROVE", comments = { { path = "p",
      body = "b" } } } },
    gist = { method = "POST", route = "/gists", body = { files = { ["a.lua"] = { content = "x" } }, public = true } },
    protect = { method = "PUT", route = "/repos/{owner}/{repo}/branches/{branch}/protection",
      path = { owner = "a", repo = "b", branch = "m" }, body = { enforce_admins = true, restrictions = { users = { "u" },
        teams = { "t" } }, required_status_checks = { strict = true, contexts = { "c" } },
        required_pull_request_reviews = { required_approving_review_count = 2 } } },
  },
  kubernetes = {
    list = { method = "GET", route = "/api/v1/namespaces/{namespace}/pods", path = { namespace = "d" },
      query = { labelSelector = "app=web", limit = 5 }, read = ".items[1].metadata.name" },
    get = { method = "GET", route = "/api/v1/namespaces/{namespace}/pods/{name}", path = { namespace = "d", name = "n" },
      read = ".metadata.name" },
    create = { method = "POST", route = "/api/v1/namespaces/{namespace}/pods", path = { namespace = "d" },
      body = { metadata = { name = "n", labels = { app = "web" } }, spec = { nodeName = "n", containers = { { name = "c",
        image = "i", args = { "a" }, tty = true } } } }, read = ".metadata.name" },
  },
  stripe = {
    list = { method = "GET", route = "/v1/customers", query = { limit = 5, email = "a@b.example" }, read = ".data[1].id" },
    get = { method = "GET", route = "/v1/customers/{customer}", path = { customer = "c" } },
    create = { method = "POST", route = "/v1/payment_intents", body = { amount = 5, currency = "eur",
    capture_method = "manual",
      metadata = { a = "b" }, payment_method_types = { "card" }, shipping = { name = "n", address = { city = "c" } } },
      read = ".id" },
    customer = { method = "POST", route = "/v1/customers", body = { name = "n", address = { city = "c" } }, read = ".id" },
    search = { method = "GET", route = "/v1/customers/search", query = { query = "x" }, read = ".data[1].id" },
  },
}

-- --- mistakes -------------------------------------------------------------------------

-- A mistake, and in each API a call and the statement that makes the mistake in it; `alone` is a call without
-- parameters, and `answer` a mistake in what is read of the answer.
mistakes.rows = {
  { "a route that there is not", shop = "list: route = '/itms' lua = nil",
    github = "list: route = '/repos/{owner}/isues'",
    kubernetes = "get: route = '/api/v1/namespaces/{namespace}/pod/{name}'", stripe = "list: route = '/v1/customrs'" },
  { "a method that the path does not have", shop = "get: method = 'DELETE'", github = "list: method = 'PUT'",
    kubernetes = "list: method = 'PUT'", stripe = "search: method = 'DELETE'" },
  { "no parameters at all", shop = "get: alone", github = "get: alone", kubernetes = "get: alone",
    stripe = "get: alone" },
  { "a missing parameter of the path", shop = "get: path = {}", github = "get: path.repo = nil",
    kubernetes = "get: path.name = nil", stripe = "get: path = {}" },
  { "a misspelt parameter of the path", shop = "get: path = { ID = 7 }", github = "get: path.owner = nil path.ownr = 'a'",
    kubernetes = "get: path.name = nil path.nme = 'n'", stripe = "get: path = { custmer = 'c' }" },
  { "a parameter of the path of a wrong type", shop = "get: path.id = 'x'", github = "get: path.issue_number = 'x'",
    kubernetes = "get: path.name = true", stripe = "get: path.customer = true" },
  { "a misspelt name in the query", shop = "list: query.limt = 5", github = "list: query.per_pge = 5",
    kubernetes = "list: query.labelSelectr = 'x'", stripe = "list: query.emal = 'x'" },
  { "a wrong type in the query", shop = "list: query.limit = 'x'", github = "list: query.per_page = 'x'",
    kubernetes = "list: query.limit = 'x'", stripe = "list: query.limit = 'x'" },
  { "a value in the query that the enumeration does not have", shop = "list: query.state = 'old'",
    github = "list: query.state = 'opened'" },
  { "a value in the query in the place of a list", shop = "list: query.tag = 5", github = "exclude: query.exclude = 5" },
  { "an element in the query that the enumeration does not have", shop = "list: query.tag = { 'red', 'gren' }" },
  { "a missing parameter of the query", shop = "search: query = {}", github = "search: query.q = nil",
    stripe = "search: query = {}" },
  { "a missing property of the body", shop = "create: body.name = nil", github = "create: body.name = nil",
    stripe = "create: body.currency = nil" },
  { "a misspelt property", shop = "create: body.parnt = 'x'", github = "create: body.privat = true",
    kubernetes = "create: body.apiVersin = 'v1'", stripe = "customer: body.emal = 'x'" },
  { "a property of a wrong type", shop = "create: body.price = 'x'", github = "create: body.private = 'x'",
    kubernetes = "create: body.kind = true", stripe = "create: body.amount = 'x'" },
  { "a value that the property's enumeration does not have", shop = "create: body.kind = 'bok'",
    github = "review: body.event = 'APROVE'", stripe = "create: body.capture_method = 'x'" },
  { "an element of a wrong type", shop = "create: body.tags = { 5 }", github = "protect: body.restrictions.users = { 5 }",
    kubernetes = "create: body.spec.containers[1].args = { true }",
    stripe = "create: body.payment_method_types = { 5 }" },
  { "a text in the place of an object", shop = "create: body.size = 'x'", github = "gist: body.files = 'x'",
    kubernetes = "create: body.metadata = 'x'", stripe = "create: body.shipping = 'x'" },
  { "a missing property of an object", shop = "create: body.size = { height = 1 }",
    github = "protect: body.required_status_checks = { strict = true }",
    kubernetes = "create: body.spec.containers = nil", stripe = "create: body.shipping.name = nil" },
  { "a misspelt name in an object", shop = "create: body.size.hight = 1",
    github = "protect: body.required_pull_request_reviews.dismiss_stale_review = true",
    kubernetes = "create: body.metadata.nme = 'n'", stripe = "create: body.shipping.address.cty = 'c'" },
  { "a property of an object of a wrong type", shop = "create: body.size.width = 'x'",
    github = "protect: body.required_status_checks.strict = 'x'", kubernetes = "create: body.metadata.name = true",
    stripe = "create: body.shipping.name = true" },
  { "a missing property of an object of a list", shop = "create: body.parts[1].sku = nil",
    github = "review: body.comments[1].path = nil", kubernetes = "create: body.spec.containers[1].name = nil" },
  { "a misspelt name in an object of a list", shop = "create: body.parts[1].cont = 2",
    github = "review: body.comments[1].lin = 2", kubernetes = "create: body.spec.containers[1].imge = 'i'" },
  { "a name that no member of a union has", shop = "create: body.pay.cvc = 'x'" },
  { "a value that no member of a union has", shop = "create: body.pay.by = 'cash'" },
  { "a value of a wrong type in a map", shop = "create: body.notes.any = 5", github = "gist: body.files['a.lua'] = 5",
    kubernetes = "create: body.metadata.labels.app = true", stripe = "create: body.metadata = { a = true }" },
  { "null where it may not be", shop = "create: body.name = null", github = "create: body.name = null",
    stripe = "create: body.currency = null" },
  { "a property that only answers have", shop = "create: body.id = 7" },
  { "a body that is no object", shop = "create: body = 5", github = "create: body = 5", kubernetes = "create: body = 5",
    stripe = "create: body = 5" },
  { "a field that the answer does not have", shop = "get: answer read = '.nme'", github = "get: answer read = '.ttle'",
    kubernetes = "get: answer read = '.metadat'", stripe = "list: answer read = '.dat'" },
  { "a field that an object in the answer does not have", shop = "list: answer read = '[1].nme'",
    github = "list: answer read = '[1].ttle'", kubernetes = "list: answer read = '.items[1].metadata.nme'",
    stripe = "list: answer read = '.data[1].idd'" },
}

return mistakes
