-- Usage: lua slow_patterns.lua [FILE...]   matches long strings by patterns that make an engine try
-- many ways, and by all patterns of the documents FILE. Each must end within the limit, whether it
-- fits, does not, or is given up. Prints the counts and the slowest. Inside nginx a program calls
-- `slow_patterns.run`, so that ngx.re is tried in the same way.
package.path = "src/?.lua;" .. package.path
local slow_patterns = {}

local json = require "cjson"
local patterns = require "endpoint.checks.validator.patterns"

local LENGTH, LIMIT = 100000, 0.3

-- Patterns, some of them of published documents, with which PCRE takes time that is not linear.
slow_patterns.LIST = {
  "(a|a){0,16}[xy]",
  "([a-z]|[a-z0-9]){1,14}[#@]",
  "\\s+$",
  "x?\\s+$",
  "x?(\\s+)$",
  ".*\\S.*",
  "(.*)\\S.*",
  "[^/]+$",
  "(foo|[^/])+$",
  "^(a+)+$",
  "(a*)*b",
  "^(\\w+[.-])*\\w+$",
  "^([a-z0-9]+(-[a-z0-9]+)*)$",
  "[a-z]+[0-9]",
  "^.*[a-z]+[0-9]$",
  "^a*a*a*b$",
  "(?=(a+))a*b\\1",
  "(?=[a-z]*)Z",
  "(?:(?=.*)a)*Z",
  "(?=.*a)b",
  "(?=(.*)a)b",
  "(?!.*-)Z",
  "^(a*)\\1*b",
  "(a*)\\1*b",
  "[\\p{L}\\s*]*\\{##[\\p{L}\\s*]*##\\}[\\p{L}\\s*]*",
  "a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?aaaaaaaaaaaaaaaaaaaa$",
}

local UNITS = { "a", "0", " ", "-", "/", "a.", "ab-", "A_", "\195\164" }
-- The many patterns of documents are tried with fewer.
slow_patterns.FEW_UNITS = { "a", " ", "ab-" }

local function strings(units)
  local list = {}
  for _, unit in ipairs(units) do
    local long = unit:rep(math.floor(LENGTH / #unit))
    list[#list + 1], list[#list + 2] = long, long .. "!"
  end
  return list
end

-- Seconds of a match, the fastest of some: another program may have had the processor.
local function seconds(pattern, string)
  local best
  for _ = 1, 3 do
    local began = os.clock()
    patterns.fits({ rulebook = slow_patterns }, pattern, string)
    local took = os.clock() - began
    best = best and math.min(best, took) or took
    if best < LIMIT / 3 then
      break
    end
  end
  return best
end

-- Matches all; returns the slowest time, and lines about those that took too long.
function slow_patterns.run(list, units)
  local slowest, failed = 0, {}
  for _, string in ipairs(strings(units or UNITS)) do
    for _, pattern in ipairs(list) do
      local took = seconds(pattern, string)
      slowest = math.max(slowest, took)
      if took > LIMIT then
        failed[#failed + 1] = ("%.2f s: %s with %q..."):format(took, pattern, string:sub(1, 4))
      end
    end
  end
  return slowest, failed
end

-- --- documents --------------------------------------------------------------------------

local function add_patterns(value, list, is_known)
  for key, one in pairs(value) do
    if type(one) == "table" then
      add_patterns(one, list, is_known)
    elseif key == "pattern" and type(one) == "string" and not is_known[one] then
      list[#list + 1], is_known[one] = one, true
    end
  end
end

function slow_patterns.of_documents(paths)
  local list, is_known = {}, {}
  for _, path in ipairs(paths) do
    local file = assert(io.open(path))
    local text = file:read "*a"
    file:close()
    local ok, document = pcall(json.decode, text)
    if ok then
      add_patterns(document, list, is_known)
    end
  end
  return list
end

-- The patterns of a file that has a list of them as JSON.
function slow_patterns.read(path)
  local file = assert(io.open(path))
  local list = json.decode(file:read "*a")
  file:close()
  return list
end

if not arg or not arg[0]:find "slow_patterns%.lua$" then
  return slow_patterns
end

local list = slow_patterns.of_documents(arg)
local slowest, failed = slow_patterns.run(slow_patterns.LIST)
local slowest_there, failed_there = slow_patterns.run(list, slow_patterns.FEW_UNITS)
for _, line in ipairs(failed_there) do
  failed[#failed + 1] = line
end
for _, line in ipairs(failed) do
  print(line)
end
print(
  ("%d patterns with %d bytes, by %s: the slowest took %.2f s; %d took more than %.1f s"):format(
    #slow_patterns.LIST + #list,
    LENGTH,
    patterns.are_known() and "Lua and lrexlib" or "Lua alone",
    math.max(slowest, slowest_there),
    #failed,
    LIMIT
  )
)
os.exit(#failed == 0)
