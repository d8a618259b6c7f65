-- What endpoint.request tells libcurl, and after which of its errors it sends again.
-- request_wire_spec.lua sends by the real one.
local reloaded = require "request.reloaded"
local scripted = require "request.scripted"

-- The options of libcurl by their numbers (curl/curl.h).
local OPTIONS = {
  SSL_VERIFYPEER = 64,
  SSL_VERIFYHOST = 81,
  NOSIGNAL = 99,
  TIMEOUT_MS = 155,
  CONNECTTIMEOUT_MS = 156,
  FRESH_CONNECT = 74,
  LOW_SPEED_LIMIT = 19,
  LOW_SPEED_TIME = 20,
  PROXY = 10004,
  SSLCERT = 10025,
  CAINFO = 10065,
  SSLKEY = 10087,
  CAPATH = 10097,
}

-- Sends by a libcurl whose transfers end with this code. Returns the options that it was told, by
-- name, how often it sent, and what the call raises.
local function sent_with(settings, route, code)
  local easy, told, count = {}, {}, 0
  function easy.setopt(_, option, value)
    told[option] = value
  end
  function easy.perform()
    count = count + 1
    return code, "no"
  end
  local function new_easy()
    return easy
  end
  local function gettime()
    return 0
  end
  local said
  settings.client, settings.sleep = "curl", function() end
  reloaded.while_modules_are(
    { cURL = { easy = new_easy }, socket = { gettime = gettime } },
    function()
      said = scripted.outcome(require "endpoint.request".new(scripted.api, settings), route)
    end
  )
  local options = {}
  for name, number in pairs(OPTIONS) do
    options[name] = told[number]
  end
  return options, count, said
end

describe("libcurl", function()
  it(
    "verifies the server, and takes limits, a certificate and its key from the settings",
    function()
      local settings = { tries = 1, certificate = "LICENSE", key = "README.md" }
      assert.same({
        SSL_VERIFYPEER = 1,
        SSL_VERIFYHOST = 2,
        NOSIGNAL = 1,
        TIMEOUT_MS = 60000,
        CONNECTTIMEOUT_MS = 10000,
        FRESH_CONNECT = 0,
        LOW_SPEED_LIMIT = 1,
        LOW_SPEED_TIME = 0,
        PROXY = "",
        SSLCERT = "LICENSE",
        SSLKEY = "README.md",
      }, (sent_with(settings, "GET /x", 0)))
    end
  )

  it("trusts only the authorities of cafile, and makes a new connection for a POST", function()
    local settings = {
      tries = 1,
      cafile = "LICENSE",
      certificate = "README.md",
      proxy = "http://p",
      timeout = 9,
    }
    assert.same({
      SSL_VERIFYPEER = 1,
      SSL_VERIFYHOST = 2,
      NOSIGNAL = 1,
      TIMEOUT_MS = 9000,
      CONNECTTIMEOUT_MS = 9000,
      FRESH_CONNECT = 1,
      LOW_SPEED_LIMIT = 1,
      LOW_SPEED_TIME = 0,
      PROXY = "http://p:80",
      SSLCERT = "README.md",
      CAINFO = "LICENSE",
      SSLKEY = "README.md",
      CAPATH = "/dev/null",
    }, (sent_with(settings, "POST /x", 0)))
  end)

  for _, route in ipairs { "GET /x", "POST /x" } do
    it("without a head of an answer raises an error: " .. route, function()
      local _, _, said = sent_with({ tries = 1 }, route, 0)
      assert.equal(route .. ": the response is not HTTP", said)
    end)
  end

  -- https://curl.se/libcurl/c/libcurl-errors.html
  for _, row in ipairs {
    { name = "COULDNT_CONNECT", code = 7, times = 2 },
    { name = "SSL_CERTPROBLEM", code = 58, times = 1 },
    { name = "PEER_FAILED_VERIFICATION", code = 60, times = 1 },
    { name = "SSL_CACERT_BADFILE", code = 77, times = 1 },
  } do
    local title = "sends %s at its error %s"
    it(title:format(row.times == 2 and "again" or "only once", row.name), function()
      local _, count = sent_with({ tries = 2 }, "GET /x", row.code)
      assert.equal(row.times, count)
    end)
  end
end)
