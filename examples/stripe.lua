-- SPDX-License-Identifier: MIT
-- Creates a customer at Stripe, whose API takes nested forms, and lists all customers by Stripe's
-- cursor.
-- Needs LuaSocket, LuaSec and lua-cjson.
-- Usage: API=https://api.stripe.com TOKEN=sk_test_... CA=FILE lua stripe.lua EMAIL
local endpoint, request = require "endpoint", require "endpoint.request"
local shown = require "endpoint.clients".shown -- a server's text, for a terminal

local api = endpoint.defaults {
  baseUrl = assert(os.getenv "API", "API is not set"),
  headers = {
    authorization = "Bearer " .. assert(os.getenv "TOKEN", "TOKEN is not set"),
    accept = "application/json",
  },
}
local stripe = request.new(api, { cafile = os.getenv "CA", nested = "indices" })

local customer = stripe("POST /v1/customers", {
  email = assert(arg[1], "expected EMAIL"),
  address = { city = "Paris" },
  preferred_locales = { "fr", "en" },
  headers = { ["content-type"] = "application/x-www-form-urlencoded" },
})
print("created", shown(customer.id))

-- The list in a page, and the parameter of the next one.
local function page(body)
  local last = body.data[#body.data]
  return body.data, body.has_more and last and { starting_after = last.id } or nil
end

for each in stripe.each("GET /v1/customers", { limit = 2 }, { page = page }) do
  print(shown(each.id), shown(each.email))
end
