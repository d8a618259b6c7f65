-- SPDX-License-Identifier: MIT
-- One request and its response. A client, which has a method send(try), gets the request, where it
-- goes to, its limits and its settings. It calls try:begin(status, headers), then try:write(piece)
-- for each piece of the body, and returns true; or nil, a message, true if no other try can help,
-- and the reason, a word of failures.lua.
local Try = {}
Try.__index = Try

local Gzip = require "endpoint.request.response.gzip"
local Limits = require "endpoint.request.call.limits"
local Pieces = require "endpoint.request.response.pieces"
local callbacks = require "endpoint.request.failures.callbacks"
local destinations = require "endpoint.request.call.destinations"
local display = require "endpoint.request.failures.display"
local encoding = require "endpoint.clients.body.encoding"
local log = require "endpoint.request.call.log"
local origins = require "endpoint.request.call.origins"
local pauses = require "endpoint.request.call.pauses"
local repeats = require "endpoint.request.call.repeats"
local responses = require "endpoint.request.response"
local sinks = require "endpoint.request.sinks"
local stream = require "endpoint.clients.body.stream"
local with = require "endpoint.request.settings".with

-- --- a new try --------------------------------------------------------------------

-- What a stream says that went wrong in it, as a text.
local function message_of(problem)
  if display.has_words(problem) then
    return tostring(problem)
  end
  return "the function of the body ended with a " .. type(problem) .. " as its message"
end

-- Asks a stream of the program for its next piece. What it raises leaves the call as it is, and not
-- through a client, some of which make other errors of it.
local function next_piece(try, source)
  local ok, piece, problem = stream.run_for(try.readers, source)
  if not ok then
    try.thrown = { piece }
    return nil, "the function of the body raised an error"
  end
  if piece == nil and problem ~= nil then
    problem = message_of(problem)
  end
  return piece, problem
end

-- The request that is sent. Its stream tells the try what went wrong in it, and the call when it is
-- read, unless it can begin again.
local function with_noting_stream(try, request)
  local source = request.body
  local is_repeatable = stream.is_repeatable(source)
  local function body()
    if not is_repeatable then
      try.call:note_stream(source)
    end
    local piece, problem = next_piece(try, source)
    try.stream_problem = piece == nil and problem or nil
    return piece, problem
  end
  if is_repeatable then
    stream.set_repeatable(body, stream.length_of(source), function()
      callbacks.results(stream.run_for(try.readers, stream.rewind, source))
    end)
  end
  return with(request, { body = body })
end

-- May a client ask for gzip? A client of the program's own, and a part of a body, get what they
-- ask for alone.
local function may_ask_gzip(call, headers)
  return Gzip.is_here
    and not headers["accept-encoding"]
    and not headers.range
    and type(call.settings.client) ~= "function"
end

-- The settings for a request. What the setting `check` returned writes its body if that is JSON,
-- and the program has no encoder of its own.
local function settings_for(call, request)
  local settings = call.is_away and origins.settings(call.settings) or call.settings
  if
    settings.encode
    or type(call.encode) ~= "function"
    or not encoding.is_json((request.headers or {})["content-type"])
  then
    return settings
  end
  return with(settings, { encode = call.encode })
end

-- What is not there from the start.
Try.response = nil -- from the head on; its text comes at the end
Try.pieces = nil -- of its text, where that comes in several
Try.coding = nil -- of the response's content, in lower case
Try.unpacked = nil -- what unpacks the content, if it is packed
Try.refusal = nil -- what is wrong with the response, whose rest is not read
Try.refusal_reason = nil -- the word for that
Try.readers = nil -- of the streams that are read
Try.stream_problem = nil -- why the stream of the program ended early
Try.thrown = nil -- { what the sink or the stream raised }

-- Where a bare path leads to, which no client of the library sends.
local NOWHERE = {}

local function new(call, request)
  local sender, settings = call.sender, settings_for(call, request)
  local place = destinations.of(sender, request.url) or NOWHERE
  local try = setmetatable({
    call = call,
    request = request,
    began = call.settings.log and sender.now(), -- for the log alone
    settings = settings,
    may_repeat = repeats.may_arrive_twice(call, request),
    limits = Limits.new(call.settings, sender.now, call.deadline, call.is_inner),
    asks_gzip = may_ask_gzip(call, request.headers or {}),
    size = 0, -- the bytes of the body that no sink takes
    place = place, -- scheme, host and port
    proxy = not settings.socket_path and sender.proxies:of(place.scheme, place.host, place.port)
      or nil,
  }, Try)
  if type(request.body) == "function" then
    try.readers = {}
    try.request = with_noting_stream(try, request)
  end
  return try
end

-- --- what a client calls ----------------------------------------------------------

