-- SPDX-License-Identifier: MIT
-- A private cache (RFC 9111): a hook that keeps the responses to GET, serves them while they are
-- fresh, and asks with their entity tag or time afterwards.
local Cache = {}
Cache.__index = Cache

local Memory = require "endpoint.request.caches.memory"
local result = require "endpoint.result"
local scopes = require "endpoint.request.call.scopes"
local text = require "endpoint.text"
local with = require "endpoint.request.settings".with

-- --- requests ---------------------------------------------------------------------

-- A request with one of these asks for itself what the cache would.
local OWN = {
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-unmodified-since",
  "if-range",
  "range",
  "cache-control",
  "pragma",
}

local function asks_itself(r)
  for _, name in ipairs(OWN) do
    if r.headers[name] ~= nil then
      return true
    end
  end
  return false
end

-- The names of headers in bytewise order.
local function names_of(headers)
  local names = {}
  for name in pairs(headers) do
    names[#names + 1] = name
  end
  return result.sorted(names)
end

-- What the sender shows to the server, or where it is, beside the URL and the headers.
local function place_of(scope)
  local settings = scope and scope.call.settings or {}
  return (settings.certificate or "") .. "\n" .. (settings.socket_path or "")
end

local DEFAULT_PORTS = { http = "^(.*):0*80$", https = "^(.*):0*443$" }

-- What a request asks for (RFC 9110, section 7.1): its URL without a user and a fragment, with the
-- origin in one spelling (section 4.2.3).
local function target_of(url)
  local scheme, authority, rest = url:match "^([^:/?#]+)://([^/?#]*)([^#]*)"
  if not scheme then
    return (url:match "^[^#]*")
  end
  scheme, authority = text.lower(scheme), text.lower(authority:match "[^@]*$")
  local host = authority:match(DEFAULT_PORTS[scheme] or "^(.*):$") or authority:match "^(.*):$"
  return scheme .. "://" .. (host or authority) .. rest
end

-- All headers are a part of the key: so no response crosses to another user, whatever the
-- credential is called, and whatever the response's `vary` names.
local function key_of(r, scope)
  local parts = { r.url:match "^[^#]*", place_of(scope) }
  for _, name in ipairs(names_of(r.headers)) do
    local value = r.headers[name]
    value = type(value) == "table" and table.concat(value, "\r") or tostring(value)
    parts[#parts + 1] = name .. ":" .. value
  end
  return "response\n" .. table.concat(parts, "\n")
end

-- --- responses --------------------------------------------------------------------

local function without_commas(quoted)
  return (quoted:gsub(",", " "))
end

-- The directives of cache-control, by their names in lower case: a value, or "". One that is there
-- with two values has none.
local function directives_of(headers)
  local found = {}
  local listed = text.lower(headers["cache-control"] or ""):gsub('"[^"]*"', without_commas)
  for part in listed:gmatch "[^,]+" do
    local name, value = part:match '^%s*([%w-]+)%s*=?%s*"?([^"%s]*)'
    if name then
      found[name] = (found[name] or value) == value and value or ""
    end
  end
  return found
end

-- The seconds since its server wrote a response, as caches on the way say them.
local function age_of(headers)
  return tonumber((headers.age or ""):match "^%d+") or 0
end

-- The seconds for which a response is fresh; 0 for one that is to be asked about each time.
local function freshness(headers)
  local directives = directives_of(headers)
  local seconds = (directives["max-age"] or ""):match "^%d+$"
  if directives["no-cache"] or not seconds then
    return 0
  end
  return math.max(math.min(tonumber(seconds), 2 ^ 31) - age_of(headers), 0)
end

-- Can the headers be written as lines? A client of the program may give any.
local function are_lines(headers)
  for name, value in pairs(headers) do
    if name:find "[:\n]" or value:find("\n", 1, true) then
      return false
    end
  end
  return true
end

local function may_keep(response)
  local headers = response.headers
  return response.status == 200
    and not directives_of(headers)["no-store"]
    and not (headers.vary or ""):find("*", 1, true)
    and not headers["set-cookie"]
    and (headers.etag or headers["last-modified"] or freshness(headers) > 0)
    and are_lines(headers)
end

-- A response as a string: when it was asked for, until when it is fresh, its headers, its body.
local function written(response, asked, seconds)
  asked = math.floor(asked * 1000) -- rounded up it would be fresh for a moment
  local lines = { ("%.0f %.0f"):format(asked, asked + seconds * 1000) }
  for _, name in ipairs(names_of(response.headers)) do
    lines[#lines + 1] = name .. ":" .. response.headers[name]
  end
  return table.concat(lines, "\n") .. "\n\n" .. response.text
end

local function read(value)
  value = type(value) == "string" and value or ""
  local asked, ends, head, body = value:match "^(%d+) (%d+)(\n.-)\n\n(.*)$"
  if not asked then
    return nil
  end
  local headers = {}
  for name, field in head:gmatch "\n([^:\n]+):([^\n]*)" do
    headers[name] = field
  end
  return {
    asked = tonumber(asked) / 1000,
    ends = tonumber(ends) / 1000,
    response = { status = 200, headers = headers, text = body },
  }
end

-- --- the hook ---------------------------------------------------------------------

-- asked: when it was asked for. A write meanwhile makes it invalid, and no store shall keep it
-- longer than the note of a write to its URL.
function Cache:keep(key, response, asked)
  local seconds = math.min(freshness(response.headers), self.keeps)
  self.store:set(key, written(response, asked, seconds), self.keeps)
end

-- What is kept for a request, unless the URL was written to since.
function Cache:kept(key, url)
  local kept = read(self.store:get(key))
  local changed = kept and tonumber(self.store:get("changed\n" .. target_of(url)) or nil)
  return kept and (not changed or changed < kept.asked * 1000) and kept or nil
end

-- The methods that change nothing (RFC 9110, section 9.2.1; RFC 10008).
local IS_SAFE = { get = true, head = true, options = true, query = true, trace = true }

-- RFC 9111, section 4.4: a success under another method makes what is kept of the URL invalid.
function Cache:note_change(r, response)
  if response and response.status < 400 and not IS_SAFE[r.method] then
    self.store:set("changed\n" .. target_of(r.url), ("%.0f"):format(self.now() * 1000), self.keeps)
  end
end

-- Fields of a 304 that do not replace those of what is kept (RFC 9111, section 3.2).
local OF_ITSELF = {
  connection = true,
  ["content-encoding"] = true,
  ["content-length"] = true,
  ["content-range"] = true,
  ["content-type"] = true,
  ["set-cookie"] = true,
  ["transfer-encoding"] = true,
}

-- Is that the response which the 304 speaks of (RFC 9111, section 4.3.4)?
local function is_meant(kept, response)
  local etag = response.headers.etag
  return not etag or etag:gsub("^W/", "") == (kept.response.headers.etag or ""):gsub("^W/", "")
end

local function renewed(kept, response)
  kept.response.headers.age = nil
  for name, value in pairs(response.headers) do
    if not OF_ITSELF[name] then
      kept.response.headers[name] = value
    end
  end
  return kept.response
end

-- A response that is fresh, and how old it is.
local function aged(kept, now)
  local headers = kept.response.headers
  headers.age = ("%.0f"):format(age_of(headers) + math.floor(now - kept.asked))
  return kept.response
end

-- A request that asks whether what is kept has changed. It is a copy: a hook around the cache may
-- send the request again, as after a 401, and must not find a condition of its own in it.
local function conditional(r, kept)
  local etag, modified = kept.response.headers.etag, kept.response.headers["last-modified"]
  return with(r, {
    headers = with(r.headers, {
      ["if-none-match"] = etag,
      ["if-modified-since"] = not etag and modified or nil,
    }),
  })
end

-- The setting `around`.
function Cache:around(r, send)
  if r.method ~= "get" or asks_itself(r) then
    local response, message, is_final, reason = send(r)
    self:note_change(r, response)
    return response, message, is_final, reason
  end
  local scope, asked = scopes.current(), self.now()
  local key = key_of(r, scope)
  local kept = self:kept(key, r.url)
  if kept and asked >= kept.asked and asked < kept.ends then -- clocks are set back, too
    return aged(kept, asked)
  end

  local response, message, is_final, reason = send(kept and conditional(r, kept) or r)
  if kept and response and response.status == 304 then
    if is_meant(kept, response) then
      response = renewed(kept, response)
    else
      response, message, is_final, reason = send(r)
    end
  end
  if response and may_keep(response) and not (scope and scope.call.has_sunk) then
    self:keep(key, response, asked)
  end
  return response, message, is_final, reason
end

-- given: what settings.of_cache has checked. now: the clock.
function Cache.new(given, now)
  return setmetatable({
    store = given.store or Memory.new(given.max_size or 2 ^ 24),
    keeps = given.keeps or 86400, -- the most seconds for which a response is kept
    now = now,
  }, Cache)
end

return Cache
