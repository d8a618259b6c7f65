-- A cache, whose server answers 304 to those who have what is there.
local case, sending = ...
local request = require "endpoint.request"
local equal = require "support".equal

case("a cache asks with the entity tag, and serves what it has kept", function()
  local entries = {}
  local send = sending.with {
    around = request.cache(),
    log = function(entry)
      entries[#entries + 1] = entry.status
    end,
  }
  equal("tagged", (send "GET /tagged"))
  local body, response = send "GET /tagged"
  equal("tagged", body)
  equal(200, response.status)
  equal("200 304", table.concat(entries, " "))
end)

case("a cache serves what is fresh without a request", function()
  local count = 0
  local send = sending.with {
    around = request.cache(),
    log = function()
      count = count + 1
    end,
  }
  equal("fresh", (send "GET /tagged?fresh=1"))
  equal("fresh", (send "GET /tagged?fresh=1"))
  equal(1, count)
end)
