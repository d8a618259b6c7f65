-- What is said of a host's name and of the file of authorities.
local case, sending = ...
local endpoint, request = require "endpoint", require "endpoint.request"

case("a name that does not resolve is in the error", function()
  local lost = endpoint.defaults { baseUrl = "http://no-such-host.invalid" }
  local said = sending.message_of(sending.with { api = lost, tries = 1 }, "GET /x")
  sending.says("no-such-host.invalid", said)
end)

case("the setting cafile is in the error where the authority is unknown", function()
  local stranger = request.new(sending.api, { client = sending.client })
  local said = sending.message_of(stranger, "GET /head")
  sending.says("cafile", said)
end, "tls")

case("the setting cafile is in the error where the file has no certificate", function()
  local secure = endpoint.defaults { baseUrl = "https://127.0.0.1" }
  local unread = request.new(secure, { client = "luasocket", cafile = "LICENSE" })
  local said = sending.message_of(unread, "GET /x")
  sending.says("endpoint.request: cafile: ", said)
end)
