-- SPDX-License-Identifier: MIT
-- Walks through the pages of a list.
local Pages = {}
Pages.__index = Pages

local callbacks = require "endpoint.request.failures.callbacks"
local calls = require "endpoint.request.call"
local clients = require "endpoint.clients"
local display = require "endpoint.request.failures.display"
local endpoint = require "endpoint"
local failures = require "endpoint.request.failures"
local links = require "endpoint.clients.links"
local merging = require "endpoint.request.pages.merging"
local message = require "endpoint.clients.message"
local null = require "endpoint.request.response.null"
local positions = require "endpoint.request.failures.positions"
local protected = require "endpoint.protected"
local refusal = require "endpoint.parameters".refusal
local references = require "endpoint.request.response.references"
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
    find = how.page,
    left = how.max or math.huge, -- the pages that may be asked for
    seen = {}, -- the keys of the pages that were read, as a set
    list = {}, -- the page that is read, and the place in it
    at = 0,
    following = {}, -- what names the next page: a URL or parameters; nil at the end
    first_url = nil, -- the URL of the first page
    last = nil, -- the call of the last page
  }, Pages)
end

-- The options that a next page keeps of a call if a URL names it. It is a GET, whatever the
-- defaults are.
local IS_KEPT = { headers = true, mediaType = true, request = true }

-- The URL has the parameters, and a null keeps the default of each away, as the call did.
local function options_of_next(options)
  local kept = { method = endpoint.null, data = endpoint.null }
  for name, value in pairs(options) do
    kept[name] = IS_KEPT[name] and value or endpoint.null
  end
  return kept
end

local function fail_to_ask(self, why)
  failures.raise(self.last, "page", "the next page cannot be asked for: " .. self.last:masked(why))
end

local BODY_OPTIONS = require "endpoint.clients.options".of_client {}

-- Raises if the body of a call cannot be encoded. A client of the program's own does that itself.
local function check_body(call)
  local settings = call.settings
  if type(call.request.body) == "table" and type(settings.client) ~= "function" then
    local options = { encode = settings.encode, nested = settings.nested }
    message.read(call.request, options, BODY_OPTIONS, "path")
  end
end

-- A copy that no metamethod has a part in: of a stranger's table it has what was checked.
local function raw_copy(parameters)
  local copy = {}
  for name, value in next, parameters do
    copy[name] = value
  end
  return copy
end

-- What a call of these options has as its body: the option `data`, which is not one where the
-- template uses it; nil if it has none.
local function data_of(call)
  for _, variable in ipairs(endpoint.variables(call.merged.url)) do
    if variable.name == "data" then
      return nil
    end
  end
  local data = call.merged.data
  return not null.is(data) and data or nil
end

-- The options of the next page: its parameters over those of the first call, or merged into its
-- body; or nil and why that cannot be.
local function options_with(self, parameters)
  local data = data_of(self.last)
  if data == nil then
    local why = refusal(parameters, self.sender.api, self.route or self.options, self.options)
    return not why and with(self.options, raw_copy(parameters)) or nil, why
  end
  local merged, why = merging.merged(data, parameters)
  return merged and with(self.options, { data = merged }), why
end

-- The call of the next page, its URL, and what tells it from other pages of this URL. The server
-- may have written the parameters, so they are parameters and nothing else, and what is wrong in
-- them is not a mistake of the program.
local function call_of_parameters(self, parameters)
  local over, why = options_with(self, parameters)
  if not over then
    fail_to_ask(self, why)
  end
  local ok, call, cursor = protected.call(function()
    local cursor = clients.form(parameters, { nested = "indices" })
    local call = calls.from_program(self.sender, self.route, over)
    check_body(call)
    return call, cursor
  end)
  if not ok then
    fail_to_ask(self, positions.removed(tostring(call)))
  end
  return call, clients.literal(call.request.url), cursor
end

-- Raises if a page is at another origin than the first.
local function check_origin(self, url)
  if references.is_same_origin(url, self.first_url) then
    return
  end
  local there = self.last:masked(display.bare(url))
  local here = self.last:masked(display.bare(self.first_url))
  failures.raise(self.last, "page", ("the next page is at %s, not at %s"):format(there, here))
