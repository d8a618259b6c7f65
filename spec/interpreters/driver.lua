-- Runs inside an interpreter, after its recipe. It sends all of spec/interpreters/requests.lua, and writes
-- a line for each answer into the file ANSWERS.
local endpoint = require "endpoint"
local requests = require "interpreters.requests"

local driver = {}

-- An endpoint for the recording server.
driver.api = endpoint.defaults { baseUrl = os.getenv "API", headers = { authorization = "Bearer 0123" } }

-- The results of endpoint, in order.
driver.results = {}
for i, request in ipairs(requests) do driver.results[i] = driver.api(request.route, request.options) end

function driver.say(text)
  local file = assert(io.open(os.getenv "ANSWERS", "a"))
  file:write(tostring(text), "\n")
  file:close()
end

-- Says the status of each answer. `status_of` reads it from what `send` returns.
function driver.run(send, status_of)
  for _, r in ipairs(driver.results) do
    local sent, answer, more = pcall(send, r)
    driver.say("status " .. tostring(sent and status_of(answer, more) or answer))
  end
end

-- Says what f(...) returns, or the message that it raises, without its position.
function driver.try(f, ...)
  local _, answer = pcall(f, ...)
  driver.say((tostring(answer):gsub("^[^\n]-:%d+: ", "")))
end

return driver
