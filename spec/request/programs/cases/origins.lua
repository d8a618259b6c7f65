-- A redirect to another server, which sees nothing of the call but what it may show.
local case, sending = ...
local endpoint = require "endpoint"
local equal, holds = require "support".equal, require "support".holds

local function other()
  return "127.0.0.1:" .. sending.getenv "THIRD"
end

-- What a call is given that is sent on to the other server.
local function ask(settings)
  settings.api = endpoint.defaults {
    baseUrl = sending.base,
    headers = { authorization = "Bearer s3cret99", cookie = "a=b", ["user-agent"] = "mine/1" },
  }
  settings.redirects = 1
  local text = ("HTTP/1.1 302 X\nlocation: http://%s/a?b=c\ncontent-length: 0\n\n"):format(other())
  local route, options =
    sending.raw(text, { headers = { ["x-api-key"] = "k", range = "bytes=0-" } })
  return sending.outcome(sending.with(settings), route, options)
end

case("a redirect to another server shows it no credential, cookie or default", function()
  local seen = ask { other_origins = { other() } }
  holds(seen:find("GET /a?b=c HTTP/1.1", 1, true), seen)
  for _, word in ipairs { "s3cret99", "a=b", "x%-api%-key" } do
    equal(nil, (seen:find(word)), word .. " in " .. seen)
  end
  for _, word in ipairs { "mine/1", "bytes=0%-" } do
    holds(seen:find(word), word .. " in " .. seen)
  end
end)

case("a redirect to another server is refused without the setting, which is named", function()
  sending.says("see the setting other_origins", ask {})
end)
