-- The contract test that docs/checks.md shows: examples/contract_spec.lua, run by busted.
local examples = require "docs.examples"
local server = require "server"
local support = require "support"

local PATH = "examples/contract_spec.lua"

-- What busted says of the contract test.
local function busted(path)
  return server.shell(("busted --lua=lua5.4 -o TAP %s 2>&1 || true"):format(path))
end

describe("the contract test", function()
  it("is the one that docs/checks.md shows", function()
    local code = support.read(PATH):gsub("^%-%- SPDX[^\n]*\n%-%- A contract test[^\n]*\n", "")
    assert.equal(examples.recipe "contract_spec.lua", code)
  end)

  it("holds for the program", function()
    local said = busted(PATH)
    assert.truthy(said:find("ok 1 - add_book makes a call", 1, true), said)
    assert.truthy(said:find("ok 2 - add_book does not send", 1, true), said)
    assert.falsy(said:find("not ok", 1, true), said)
  end)

  it("fails for a program that sends what the document does not have", function()
    local directory = server.shell "mktemp -d"
    local path = directory .. "/wrong_spec.lua"
    support.write(path, (support.read(PATH):gsub("title = title", "titel = title")))
    local said = busted(path)
    server.shell("rm -r " .. directory)
    assert.truthy(said:find("not ok 1", 1, true), said)
    assert.truthy(said:find('no parameter "titel", is it "title"?', 1, true), said)
  end)
end)
