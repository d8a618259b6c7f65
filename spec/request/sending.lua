-- What programs of cases send with.
local endpoint = require "endpoint"
local request = require "endpoint.request"

-- getenv, note: os.getenv and print, or what takes their place inside nginx. The environment has
-- API, the base URL; CLIENT, who sends; CA, the file of authorities; and more for single programs.
local function new(getenv, note)
  local sending = { getenv = getenv, note = note, client = getenv "CLIENT", base = getenv "API" }
  sending.api = endpoint.defaults { baseUrl = sending.base }
  sending.is_curl = sending.client == "curl"

  -- nginx has it in its configuration.
  local cafile = sending.client ~= "resty_http" and getenv "CA" or nil

  -- A sender with these settings, which are changed. settings.api: another endpoint.
  function sending.with(settings)
    local api = settings.api or sending.api
    settings.api = nil
    settings.client, settings.cafile = settings.client or sending.client, cafile
    -- The server may be at work on the programs inside it.
    settings.connect_timeout = settings.connect_timeout or 50
    settings.sleep = settings.sleep or function() end
    return request.new(api, settings)
  end

  sending.send = sending.with {}

  -- What f(...) returns, or the message that it raises.
  function sending.outcome(f, ...)
    local ok, value = pcall(f, ...)
    if ok then
      return value
    end
    return (tostring(value):gsub("^%S*sending%.lua:%d+: ", "", 1))
  end

  -- The message that f(...) raises.
  function sending.message_of(f, ...)
    local ok, failure = pcall(f, ...)
    if ok then
      error("expected an error, got a result", 2)
    end
    return (tostring(failure):gsub("^%S*sending%.lua:%d+: ", "", 1))
  end

  -- Raises an error unless the words are in a message.
  function sending.says(words, message)
    if not message:find(words, 1, true) then
      error(("expected %q in: %s"):format(words, message), 2)
    end
  end

  -- The route and options of a call that is answered with these bytes, LF for CRLF. more: options.
  function sending.raw(text, more)
    local options = { text = text:gsub("\n", "\r\n") }
    for name, value in pairs(more or {}) do
      options[name] = value
    end
    return "GET /raw{?text,more,pause,drains,is_held}", options
  end

  return sending
end

return { new = new }
