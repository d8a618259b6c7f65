-- Measures the memory over many different URLs, and the cost of an item as the number of
-- items grows, in the interpreter that runs this file. Prints lines "case <tab> what <tab>
-- value" for bench/run.lua.
local endpoint = require "endpoint"

local URLS = tonumber(arg[1]) or 1000000

local function report(case, what, value)
  print(("%s\t%s\t%.4g"):format(case, what, value))
end

local seen = 0
local function new_urls(count)
  for _ = 1, count do
    seen = seen + 1
    endpoint("GET /users/" .. seen .. "/{repo}", { repo = "rest" })
  end
end

-- KiB before and after full collections. Each is the largest of several measurements, since
-- the cache is more or less full.
local function memory(share)
  local before, after = 0, 0
  for _ = 1, 40 do
    before = math.max(before, collectgarbage "count")
    collectgarbage()
    collectgarbage()
    after = math.max(after, collectgarbage "count")
    new_urls(101)
  end
  report("memory", share .. " before", before)
  report("memory", share .. " after", after)
end

new_urls(math.floor(URLS / 10))
memory "10 %"
new_urls(URLS - seen)
memory "100 %"

local function parameters(count)
  local options = {}
  for i = 1, count do options["parameter" .. i] = i end
  return options
end

-- Each has a name, and a function that returns a call with `count` items.
local costs = {
  { "query parameter", function(count)
    local options = parameters(count)
    return function() endpoint("GET /x", options) end
  end },
  { "body parameter", function(count)
    local options = parameters(count)
    return function() endpoint("POST /x", options) end
  end },
  { "unreserved byte", function(count)
    local options = { x = ("a"):rep(count) }
    return function() endpoint("GET /{x}", options) end
  end },
  { "encoded byte", function(count)
    local options = { x = ("\255"):rep(count) }
    return function() endpoint("GET /{x}", options) end
  end },
  -- A new template each time, so that compiling it counts.
  { "template part", function(count)
    local parts, options, unique = ("/{x}"):rep(count), { x = "a" }, 0
    return function()
      unique = unique + 1
      endpoint("GET /" .. unique .. parts, options)
    end
  end },
}

for _, cost in ipairs(costs) do
  for _, count in ipairs { 1000, 10000, 100000 } do
    local call, times = cost[2](count), {}
    local repeats = 200000 / count
    for batch = 1, 5 do
      collectgarbage()
      local began = os.clock()
      for _ = 1, repeats do call() end
      times[batch] = (os.clock() - began) / repeats / count * 1e9
    end
    table.sort(times)
    report("a " .. cost[1], count, times[3])
  end
end
