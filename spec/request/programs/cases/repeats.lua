-- How often a request is sent whose connection the server closes at first.
local case, sending = ...
local equal = require "support".equal

local count = 0

-- Does the call succeed, and how often was it sent?
local function sent(method, options)
  count = count + 1
  local route = (" /fail?id=%s-%d"):format(sending.getenv "NUMBER", count)
  sending.send "GET /count" -- over a connection that a client may keep
  local ok = pcall(sending.send, method .. route, options)
  return ok, tonumber((sending.send("GET" .. route))) - 1
end

local function once(method, options)
  local ok, times = sent(method, options)
  equal(1, times, "times sent")
  equal(false, ok, "success")
end

local function twice(method, options)
  local ok, times = sent(method, options)
  equal(2, times, "times sent")
  equal(true, ok, "success")
end

case("a POST that was lost is not sent again", function()
  once("POST", { data = "x" })
end)

case("a POST without a body that was lost is not sent again", function()
  once "POST"
end)

case("a PATCH that was lost is not sent again", function()
  once("PATCH", { data = "x" })
end)

case("a PUT of a stream that was lost is not sent again", function()
  local parts = { "a" }
  local function stream()
    return table.remove(parts)
  end
  once("PUT", { data = stream })
end)

case("a POST with an idempotency key that was lost is sent again", function()
  twice("POST", { data = "x", headers = { ["idempotency-key"] = "k" } })
end)

case("a PUT that was lost is sent again", function()
  twice("PUT", { data = "x" })
end)

case("a GET that was lost is sent again", function()
  twice "GET"
end)