-- The response has a status and headers, as `response.headers` makes them; its body is to come.
function Try:begin(status, headers)
  headers["content-length"] = responses.length(headers["content-length"])
  self.response = { status = status, headers = headers, text = "", url = self.call.request.url }
  self.coding = responses.coding(status, headers)
end

-- A connection that was kept is lost before a byte of the response, and the request is sent again.
function Try:note_lost(message)
  local call = self.call
  if self.began then
    local now = call.sender.now()
    log.try(call, now - self.began, nil, call:masked(message))
    self.began = now
  end
end

-- Says what is wrong with a response whose rest shall not be read; returns nil.
function Try:refuse(reason, problem)
  self.refusal_reason, self.refusal = reason, problem
end

-- Takes a piece of the body; returns nil if no other shall follow.
function Try:write(piece)
  if not self.coding or self.request.headers["accept-encoding"] then
    return self:take(piece)
  end
  if not (self.asks_gzip and self.coding:find "^x?%-?gzip$") then
    if self.response.status >= 400 then -- its status says more than its packed words
      return self:take(piece)
    end
    local problem = "the response has an encoding that was not asked for: " .. self.coding
    return self:refuse("protocol", problem)
  end
  self.unpacked = self.unpacked or Gzip.new(self.response.headers)
  return self.unpacked:write(piece, self)
end

-- Adds a piece to the text of the response. Most have one piece.
local function add_text(try, piece)
  local response = try.response
  try.size = try.size + #piece
  if response.text == "" then
    response.text = piece
    return
  end
  if not try.pieces then
    try.pieces = Pieces.new()
    try.pieces:add(response.text)
  end
  try.pieces:add(piece)
end

-- Takes a piece of the body that is not packed, or not any more.
function Try:take(piece)
  if self.settings.sink and responses.is_success(self.response) then
    return self:give_to_sink(piece)
  end
  add_text(self, piece)
  return self.size <= self.settings.max_size or self:refuse("too long", "the response is too long")
end

function Try:give_to_sink(piece)
  self.call:note_sunk()
  local ok, taken, problem = pcall(sinks.give, self.call, piece, self.response)
  if not ok then
    self.thrown = { taken }
    return self:refuse("sink", "the sink raised an error")
  end
  if not taken and problem then
    return self:refuse("sink", display.words(problem))
  end
  return true
end

-- --- the whole --------------------------------------------------------------------

-- What is wrong with a response that came to its end, and the word for that; nil if nothing is.
local function fault_at_end(try)
  local length = try.response.headers["content-length"] or "0"
  if not length:find "^%d+$" then
    return "the response's content-length is invalid", "protocol"
  end
  -- libcurl ignores a length that it cannot hold.
  if #length > 15 or try.unpacked and not try.unpacked.is_whole then
    return "the response is cut off", "cut off"
  end
end

-- Has the client send the request. Returns a response; or nil, a message, true if no other try can
-- help, and the reason.
local function exchange(try)
  local ok, message, is_final, reason = try.call.sender.client:send(try)
  if try.readers then
    stream.leave(try.readers)
  end

  -- What the sink or the stream raised is the program's: it leaves as it is.
  if try.thrown then
    callbacks.throw(try.thrown[1])
  end

  -- Another try would bring the same response, or read the same stream.
  if try.refusal then
    return nil, try.refusal, true, try.refusal_reason
  elseif not ok and try.stream_problem then
    return nil, try.stream_problem, true, "stream"
  elseif not ok then
    return nil, message, is_final, reason
  end

  local fault, its_reason = fault_at_end(try)
  if fault then
    return nil, fault, true, its_reason
  end
  if try.pieces then
    try.response.text = try.pieces:text()
  end
  return try.response
end

-- Sends a request for a call once. Returns a response; or nil, a message, true if no other try can
-- help, and the reason.
function Try.run(call, request)
  -- The sink may have a part of a response, and the stream may have been read.
  local refusal, why = call:reason_against(request)
  if refusal then
    return nil, refusal, true, why
  end

  -- The server may have told another job of the same pool to come later.
  local why_not = pauses.await(call, request)
  if why_not then
    call:note_clean(why_not)
    call:note_problem(why_not, "timeout")
    return nil, why_not, true, "timeout"
  end

  -- From here on the server may have the request, whatever goes wrong.
  call:note_sent(request)
  local try = new(call, request)
  local response, message, is_final, reason = exchange(try)
  if response then
    pauses.note(call, request, response)
  end

  -- What the server has refused for now may be sent again, even a POST.
  if response and repeats.is_refused_for_now(call, response) then
    call:note_refused(request)
  end

  -- A message may repeat the request, unless it is our own: that a time limit is over.
  if message and message == try.limits.last_message then
    call:note_clean(message)
  end
  message = not response and call:masked(message) or nil
  call:note_problem(message, reason)

  if try.began then
    log.try(call, call.sender.now() - try.began, response, message)
  end
  return response, message, is_final, reason
end

return Try
