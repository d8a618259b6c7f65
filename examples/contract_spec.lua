-- SPDX-License-Identifier: MIT
-- A contract test: do the calls of a program fit the OpenAPI document of its API?
-- The files shop.lua and shop-checks.lua are made by
--   endpoint-types --example > shop.json
--   endpoint-types --checks --responses shop.json
local shop, rules = require "shop", require "shop-checks"
local request = require "endpoint.request"

local ROUTE = "POST /books"

-- The program that is tested.
local function add_book(send, title)
  return send(ROUTE, { title = title, year = 2016 })
end

-- The response that the test invents.
local RESPONSE = '{"id": 1, "title": "Programming in Lua", "year": 2016}'

-- A sender that checks each call, and sends nothing.
local function new_sender()
  local function client()
    return 201, { ["content-type"] = "application/json" }, RESPONSE
  end
  return request.new(shop, { check = rules.check, client = client })
end

describe("add_book", function()
  it("makes a call that the API's document allows", function()
    assert.equal(1, add_book(new_sender(), "Programming in Lua").id)
  end)

  it("understands the responses that the API's document describes", function()
    assert(rules.response(ROUTE, 201, add_book(new_sender(), "Programming in Lua")))
  end)

  it("does not send a title that is not a string", function()
    assert.has_error(function()
      add_book(new_sender(), 5)
    end)
  end)
end)
