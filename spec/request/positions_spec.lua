-- The line that an error names: the program's, whatever its file is called, and never one of this
-- library. What a function of the program raises leaves the call as it is.
local endpoint = require "endpoint"
local request = require "endpoint.request"
local scripted = require "request.scripted"

-- A program that begins with the names that it may use. The line that is to be blamed ends with
-- "-- here".
local HEAD = "local send_with, out = ...\n"

local function line_of(code)
  local before = code:match "^(.-)%-%- here"
  return select(2, before:gsub("\n", "")) + 2
end

-- Runs a program as a file of that name; returns what it raises.
local function raised_by(name, code, send_with)
  local chunk = assert((loadstring or load)(HEAD .. code, "@" .. name))
  local ok, problem = pcall(chunk, send_with)
  assert.is_false(ok)
  return tostring(problem)
end

-- A program, and what it raises after its position; `whole` if it has no other.
local PROGRAMS = {
  ["an error of a hook"] = {
    code = [[
local send = send_with { around = function()
  error "oops" -- here
end }
local body = send "GET /x"]],
    said = "oops",
  },
  ["a bug in a hook"] = {
    code = [[
local send = send_with { around = function(r)
  return r.none.at -- here
end }
local body = send "GET /x"]],
    said = "attempt to index",
  },
  ["headers that are a string"] = {
    code = [[
local send = send_with { around = function(r, send)
  r.headers = "x"
  local response = send(r) -- here
  return response
end }
local body = send "GET /x"]],
    said = "endpoint.request: around: headers: expected a table, got a string",
  },
  ["headers that are a string, in a call at the end"] = {
    code = [[
local send = send_with { around = function(r, send)
  r.headers = "x"
  return send(r)
end }
local body = send "GET /x" -- here
]],
    said = "endpoint.request: around: headers: expected a table, got a string",
  },
  ["a URL that is missing"] = {
    code = [[
local send = send_with { around = function(r, send)
  r.url = nil
  local response = send(r) -- here
  return response
end }
local body = send "GET /x"]],
    said = "endpoint.clients: url: expected a string, got a nil",
  },
  ["a header that is a table"] = {
    code = [[
local send = send_with { around = function(r, send)
  r.headers["x-a"] = { {} }
  local response = send(r) -- here
  return response
end }
local body = send "GET /x"]],
    said = 'endpoint.clients: header "x-a": expected strings as elements of the list, got table',
  },
  ["what is no result"] = {
    code = [[
local send = send_with { around = function(_, send)
  local response = send(5) -- here
  return response
end }
local body = send "GET /x"]],
    said = "endpoint.request: around: expected a result to send, got a number",
  },
  ["an error of a stream"] = {
    code = [[
local send = send_with {}
local body = send("POST /x", { data = function()
  error "oops" -- here
end })]],
    said = "oops",
  },
  ["a message of a stream that is a table"] = {
    code = [[
local send = send_with {}
local body = send("POST /x", { data = function() return nil, {} end }) -- here
]],
    said = "POST /x: the function of the body ended with a table as its message",
  },
  ["a message of a sink that is a table"] = {
    code = [[
local send = send_with { sink = function() return nil, {} end }
local body = send "GET /x" -- here
]],
    said = "GET /x: a table instead of a message",
  },
  ["an error of a sink"] = {
    code = [[
local send = send_with { sink = function()
  error "oops" -- here
end }
local body = send "GET /x"]],
    said = "oops",
  },
}

-- --- the clients ------------------------------------------------------------------

local CLIENTS = {
  ["HTTP/1.1"] = function(settings)
    scripted.reset()
    scripted.answers = { scripted.response "abc" }
    return scripted.sender(settings)
  end,
}

-- A server that takes connections and says nothing.
local function with_curl(settings)
  local listener = assert(require("socket").bind("127.0.0.1", 0))
  local _, port = listener:getsockname()
  settings.client, settings.tries, settings.timeout = "curl", 1, 2
  local send =
    request.new(endpoint.defaults { baseUrl = ("http://127.0.0.1:%d"):format(port) }, settings)
  return send, listener
end

local has_curl = (pcall(require, "cURL") or pcall(require, "curl")) and pcall(require, "socket")
CLIENTS.curl = with_curl

describe("an error names the line of", function()
  for client, send_with in pairs(CLIENTS) do
    for title, program in pairs(PROGRAMS) do
      local needs_answer = client == "curl" and title:find "of a sink" ~= nil
      for _, name in
        ipairs(needs_answer and {} or { "program.lua", "endpoint_demo.lua", "endpoint.lua" })
      do
        it(("%s, in %s, by %s"):format(title, name, client), function()
          if client == "curl" and not has_curl then
            pending "there is no lua-curl"
          end
          local listener
          local said = raised_by(name, program.code, function(settings)
            local send
            send, listener = send_with(settings)
            return send
          end)
          if listener then
            listener:close()
          end
          local expected = ("%s:%d: %s"):format(name, line_of(program.code), program.said)
          assert.equal(expected, said:sub(1, #expected))
        end)
      end
    end
  end

  it("a stream's error that is a table, which leaves the call as it is", function()
    local mine = {}
    for client, send_with in pairs(CLIENTS) do
      if client ~= "curl" or has_curl then
        local send, listener = send_with {}
        local ok, raised = pcall(send, "POST /x", {
          data = function()
            error(mine)
          end,
        })
        if listener then
          listener:close()
        end
        assert.is_false(ok)
        assert.equal(mine, raised)
      end
    end
  end)
end)
