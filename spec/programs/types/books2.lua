-- Books, told in Swagger 2.0
-- Written by endpoint-types. Not to be changed by hand.
local endpoint = require "endpoint"

local made = endpoint.defaults { baseUrl = "https://books.example/v1", headers = { accept = "application/json" } }

return made --[[@as books2.Api]]
