-- SPDX-License-Identifier: MIT
-- The options of the clients inside nginx.
local settings = {}

local headers = require "endpoint.clients.nginx.headers"
local misuse = require "endpoint.clients.misuse"
local options = require "endpoint.clients.options"
local check_type, fail = misuse.check_type, misuse.fail

-- RFC 9110, section 7.6.1: fields of one connection; and those that nginx writes of its own.
local NEVER_PASSED = {
  connection = true,
  ["keep-alive"] = true,
  ["proxy-connection"] = true,
  ["proxy-authorization"] = true,
  te = true,
  trailer = true,
  ["transfer-encoding"] = true,
  ["content-length"] = true,
  expect = true,
  host = true,
}

local function check_pass(what, names)
  check_type(what, names, "table")
  for i = 1, #names do
    local name = names[i]
    if type(name) ~= "string" then
      fail("%s: expected a list of names of headers, got a %s", what, type(name))
    elseif not headers.is_plain_name(name) then
      local matter = name:match "[^a-z0-9-]"
      fail(
        "%s: expected names of lower-case letters, digits and -, got %s in %s",
        what,
        matter and misuse.quoted(matter) or "nothing",
        misuse.quoted(name)
      )
    end
    if NEVER_PASSED[name] then
      fail("%s: %s belongs to one connection: expected names without it", what, name)
    end
  end
end

local function check_variables(what, variables)
  check_type(what, variables, "table")
  for name, variable in next, variables do
    if type(name) ~= "string" or type(variable) ~= "string" and variable ~= false then
      fail("%s: expected names of headers with the name of a variable of nginx, or false", what)
    end
  end
end

local function check_phase(what, phase)
  if phase ~= "access" and phase ~= "rewrite" then
    fail('%s: expected "access" or "rewrite"', what)
  end
end

local function check_body(what, body)
  if body ~= "client" then
    fail('%s: expected "client"', what)
  end
end

settings.CAPTURE = options.of_client { variables = check_variables }
settings.PROXY = options.of_client {
  body = check_body,
  pass = check_pass,
  phase = check_phase,
  variables = check_variables,
}

return settings
