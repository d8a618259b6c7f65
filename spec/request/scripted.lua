-- Connections whose answers a spec writes, with a clock of their own: HTTP/1.1 of endpoint.request
-- runs over them under each Lua and at once.
local endpoint = require "endpoint"
local http1 = require "endpoint.request.clients.http1"
local request = require "endpoint.request"

local scripted = {}

-- Forgets what was sent.
--   answers  what each connection answers: a string; pieces, of which a number is so many seconds
--            of silence; or what a function returns for the text of the request and the number of
--            the connection
--   is_kept  are the connections ones that were kept?
--   ended    what they say at the end
--   sent     what was written to each
--   sends    how many times something was written, to all
--   ends     what became of each: "closed" or "kept"
--   most_idle, kept_for  the seconds that each was asked for with, and that its `keep` got
--   pauses   the seconds that calls have slept
--   clock    the time in seconds
--   early    after so many bytes of a request its answer is there; nil for after all of them
function scripted.reset()
  scripted.answers, scripted.is_kept, scripted.ended, scripted.early = {}, false, "closed", nil
  scripted.most_idle, scripted.kept_for, scripted.sends = {}, {}, 0
  scripted.sent, scripted.ends, scripted.pauses, scripted.clock = {}, {}, {}, 0
end

-- --- a connection -----------------------------------------------------------------

local Connection = {}
Connection.__index = Connection

function Connection:connect(host)
  scripted.host, scripted.settings = host, self.try.settings
  return scripted.is_kept and scripted.most_idle[self.number] > 0 and "kept" or "new"
end

function Connection:secure()
  local limits = self.try.limits
  scripted.left_for_tls = { limits:seconds(), limits:milliseconds() }
  return true
end

function Connection:send(piece)
  local number = self.number
  if self.try.limits:seconds() <= 0 then
    return nil, "timeout"
  end
  scripted.sent[number] = scripted.sent[number] .. piece
  scripted.sends = scripted.sends + 1
  return piece:sub(-6) ~= "unread" or nil
end

-- The pieces that the connection answers.
local function pieces_of(self)
  local answers, number = scripted.answers, self.number
  local answer
  if type(answers) == "function" then
    answer = answers(scripted.sent[number], number)
  else
    answer = answers[number]
  end
  if type(answer) == "table" then
    return answer
  end
  return { answer ~= "" and answer or nil }
end

-- Only an answer in `early` comes before the request is sent.
function Connection:has_response()
  return not self.is_deaf
    and scripted.early ~= nil
    and #scripted.sent[self.number] >= scripted.early
end

function Connection:receive()
  self.pieces = self.pieces or pieces_of(self)
  local left = self.try.limits:seconds()
  if left <= 0 then
    return nil, "timeout"
  end
  local piece = table.remove(self.pieces, 1)
  if type(piece) == "function" then
    piece = piece()
  end
  if piece == nil then
    return nil, scripted.ended
  elseif type(piece) ~= "number" then
    return piece
  end
  scripted.clock = scripted.clock + math.min(piece, left)
  if piece >= left then
    return nil, "timeout"
  end
  return self:receive()
end

function Connection:close()
  scripted.ends[self.number] = scripted.ends[self.number] or "closed"
end

function Connection:keep(most_idle)
  scripted.ends[self.number], scripted.kept_for[self.number] = "kept", most_idle
end

local function connect(try, most_idle)
  local number = #scripted.sent + 1
  scripted.sent[number], scripted.most_idle[number] = "", most_idle
  return setmetatable({ try = try, number = number }, Connection)
end

-- --- senders ----------------------------------------------------------------------

-- Takes the place of LuaSocket.
package.loaded["endpoint.request.clients.luasocket"] = function(settings)
  local client = http1.client(settings, connect)
  function client.sleep(seconds)
    scripted.pauses[#scripted.pauses + 1] = seconds
    scripted.clock = scripted.clock + seconds
  end
  function client.now()
    return scripted.clock
  end
  return client
end

scripted.BASE = "http://h/v1"
scripted.api = endpoint.defaults {
  baseUrl = scripted.BASE,
  headers = { authorization = "Bearer 0123" },
}

-- A sender with these settings. api: another endpoint than `scripted.api`.
function scripted.sender(settings, api)
  return request.new(api or scripted.api, settings)
end

-- --- answers ----------------------------------------------------------------------

-- A text with CRLF for each LF.
function scripted.lines(text)
  return (text:gsub("\n", "\r\n"))
end

-- An answer with this body, and more fields, a line each.
function scripted.response(body, fields, status)
  local head = "HTTP/1.1 %s X\n%scontent-length: %d\n\n"
  return scripted.lines(head:format(status or 200, fields or "", #body)) .. body
end

function scripted.json(body, fields, status)
  return scripted.response(body, "content-type: application/json\n" .. (fields or ""), status)
end

-- What f(...) returns; or what it raises, as a string without the position of the caller's line,
-- which is one of these specs.
function scripted.outcome(f, ...)
  local ok, value, more = pcall(f, ...)
  if ok then
    return value, more
  end
  return (tostring(value):gsub("^%S*spec[/\\]request[/\\][%w_]+%.lua:%d+: ", "", 1))
end

-- The same of a call that every connection answers in this way.
function scripted.asked(answer, send, route, options)
  scripted.answers = type(answer) == "function" and answer or function()
    return answer
  end
  return scripted.outcome(send, route or "GET /x", options)
end

scripted.reset()

return scripted
