-- For nginx: asks the API with the token of a tenant, which all workers share.
-- luacheck: globals ngx
local endpoint, request = require "endpoint", require "endpoint.request"

local senders = {}

local function new_sender(port, tenant, life)
  local api = endpoint.defaults { baseUrl = "http://127.0.0.1:" .. port }
  local authority = request.new(api)
  local function fetch()
    local body = authority("POST /token", {
      grant_type = "client_credentials",
      tenant = tenant,
      life = life,
      headers = { ["content-type"] = "application/x-www-form-urlencoded" },
    })
    return body.access_token, body.expires_in
  end
  return request.new(api, {
    around = request.token { fetch = fetch, store = ngx.shared.tokens, key = tenant },
  })
end

local function answer(port)
  local args = ngx.req.get_uri_args()
  local send = senders[args.tenant]
  if not send then
    send = new_sender(port, args.tenant, tonumber(args.life))
    senders[args.tenant] = send
  end
  local ok, body = pcall(send, "GET /api")
  if ok and body == args.tenant then
    return ngx.print "right"
  end
  ngx.status, ngx.header.content_type = 502, "application/json"
  local why = ok and "another tenant: " .. tostring(body) or tostring(body)
  ngx.print(require("cjson").encode { message = why })
end

return { answer = answer }
