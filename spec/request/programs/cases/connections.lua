-- Which requests share a connection.
local case, sending = ...
local equal, holds = require "support".equal, require "support".holds

-- Does the client keep connections? libcurl 7.84 to 8.0 keeps none.
local function keeps()
  if not sending.is_curl then
    return true
  end
  local found, curl = pcall(require, "cURL")
  local major, minor = (found and curl or require "curl").version():match "(%d+)%.(%d+)"
  local version = 1000 * tonumber(major) + tonumber(minor)
  return version < 7084 or version >= 8001
end

-- How many requests each of the connections of these requests had then.
local function counts_of(methods)
  local own, counts = sending.with {}, {}
  for number, method in ipairs(methods) do
    counts[number] = tonumber((own(method .. " /count")))
  end
  return counts
end

case("a second GET is sent over the connection of the first", function()
  local counts = counts_of { "GET", "GET" }
  equal(keeps() and 1 or 0, counts[2] - counts[1])
end)

case("each POST is sent over a connection of its own", function()
  local counts = counts_of { "GET", "GET", "POST", "POST" }
  equal(1, counts[3], "requests of the first POST's connection")
  equal(1, counts[4], "requests of the second POST's connection")
end)

case("100 GETs need five connections at most", function()
  local own, seen, different = sending.with {}, {}, 0
  for _ = 1, 100 do
    local number = own "GET /connection"
    if not seen[number] then
      seen[number], different = true, different + 1
    end
  end
  holds(different <= (keeps() and 5 or 100), different .. " connections")
end)
