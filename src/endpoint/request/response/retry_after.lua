-- SPDX-License-Identifier: MIT
-- How long a response asks to wait, in all the headers that APIs say it in.
local retry_after = {}

local protected = require "endpoint.protected"

-- stylua: ignore
local MONTHS = {
  Jan = 1, Feb = 2, Mar = 3, Apr = 4, May = 5, Jun = 6,
  Jul = 7, Aug = 8, Sep = 9, Oct = 10, Nov = 11, Dec = 12,
}

local DATE = "^%a%a%a, (%d%d) (%a%a%a) (%d%d%d%d) (%d%d):(%d%d):(%d%d) GMT$"
local RFC_850 = "^%a+day, (%d%d)%-(%a%a%a)%-(%d%d) (%d%d):(%d%d):(%d%d) GMT$"
local ASCTIME = "^%a%a%a (%a%a%a) ([%d ]%d) (%d%d):(%d%d):(%d%d) (%d%d%d%d)$"

-- The year that two digits mean: at most 50 years from now, or else the last such year.
local function whole_year(digits)
  local now = tonumber(os.date "!%Y")
  local year = now - now % 100 + tonumber(digits)
  return year > now + 50 and year - 100 or year
end

-- The parts of a date in one of the three forms that RFC 9110, section 5.6.7, has recipients read:
-- day, month, year, hour, minute, second. Nothing for another string.
local function parts_of(date)
  local day, month, year, hour, min, sec = date:match(DATE)
  if day then
    return day, month, year, hour, min, sec
  end
  day, month, year, hour, min, sec = date:match(RFC_850)
  if day then
    return day, month, whole_year(year), hour, min, sec
  end
  month, day, hour, min, sec, year = date:match(ASCTIME)
  return day, month, year, hour, min, sec
end

-- The seconds since 1970 of a date; nil for another string. os.time reads both times as local ones
-- without summer time, so that their difference is right in any zone.
local function seconds_of(date)
  local day, month, year, hour, min, sec = parts_of(date or "")
  local ok, seconds = protected.call(os.time, {
    year = year,
    month = MONTHS[month or ""],
    day = day,
    hour = hour,
    min = min,
    sec = sec,
    isdst = false,
  })
  local now = os.time()
  return ok and seconds and seconds - os.time(os.date("!*t", now)) + now or nil
end

-- A number without a sign and an exponent; nil for another string.
local function number_of(value)
  return value and value:find "^%d+%.?%d*$" and tonumber(value) or nil
end

-- Servers send the time of a reset as seconds from now, as seconds since 1970, or as milliseconds
-- since then. These are the least of the latter two.
local LEAST_TIME, LEAST_MILLISECONDS = 1e9, 1e11

local function seconds_until(reset, now)
  if not reset or reset < LEAST_TIME then
    return reset
  end
  return math.max((reset < LEAST_MILLISECONDS and reset or reset / 1000) - now, 0)
end

-- The header ratelimit of the IETF's draft: the longest time of a limit that is used up, as in
-- "burst";r=0;t=30.
local function longest_reset(header)
  local longest
  for limit in (header or ""):gmatch "[^,]+" do
    local left, seconds = limit:match ";%s*r=(%d+)", number_of(limit:match ";%s*t=(%d+)")
    if left and not left:find "[^0]" and seconds then
      longest = math.max(longest or 0, seconds)
    end
  end
  return longest
end

-- The same of the draft's seventh version: limit=100, remaining=0, reset=7.
local function reset_of_draft_7(header)
  local left = header and header:match "%f[%w-]remaining%s*=%s*(%d+)" or "0"
  return not left:find "[^0]" and header and number_of(header:match "%f[%w-]reset%s*=%s*(%d+)")
    or nil
end

-- The seconds until the server's limit is reset, in the ways that APIs say it.
local function until_reset(headers, now)
  if (headers["x-ratelimit-remaining"] or "0") == "0" and headers["x-ratelimit-reset"] then
    return seconds_until(number_of(headers["x-ratelimit-reset"]), now)
  elseif (headers["ratelimit-remaining"] or "0") == "0" and headers["ratelimit-reset"] then
    return number_of(headers["ratelimit-reset"])
  end
  return longest_reset(headers.ratelimit) or reset_of_draft_7(headers.ratelimit)
end

-- The seconds that a response asks to wait, by the server's own clock; nil if it does not ask.
function retry_after.seconds(headers)
  local milliseconds = number_of(headers["retry-after-ms"])
  if milliseconds then
    return milliseconds / 1000
  end
  local now = seconds_of(headers.date) or os.time()
  local after, date = number_of(headers["retry-after"]), seconds_of(headers["retry-after"])
  return after or date and math.max(date - now, 0) or until_reset(headers, now)
end

return retry_after
