-- SPDX-License-Identifier: MIT
-- Walks through the pages of a list.
local Pages = {}
Pages.__index = Pages

local Call = require "endpoint.request.call"
local answer = require "endpoint.request.answer"
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local failures = require "endpoint.request.failures"
local result = require "endpoint.result"
local with = require "endpoint.request.settings".with

-- how: the settings `page` and `max`.
function Pages.new(sender, route, options, how)
  if type(route) == "table" then
    route, options = nil, route
  end
  return setmetatable({
    sender = sender,
    route = route,
    options = options or {},
    page = how.page,
    left = how.max or math.huge,
    seen = {},
    list = {},
    at = 0,
    following = {},
  }, Pages)
end

-- The options whose place the URL of the next page takes.
local IS_REPLACED = { method = true, url = true, baseUrl = true, data = true }

-- What the next page keeps of a call if a URL names it. The URL has the parameters, and a null
-- keeps the default of each away, as the call did.
local function options_of_next(options)
  local kept = {}
  for name, value in pairs(options) do
    local is_kept = result.is_option(name) and not IS_REPLACED[name]
    kept[name] = is_kept and value or endpoint.null
  end
  return kept
end

-- The call of the next page, whose parameters lie over those of the first.
local function call_of_parameters(self, parameters)
  local ok, call = pcall(Call.new, self.sender, self.route, with(self.options, parameters))
  if ok then
    return call, clients.literal(call.r.url)
  end
  failures.raise(
    self.last,
    "the next page cannot be asked for: "
      .. self.last:told(failures.without_position(tostring(call)))
  )
end

-- The call of the page that `following` names: a URL, or parameters.
local function next_call(self, following)
  local last = self.last
  if not last then
    return Call.new(self.sender, self.route, self.options)
  end
  local call, url
  if type(following) == "table" then
    call, url = call_of_parameters(self, following)
  else
    url = answer.resolved(following, last.r.url) or failures.raise(last, "the next page has no URL")
  end
  if not answer.is_same_origin(url, self.first) then
    failures.raise(
      last,
      ("the next page is at %s, not at %s"):format(
        last:told(failures.bare(url)),
        last:told(failures.bare(self.first))
      )
    )
  end
  return call or Call.of_server(self.sender, url, options_of_next(self.options))
end

-- Raises if a page was there. Two pages of one URL may differ in their bodies.
local function note_page(self, call, following)
  local cursor = type(following) == "table" and clients.form(following, { nested = "indices" })
    or ""
  local key = call.r.url .. "\n" .. cursor
  if self.seen[key] then
    failures.raise(call, "the next page was there before")
  end
  self.seen[key] = true
end

-- Asks for a page; returns its list, and what names the next.
local function read_page(self, following)
  local call = next_call(self, following)
  call.template = self.last and self.last.template or call.template
  self.first, self.last = self.first or call.r.url, call
  note_page(self, call, following)
  local body, response = call:demand()
  local list, named = body, response.links.next
  if self.page then
    list, named = failures.call(self.page, body, response)
  end
  if type(list) ~= "table" or next(list) ~= nil and list[1] == nil then
    failures.raise(call, "the answer has no list", response)
  end
  return list, named ~= endpoint.null and named
end

-- The next element; nil at the end, and behind an error.
function Pages:element()
  self.at = self.at + 1
  while self.list[self.at] == nil and self.following and self.left > 0 do
    local following = self.following
    self.list, self.at, self.left, self.following = {}, 1, self.left - 1, nil
    self.list, self.following = read_page(self, following)
  end
  return self.list[self.at]
end

return Pages
