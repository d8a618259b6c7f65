-- SPDX-License-Identifier: MIT
-- The SHA-256 of a file, by luaossl, or inside nginx by lua-resty-string.
local digests = {}

local misuse = require "endpoint.request.failures".misuse
local protected = require "endpoint.protected"

-- Functions update(piece) and final(), which returns the sum's bytes.
local function of_luaossl()
  local found, digest = protected.call(require, "openssl.digest")
  if not found then
    return nil
  end
  local sum = digest.new "sha256"
  return function(piece)
    sum:update(piece)
  end, function()
    return sum:final()
  end
end

local function of_resty()
  local found, sha256 = protected.call(require, "resty.sha256")
  if not found then
    return nil
  end
  local sum = sha256:new()
  return function(piece)
    sum:update(piece)
  end, function()
    return sum:final()
  end
end

local PIECE = 65536

-- Raises if there is no module for it.
function digests.check()
  if not (of_luaossl() or of_resty()) then
    misuse "sha256: expected the module openssl.digest (luaossl) or resty.sha256"
  end
end

-- The sum of a file's content in hexadecimal digits.
function digests.sha256(path)
  local update, final = of_luaossl()
  if not update then
    update, final = of_resty()
  end
  local file = assert(io.open(path, "rb"))
  for piece in
    function()
      return file:read(PIECE)
    end
  do
    update(piece)
  end
  file:close()
  return (final():gsub(".", function(byte)
    return ("%02x"):format(byte:byte())
  end))
end

return digests
