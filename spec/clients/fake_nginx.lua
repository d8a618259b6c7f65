-- A stand-in for nginx's Lua API: one request of a client, which functions of ngx.req change.
local fake_nginx = {}

-- The functions of ngx.req, over a request with method, version, headers and body.
local function functions_of(request)
  local was_read = false
  return {
    http_version = function() return request.version end,
    get_method = function() return request.method end,
    set_method = function(constant) request.method = constant end,
    read_body = function() was_read = true end,
    set_body_data = function(data)
      assert(was_read, "request body not read yet")
      request.body, request.headers["content-length"] = data, tostring(#data)
    end,
    get_headers = function(most)
      assert(most == 0, "only the first 100 headers")
      local copy = {}
      for name, value in pairs(request.headers) do copy[name] = value end
      return copy
    end,
    clear_header = function(name)
      if not name:find "[(]" then request.headers[name] = nil end
    end,
    set_header = function(name, value) request.headers[name] = value end,
  }
end

-- Calls f(...) inside nginx. changes: { phase, method, version, headers, is_subrequest } of the request;
-- what is missing is that of a POST over HTTP/1.1 in the content phase. Returns the request behind the
-- call, with the variables that were set as `var`, then pcall's results.
function fake_nginx.call(changes, f, ...)
  local request = {
    var = {},
    method = changes.method or "POST",
    version = changes.version or 1.1,
    headers = changes.headers or { host = "stranger", cookie = "a=1", ["content-length"] = "8" },
    body = "stranger",
  }
  rawset(_G, "ngx", {
    HTTP_OK = 200, HTTP_GET = 2, HTTP_HEAD = 4, HTTP_POST = 8, HTTP_PUT = 16, HTTP_DELETE = 32, HTTP_PATCH = 16384,
    is_subrequest = changes.is_subrequest or false,
    get_phase = function() return changes.phase or "content" end,
    var = request.var,
    req = functions_of(request),
  })
  local results = { pcall(f, ...) }
  rawset(_G, "ngx", nil)
  return request, (unpack or table.unpack)(results) -- luacheck: ignore 143 113
end

return fake_nginx
