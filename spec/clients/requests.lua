-- Requests of each kind for endpoint.clients, and stand-ins for what it loads and is given.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local support = require "support"

local requests = {}

requests.HEADERS = { accept = "application/json", ["user-agent"] = "spec" }
requests.UPLOAD = "\0\1\127\128\255'\\%"
requests.api = endpoint.defaults { baseUrl = "https://h", headers = requests.HEADERS }

local UPLOAD, JSON = requests.UPLOAD, "application/json; charset=utf-8"

local NO_QUERY = { lua_https = "method QUERY", ngx = "method QUERY", ngx_proxy = "method QUERY" }

-- Name -> route and options, and what must be sent: path, query, body and content type. refused: client ->
-- the message that it raises instead.
requests.kinds = {
  get = { "GET /orgs/:org", { org = "é/x", q = "a b", list = { 1, "&" } }, path = "/orgs/%C3%A9%2Fx",
    query = "list=1%2C%26&q=a%20b", refused = { ngx = "%2F must stay" } },
  head = { "HEAD /x", { q = 1 }, path = "/x", query = "q=1" },
  delete = { "DELETE /x", path = "/x" },
  delete_body = { "DELETE /x", { a = { 1, "b" } }, path = "/x", body = '{"a":[1,"b"]}', type = JSON },
  post = { "POST /x", { a = "Grüße" }, path = "/x", body = '{"a":"Grüße"}', type = JSON },
  post_empty = { "POST /x", path = "/x", body = "" },
  put_empty = { "PUT /x", path = "/x", body = "" },
  patch_empty = { "PATCH /x", path = "/x", body = "" },
  query_empty = { "QUERY /x", path = "/x", body = "", refused = NO_QUERY },
  query = { "QUERY /x{?a}", { a = 1, b = "c" }, path = "/x", query = "a=1", body = '{"b":"c"}', type = JSON,
    refused = NO_QUERY },
  upload = { "POST /x{?name}", { name = "n", data = UPLOAD, headers = { ["content-type"] = "image/png" } },
    path = "/x", query = "name=n", body = UPLOAD, type = "image/png" },
  unlabelled = { "POST /x", { data = "text" }, path = "/x", body = "text" },
}

function requests.of(kind)
  return requests.api(requests.kinds[kind][1], requests.kinds[kind][2])
end

-- A source: a function that returns these pieces, then nil and a message if one is given. It
-- raises if it is called again.
function requests.source_of(pieces, problem)
  local at = 0
  return function()
    at = at + 1
    assert(at <= #pieces + 1, "asked behind the end")
    if at <= #pieces then return pieces[at] end
    return nil, problem
  end
end

-- The pieces of a source, and the message at its end.
function requests.drained(source)
  local pieces = {}
  while true do
    local piece, problem = source()
    if piece == nil then return pieces, problem end
    pieces[#pieces + 1] = piece
  end
end

-- What LuaSocket does with a body, through ltn12.pump.all: what a connection gets that takes so many pieces
-- ("END" behind the last), and the message at the end.
function requests.pumped(made, most)
  local sent = {}
  local function sink(piece)
    if piece and #sent >= (most or math.huge) then return nil, "closed" end
    sent[#sent + 1] = piece or "END"
    return 1
  end
  while true do
    local going, problem = made.step(made.source, sink)
    if not going then return table.concat(sent), problem end
    assert(going == 1, "not what ltn12.pump.step returns")
  end
end

-- Calls f while these modules are loaded, then restores those that were.
function requests.while_loaded(modules, f, ...)
  local before = {}
  for name, module in pairs(modules) do
    before[name] = package.loaded[name] or false
    package.loaded[name] = module
  end
  local results = { pcall(f, ...) }
  for name, module in pairs(before) do package.loaded[name] = module or nil end
  if not results[1] then error(results[2], 0) end
  return support.unpack(results, 2)
end

-- clients.lua_http, with a stand-in for lua-http. Its headers record each change in a list.
function requests.lua_http(r)
  local headers = { list = {}, fields = {} }
  local function setter(sign)
    return function(self, name, value)
      self.list[#self.list + 1], self.fields[name] = name .. sign .. value, value
    end
  end
  headers.append, headers.upsert = setter "=", setter ":="
  function headers:delete(name) self.list[#self.list + 1] = "-" .. name end
  local function set_body(self, body)
    self.body = body
    headers:append("expect", "100-continue")
  end
  local library = { new_from_uri = function(uri) return { uri = uri, headers = headers, set_body = set_body } end }
  return requests.while_loaded({ ["http.request"] = library }, clients.lua_http, r)
end

-- A handle of libcurl that records its options, by libcurl's numbers, as Debian's lua-curl; with a function
-- setopt_postfields, as Lua-cURL 3.
function requests.handle(more)
  local easy = { calls = {}, options = {} }
  function easy:setopt(option, value)
    self.calls[#self.calls + 1], self.options[option] = { option, value }, value
  end
  for name, f in pairs(more or {}) do easy[name] = f end
  return easy
end

return requests
