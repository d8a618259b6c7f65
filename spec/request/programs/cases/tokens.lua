-- A token that expires, which the server of tokens gives.
local case, sending = ...
local request = require "endpoint.request"
local equal = require "support".equal

-- A fetch from the server; returns the function, and the times that it was called.
local function counted(first)
  local count = { 0 }
  return function()
    count[1] = count[1] + 1
    if count[1] == 1 and first then
      return first, 60
    end
    local body = sending.send("POST /token", { grant_type = "client_credentials" })
    return body.access_token, body.expires_in
  end,
    count
end

case("a token is fetched once, and sent with each request", function()
  local fetch, count = counted()
  local send = sending.with { around = request.token { fetch = fetch } }
  equal("secret", (send "GET /secret"))
  equal("secret", (send "GET /secret"))
  equal(1, count[1])
end)

case("a token that the server refuses is fetched again, and a POST is sent again", function()
  local fetch, count = counted "an old one"
  local send = sending.with { around = request.token { fetch = fetch } }
  equal("secret", (send("POST /secret", { data = "x" })))
  equal(2, count[1])
end)

case("a token is fetched once for all jobs of a pool", function()
  if sending.client ~= "luasocket" or _VERSION == "Lua 5.1" and not rawget(_G, "jit") then
    return
  end
  local fetch, count = counted()
  local pool = request.pool { at_once = 20 }
  local authority = sending.with { wait = pool.wait, sleep = pool.sleep }
  local function fetch_in_pool()
    fetch()
    return authority("POST /token", {}).access_token, 60
  end
  local send = sending.with {
    wait = pool.wait,
    sleep = pool.sleep,
    around = request.token { fetch = fetch_in_pool },
  }
  local list = {}
  for number = 1, 20 do
    list[number] = number
  end
  local results, problems = pool.run(list, function()
    return (send "GET /secret")
  end)
  equal(nil, (select(2, next(problems))))
  equal(20, #results)
  equal(1, count[1])
end)

case("the refusal of the server of tokens is told", function()
  local function fetch()
    return (sending.send "GET /secret")
  end
  local send = sending.with { around = request.token { fetch = fetch } }
  local ok, failure = pcall(send, "GET /x")
  equal(false, ok)
  equal("GET /x: token: GET /secret: the server answers 401", failure.message)
  equal("token", failure.reason)
end)
