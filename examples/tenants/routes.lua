-- SPDX-License-Identifier: MIT
-- What clients may ask: GET /read/user?id=7, POST /write/file?name=x. `take` has the parameters that the client
-- gives, each with a pattern that its text must match, and `optional` those that may be missing.
return {
  read = { -- GET, also for a client's HEAD
    user = { route = "GET /users/{id}", take = { id = "^%d+$" } },
    search = { route = "GET /items{?q,page}", take = { q = "^.+$", page = "^%d+$" }, optional = { page = true } },
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
