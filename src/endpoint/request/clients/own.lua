-- SPDX-License-Identifier: MIT
-- A client of the program's own: the setting `client` is a function.
local callbacks = require "endpoint.request.failures.callbacks"
local failures = require "endpoint.request.failures"
local responses = require "endpoint.request.response"
local with = require "endpoint.request.settings".with
local shown_number = require("endpoint.request.settings").shown_number
local known, misuse = failures.known, failures.misuse

local Client = {}
Client.__index = Client

-- What the function gets: the settings of the call, and these.
local function settings_for(try)
  local settings = with(try.settings, {
    scheme = try.place.scheme,
    host = try.place.host,
    port = try.place.port,
    timeout = math.max(try.call:seconds_left(), 0),
    may_repeat = try.may_repeat,
  })
  settings.proxy = try.proxy and try.proxy.url
  return settings
end

-- Raises if the function has not returned a status, headers and a body.
local function check_response(status, headers, body)
  if type(status) ~= "number" then
    misuse("client: expected a status, a number, got a %s", type(status))
  elseif not responses.is_status(status) then
    misuse("client: expected a status from 100 to 999, got %s", shown_number(status))
  elseif not responses.are_headers(headers) then
    local got = type(headers) == "table" and "another table" or "a " .. type(headers)
    misuse("client: expected headers, a table of names with their values, got %s", got)
  elseif type(body) ~= "string" then
    misuse("client: expected a body, a string, got a %s", type(body))
  end
end

function Client:send(try)
  local status, headers, body, reason = callbacks.call(self.f, try.request, settings_for(try))
  if not status then
    return nil, headers, body == true, known(reason) or "client"
  end
  body = body or ""
  check_response(status, headers, body)
  try:begin(status, responses.headers(headers))
  return body == "" or try:write(body)
end

return function(settings)
  return setmetatable({ f = settings.client }, Client)
end
