-- SPDX-License-Identifier: MIT
-- The tenants by the key that their clients send. Data alone: a reload reads it anew, and nginx refuses a
-- reload if it does not load. Keep it where nginx alone can read it.
return {
  ["key-of-a"] = { name = "a", baseUrl = "https://a.example/v1", token = "token-of-a" },
  ["key-of-b"] = { name = "b", baseUrl = "https://b.example/v1", token = "token-of-b" },
}