end

-- Names a next page that the header has, and that cannot be asked for.
local UNREADABLE = {}

-- The call of the page that `following` names, a URL or parameters; and what tells it from other
-- pages of its URL.
local function next_call(self, following)
  local last = self.last
  if not last then
    return calls.from_program(self.sender, self.route, self.options), ""
  end
  if following == UNREADABLE then
    failures.raise(last, "page", "the link to the next page cannot be read")
  end
  if type(following) == "table" then
    local call, url, cursor = call_of_parameters(self, following)
    check_origin(self, url)
    return call, cursor
  end
  if type(following) ~= "string" then
    local problem = "expected a URL or a table of parameters for the next page, got a %s"
    failures.raise(last, "page", problem:format(type(following)))
  end
  local url = references.resolved(following, last.request.url)
    or failures.raise(last, "page", "the next page has an invalid URL")
  check_origin(self, url)
  url = references.with_user(url, last.request.url)
  return calls.from_server(self.sender, url, options_of_next(self.options), last), ""
end

-- Raises if a page was read before. A fragment is not sent.
local function note_page(self, call, cursor)
  local key = call.request.url:match "^[^#]*" .. "\n" .. cursor
  if self.seen[key] then
    failures.raise(call, "page", "the next page was already read")
  end
  self.seen[key] = true
end

-- What names the next page, if nothing else does and the header has a link that cannot be read.
local function named_by_header(response)
  local _, loses_next = links.of(response.headers.link)
  return loses_next and UNREADABLE or nil
end

-- The list of a page, and what names the next. No body, as with the status 204, and null have no
-- element, and nothing in which a function could look. Some servers send null for an empty list.
local function found_in(self, body, response)
  local list, named = body, response.links.next
  if list == nil or null.is(list) then
    return {}, named
  elseif self.find then
    list, named = callbacks.call(self.find, body, response)
  end
  return null.is(list) and {} or list, named
end

-- Levels of tables in which a cursor is looked for.
local DEEPEST = 100

-- Has it nothing that could be a cursor, at any depth?
local function is_empty(value, depth)
  if type(value) ~= "table" then
    return value == "" or null.is(value)
  elseif depth > DEEPEST then
    return false
  end
  for _, field in next, value do
    if not is_empty(field, depth + 1) then
      return false
    end
  end
  return true
end

-- Does that name a page? Servers send an empty cursor at the end of a list.
local function names_page(named)
  if type(named) ~= "table" then
    return named and not is_empty(named, 1)
  end
  return not is_empty(named, 1) or named == UNREADABLE
end

-- Has a table no element between others? A decoder without a null leaves such holes, and what comes
-- after one would be lost.
local function has_hole(list)
  local count, last = 0, 0
  for key in next, list do
    if type(key) == "number" then
      count, last = count + 1, math.max(last, key)
    end
  end
  return last > count
end

-- Raises for a first call whose elements would be lost.
local function check_first(self, call)
  if self.last then
    return
  elseif call.settings.sink then
    failures.misuse "each: expected a call without the setting sink, which would get the elements"
  elseif call.method == "HEAD" then
    failures.misuse "each: expected a method whose response has a body, got HEAD"
  end
end

-- Asks for a page; returns its list, and what names the next.
local function read_page(self, following)
  local call, cursor = next_call(self, following)
  check_first(self, call)
  self.first_url, self.last = self.first_url or call.request.url, call
  note_page(self, call, cursor)
  local body, response = calls.demand(call)
  local list, named = found_in(self, body, response)
  if named == nil then
    named = named_by_header(response)
  end
  if type(list) ~= "table" or next(list) ~= nil and list[1] == nil then
    local got = type(list) == "table" and "another table"
      or type(list) == "nil" and "nothing"
      or "a " .. type(list)
    local problem = "expected a list, got %s (the setting page says where the list is in the body)"
    failures.raise(call, "page", problem:format(got), response)
  elseif has_hole(list) then
    local problem = "expected a list, got one with a hole (the setting decode shall give a null)"
    failures.raise(call, "page", problem, response)
  end
  return list, names_page(named) and named
end

-- The next element; nil at the end, and after an error.
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
