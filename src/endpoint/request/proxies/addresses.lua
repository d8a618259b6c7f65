-- SPDX-License-Identifier: MIT
-- IP addresses and their ranges, as a list of bytes: 4 of IPv4 and 16 of IPv6.
local addresses = {}

local function read_ipv4(host)
  local bytes = { host:match "^(%d%d?%d?)%.(%d%d?%d?)%.(%d%d?%d?)%.(%d%d?%d?)$" }
  for i, digits in ipairs(bytes) do
    bytes[i] = tonumber(digits)
    if bytes[i] > 255 then
      return nil
    end
  end
  return bytes[1] and bytes
end

-- The bytes of groups such as "fe80:1"; the last may be an IPv4 address. nil if they are not
-- groups.
local function read_groups(groups)
  local bytes = {}
  for group in (groups ~= "" and groups .. ":" or ""):gmatch "([^:]*):" do
    local last = read_ipv4(group)
    local number = group:find "^%x%x?%x?%x?$" and tonumber(group, 16)
    if not last and not number then
      return nil
    end
    for _, byte in ipairs(last or { math.floor(number / 256), number % 256 }) do
      bytes[#bytes + 1] = byte
    end
  end
  return bytes
end

-- RFC 4291, section 2.2: "::" means as many groups of zeros as are missing.
local function read_ipv6(host)
  local before, after = host:match "^(.-)::(.*)$"
  local bytes, rest = read_groups(before or host), read_groups(after or "")
  if not bytes or not rest then
    return nil
  end
  while before and #bytes + #rest < 16 do
    bytes[#bytes + 1] = 0
  end
  for _, byte in ipairs(rest) do
    bytes[#bytes + 1] = byte
  end
  return #bytes == 16 and bytes
end

-- The bytes of an address; nil for a name. Within IPv6 an IPv4 address (::ffff:192.0.2.1) is
-- itself.
function addresses.read(host)
  if #host > 45 then -- no address is longer
    return nil
  end
  local bytes = read_ipv4(host) or host:find ":" and read_ipv6(host) or nil
  if
    bytes
    and #bytes == 16
    and table.concat(bytes, ",", 1, 12) == "0,0,0,0,0,0,0,0,0,0,255,255"
  then
    return { bytes[13], bytes[14], bytes[15], bytes[16] }
  end
  return bytes
end

-- Begins an address with so many bits of another one? Both are texts.
function addresses.is_in_range(host, base, bits)
  local bytes, other = addresses.read(host), addresses.read(base)
  if not bytes or not other or #bytes ~= #other or bits > #bytes * 8 then
    return false
  end
  for i = 1, #bytes do
    local open_bits = math.min(8, math.max(0, 8 * i - bits))
    local unit = 2 ^ open_bits
    if math.floor(bytes[i] / unit) ~= math.floor(other[i] / unit) then
      return false
    end
  end
  return true
end

-- Are both the same address?
function addresses.are_equal(host, other)
  local bytes = addresses.read(other)
  return bytes ~= nil and addresses.is_in_range(host, other, #bytes * 8)
end

return addresses
