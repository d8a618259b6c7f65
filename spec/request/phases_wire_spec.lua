-- Inside nginx: phases in which nothing can be sent, and a name without a resolver.
local server = require "server"
local support = require "support"

local LOCATIONS = [[
location = /resolve {
  content_by_lua_block {
    local entries = {}
    local send = require "phases" (entries)
    local ok, problem = pcall(send, "GET /x")
    ngx.say(#entries, " ", tostring(problem))
  }
}
location = /filter {
  content_by_lua_block { ngx.say "sent" }
  header_filter_by_lua_block {
    local ok, problem = pcall(function()
      local body = require "phases" {} "GET /x" -- here
      return body
    end)
    ngx.header["x-problem"] = tostring(problem)
  }
}
location = /log {
  content_by_lua_block { ngx.say "sent" }
  log_by_lua_block {
    local ok, problem = pcall(function()
      local body = require "phases" {} "GET /x"
      return body
    end)
    ngx.log(ngx.ERR, "told: ", tostring(problem))
  }
}
]]

-- Makes a sender that logs into a list. It is loaded once in each worker.
local OUTSIDE = [[
init_worker_by_lua_block {
  local endpoint, request = require "endpoint", require "endpoint.request"
  function package.loaded.phases(entries)
    return request.new(endpoint.defaults { baseUrl = "http://h.example" }, {
      log = function(entry) entries[#entries + 1] = entry end,
    })
  end
}
]]

local NOT_HERE = "endpoint.request: client: nginx cannot send in this phase: "

describe("a call inside nginx", function()
  local running, start, stop = server.plan { locations = LOCATIONS, outside = OUTSIDE, errors = "" }
  setup(start)
  teardown(stop)

  it("to a name without a resolver is tried once", function()
    local said = server.fetch(running, "/resolve")
    assert.truthy(said:find("^1 .*GET /x: no resolver defined to resolve"), said)
  end)

  it("in the filter of a header names the phase and the program's line", function()
    local said = server.fetch(running, "/filter", "-i")
    local line = said:match "x%-problem: ([^\r]*)"
    assert.truthy(line:find(NOT_HERE, 1, true), line)
    assert.truthy(line:find "header_filter_by_lua", line)
    assert.truthy(line:find "^header_filter_by_lua[^ ]*:%d+: ", line)
  end)

  it("in the log names the phase and the program's line", function()
    server.fetch(running, "/log")
    local log = ""
    for _ = 1, 50 do
      log = support.read(running.directory .. "/error.log")
      if log:find "told: " then
        break
      end
      server.shell "sleep 0.05"
    end
    local line = log:match "told: ([^\n]*)"
    assert.truthy(line:find(NOT_HERE, 1, true), line)
    assert.truthy(line:find "^log_by_lua[^ ]*:%d+: ", line)
  end)
end)
