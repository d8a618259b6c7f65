-- SPDX-License-Identifier: MIT
-- Sends what an endpoint makes. docs/send-requests.md is its first guide; what each function takes,
-- returns and raises is in src/addon/library/endpoint/request.lua; .github/CONTRIBUTING.md draws
-- the way of a call.
local request = {}

local calls = require "endpoint.request.call"
local decoding = require "endpoint.request.response.decoding"
local lazy = require "endpoint.lazy"
local misuse = require "endpoint.request.failures".misuse
local protected = require "endpoint.protected"
local parameters = require "endpoint.parameters"
local proxies = require "endpoint.request.proxies"
local public = require "endpoint.request.failures.positions".public
local settings = require "endpoint.request.settings"
local sinks = require "endpoint.request.sinks"
local text = require "endpoint.text"

local NGINX = rawget(_G, "ngx")

-- What a program may not use. The clients of LuaSocket and of libcurl are loaded by their names.
local files = lazy.files("endpoint.request.", {
  caches = "caches",
  downloads = "downloads",
  events = "sinks.events",
  lines = "sinks.lines",
  own = "clients.own",
  pages = "pages",
  pool = "pool",
  reasons = "response.reasons",
  resty_http = NGINX and "clients.resty_http" or nil,
  tokens = "tokens",
})

local CLIENTS = { luasocket = true, curl = true, resty_http = true, neovim = true }

-- Who sends: an object with the method send(try), and perhaps functions sleep and now.
local function load_client(all)
  local client = all.client or (NGINX and "resty_http" or "luasocket")
  if type(client) == "function" then
    client = "own"
  elseif not CLIENTS[client] then
    -- A string that is not nearly a client's name may be anything, such as a URL with a password.
    local near = text.nearest(client, CLIENTS)
    local got = near ~= "" and text.quoted(client) .. near or "another string"
    misuse("client: expected luasocket, curl, resty_http, neovim or a function, got %s", got)
  elseif all.wait and client ~= "luasocket" then
    misuse("wait: only the client luasocket takes it, not %s", client)
  end
  return require("endpoint.request.clients." .. client)(all)
end

local function check_endpoint(api)
  local defaults = parameters.defaults_of(api)
  if not defaults then
    local remedy = type(api) == "table" and ": write endpoint.defaults { ... } around it" or ""
    misuse("expected an endpoint, got a %s%s", type(api), remedy)
  end
  return defaults
end

-- The clock of the program, which is its own to get wrong; nil if it has none.
local function checked_clock(now)
  return now
    and function()
      local seconds = now()
      if type(seconds) ~= "number" then
        misuse("now: expected seconds, a number, got a %s", type(seconds))
      end
      return seconds
    end
end

-- The longest sleep at a time, in seconds. LuaSocket sleeps on after a signal; in between Lua sees
-- it, such as that of Ctrl-C.
local SLICE = 0.2

local function in_slices(sleep)
  return function(seconds)
    while seconds > 0 do
      sleep(math.min(seconds, SLICE))
      seconds = seconds - SLICE
    end
  end
end

-- What all calls share. default_settings: the option `request` of the endpoint's defaults; headers:
-- those of the defaults. Where there is no way to sleep, nothing is sent again.
local function new_sender(api, given)
  local defaults, all = check_endpoint(api), settings.of_sender(given)
  local client = load_client(all)
  local has_socket, socket = protected.call(require, "socket")
  return {
    api = api,
    settings = all,
    default_settings = defaults.request,
    headers = defaults.headers or {},
    client = client,
    proxies = proxies.new(all.proxy),
    now = checked_clock(all.now) or client.now or has_socket and socket.gettime or os.time,
    sleep = all.sleep or client.sleep or has_socket and in_slices(socket.sleep),
  }
end

request.new = public(request, function(api, given)
  local sender, send = new_sender(api, given or {}), { endpoint = api }
  send.ask = public(send, function(route, options)
    local body, response = calls.ask(calls.from_program(sender, route, options))
    return body, response
  end)
  send.each = public(send, function(route, options, how)
    local pages = files.pages.new(sender, route, options, settings.of_each(how or {}))
    return public({}, function()
      return pages:element()
    end)
  end)
  send.download = public(send, function(route, options, path, how)
    settings.check_path(path)
    local download =
      files.downloads.new(sender, route, options, path, settings.of_download(how or {}))
    local size, response = download:run()
    return size, response
  end)
  return setmetatable(send, {
    __call = public(send, function(route, options)
      return calls.demand(calls.from_program(sender, route, options))
    end),
  })
end)

-- --- pools ------------------------------------------------------------------------

request.pool = public(request, function(given)
  if type(given) ~= "table" then
    misuse("pool: expected a table with at_once, got a %s", type(given))
  end
  for name in pairs(given) do
    if name ~= "at_once" then
      settings.refuse("pool", name, { at_once = true })
    end
  end
  local jobs, pool = files.pool.new(given.at_once), {}
  pool.wait, pool.sleep = jobs:members()
  pool.run = public(pool, function(list, f)
    local results, problems = jobs:run(list, f)
    return results, problems
  end)
  pool.cancel = public(pool, function(why)
    jobs:cancel(why)
  end)
  return pool
end)

-- --- tokens -----------------------------------------------------------------------

local function time_of_loop()
  NGINX.update_time()
  return NGINX.now()
end

-- The clock of the time of day, which workers and machines share; inside nginx that of its loop. It
-- takes no memory.
local function time_of_day()
  if NGINX then
    return time_of_loop
  end
  local has_socket, socket = protected.call(require, "socket")
  return has_socket and socket.gettime or os.time
end

request.token = public(request, function(given)
  given = settings.of_token(given)
  local tokens = files.tokens.new(given, checked_clock(given.now) or time_of_day())
  return function(r, send)
    return tokens:around(r, send)
  end
end)

-- --- caches -----------------------------------------------------------------------

request.cache = public(request, function(given)
  given = settings.of_cache(given or {})
  local cache = files.caches.new(given, checked_clock(given.now) or time_of_day())
  return function(r, send)
    return cache:around(r, send)
  end
end)

-- --- GraphQL ----------------------------------------------------------------------

-- The words of the errors in a decoded body, nil if it has none.
request.graphql_error = public(request, function(body)
  return files.reasons.of_graphql(body)
end)

-- --- sinks ------------------------------------------------------------------------

-- A sink that calls f, of a kind that `sinks.new` takes: `open` gets f, too.
local function new_sink(name, f, kind)
  if type(f) ~= "function" then
    misuse("%s: expected a function, got a %s", name, type(f))
  end
  local function open(of_call)
    local reader = kind.open(f, of_call)
    return function(piece, problem)
      return reader:write(piece, problem)
    end
  end
  return sinks.new({ open = open, fault = kind.fault, accept = kind.accept }, settings.of_sender {})
end

local function open_events(each, of_call)
  return files.events.new(each, of_call.max_size)
end

local function open_lines(each, of_call)
  return files.lines.new(each, of_call.max_size, function(line)
    return decoding.decoded(of_call, line)
  end)
end

request.events = public(request, function(f)
  local Events = files.events
  local kind = { open = open_events, fault = Events.fault, accept = Events.TYPE }
  return new_sink("events", f, kind)
end)

request.lines = public(request, function(f)
  return new_sink("lines", f, { open = open_lines, fault = files.lines.fault })
end)

return request
