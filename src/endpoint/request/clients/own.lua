-- SPDX-License-Identifier: MIT
-- A client of the program's own: the setting `client` is a function.
local callbacks = require "endpoint.request.failures.callbacks"
local misuse = require "endpoint.request.failures".misuse
local responses = require "endpoint.request.answer.response"
local with = require "endpoint.request.settings".with

local Client = {}
Client.__index = Client

-- What the function gets: the settings of the call, and these.
local function settings_for(try)
  local settings = with(try.settings, {
    scheme = try.scheme,
    host = try.host,
    port = try.port,
    timeout = math.max(try.call:seconds_left(), 0),
    may_repeat = try.may_repeat,
  })
  settings.proxy = try.proxy and try.proxy.url
  return settings
end

local function is_answer(status, headers, body)
  return type(status) == "number" and responses.are_headers(headers) and type(body) == "string"
end

function Client:send(try)
  local status, headers, body = callbacks.call(self.f, try.r, settings_for(try))
  if not status then
    return nil, headers, body == true
  end
  body = body or ""
  if not is_answer(status, headers, body) then
    misuse "client: expected a status, headers and a string"
  end
  try:begin(status, headers)
  return body == "" or try:write(body)
end

return function(settings)
  return setmetatable({ f = settings.client }, Client)
end
