-- SPDX-License-Identifier: MIT
-- How long a response asks to wait, in all the headers that APIs say it in.
local retry_after = {}

local number_in = require "endpoint.text".number
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

-- --- numbers and lists ------------------------------------------------------------

-- The seconds of the units of a duration, as Go writes it.
local UNITS = { d = 86400, h = 3600, m = 60, s = 1, ms = 1e-3, us = 1e-6 }

-- The seconds of a duration such as 6m0s or 1.5s; nil for another string.
local function duration_of(value)
  local seconds, is_valid = 0, value:find "^[%d.]+%a" ~= nil
  local rest = value:gsub("(%d+%.?%d*)(%a+)", function(number, unit)
    is_valid = is_valid and UNITS[unit] ~= nil
    seconds = seconds + (UNITS[unit] or 0) * number_in(number)
    return ""
  end)
  return is_valid and rest == "" and seconds or nil
end

-- The most bytes of a number or a duration: the patterns for them look back.
local LONGEST = 40

-- A number without a sign and an exponent, or a duration; nil for another string.
local function number_of(value)
  if not value then
    return nil
  elseif value:find "^%d+$" then -- however long: more than any call has
    return tonumber(value)
  elseif #value > LONGEST then
    return nil
  end
  return value:find "^%d+%.?%d*$" and number_in(value) or duration_of(value)
end

-- The elements of several fields that were joined. A date has a comma after the day of the week.
local function elements_of(value)
  local list, before = {}, ""
  for part in (value or ""):gmatch "[^,]+" do
    part = part:match "^[ \t]*(.*[^ \t])" or ""
    if part:find "^%a+$" then
      before = part .. ", "
    else
      list[#list + 1], before = before .. part, ""
    end
  end
  return list
end

-- The greatest number that a function reads in an element; nil if it reads none.
local function longest_of(value, read)
  local longest
  for _, element in ipairs(elements_of(value)) do
    local one = read(element)
    longest = one and math.max(longest or 0, one) or longest
  end
  return longest
end

-- Servers send the time of a reset as seconds from now, as seconds since 1970, or as milliseconds
-- since then. These are the least of the latter two.
local LEAST_TIME, LEAST_MILLISECONDS = 1e9, 1e11

local function time_until(reset, now)
  if reset < LEAST_TIME then
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

-- The names of the headers of a limit: -remaining and -reset come after them, and with two limits
-- what they count.
local LIMITS = { "x-ratelimit", "x-rate-limit", "ratelimit" }
local COUNTED = { "", "-requests", "-tokens" }

local function is_zero(element)
  return not element:find "[^0.]" and 0 or nil
end

-- Is a limit used up? One whose rest is not said counts as used up.
local function is_used_up(headers, name, counted)
  local left = headers[name .. "-remaining" .. counted]
  return left == nil and counted == "" or longest_of(left, is_zero) ~= nil
end

-- The longest time until one of the limits is reset that are used up, in the ways that APIs say it.
local function until_reset(headers, now)
  local longest
  for _, name in ipairs(LIMITS) do
    for _, counted in ipairs(COUNTED) do
      local reset = headers[name .. "-reset" .. counted]
      local seconds = reset and is_used_up(headers, name, counted) and longest_of(reset, number_of)
      longest = seconds and math.max(longest or 0, time_until(seconds, now)) or longest
    end
  end
  return longest or longest_reset(headers.ratelimit) or reset_of_draft_7(headers.ratelimit)
end

-- The seconds that a response asks to wait, by the server's own clock; nil if it does not ask.
function retry_after.seconds(headers)
  local milliseconds = longest_of(headers["retry-after-ms"], number_of)
  if milliseconds then
    return milliseconds / 1000
  end
  local now = seconds_of(headers.date) or os.time()
  local function seconds_in(element)
    local date = seconds_of(element)
    return number_of(element) or date and math.max(date - now, 0)
  end
  return longest_of(headers["retry-after"], seconds_in) or until_reset(headers, now)
end

return retry_after
