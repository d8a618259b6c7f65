-- SPDX-License-Identifier: MIT
-- How long a call waits before its next try.
local pauses = {}

-- stylua: ignore
local MONTHS = {
  Jan = 1, Feb = 2, Mar = 3, Apr = 4, May = 5, Jun = 6,
  Jul = 7, Aug = 8, Sep = 9, Oct = 10, Nov = 11, Dec = 12,
}

local DATE = "^%a%a%a, (%d%d) (%a%a%a) (%d%d%d%d) (%d%d):(%d%d):(%d%d) GMT$"

-- The seconds since 1970 of a date (RFC 9110, section 5.6.7); nil for another string. os.time
-- reads both times as local ones without summer time, so that their difference is right in any
-- zone.
local function seconds_of(date)
  local day, month, year, hour, min, sec = (date or ""):match(DATE)
  local ok, seconds = pcall(os.time, {
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

-- The seconds that an answer asks to wait, by the server's own clock; nil if it does not ask.
local function asked(headers)
  local after, now = headers["retry-after"] or "", seconds_of(headers.date) or os.time()
  if after:find "^%d+$" then
    return tonumber(after)
  end
  local at = seconds_of(after)
    or headers["x-ratelimit-remaining"] == "0" and tonumber(headers["x-ratelimit-reset"])
  return at and at > 1e9 and math.max(at - now, 0) or nil
end

-- The seconds before the next try: what the answer asks for, else half a second, doubled with
-- each try, with chance in it. number: of the try that is over.
function pauses.before_next(number, response)
  return response and asked(response.headers) or 2 ^ (number - 2) * (0.5 + math.random())
end

return pauses
