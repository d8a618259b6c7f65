-- Books os.exit(1) --]]
-- Written by endpoint-types. Not to be changed by hand.
local endpoint = require "endpoint"

local made = endpoint.defaults { baseUrl = "https://eu.books.example/v2", headers = { accept = "application/json" } }

return made --[[@as books.Api]]
