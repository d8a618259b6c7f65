-- SPDX-License-Identifier: MIT
-- Reads an event stream (WHATWG HTML, section 9.2.6) that comes in pieces.
local Events = {}
Events.__index = Events

local Cutter = require "endpoint.request.sinks.cutter"
local Pieces = require "endpoint.request.response.pieces"
local responses = require "endpoint.request.response"
local taken = require "endpoint.request.sinks".taken

-- f: gets each event. most: the bytes of one event at most.
-- id, retry: the last ones of the stream; name, data: those of the event that is being read.
function Events.new(f, most)
  local events = { f = f, most = most, cutter = Cutter.new "[\r\n]", data = Pieces.new() }
  function events.take(line)
    return events:take_line(line)
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
  events.name = value ~= "" and value or nil
end

function FIELDS.data(events, value)
  events.data:add(value .. "\n")
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
  events.name = nil
  if data.size == 0 then
    return true
  end
  events.data = Pieces.new()
  return taken(events.f {
    event = name,
    data = data:text():sub(1, -2),
    id = events.id,
    retry = events.retry,
  })
end

local TOO_LONG = "an event of the response is too long"

-- Takes a line: the end of an event, a comment, or a field, whose value may have one space before
-- it.
function Events:take_line(line)
  if line == "" then
    return finish(self)
  end
  local colon = line:find(":", 1, true)
  local field = FIELDS[colon and line:sub(1, colon - 1) or line]
  if self.data.size + #line > self.most then
    return nil, TOO_LONG
  end
  if field then
    local first = colon and (line:byte(colon + 1) == 32 and colon + 2 or colon + 1)
    field(self, first and line:sub(first) or "")
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
  if ok and self.data.size + self.cutter:size() > self.most then
    return nil, TOO_LONG
  end
  return ok, problem
end

return Events
