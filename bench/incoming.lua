-- Requests that came in, by rules.request: prints the microseconds that one takes with GitHub's
-- document, the fastest of rounds. `make bench` runs it under each Lua:
--   [ROUNDS=15] [COUNT=20000] lua5.4 bench/incoming.lua DOCUMENT
local json = require "cjson"
local types = require "endpoint.types"

local ROUNDS = tonumber(os.getenv "ROUNDS") or 15
local COUNT = tonumber(os.getenv "COUNT") or 20000

local REQUESTS = {
  {
    what = "GET of a repository's issues, four parameters",
    method = "GET",
    path = "/repos/octo/hello/issues",
    query = "state=open&per_page=30",
  },
  {
    what = "POST of an issue",
    method = "POST",
    path = "/repos/octo/hello/issues",
    headers = { ["content-type"] = "application/json" },
    body = '{"title":"It fails","body":"Always","labels":["bug","help"]}',
  },
  { what = "404", status = 404, method = "GET", path = "/repos/octo/hello/nothing" },
  {
    what = "400, three problems",
    status = 400,
    problems = 3,
    method = "GET",
    path = "/repos/octo/hello/issues",
    query = "state=opened&per_page=x&pages=2",
  },
}

local function load_rules(path)
  local file = assert(io.open(path))
  local document = json.decode(file:read "*a")
  file:close()
  local made = types.generate(document, "github", { checks = true })
  return assert((loadstring or load)(made.files[#made.files - 1].text))()
end

-- Fails if a request is not what it should be.
local function check(rules, row)
  local operation, values, problems = rules.request(row)
  assert((row.status == nil) == (operation ~= nil), row.what)
  assert(row.status == nil or values == row.status, row.what)
  assert(row.problems == nil or #problems == row.problems, row.what)
end

-- The microseconds that a request takes, of so many one after the other.
local function turn(request, row)
  local start = os.clock()
  for _ = 1, COUNT do
    request(row)
  end
  return (os.clock() - start) / COUNT * 1e6
end

local rules = load_rules(assert(arg[1], "the document is missing"))
local fastest = {}
for _, row in ipairs(REQUESTS) do
  check(rules, row)
end
for _ = 1, ROUNDS do
  for position, row in ipairs(REQUESTS) do
    fastest[position] = math.min(fastest[position] or math.huge, turn(rules.request, row))
  end
end
local LUA = rawget(_G, "jit") and "LuaJIT" or _VERSION
local GOAL = LUA == "LuaJIT" and 3 or 8
print(("\nMicroseconds of rules.request, %s, the fastest of %d rounds."):format(LUA, ROUNDS))
for position, row in ipairs(REQUESTS) do
  local goal = position == 1 and (" (the goal is %d)"):format(GOAL) or ""
  print(("%-48s %6.1f%s"):format(row.what, fastest[position], goal))
end
