-- SPDX-License-Identifier: MIT
-- Sends what an endpoint makes. docs/request.md is its guide; what each function takes, returns and raises is said
-- in src/addon/library/endpoint/request.lua. A call goes this way:
--
--   call and its tries -> around, the user's -> try -> client: http1 over luasocket or resty_http, curl, own
--   answer says what comes back; events and lines read it as it comes
--   pages asks for more
local request = {}

local Call = require "endpoint.request.call"
local Events = require "endpoint.request.events"
local Lines = require "endpoint.request.lines"
local Pages = require "endpoint.request.pages"
local answer = require "endpoint.request.answer"
local failures = require "endpoint.request.failures"
local settings = require "endpoint.request.settings"
local sinks = require "endpoint.request.sinks"
local fail, public = failures.fail, failures.public

local NGINX = rawget(_G, "ngx")
if NGINX then
  require "endpoint.request.resty_http"
end -- before a later version is installed

local CLIENTS = { luasocket = "luasocket", curl = "curl", resty_http = "resty_http" }

-- How to send by a function of the user's.
local function own_client(send)
  return function(try)
    local own = settings.with(
      try.settings,
      {
        scheme = try.scheme,
        host = try.host,
        port = try.port,
        timeout = try.limits:seconds(),
        may_repeat = try.may_repeat,
      }
    )
    local status, headers, body = failures.call(send, try.r, own)
    if not status then
      return nil, headers, body == true
    end
    if
      type(status) ~= "number"
      or not answer.are_headers(headers)
      or type(body or "") ~= "string"
    then
      fail "client: expected a status, headers and a text"
    end
    try:begin(status, headers)
    return (body or "") == "" or try:write(body)
  end
end

-- How to send, to sleep and to tell the time.
local function load_client(all)
  local client = all.client or (NGINX and "resty_http" or "luasocket")
  if type(client) == "function" then
    return own_client(client)
  end
  client = CLIENTS[client] or fail "client: expected luasocket, curl, resty_http or a function"
  if all.wait and client ~= "luasocket" then
    fail("wait: the client %s waits in its own way", client)
  end
  return require("endpoint.request." .. client)(all)
end

-- What all calls share. request: the option `request` of the endpoint's defaults; headers: those of the defaults.
local function new_sender(api, given)
  local is_endpoint, defaults = pcall(function()
    return api.DEFAULTS
  end)
  if type(api) ~= "userdata" or not is_endpoint or not defaults then
    fail("expected an endpoint, got a %s", type(api))
  end
  local all = settings.of_sender(given)
  local client, sleep, now = load_client(all)
  local found, socket = pcall(require, "socket")
  return {
    api = api,
    settings = all,
    request = defaults.request,
    headers = defaults.headers or {},
    client = client,
    now = now or found and socket.gettime or os.time,
    sleep = all.sleep or sleep or found and socket.sleep,
  } -- without any nothing is sent again
end

request.new = public(request, function(api, given)
  local sender, send = new_sender(api, given or {}), { endpoint = api }
  send.ask = public(send, function(route, options)
    return Call.new(sender, route, options):ask()
  end)
  send.each = public(send, function(route, options, how)
    local pages = Pages.new(sender, route, options, settings.of_each(how or {}))
    return public({}, function()
      return pages:element()
    end)
  end)
  return setmetatable(
    send,
    {
      __call = public(send, function(route, options)
        return Call.new(sender, route, options):demand()
      end),
    }
  )
end)

-- --- sinks ------------------------------------------------------------------------

-- A sink that reads by open(f, settings of the call), which has a method `write`.
local function new_sink(name, f, open)
  if type(f) ~= "function" then
    fail("%s: expected a function, got a %s", name, type(f))
  end
  return sinks.new(function(of_call)
    local reader = open(f, of_call)
    return function(piece, problem)
      return reader:write(piece, problem)
    end
  end, settings.of_sender {})
end

request.events = public(request, function(f)
  return new_sink("events", f, function(each, of_call)
    return Events.new(each, of_call.max_size)
  end)
end)

request.lines = public(request, function(f)
  return new_sink("lines", f, function(each, of_call)
    return Lines.new(each, of_call.max_size, function(line)
      return answer.decoded(of_call, line)
    end)
  end)
end)

return request
