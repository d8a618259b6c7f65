-- The tests that docs/testing.md shows, run by busted: examples/contract_spec.lua, with the files
-- that endpoint-types makes of its own example, and one with a fake client.
local examples = require "docs.examples"
local server = require "server"
local support = require "support"

local PATH = "examples/contract_spec.lua"
local modules -- the directory of the files that endpoint-types makes

setup(function()
  modules = server.shell "mktemp -d"
  server.shell(([[
    export LUA_PATH='src/?.lua;;' LUA_CPATH='build/lua5.4/?.so;;'
    program="lua5.4 src/bin/endpoint-types"
    $program --example >%s/shop.json
    $program --checks --responses --output %s %s/shop.json]]):gsub("%%s", modules))
end)

teardown(function()
  server.shell("rm -r " .. modules)
end)

-- What busted says of a test.
local function busted(path)
  local command = "LUA_PATH='%s/?.lua;;' .ci/busted lua5.4 -o TAP %s 2>&1 || true"
  return server.shell(command:format(modules, path))
end

-- What busted says of the contract test with another text in the place of one.
local function changed(old, new)
  local directory = server.shell "mktemp -d"
  local path = directory .. "/wrong_spec.lua"
  support.write(path, (support.read(PATH):gsub(old, new)))
  local said = busted(path)
  server.shell("rm -r " .. directory)
  return said
end

describe("the test with a fake client", function()
  it("passes", function()
    local path = modules .. "/program_spec.lua"
    support.write(path, examples.recipe "program_spec.lua")
    local said = busted(path)
    assert.truthy(said:find("ok 1 - a list of tags is asked for again", 1, true), said)
    assert.truthy(said:find("ok 2 - a list of tags fails with the reason", 1, true), said)
    assert.falsy(said:find("not ok", 1, true), said)
  end)
end)

describe("the contract test", function()
  it("is the one that docs/testing.md shows", function()
    local code = support.read(PATH):gsub("^%-%- SPDX[^\n]*\n%-%- A contract test[^\n]*\n", "")
    assert.equal(examples.recipe "contract_spec.lua", code)
  end)

  it("holds for the program", function()
    local said = busted(PATH)
    assert.truthy(said:find("ok 1 - add_book makes a call", 1, true), said)
    assert.truthy(said:find("ok 2 - add_book understands the responses", 1, true), said)
    assert.truthy(said:find("ok 3 - add_book does not send", 1, true), said)
    assert.falsy(said:find("not ok", 1, true), said)
  end)

  it("fails for an answer that the document does not have", function()
    local said = changed('"id": 1', '"id": "1"')
    assert.truthy(said:find("not ok 2", 1, true), said)
    assert.truthy(said:find('status 201: "id": expected an integer', 1, true), said)
  end)

  it("fails for a program that sends what the document does not have", function()
    local said = changed("title = title", "titel = title")
    assert.truthy(said:find("not ok 1", 1, true), said)
    assert.truthy(said:find('no parameter "titel", is it "title"?', 1, true), said)
  end)
end)
