-- The time of a call whose hook makes calls of its own.
local case, sending = ...
local equal, holds = require "support".equal, require "support".holds

case("the call of a hook has what is left of the time of its call", function()
  local function around()
    local body = sending.send "GET /late"
    return { status = 200, text = body }
  end
  local ok, failure = pcall(sending.with { around = around, timeout = 0.2 }, "GET /x")
  holds(not ok, "expected an error")
  local said = "GET /late: timeout: no complete response within the time that the hook has"
  equal(said, failure.message)
  equal("timeout", failure.reason)
end)

case("the next call has the time of its own", function()
  equal("late", (sending.send "GET /late"))
end)
