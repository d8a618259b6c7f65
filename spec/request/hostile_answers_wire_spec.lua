-- Every client makes the same of a hostile answer, over HTTP and TLS; the table says where libcurl
-- differs.
local answers = require "request.hostile_answers"
local runs = require "request.runs"
local server = require "server"
local tls = require "request.tls"

local PROGRAMS = server.shell "pwd" .. "/spec/request/"

-- Who runs the program: a Lua, a client, and the scheme of the API.
local RUNS = {}
for _, pair in ipairs(runs.PAIRS) do
  for _, scheme in ipairs(pair[1] == "nginx" and { "http" } or { "http", "https" }) do
    RUNS[#RUNS + 1] = { lua = pair[1], client = pair[2], scheme = scheme }
  end
end

-- The line that the program prints for an answer.
local function expected_line(answer, run)
  local row = setmetatable(run.client == "curl" and answer.curl or {}, { __index = answer })
  local kind = row.problem and "problem" or "body"
  return ("%s | %d | %s | %s"):format(row.name, row.tries or 1, kind, row.problem or row.body)
end

-- Lines of the program by the name of their answer. What libcurl says in its own words is
-- "refused".
local function lines_of(text, run)
  local lines = {}
  for line in text:gmatch "[^\n]+" do
    local start, kind, said = line:match "^(.- | %d+ | )(%a+) | (.*)$"
    if run.client == "curl" and kind == "problem" and not said:find "timeout" then
      line = start .. "problem | refused"
    end
    lines[line:match "^(.-) | " or ""] = line
  end
  return lines
end

describe("a hostile answer", function()
  local running, start, stop = server.plan {
    locations = runs.LOCATIONS,
    outside = tls.servers,
    errors = "",
    prepare = tls.write_certificates,
  }
  local printed = {}
  setup(function()
    start()
    local commands = {}
    for number, run in ipairs(RUNS) do
      commands[number] = runs.command_of(running, run, PROGRAMS .. "programs/hostile_answers.lua", {
        API = run.scheme == "https" and running.tls_url or running.url,
        CA = running.directory .. "/authorities.pem",
        CLIENT = run.client,
        TABLE = PROGRAMS .. "hostile_answers.lua",
      })
    end
    for number, text in ipairs(server.run_all(running, commands)) do
      printed[number] = lines_of(text, RUNS[number])
      printed[number].all = text
    end
  end)
  teardown(stop)

  for number, run in ipairs(RUNS) do
    for _, answer in ipairs(answers) do
      if not (answer.is_plain and run.scheme == "https") then
        it(
          ("is one thing to %s on %s, over %s: %s"):format(
            run.client,
            run.lua,
            run.scheme,
            answer.name
          ),
          function()
            local got = printed[number][answer.name]
            local expected = expected_line(answer, run)
            if run.client == "curl" then
              expected = expected:gsub("problem | .*", "problem | refused")
            end
            assert.equal(expected, got or printed[number].all)
          end
        )
      end
    end
  end
end)
