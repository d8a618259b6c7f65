-- SPDX-License-Identifier: MIT
-- A contract test: do the calls of a program fit the OpenAPI document of its API?
-- In a clone of this library: .ci/busted lua5.4 examples/contract_spec.lua
package.path = "spec/types/?.lua;" .. package.path -- where books.lua is
local books, rules = require "books", require "books-checks"
local request = require "endpoint.request"

local ROUTE = "POST /books{?dry-run}"

-- The program that is tested.
local function add_book(send, title)
  local book = { title = title, ["any thing"] = true }
  return send(ROUTE, book)
end

-- The response that the test invents.
local RESPONSE = '{"id": 1, "title": "Programming in Lua", "any thing": true}'

-- A sender that checks each call, and sends nothing.
local function new_sender()
  local function client()
    return 201, { ["content-type"] = "application/json" }, RESPONSE
  end
  return request.new(books, { check = rules.check, client = client })
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
