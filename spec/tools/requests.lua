-- Requests of each kind for endpoint.clients, and stand-ins for the modules that it loads.
local endpoint = require "endpoint"
local support = require "support"

local requests = {}

requests.HEADERS = { accept = "application/json", ["user-agent"] = "spec" }
requests.UPLOAD = "\0\1\127\128\255'\\%"
requests.api = endpoint.defaults { baseUrl = "https://h", headers = requests.HEADERS }

local api = requests.api

local kinds = {
  get = api("GET /orgs/:org", { org = "é/x", q = "a b" }),
  post = api("POST /x", { a = 1 }),
  post_empty = api("POST /x"),
  put_empty = api("PUT /x"),
  patch_empty = api("PATCH /x"),
  query_empty = api("QUERY /x"),
  head = api("HEAD /x", { q = 1 }),
  delete = api("DELETE /x"),
  delete_body = api("DELETE /x", { a = 1 }),
  upload = api("POST /x{?name}", { name = "n", data = requests.UPLOAD, headers = { ["content-type"] = "image/png" } }),
  unlabelled = api("POST /x", { data = "text" }),
}

function requests.of(kind) return kinds[kind] end

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

-- A stand-in for the module http.request of lua-http, with what clients.lua_http uses. Its
-- headers record each change in a list.
function requests.http_request()
  local headers = { list = {}, fields = {} }
  function headers:append(name, value)
    self.list[#self.list + 1] = name .. "=" .. value
    self.fields[name] = value
  end
  function headers:upsert(name, value)
    self.list[#self.list + 1] = name .. ":=" .. value
    self.fields[name] = value
  end
  function headers:delete(name) self.list[#self.list + 1] = "-" .. name end
  local function set_body(self, body)
    self.body = body
    headers:append("expect", "100-continue")
  end
  return { new_from_uri = function(uri) return { uri = uri, headers = headers, set_body = set_body } end }
end

return requests
