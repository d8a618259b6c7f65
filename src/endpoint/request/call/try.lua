-- SPDX-License-Identifier: MIT
-- One request and its answer. A client gets a try: the result to send, its place, limits and
-- settings. It calls begin(status, headers), then write(piece) for each piece of the body, and
-- returns true; or nil, a message, and true if no other try can help.
local Try = {}
Try.__index = Try

local Gzip = require "endpoint.request.answer.gzip"
local Limits = require "endpoint.request.call.limits"
local Pieces = require "endpoint.request.answer.pieces"
local callbacks = require "endpoint.request.failures.callbacks"
local clients = require "endpoint.clients"
local encoding = require "endpoint.clients.body.encoding"
local log = require "endpoint.request.call.log"
local repeats = require "endpoint.request.call.repeats"
local responses = require "endpoint.request.answer.response"
local stream = require "endpoint.clients.body.stream"
local text = require "endpoint.text"
local with = require "endpoint.request.settings".with

-- The result that is sent. Its stream tells the try what went wrong in it, and the call when it is
-- read, unless it can begin again.
local function with_noting_stream(try, r)
  local source = r.body
  if type(source) ~= "function" then
    return r
  end
  local is_repeatable = stream.is_repeatable(source)
  local function body()
    if not is_repeatable then
      try.call:note_stream(source)
    end
    local piece, problem = source()
    try.stream_problem = piece == nil and problem or nil
    return piece, problem
  end
  if is_repeatable then
    stream.set_repeatable(body, stream.length_of(source), function()
      stream.rewind(source)
    end)
  end
  return with(r, { body = body })
end

-- May a client ask for gzip? A client of the program's own, and a part of a body, get what they
-- ask for alone.
local function may_ask_gzip(call, headers)
  return Gzip.is_here
    and not headers["accept-encoding"]
    and not headers.range
    and type(call.settings.client) ~= "function"
end

-- The settings for a result. What the setting `check` returned writes its body if that is JSON, and
-- the program has no encoder of its own.
local function settings_for(call, r)
  local settings = call.settings
  if
    settings.encode
    or type(call.encode) ~= "function"
    or not encoding.is_json((r.headers or {})["content-type"])
  then
    return settings
  end
  return with(settings, { encode = call.encode })
end

local function new(call, r)
  local try = setmetatable({
    call = call,
    settings = settings_for(call, r),
    pieces = Pieces.new(),
    may_repeat = repeats.may_arrive_twice(call, r),
    limits = Limits.new(call.settings, call.sender.now, call.deadline),
    asks_gzip = may_ask_gzip(call, r.headers or {}),
  }, Try)
  try.r = with_noting_stream(try, r)
  -- A client of the program's own may send to a location of nginx, a bare path.
  if type(r.url) == "string" and r.url:sub(1, 1) ~= "/" then
    local place = clients.plain { method = "GET", url = r.url }
    try.scheme, try.host, try.port = place.scheme, place.host, place.port
    try.proxy = call.sender.proxies:of(try.scheme, try.host, try.port)
  end
  return try
end

-- The answer has a status and headers; its body is to come.
function Try:begin(status, headers)
  self.response = responses.new(status, headers, "", self.call.r.url)
  self.encoding = text.lower(self.response.headers["content-encoding"] or "identity")
end

-- Says what is wrong with an answer whose rest shall not be read; returns nil.
function Try:refuse(problem)
  self.refusal = problem
end

-- Takes a piece of the body; returns nil if no other shall follow.
function Try:write(piece)
  if self.encoding == "identity" or self.r.headers["accept-encoding"] then
    return self:take(piece)
  end
  if not (self.asks_gzip and self.encoding:find "^x?%-?gzip$") then
    return self:refuse("the answer has an encoding that was not asked for: " .. self.encoding)
  end
  self.unpacked = self.unpacked or Gzip.new(self.response.headers)
  return self.unpacked:write(piece, self)
end

-- Takes a piece of the body that is not packed, or not any more.
function Try:take(piece)
  if self.settings.sink and responses.is_success(self.response) then
    return self:give_to_sink(piece)
  end
  self.pieces:add(piece)
  return self.pieces.size <= self.settings.max_size or self:refuse "the answer is too long"
end

function Try:give_to_sink(piece)
  self.call:note_sunk()
  local ok, taken, problem = pcall(self.settings.sink, piece, self.response)
  if not ok then
    self.thrown = { taken }
    return self:refuse "the sink raised an error"
  end
  if not taken and problem then
    return self:refuse(tostring(problem))
  end
  return true
end

-- What is wrong with an answer that came to its end; nil if nothing is.
local function fault_at_end(self)
  local length = self.response.headers["content-length"] or "0"
  if not length:find "^%d+$" then
    return "the answer's content-length is invalid"
  end
  -- libcurl ignores a length that it cannot hold.
  if #length > 15 or self.unpacked and not self.unpacked.is_whole then
    return "the answer is cut off"
  end
end

-- Sends, and returns a response; or nil, a message, and true if no other try can help.
local function exchange(self)
  local ok, problem, is_final = self.call.sender.client:send(self)
  if self.thrown then
    callbacks.throw(self.thrown[1])
  end
  if self.refusal then
    return nil, self.refusal, true
  elseif not ok and self.stream_problem then -- another try would read the same stream
    return nil, self.stream_problem, true
  elseif not ok then
    return nil, problem, is_final
  end
  local fault = fault_at_end(self)
  if fault then
    return nil, fault, true
  end
  self.response.text = self.pieces:text()
  return self.response
end

-- Sends a result for a call, and tells the log.
function Try.run(call, r)
  local why = call:reason_against(r)
  if why then
    return nil, why, true
  end
  call:note_sent(r)
  local began = call.sender.now()
  local try = new(call, r)
  local response, problem, is_final = exchange(try)
  if problem and problem == try.limits.said then
    call:note_harmless(problem)
  end
  if response and repeats.is_refused_for_now(call, response) then
    call:note_refused(r)
  end
  problem = not response and call:told(problem) or nil
  call:note_problem(problem)
  log.try(call, {
    try = call.try_number,
    seconds = call.sender.now() - began,
    status = response and response.status,
    message = problem,
  })
  return response, problem, is_final
end

return Try
