-- Usage: lua arguments.lua FILE...   makes tools of each OpenAPI document, and arguments of up to 20 of them at random,
-- right and broken ones. What the validator ajv says of them, `call` must say, too; and what that sends,
-- `check` must take.
package.path = "spec/lib/?.lua;spec/?.lua;src/?.lua;" .. package.path
local json = require "cjson"
local support = require "support"
local types = require "endpoint.types"

local load_text = loadstring or load
local TOOLS = 20

local function write_line(file, value) file:write(json.encode(value), "\n") end

-- Has an argument a table without elements? Lua does not tell a list from an object there.
local function has_empty(value)
  if type(value) ~= "table" then return false end
  if next(value) == nil then return true end
  for _, one in pairs(value) do
    if has_empty(one) then return true end
  end
  return false
end

-- The tools of a document, evenly from all over the list, each as { call, check, tool, path }.
local function add_tools(path, list)
  local made = types.generate(json.decode(support.read(path)), "api", { checks = true })
  for _, file in ipairs(made.files) do
    if file.name == "api-checks.lua" then
      local module = assert(load_text(file.text, "=" .. path))()
      local tools = module.tools()
      for position = 1, #tools, math.max(1, math.ceil(#tools / TOOLS)) do
        list[#list + 1] = { module = module, tool = tools[position], path = path }
      end
    end
  end
end

local counts = { tools = 0, right = 0, broken = 0, failed = 0 }

local function compare(one, made)
  local route, options
  local answer, problem = one.module.call(function(...)
    route, options = ...
    one.module.check(...)
    return "sent"
  end, one.tool.name, made.given)
  local passes = answer == "sent"
  if has_empty(made.given) and not made.valid then return end
  counts[made.valid and "right" or "broken"] = counts[made.valid and "right" or "broken"] + 1
  if passes == made.valid then return end
  counts.failed = counts.failed + 1
  print(("%s: %s: ajv says %s, call says %s\n  %s\n  %s"):format(one.path, one.tool.name, tostring(made.valid),
    tostring(problem or answer), json.encode(made.given):sub(1, 1000), json.encode { route, options }))
end

local list, input, output = {}, os.tmpname(), os.tmpname()
for position = 1, #arg do
  local ok, problem = pcall(add_tools, arg[position], list)
  if not ok then print(arg[position] .. ": " .. tostring(problem)) counts.failed = counts.failed + 1 end
end
local file = assert(io.open(input, "w"))
for position, one in ipairs(list) do write_line(file, { parameters = one.tool.parameters, seed = position }) end
file:close()
os.execute(("node spec/types/arguments.mjs <%s >%s"):format(input, output))
for line in io.lines(output) do
  counts.tools = counts.tools + 1
  for _, made in ipairs(json.decode(line)) do compare(list[counts.tools], made) end
end
os.remove(input)
os.remove(output)
print(("%d tools of %d documents: %d right arguments, %d broken ones, %d failed"):format(counts.tools, #arg,
  counts.right, counts.broken, counts.failed))
os.exit(counts.tools == #list and counts.failed == 0 and counts.right > 0 and 0 or 1)
