-- SPDX-License-Identifier: MIT
-- A private cache (RFC 9111): a hook that keeps the responses to GET, serves them while they are
-- fresh, and asks with their entity tag or time afterwards.
local Cache = {}
Cache.__index = Cache

local Memory = require "endpoint.request.caches.memory"
local result = require "endpoint.result"
local scopes = require "endpoint.request.call.scopes"
local text = require "endpoint.text"

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

-- All headers are a part of the key: so no response crosses to another user, whatever the
-- credential is called, and whatever the response's `vary` names.
local function key_of(r)
  local parts = { r.url }
  for _, name in ipairs(names_of(r.headers)) do
    local value = r.headers[name]
    value = type(value) == "table" and table.concat(value, "\r") or tostring(value)
    parts[#parts + 1] = name .. ":" .. value
  end
  return "response\n" .. table.concat(parts, "\n")
end

-- --- responses --------------------------------------------------------------------

-- The directives of cache-control, by their names in lower case: a value, or "".
local function directives_of(headers)
  local found = {}
  for part in text.lower(headers["cache-control"] or ""):gmatch "[^,]+" do
    local name, value = part:match '^%s*([%w-]+)%s*=?%s*"?([^"%s]*)'
    if name then
      found[name] = value
    end
  end
  return found
end

-- The seconds for which a response is fresh; 0 for one that is to be asked about each time.
local function freshness(headers)
  local directives = directives_of(headers)
  local seconds = (directives["max-age"] or ""):match "^%d+$"
  local age = (headers.age or ""):match "^%d+$"
  if directives["no-cache"] or not seconds then
    return 0
  end
  return math.max(math.min(tonumber(seconds), 2 ^ 31) - (tonumber(age) or 0), 0)
end

local function may_keep(response)
  local headers = response.headers
  return response.status == 200
    and not directives_of(headers)["no-store"]
    and not (headers.vary or ""):find("*", 1, true)
    and not headers["set-cookie"]
    and (headers.etag or headers["last-modified"] or freshness(headers) > 0)
end

-- A response as a string: when it came, until when it is fresh, its headers, its body.
local function written(response, now)
  local came = math.floor(now * 1000) -- rounded up it would be fresh for a moment
  local lines = { ("%.0f %.0f"):format(came, came + freshness(response.headers) * 1000) }
  for _, name in ipairs(names_of(response.headers)) do
    lines[#lines + 1] = name .. ":" .. response.headers[name]
  end
  return table.concat(lines, "\n") .. "\n\n" .. response.text
end

local function read(value)
  local came, ends, head, body = (value or ""):match "^(%d+) (%d+)(\n.-)\n\n(.*)$"
  if not came then
    return nil
  end
  local headers = {}
  for name, field in head:gmatch "\n([^:\n]+):([^\n]*)" do
    headers[name] = field
  end
  return {
    came = tonumber(came) / 1000,
    ends = tonumber(ends) / 1000,
    response = { status = 200, headers = headers, text = body },
  }
end

-- --- the hook ---------------------------------------------------------------------

function Cache:keep(key, response)
  local now = self.now()
  local seconds = math.max(freshness(response.headers), self.keeps)
  self.store:set(key, written(response, now), seconds)
end

-- What is kept for a request, unless the URL was written to since.
function Cache:kept(key, url)
  local kept = read(self.store:get(key))
  local changed = kept and tonumber(self.store:get("changed\n" .. url) or 0)
  return kept and (changed or 0) < kept.came * 1000 and kept or nil
end

-- RFC 9111, section 4.4: a success under another method makes what is kept of the URL invalid.
function Cache:note_change(r, response)
  local is_safe = r.method == "head" or r.method == "options" or r.method == "trace"
  if response and response.status < 400 and not is_safe then
    self.store:set("changed\n" .. r.url, ("%.0f"):format(self.now() * 1000), self.keeps)
  end
end

-- Fields of a 304 that do not replace those of what is kept.
local OF_BODY = { ["content-length"] = true, ["content-encoding"] = true, ["set-cookie"] = true }

local function renewed(kept, response)
  for name, value in pairs(response.headers) do
    if not OF_BODY[name] then
      kept.response.headers[name] = value
    end
  end
  return kept.response
end

-- The setting `around`.
function Cache:around(r, send)
  if r.method ~= "get" or asks_itself(r) then
    local response, message, is_final, reason = send(r)
    if r.method ~= "get" then
      self:note_change(r, response)
    end
    return response, message, is_final, reason
  end
  local key = key_of(r)
  local kept = self:kept(key, r.url)
  if kept and self.now() < kept.ends then
    kept.response.headers.age = ("%.0f"):format(math.floor(self.now() - kept.came))
    return kept.response
  elseif kept then
    local headers = kept.response.headers
    r.headers["if-none-match"] = headers.etag
    r.headers["if-modified-since"] = not headers.etag and headers["last-modified"] or nil
  end

  local response, message, is_final, reason = send(r)
  local scope = scopes.current()
  if kept and response and response.status == 304 then
    response = renewed(kept, response)
    self:keep(key, response)
  elseif response and may_keep(response) and not (scope and scope.call.has_sunk) then
    self:keep(key, response)
  end
  return response, message, is_final, reason
end

-- given: what settings.of_cache has checked. now: the clock.
function Cache.new(given, now)
  return setmetatable({
    store = given.store or Memory.new(given.max_size or 2 ^ 24),
    keeps = given.keeps or 86400, -- the seconds for which a store keeps what may be asked about
    now = now,
  }, Cache)
end

return Cache
