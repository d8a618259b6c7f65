-- SPDX-License-Identifier: MIT
-- Reads an event stream (WHATWG HTML, section 9.2.6) that comes in pieces.
local Events = {}
Events.__index = Events

local Cutter = require "endpoint.request.sinks.cutter"
local Pieces = require "endpoint.request.response.pieces"
local responses = require "endpoint.request.response"
local taken = require "endpoint.request.sinks".taken

-- f: gets each event. most: the bytes of one event at most.
-- id, retry: the last ones of the stream, or false; name, data: those of the event that is being
-- read. The data are a string while they are one line, and Pieces after that; size: their bytes,
-- each line with its end. (No field is nil, which would be looked for in the class, too.)
function Events.new(f, most)
  local events = { f = f, most = most, cutter = Cutter.new "[\r\n]" }
  events.id, events.retry, events.name, events.data, events.size = false, false, false, "", 0
  function events.take(text, first, last)
    return events:take_line(text, first, last)
  end
  return setmetatable(events, Events)
end

Events.TYPE = "text/event-stream"

-- What is wrong with the type of a response. WHATWG HTML, section 9.2.3: any other type than this
-- fails the connection. Some servers give none.
function Events.fault(response)
  local kind = responses.media_type(response)
  if kind ~= "" and kind ~= Events.TYPE then
    return ("the response is %s, not %s"):format(kind, Events.TYPE)
  end
end

-- --- fields -----------------------------------------------------------------------

local FIELDS = {}

function FIELDS.event(events, value)
  events.name = value ~= "" and value
end

function FIELDS.data(events, value)
  local data = events.data
  if events.size == 0 then
    data = value
  else
    if type(data) == "string" then
      data = Pieces.new()
      data:add(events.data)
    end
    data:add("\n" .. value)
  end
  events.data, events.size = data, events.size + #value + 1
end

function FIELDS.id(events, value)
  if not value:find("\0", 1, true) then
    events.id = value
  end
end

-- Every Lua holds the digits of 2^53 or a number close to it; more milliseconds than that mean
-- "never".
function FIELDS.retry(events, value)
  if value:find "^[0-9]+$" then
    events.retry = math.min(tonumber(value), 2 ^ 53)
  end
end

-- --- events -----------------------------------------------------------------------

-- An empty line ends an event. One without data is not given.
local function finish(events)
  local name, data = events.name, events.data
  events.name = false
  if events.size == 0 then
    return true
  end
  events.data, events.size = "", 0
  if type(data) ~= "string" then
    data = data:text()
  end
  if not (name or events.id or events.retry) then
    return taken(events.f { data = data }) -- a smaller table, and most events have no more
  end
  return taken(events.f {
    event = name or nil,
    data = data,
    id = events.id or nil,
    retry = events.retry or nil,
  })
end

local TOO_LONG = "an event of the response is too long"

-- Takes a comment or a field, whose value may have one space before it.
local function take_field(events, line)
  local colon = line:find(":", 1, true)
  local field = FIELDS[colon and line:sub(1, colon - 1) or line]
  if field then
    local first = colon and (line:byte(colon + 1) == 32 and colon + 2 or colon + 1)
    field(events, first and line:sub(first) or "")
  end
end

-- Does a text have "data: " at a byte? To compare bytes is faster than to make a string of them.
local function has_data(text, at)
  local d, a, t, a_again, colon, space = text:byte(at, at + 5)
  return d == 100 and a == 97 and t == 116 and a_again == 97 and colon == 58 and space == 32
end

-- Takes a line, these bytes of a text: the end of an event, a comment or a field. Nearly all are
-- data, whose value is cut out of the text at once.
function Events:take_line(text, first, last)
  if last < first then
    return finish(self)
  elseif self.size + last - first + 1 > self.most then
    return nil, TOO_LONG
  elseif last > first + 5 and has_data(text, first) then
    FIELDS.data(self, text:sub(first + 6, last))
  else
    take_field(self, text:sub(first, last))
  end
  return true
end

-- Takes a piece, and returns what a sink returns. At the end of the stream there is nothing to do:
-- an event that no empty line has ended is dropped.
function Events:write(piece)
  if not piece then
    return true
  end
  local ok, problem = self.cutter:feed(piece, self.take)
  if ok and self.size + self.cutter:size() > self.most then
    return nil, TOO_LONG
  end
  return ok, problem
end

return Events
