-- SPDX-License-Identifier: MIT
-- Data alone: a reload reads it anew, and nginx refuses a reload if it does not load. Keep it where
-- nginx alone can read it.

-- The tenants by the key that their clients send.
local tenants = {
  ["key-of-a"] = { name = "a", baseUrl = "https://a.example/v1", token = "token-of-a" },
  ["key-of-b"] = { name = "b", baseUrl = "https://b.example/v1", token = "token-of-b" },
}

-- What clients may ask: GET /read/user?id=7, POST /write/file?name=x. `take` has the parameters
-- that the client gives, each with a pattern that its text must match, and `optional` those that
-- may be missing.
local routes = {
  read = { -- GET, also for a client's HEAD
    user = { route = "GET /users/{id}", take = { id = "^%d+$" } },
    search = {
      route = "GET /items{?q,page}",
      take = { q = "^.+$", page = "^%d+$" },
      optional = { page = true },
    },
  },
  write = {
    file = { route = "POST /files{?name}", take = { name = "^[%w._-]+$" }, body = "client" },
    item = { route = "DELETE /items/{id}", take = { id = "^%d+$" } },
  },
  overview = { -- these at once, in one answer
    user = { route = "GET /users/{id}", take = { id = "^%d+$" } },
    orders = { route = "GET /orders{?user}", take = { id = "^%d+$" }, name = { id = "user" } },
  },
}

return { tenants = tenants, routes = routes }
