-- Properties of every call, tried with random calls. The seeds are fixed, so that a failure can be
-- repeated. spec/oracle/differential.lua tries as many as it is told.
local differential = require "oracle.differential"
local fuzz = require "oracle.fuzz"
local support = require "support"

local ROUNDS = tonumber(os.getenv "ROUNDS") or 2000

describe("random calls", function()
  -- Of each sort of ending there must be enough.
  local function compare(seed, count, generator, ...)
    local tally, differing, texts = differential.run(seed, count, generator)
    assert.equal("", table.concat(texts, "\n"))
    assert.equal(0, differing)
    for _, ending in ipairs { ... } do
      assert.is_true(tally[ending] > count / 20, ending .. ": " .. tally[ending])
    end
  end

  it("have the URLs and the errors of the judge", function()
    compare(20240607, 5 * ROUNDS, differential.random_call, "url", "raised")
  end)

  it("of an endpoint with defaults have its results, and keep them at home", function()
    compare(
      20240610,
      2 * ROUNDS,
      differential.random_whole_call,
      "url",
      "raised",
      "away",
      "refused"
    )
  end)

  it("change nothing, and have the same result when they are made again", function()
    local random = support.random(20240608)
    for _ = 1, ROUNDS / 3 do
      local case = differential.random_whole_call(random)
      fuzz.check_case {
        defaults = differential.options(case.defaults),
        options = differential.options(case.given),
      }
    end
  end)
end)
