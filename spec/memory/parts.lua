-- Usage: lua parts.lua [STEP]   lets each allocation of calls of endpoint.checks, endpoint.request
-- and endpoint.clients fail, or each STEP-th, in the three ways of failing.c beside it, which must
-- be on package.cpath. From Lua 5.2 on each failure costs a whole collection.
--
-- After a failure the call must have raised Lua's memory error, or have given its usual answer
-- without that memory: nothing takes lack of memory for a text that is not JSON, for a wrong value
-- or for a credential that is not there. The same call must then give its usual answer.
package.path = "src/?.lua;" .. package.path

if jit then
  jit.off()
end -- a trace takes memory in one call and not in the next

local clients, endpoint, request =
  require "endpoint.clients", require "endpoint", require "endpoint.request"
local failing, types = require "failing", require "endpoint.types"

-- --- a decoder and an encoder, which take memory of Lua --------------------------------

-- Reads a list of strings, ["a","b"], or an object of them, {"a":"b"}. That is enough here.
local function decode(json)
  local list, object = {}, {}
  if not json:find "^[%[{].*[%]}]$" then
    error "not JSON"
  end
  for name, value in json:gmatch '"([^"]*)":"([^"]*)"' do
    object[name] = value
  end
  for value in json:gmatch '"([^"]*)"' do
    list[#list + 1] = value
  end
  return next(object) and object or list
end

local function encode(value)
  local parts = {}
  for name, one in pairs(value) do
    parts[#parts + 1] = ("%q:%q"):format(name, tostring(one))
  end
  table.sort(parts)
  return "{" .. table.concat(parts, ",") .. "}"
end

-- --- calls ----------------------------------------------------------------------------

-- name, and a function that prepares a call: a function that returns a text. It is prepared for
-- each failure anew, so that nothing is kept from the one before.
local rows = {}

local function row(name, prepare)
  rows[#rows + 1] = { name = name, prepare = prepare }
end

-- From Lua 5.2 on lua_checkstack fails, too, if there is no memory for the stack. The message may
-- have the position of the program's line.
local function is_memory_error(value)
  return value == "not enough memory"
    or tostring(value):find("stack overflow (endpoint: ", 1, true) ~= nil
end

-- What a call returns or raises, as a text. Lack of memory is raised.
local function answer(f, ...)
  local ok, value, other = pcall(f, ...)
  if is_memory_error(value) then
    error(value, 0)
  end
  local is_plain = type(value) ~= "table" or not ok
  local shown = is_plain and tostring(value) or value.body or table.concat(value, " ")
  local second = type(other) == "table" and other.status or other
  return tostring(ok) .. " " .. shown .. " " .. tostring(second)
end

local TEXT = { type = "string" }

local DOCUMENT = {
  openapi = "3.1.0",
  servers = { { url = "https://h.example" } },
  paths = {
    ["/things/{id}"] = {
      parameters = { { name = "id", ["in"] = "path", required = true, schema = TEXT } },
      post = {
        operationId = "add",
        requestBody = {
          content = {
            ["application/json"] = {
              schema = {
                type = "object",
                properties = {
                  name = { type = "string", pattern = "^a+$", maxLength = 5 },
                  size = { type = "integer", minimum = 1 },
                  kind = { type = "string", enum = { "red", "blue" } },
                  parts = { type = "array", items = { ["$ref"] = "#/components/schemas/part" } },
                  either = {
                    anyOf = { TEXT, { type = "object", properties = { a = TEXT } } },
                  },
                },
                required = { "name" },
              },
            },
          },
        },
      },
    },
  },
  components = {
    schemas = {
      part = { type = "object", properties = { id = { type = "string", minLength = 1 } } },
    },
  },
}

local RULES
for _, file in ipairs(types.generate(DOCUMENT, "things", { checks = true }).files) do
  RULES = file.name:find "checks" and (loadstring or load)(file.text) or RULES
end

local RIGHT = {
  id = "1",
  name = "aaa",
  size = 3,
  kind = "red",
  parts = { { id = "x" } },
  either = { a = "b" },
}

local function with(more)
  local copy = {}
  for name, value in pairs(RIGHT) do
    copy[name] = value
  end
  for name, value in pairs(more) do
    copy[name] = value
  end
  return copy
end

for name, more in pairs {
  ["a right call"] = {},
  ["a wrong integer"] = { size = 0 },
  ["a wrong name"] = { nmae = "aaa" },
  ["a wrong value of an enumeration"] = { kind = "green" },
  ["a wrong part"] = { parts = { { id = "" } } },
  ["a wrong alternative"] = { either = 5 },
} do
  row("checks: " .. name, function()
    local rules, given = RULES(), with(more)
    return function()
      return answer(function()
        for _ = 1, 3 do -- the fast way is made for the second
          rules.check("POST /things/{id}", given)
        end
      end)
    end
  end)
  row("checks: a tool with " .. name, function()
    local rules, given = RULES(), with(more)
    return function()
      return answer(rules.call, endpoint, "add", given)
    end
  end)
end
row("checks: the tools", function()
  local rules = RULES()
  return function()
    local list = rules.tools()
    return list[1].name .. " " .. list[1].parameters.type
  end
end)

local api = endpoint.defaults {
  baseUrl = "https://user:password1@h.example",
  headers = { authorization = "Bearer sesame/open" },
}

-- A call whose server answers so.
local function sending(name, status, headers, body, settings)
  row("request: " .. name, function()
    local all = { decode = decode, encode = encode, tries = 1 }
    for setting, value in pairs(settings or {}) do
      all[setting] = value
    end
    function all.client()
      return status, headers, body
    end
    local send = request.new(api, all)
    return function()
      return answer(send, "POST /x{?token}", { token = "t0ken-of-mine", a = "b" })
    end
  end)
end

local JSON = { ["content-type"] = "application/json" }
sending("JSON", 200, JSON, '["a"]')
sending("a text that is not JSON", 200, JSON, "no")
sending(
  "a reason that repeats credentials",
  400,
  JSON,
  '{"message":"password1 and sesame/open and t0ken-of-mine"}'
)
sending("a redirect", 301, { location = "/y?token=t0ken-of-mine" }, "")
sending("events", 200, { ["content-type"] = "text/event-stream" }, "data: a\n\n", {
  sink = request.events(function(event)
    return event.data == "a"
  end),
})
sending("lines", 200, {}, '["a"]\n["b"]\n', {
  decode = decode,
  sink = request.lines(function(line)
    return line[1] ~= nil
  end),
})
row("request: pages", function()
  local send = request.new(api, {
    decode = decode,
    client = function(r)
      local link = not r.url:find "page" and '</x?page=2>; rel="next"' or nil
      return 200, { ["content-type"] = "application/json", link = link }, '["a"]'
    end,
  })
  return function()
    local found = {}
    for element in send.each "GET /x" do
      found[#found + 1] = element
    end
    return table.concat(found, " ")
  end
end)

-- Two calls with a hook, whose server answers with answer(r), and the bodies.
local function hooked(name, new_hook, respond)
  row("request: " .. name, function()
    local send = request.new(api, { tries = 1, around = new_hook(), client = respond })
    return function()
      return answer(send, "GET /x") .. " " .. answer(send, "GET /x")
    end
  end)
end
hooked("a cache", request.cache, function(r)
  if r.headers["if-none-match"] then
    return 304, { etag = '"1"' }, ""
  end
  return 200, { etag = '"1"' }, "kept"
end)
hooked("a token", function()
  local count = 0
  return request.token {
    header = "x-token",
    form = "%s",
    fetch = function()
      count = count + 1
      return ("token %d"):format(count), 100
    end,
  }
end, function(r)
  return r.headers["x-token"] == "token 1" and 401 or 200, {}, "answered"
end)

for _, name in ipairs { "luasocket", "resty_http", "plain", "curl_command", "love" } do
  if clients[name] then
    row("clients: " .. name, function()
      local r = api("POST /x", { data = { a = "b" } })
      return function()
        local first = clients[name](r, { encode = encode })
        return type(first) == "table" and tostring(first.url or first.host) or tostring(first)
      end
    end)
  end
end
row("clients: links", function()
  return function()
    return clients.links('</x?page=2>; rel="next"', "https://h.example/x").next
  end
end)
row("clients: an encoder that raises", function()
  local r = api("POST /x", { data = { a = "b" } })
  return function()
    return answer(clients.plain, r, {
      encode = function(value)
        error("no " .. encode(value), 0)
      end,
    })
  end
end)

-- --- the loop -------------------------------------------------------------------------

local STEP = tonumber(arg[1] or 1)
local WAYS = { [0] = "with all that follow", "alone", "with the next one" }
local failures, bad = 0, 0

local function complain(name, growth, way, got)
  bad = bad + 1
  print(("BAD: %s, growth %d failing %s: %s"):format(name, growth, WAYS[way], tostring(got)))
end

-- Lets one growth fail. Returns false where the call has no more growths.
local function attempt(name, prepare, expected, growth, way)
  local call = prepare()
  local failed, ok, value = failing.call(call, growth, way)
  if failed == 0 then
    return false
  end
  failures = failures + 1
  if ok and value ~= expected or not ok and not is_memory_error(value) then
    complain(name, growth, way, value)
  end
  local again, second = pcall(call)
  if not again or second ~= expected then
    complain(name .. ", once more", growth, way, second)
  end
  return true
end

for _, one in ipairs(rows) do
  local expected = one.prepare()()
  for way = 0, 2 do
    local growth = 1 + way % STEP
    while attempt(one.name, one.prepare, expected, growth, way) do
      growth = growth + STEP
    end
  end
end
print(("%s: %d calls, %d failures injected, %d bad"):format(_VERSION, #rows, failures, bad))
os.exit(bad == 0 and 0 or 1)
