-- SPDX-License-Identifier: MIT
-- What an answer says: its headers, its body, where it leads to, and why it refuses.
local answer = {}

local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local failures = require "endpoint.request.failures"
local links = require "endpoint.clients.links"
local text = require "endpoint.text"
local with = require "endpoint.request.settings".with

local SCALARS = { string = true, number = true, boolean = true }

-- Are these headers that a program may give: names with texts, numbers, booleans, or lists of texts and numbers?
function answer.are_headers(given)
  if type(given) ~= "table" then
    return false
  end
  for name, value in pairs(given) do
    local is_list = type(value) == "table" and text.list_size(value) and pcall(table.concat, value)
    if type(name) ~= "string" or not (is_list or SCALARS[type(value)]) then
      return false
    end
  end
  return true
end

-- A response: headers, a table of texts or lists, become texts with names in lower case, but a list for set-cookie
-- (RFC 9110, section 5.3).
function answer.response(status, headers, body, url)
  local named = {}
  for key, value in pairs(headers) do
    local name, list = text.lower(key), type(value) == "table" and value or { tostring(value) }
    named[name] = name == "set-cookie" and with(list) or table.concat(list, ", ")
  end
  return { status = status, headers = named, text = body, url = url }
end

function answer.is_success(response)
  return response.status >= 200 and response.status < 300
end

-- How a call decodes JSON; false if nothing here can.
function answer.decoder(settings)
  if settings.decode then
    return settings.decode
  end
  local found, cjson = pcall(require, "cjson")
  return found and cjson.decode
end

-- Decodes a text as a call's settings say. Returns true and the value; or false if it is not JSON. lua-cjson raises,
-- other decoders return nil and a message, which may come after a position.
function answer.decoded(settings, body)
  local decode = answer.decoder(settings)
    or failures.need("cjson", "lua-cjson, or the setting decode").decode
  local ok, value, second, third = pcall(decode, body)
  return ok and (value ~= nil or type(third or second) ~= "string"), value
end

-- The body of a response: JSON decoded, any other text as it is; nil for none.
function answer.body(call, response)
  local body, kind = response.text, text.lower(response.headers["content-type"] or ""):match "[^;]*"
  local coding = text.lower(response.headers["content-encoding"] or "identity")
  if body == "" or coding ~= "identity" or not kind:find "[/+]json[ \t]*$" then
    return body ~= "" and body or nil
  end
  local ok, value = answer.decoded(call.settings, body)
  if ok then
    return value
  end
  return answer.is_success(response) and failures.raise(call, "the answer is no JSON", response)
    or body
end

local MOVED = { [301] = true, [302] = true, [303] = true, [307] = true, [308] = true }

-- The URL of a reference that the server at `base` wrote, as a template; nil if none can be sent.
function answer.resolved(url, base)
  if type(url) ~= "string" or base:sub(1, 1) == "/" or links.has_bare_scheme(url) then
    return nil
  end
  url = links.resolved(url, links.base(base))
  return pcall(function()
    clients.plain(endpoint.parse { url = url, baseUrl = "" })
  end) and url or nil
end

-- Scheme, host and port of a URL, nil for a path of this server; and its userinfo, or nil.
local function origin_of(url)
  if url:sub(1, 1) == "/" then
    return nil
  end
  local place = clients.plain { method = "GET", url = url }
  return text.lower(place.scheme .. " " .. place.host .. " " .. place.port),
    url:match "^[^/]*//([^/?#]*)@"
end

-- Do two URLs lead to the same server, as the same user?
function answer.is_same_origin(url, base)
  local origin, userinfo = origin_of(url)
  local home, own = origin_of(base)
  return origin == home and (userinfo == nil or userinfo == own)
end

-- Where a redirect leads to, and why it is not followed; both nil if it is none.
function answer.redirect(call, response, followed)
  if not MOVED[response.status] then
    return nil
  end
  local url = answer.resolved(response.headers.location, call.r.url)
  local why = not url and "it is no URL that can be sent"
    or call.method ~= "GET" and call.method ~= "HEAD" and "the method is " .. call.method
    or not answer.is_same_origin(url, call.r.url) and "it is another origin"
    or call.settings.redirects == 0 and "the setting redirects is 0"
    or followed >= call.settings.redirects and ("%d were followed"):format(followed)
  return url or "no URL", why or nil
end

local explained -- which calls listed

-- Reasons that are looked for in a list: only 200 bytes are shown, and to sort all that a server can send takes long.
local MOST = 100

-- The reasons of a list, { "a", { field = "title", code = "missing" } }, or of a map, { name = { "is too short" } }.
local function listed(errors, depth)
  local found = {}
  local is_list = errors[1] ~= nil
  for key, value in (is_list and ipairs or pairs)(errors) do
    local said = explained(value, depth)
    if said then
      found[#found + 1] = type(key) == "string" and key .. " " .. said or said
    end
    if #found == MOST then
      break
    end
  end
  if not is_list then
    table.sort(found)
  end
  return found[1] and table.concat(found, ", ")
end

-- A text of a field of a table, or nil.
local function word(value, name)
  return type(value[name]) == "string" and value[name] ~= "" and value[name] or nil
end

-- The server's own words in its JSON, wherever APIs put them: GitHub's errors stand beside a message, Rails' in a
-- map, OAuth has error_description (RFC 6749, section 5.2), RFC 9457 title and detail.
function explained(value, depth)
  if type(value) == "string" then
    return value ~= "" and value or nil
  end
  if type(value) ~= "table" or depth > 3 then
    return nil
  end
  local said = word(value, "message") or word(value, "error_description") or word(value, "detail")
  local before = word(value, "title")
  if before and before ~= said then
    said = said and before .. ": " .. said or before
  end
  said = said or explained(value.error, depth + 1)
  local code, field = word(value, "code"), word(value, "field")
  if code then
    said = said or field and field .. " " .. code or code
  end
  local more = type(value.errors) == "table" and listed(value.errors, depth + 1)
    or value[1] ~= nil and listed(value, depth + 1)
    or nil
  return said and more and said .. ": " .. more or said or more
end

-- The body and the response of a success; raises the failure that another answer is.
function answer.demanded(call, body, response)
  local said = ("the server answers %d"):format(response.status)
  local url, why = answer.redirect(call, response, call.followed)
  if url then
    failures.raise(
      call,
      ("%s: moved to %s (not followed: %s)"):format(said, call:told(failures.bare(url)), why),
      response
    )
  elseif response.status >= 400 then
    local reason = explained(type(body) == "table" and body or nil, 0)
    failures.raise(call, reason and said .. ": " .. call:told(reason) or said, response)
  end
  return body, response
end

return answer
