-- SPDX-License-Identifier: MIT
-- The body of a response as a value.
local decoding = {}

local failures = require "endpoint.request.failures"
local is_success = require "endpoint.request.response".is_success
local protected = require "endpoint.protected"
local text = require "endpoint.text"

-- How a call decodes JSON; false if nothing here can.
function decoding.decoder(settings)
  if settings.decode then
    return settings.decode
  end
  local cjson = package.loaded.cjson
  if cjson then
    return cjson.decode
  end
  local found, loaded = protected.call(require, "cjson")
  return found and loaded.decode
end

-- What some servers write before JSON: the byte order mark of UTF-8. It may be left out (RFC 8259,
-- section 8.1), and decoders do not know it.
local MARK = "\239\187\191"

-- Decodes a string as a call's settings say. Returns true and the value; or false if it is not
-- JSON. lua-cjson raises; other decoders return nil and a message, which may come after a position.
function decoding.decoded(settings, json)
  local decode = decoding.decoder(settings)
    or failures.need("cjson", "lua-cjson, or the setting decode").decode
  json = json:sub(1, #MARK) == MARK and json:sub(#MARK + 1) or json
  local ok, value, second, third = protected.call(decode, json)
  return ok and (value ~= nil or type(third or second) ~= "string"), value
end

local function is_json(headers)
  local kind = headers["content-type"] or ""
  if kind ~= "application/json" then
    kind = text.lower(kind):match "[^;]*"
  end
  local encoding = text.lower(headers["content-encoding"] or "identity")
  return encoding == "identity" and kind:find "[/+]json[ \t]*$" ~= nil
end

-- The body of a response: JSON decoded, any other text as it is; nil if it is empty. Raises if a
-- success has broken JSON.
function decoding.body(call, response)
  local body = response.text
  if body == "" then
    return nil
  end
  if not is_json(response.headers) then
    return body
  end
  local ok, value = decoding.decoded(call.settings, body)
  if ok then
    return value
  end
  if is_success(response) then
    failures.raise(call, "not JSON", "the response is not JSON", response)
  end
  return body
end

return decoding
