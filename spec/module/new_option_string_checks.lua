-- What the option `realm` must do in a module that has it, see new_option_string.lua. The last line
-- says that all holds.
local endpoint = require "endpoint"
local result = require "endpoint.result"

local function message_of(f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok, "expected an error")
  return message
end

local function check_type()
  local message = message_of(endpoint, "/x", { realm = {} })
  assert(message:find('option "realm": expected a string, got table', 1, true), message)
  message = message_of(endpoint.defaults, { realm = 1 })
  assert(message:find('option "realm": expected a string, got number', 1, true), message)
  message = message_of(endpoint, "/{realm}")
  assert(message:find("the name of an option", 1, true), message)
end

local function check_calls()
  local api = endpoint.defaults { baseUrl = "https://h", realm = "mine" }
  local null = endpoint.null
  assert(api.DEFAULTS.realm == "mine")
  assert(api.defaults({ realm = null }).DEFAULTS.realm == nil)
  assert(api.merge("/x").realm == "mine")
  assert(api("/x").realm == "mine")
  assert(api("/x", { realm = "yours" }).realm == "yours")
  assert(api("/x", { realm = null }).realm == nil)
  assert(api("/x").url == "https://h/x", "it is no parameter")
  local message = message_of(api, "https://evil.example/")
  assert(message:find('default "realm": a default goes only to "https://h"', 1, true), message)
  assert(api("https://evil.example/", { realm = "yours" }).realm == "yours")
  assert(endpoint.defaults({ baseUrl = "" })("https://h/", { realm = "a" }).realm == "a")
end

local function check_result()
  assert(result.is_option "realm")
  assert(#result.options == 8)
  assert(result.read(endpoint("https://h/", { realm = "a" })).url == "https://h/")
end

check_type()
check_calls()
check_result()
print "the option is there"
