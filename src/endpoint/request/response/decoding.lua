-- SPDX-License-Identifier: MIT
-- The body of a response as a value.
local decoding = {}

local integers = require "endpoint.integers"
local failures = require "endpoint.request.failures"
local protected = require "endpoint.protected"
local responses = require "endpoint.request.response"

-- Neovim's own decoder, where lua-cjson is not installed; false elsewhere.
function decoding.of_neovim()
  local vim = rawget(_G, "vim")
  return type(vim) == "table" and vim.json and vim.json.decode or false
end

-- How a call decodes JSON; false if nothing here can.
function decoding.decoder(settings)
  if settings.decode then
    return settings.decode
  end
  local cjson = package.loaded.cjson
  if cjson then
    return integers.decoder(cjson)
  end
  local found, loaded = protected.call(require, "cjson")
  return found and integers.decoder(loaded) or decoding.of_neovim()
end

-- What some servers write before JSON: the byte order mark of UTF-8. It may be left out (RFC 8259,
-- section 8.1), and decoders do not know it.
local MARK = "\239\187\191"

-- Decodes a string as a call's settings say. Returns true and the value; or false if it is not
-- JSON. lua-cjson raises; other decoders return nil and a message, which may come after a position.
function decoding.decoded(settings, json)
  local decode = decoding.decoder(settings)
    or failures.need("cjson", "lua-cjson, or the setting decode").decode
  if json:byte() == MARK:byte() and json:sub(1, #MARK) == MARK then
    json = json:sub(#MARK + 1)
  end
  local ok, value, second, third = protected.call(decode, json)
  return ok and (value ~= nil or type(third or second) ~= "string"), value
end

local last_type, last_is_json -- of the last response

-- Is what a content-type says JSON? A subtype that ends in .raw or .raw+json is a file's own bytes,
-- such as those of GitHub. Remembered: most responses to a program have one content-type.
local function is_type_of_json(response)
  local given = response.headers["content-type"] or ""
  if given ~= last_type then
    local kind = responses.media_type(response)
    last_is_json = kind:find "[/+]json$" ~= nil and not kind:find "%.raw%+json$"
    last_type = given
  end
  return last_is_json
end

local function is_json(response)
  return not responses.coding(response.status, response.headers) and is_type_of_json(response)
end

-- The body of a response: JSON decoded, any other text as it is; nil if it is empty. Raises if a
-- success has broken JSON.
function decoding.body(call, response)
  local body = response.text
  if body == "" then
    return nil
  end
  if not is_json(response) then
    return body
  end
  local ok, value = decoding.decoded(call.settings, body)
  if ok then
    return value
  end
  if responses.is_success(response) then
    failures.raise(call, "not JSON", "the response is not JSON", response)
  end
  return body
end

return decoding
