-- Asks for each hostile answer, and prints its name, the number of tries, and what came.
-- Environment: API, its base URL; CLIENT, who sends; CA, the file of authorities.
local answers = assert(loadfile(os.getenv "TABLE"))()
local endpoint, request = require "endpoint", require "endpoint.request"

local client = os.getenv "CLIENT"
local tries
local send = request.new(endpoint.defaults { baseUrl = os.getenv "API" }, {
  client = client,
  cafile = client ~= "resty_http" and os.getenv "CA" or nil,
  tries = 2,
  timeout = 50,
  sleep = function() end,
  -- A request that is sent at once again, since the server had closed the connection that was kept,
  -- is of the same try.
  log = function(entry)
    tries = entry.try
  end,
})

local function ask(text)
  return pcall(send, "GET /raw{?text}", { text = (text:gsub("\n", "\r\n")) })
end

for _, answer in ipairs(answers) do
  if answer.before then
    assert(ask(answer.before))
  end
  tries = 0
  local ok, said = ask(answer.text)
  if not ok then
    said = tostring(said):match "GET /raw: (.*)" or tostring(said)
  end
  print(
    ("%s | %d | %s | %s"):format(answer.name, tries, ok and "body" or "problem", tostring(said))
  )
end
