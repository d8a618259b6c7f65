-- request.token in two workers of nginx: how often a token is fetched, and that no call is lost
-- when clients leave, workers end and the configuration is loaded anew.
local server = require "server"
local support = require "support"

-- Seconds of the load, tenants, the life of a token and jobs at once. To measure a minute of 20
-- tenants with tokens of 5 s: TOKENS="60 20 5 40".
local LOAD = os.getenv "TOKENS" or "6 5 1 20"
local SECONDS, TENANTS, LIFE, JOBS = LOAD:match "(%d+) (%d+) (%d+) (%d+)"

-- A token is renewed when a tenth of its life is left. One that was lost with its worker is fetched
-- again.
local RESTARTS = 2
local function most_fetches()
  return math.ceil(SECONDS / (LIFE * 0.9)) + 1 + RESTARTS
end

local running, start, stop = server.plan {
  configuration = support.read "spec/request/programs/tokens.conf",
  errors = "",
}

-- Loads the configuration anew, and ends a worker.
local function disturbances(seconds)
  local form = "(sleep %.1f; kill -HUP %s; sleep %.1f; kill -TERM $(pgrep -o -P %s))"
  local pid = ("$(cat %s/nginx.pid)"):format(running.directory)
  return form:format(seconds / 3, pid, seconds / 3, pid)
end

describe("request.token in nginx's workers", function()
  local printed, counts
  setup(function()
    start()
    local form = "lua5.4 spec/request/programs/tokens_load.lua %s %s %s %s %s '%s'"
    local disturb = disturbances(tonumber(SECONDS))
    printed =
      server.run("lua5.4", form:format(running.url, SECONDS, TENANTS, LIFE, JOBS, disturb), "")
    counts = server.fetch(running, "/counts")
    if os.getenv "TOKENS" then
      print(printed)
      print(counts)
    end
  end)
  teardown(function()
    stop()
  end)

  it("loses no call", function()
    assert.is_nil(printed:match "wrong=[^\n]*")
    assert.is_nil(printed:match "problem=[^\n]*")
    assert.is_true(tonumber(printed:match "right=(%d+)") > 100, printed)
    assert.is_true(tonumber(printed:match "aborted=(%d+)") > 10, printed)
  end)

  it("fetches a token once for each life of it", function()
    local tenants = 0
    for count in counts:gmatch "fetches %w+=(%d+)" do
      tenants = tenants + 1
      assert.is_true(tonumber(count) <= most_fetches(), counts)
      assert.is_true(tonumber(count) >= SECONDS / LIFE / 2, counts)
    end
    assert.equal(tonumber(TENANTS), tenants)
  end)
end)
