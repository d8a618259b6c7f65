-- What the option `flags` must do in a module that has it, see new_option_table.lua. The last line
-- says that all holds.
local endpoint = require "endpoint"
local result = require "endpoint.result"

local function message_of(f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok, "expected an error")
  return message
end

local function check_type()
  local message = message_of(endpoint, "/x", { flags = "a" })
  assert(message:find('option "flags": expected a table, got string', 1, true), message)
  message = message_of(endpoint.defaults, { flags = true })
  assert(message:find('option "flags": expected a table, got boolean', 1, true), message)
  message = message_of(endpoint, "/{flags}")
  assert(message:find("the name of an option", 1, true), message)
end

local function check_calls()
  local api, null = endpoint.defaults { baseUrl = "https://h", flags = { "mine" } }, endpoint.null
  local given = { "yours" }
  assert(api("/x").flags[1] == "mine")
  assert(api("/x", { flags = given }).flags == given, "a call's own table goes by reference")
  assert(api("/x", { flags = null }).flags == nil)
  assert(api("/x").url == "https://h/x", "it is no parameter")
  assert(api.defaults({ flags = null }).DEFAULTS.flags == nil)
  local message = message_of(api, "https://evil.example/")
  assert(message:find('default "flags": a default goes only to "https://h"', 1, true), message)
  assert(api("https://evil.example/", { flags = given }).flags == given)
end

-- Nothing that a caller does to a table that it passed in, or got back, changes an endpoint.
local function check_copies()
  local given = { "mine", { "deep" } }
  local api = endpoint.defaults { baseUrl = "https://h", flags = given, same = given[2] }
  given[1], given[2][1] = "changed", "changed"
  local function check(flags, from)
    assert(flags[1] == "mine" and flags[2][1] == "deep", from)
    flags[1], flags[2][1] = "changed", "changed"
  end
  for _ = 1, 2 do
    check(api.DEFAULTS.flags, "DEFAULTS")
    check(api.merge("/x").flags, "merge")
    check(api("/x", { same = 1 }).flags, "a call without body")
    check(api("POST /x").flags, "a call with a body")
    check(api.defaults({ a = 1 }).DEFAULTS.flags, "another endpoint")
  end
  local posted = api "POST /x"
  assert(posted.flags[2] == posted.body.same, "what defaults share, their copies share")
end

local function check_result()
  assert(result.is_option "flags")
  assert(#result.options == 8)
  assert(result.read(endpoint("https://h/", { flags = { "a" } })).url == "https://h/")
end

check_type()
check_calls()
check_copies()
check_result()
print "the option is there"
