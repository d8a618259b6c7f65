-- SPDX-License-Identifier: MIT
-- The headers of the request that nginx handles. nginx sends on what it has received, so all that a
-- stranger has written must go; and whatever it sends on, every internal location sees, so what is
-- secret must not stand in the client's request.
local headers = {}

local fail = require "endpoint.clients.misuse".fail
local text = require "endpoint.text"

local byte, sub = string.byte, string.sub

-- Names of ours that say nothing secret, as for defaults that leave home.
local function is_harmless(name)
  return name == "user-agent"
    or name == "content-type"
    or sub(name, 1, 6) == "accept"
    or name == "host"
end

-- Is the name in lower case, and of characters that every nginx lets in and clears again? A loop
-- over bytes is compiled by LuaJIT, a pattern is not.
function headers.is_plain_name(name)
  for i = 1, #name do
    local b = byte(name, i)
    if not (b >= 97 and b <= 122 or b == 45 or b >= 48 and b <= 57) then
      return false
    end
  end
  return #name > 0
end

-- Has the value control characters other than TAB?
local function has_control(value)
  for i = 1, #value do
    local b = byte(value, i)
    if b < 32 and b ~= 9 or b == 127 then
      return true
    end
  end
  return false
end

-- nginx would write these control characters as triplets, and drop a header without a value.
function headers.check(values, variables)
  for name, value in next, values do
    if value == "" or has_control(value) then
      fail(
        "header %q: expected a value without control characters, and not an empty one, for nginx",
        name
      )
    end
    if variables[name] == nil and not is_harmless(name) then
      fail(
        "header %q: locations that error_page or the API names would get it: expected "
          .. 'options.variables with a variable of nginx for it, %s = "name", or false to let them',
        name,
        headers.is_plain_name(name) and name or "it"
      )
    end
  end
end

-- Puts headers into their variables. proxy_set_header makes headers of these, which no other
-- location, no auth_request and no log sees. A variable without a header is emptied.
function headers.set_variables(target, values, variables)
  for name, variable in next, variables do
    if variable then
      target[variable] = values[name] or ""
    end
  end
end

-- May the client's header be sent on? An empty one would raise an error of ours. Another protocol
-- than websocket (h2c) would carry requests that nobody looks at.
local function is_passed(name, value)
  if type(value) == "table" then
    for i = 1, #value do
      if not is_passed(name, value[i]) then
        return false
      end
    end
    return name ~= "upgrade"
  end
  return value ~= ""
    and not has_control(value)
    and (name ~= "upgrade" or text.lower(value) == "websocket")
end

-- nginx's Lua module does not find some names that are not tokens. nginx lets them in if
-- ignore_invalid_headers is off.
local function check_cleared(ngx, cleared)
  for name in next, ngx.req.get_headers(0) do
    if rawget(cleared, name) then
      fail("a header of the client cannot be removed: nginx expects a token as its name")
    end
  end
end

-- Clears these headers. A header that we set takes the place of one of the client, but not of two.
local function clear(ngx, names, ours, variables)
  local is_certain = true
  for name, value in next, names do
    is_certain = is_certain and headers.is_plain_name(name)
    if ours[name] and not variables[name] and type(value) ~= "table" then
      names[name] = false
    else
      ngx.req.clear_header(name)
    end
  end
  if not is_certain then
    check_cleared(ngx, names)
  end
end

-- Replaces the headers of the current request by these, but for those to pass and those of the
-- body that is sent.
function headers.replace(ngx, values, variables, pass, of_body)
  local strangers = ngx.req.get_headers(0)
  for i = 1, #of_body do
    strangers[of_body[i]] = nil
  end
  for i = 1, #pass do
    local name = pass[i]
    local value = rawget(strangers, name)
    if value and not values[name] and is_passed(name, value) then
      strangers[name] = nil
    end
  end
  clear(ngx, strangers, values, variables)
  for name, value in next, values do
    if not variables[name] then
      ngx.req.set_header(name, value)
    end
  end
end

return headers
