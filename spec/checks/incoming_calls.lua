-- What the endpoint makes of random calls, as requests that came in: each must be the operation and
-- the values that it was made of. Then one thing in it is changed: what is wrong must be refused,
-- and nothing raised.
-- Usage: lua incoming_calls.lua CALLS FILE...   so many calls of each tool of OpenAPI documents;
-- prints the counts
package.path = "spec/lib/?.lua;spec/?.lua;src/?.lua;" .. package.path
local endpoint = require "endpoint"
local json = require "cjson"
local kinds = require "endpoint.checks.incoming.kinds"
local parameters = require "endpoint.checks.incoming.parameters"
local result = require "endpoint.result"
local router = require "endpoint.checks.incoming.router"
local text = require "endpoint.text"
local tool_calls = require "checks.tool_calls"
local types = require "endpoint.types"

local NULL = json.null
local load_text = loadstring or load
local SETTINGS = { encoded_slashes = true }

local incoming_calls = {}

-- --- requests -------------------------------------------------------------------------

-- A text that a header of the operation may have.
local function header_text(own, node)
  local found = kinds.of(own, node)
  local written = next(found.members or {})
  return written or (found.integer or found.number) and "1" or found.boolean and "true" or "x"
end

-- The request that a call becomes, as a server gets it. Headers that the document requires belong
-- to the program, so they are added.
local function request_of(own, operation, r)
  local path, query = r.url:gsub("^https?://[^/]*", ""):gsub("#.*$", ""):match "^([^?]*)%??(.*)$"
  local headers = {}
  for name, value in pairs(r.headers) do
    headers[name] = value
  end
  for _, parameter in ipairs(parameters.of(own, operation).list) do
    if parameter.place == "header" and parameter.is_required then
      headers[parameter.name] = headers[parameter.name] or header_text(own, parameter.node)
    elseif parameter.place == "cookie" and parameter.is_required then
      local cookie = parameter.name .. "=" .. header_text(own, parameter.node)
      headers.cookie = headers.cookie and headers.cookie .. "; " .. cookie or cookie
    end
  end
  return {
    method = r.method:upper(),
    path = path,
    query = query ~= "" and query or nil,
    headers = headers,
    body = type(r.body) == "string" and r.body or nil,
  }
end

-- Sends nothing: calls a tool with random arguments. Returns the arguments and the result, or
-- nothing if they are refused.
local function call(module, api, tool, draw)
  local given, made = tool_calls.arguments_of(draw, tool), nil
  local function send(_, route, options)
    made = api(route, options)
    return true
  end
  local sender = setmetatable({ endpoint = api }, { __call = send })
  if module.call(sender, tool.name, given) then
    return given, made
  end
end

-- --- values ---------------------------------------------------------------------------

-- The text of a scalar, as a URL has it.
local function text_of(one)
  local ok, written = pcall(text.encoded, one)
  return ok and text.decoded(written) or tostring(one)
end

-- Are two values the same? What a URL cannot tell apart counts as the same: 5 and "5", and null and
-- what is absent.
local function same(one, other)
  if one == NULL or one == nil then
    return other == nil or other == NULL
  elseif type(one) ~= "table" or type(other) ~= "table" then
    return one == other
      or type(one) ~= "table" and type(other) ~= "table" and text_of(one) == text_of(other)
  end
  for key, value in pairs(one) do
    if not same(value, other[key]) then
      return false
    end
  end
  for key, value in pairs(other) do
    if one[key] == nil and value ~= NULL then
      return false
    end
  end
  return true
end

-- A list without its nulls, which are not sent.
local function without_nulls(value)
  if type(value) ~= "table" or value[1] == nil then
    return value
  end
  local kept = {}
  for _, one in ipairs(value) do
    if one ~= NULL then
      kept[#kept + 1] = one
    end
  end
  return kept
end

-- The value of an argument among those that were read.
local function value_of(plan, place, values)
  local name = place.name
  if plan.path[name] and not place.part and values.path[name] ~= nil then
    return values.path[name]
  elseif values.query[name] ~= nil then
    return values.query[name]
  end
  local known = plan.query[name]
  if known and known.of and values.query[known.of.name] then
    return values.query[known.of.name][name]
  end
  local above = name:match "^([^%[]*)%["
  local found = above and values.query[above]
  for key in name:gmatch "%[([^%[%]]*)%]" do
    if type(found) == "table" and key ~= "" then
      found = found[key]
    end
  end
  return found
end

-- What differs between the arguments and the values, nil if nothing does.
local function difference(own, operation, given, values)
  local plan, made = parameters.of(own, operation), operation.arguments
  local body = {}
  for name, one in pairs(given) do
    local place = made.places[name]
    one = tool_calls.renamed(one, made.renames.back)
    if not place or place.is_body and not place.is_data then
      body[place and place.name or name] = one
    elseif place.is_data then
      body = one
    else
      local found
      if place.is_header then
        found = values.headers[place.name]
      else
        found = value_of(plan, place, values)
      end
      if not same(without_nulls(one), found) then
        return place.name, one, found
      end
    end
  end
  if operation.rules.kind ~= "text" then
    local found = values.body
    if found == nil and type(body) == "table" and next(body) == nil then
      found = {}
    end
    if not same(body, found) then
      return "the body", body, found
    end
  end
end

-- --- changes --------------------------------------------------------------------------

local function copy(request)
  local made = {}
  for key, one in pairs(request) do
    made[key] = one
  end
  return made
end

-- Each changes a request so that it is wrong, if the row's condition holds.
local CHANGES = {
  {
    what = "an unknown name in the query",
    change = function(request)
      request.query = (request.query and request.query .. "&" or "") .. "no.such.name=1"
    end,
    is_wrong = function(plan)
      return not plan.free[1]
    end,
  },
  {
    what = "a dot segment",
    change = function(request)
      request.path = request.path .. "/%2e."
    end,
  },
  {
    what = "an empty segment",
    change = function(request)
      request.path = "/" .. request.path
    end,
  },
  {
    what = "a method that no document has",
    change = function(request)
      request.method = "BREW"
    end,
  },
  {
    what = "another media type",
    change = function(request)
      request.headers = { ["content-type"] = "no/such" }
      request.body = "x"
    end,
    is_wrong = function(_, rules)
      local all = rules.media_type == "*/*"
      for _, other in ipairs(rules.others or {}) do
        all = all or other[1] == "*/*"
      end
      return not all
    end,
  },
  {
    what = "broken JSON",
    change = function(request)
      request.body = request.body .. "}"
    end,
    is_wrong = function(_, rules, request)
      return rules.kind == "json" and request.body ~= nil
    end,
  },
}

local function try_changes(module, plan, rules, request, counts, faults)
  for _, row in ipairs(CHANGES) do
    if not row.is_wrong or row.is_wrong(plan, rules, request) then
      local changed = copy(request)
      row.change(changed)
      local found = module.request(changed, SETTINGS)
      counts.changed = counts.changed + 1
      if found then
        counts.passed = counts.passed + 1
        faults[#faults + 1] = ("%s: passed: %s %s"):format(
          row.what,
          changed.method,
          changed.path:sub(1, 200)
        )
      end
    end
  end
end

-- --- all of them ----------------------------------------------------------------------

local function shown(value)
  local ok, written = pcall(json.encode, value)
  return ok and written:sub(1, 300) or tostring(value)
end

local function try(module, own, tool, given, r, counts, faults)
  local operation = own.by_name[tool.name]
  local request = request_of(own, operation, r)
  local found, values, problems = module.request(request, SETTINGS)
  counts.calls = counts.calls + 1
  local fault
  if not found then
    fault = values .. " " .. shown(problems)
  elseif found.route ~= operation[1] then
    fault = "another route: " .. found.route
  else
    local name, one, other = difference(own, operation, given, values)
    fault = name and ("%s: %s is %s"):format(name, shown(one), shown(other))
  end
  if not fault then
    counts.same = counts.same + 1
    return try_changes(
      module,
      parameters.of(own, operation),
      operation.rules,
      request,
      counts,
      faults
    )
  end
  local on_wire = ("%s\n  %s %s"):format(
    operation[1],
    r.url:sub(1, 300),
    tostring(r.body):sub(1, 300)
  )
  faults[#faults + 1] = fault .. "\n  " .. on_wire
end

local function find(tree, one)
  local segments, is_plain = result.path_segments(one.example, true)
  local method = one.operation[1]:match "^%S+"
  return segments and router.find(tree, method, one.example, segments, is_plain)
end

-- Each operation is found by a path of its template, unless left_out says that it is not.
local function try_paths(module, own, counts, faults)
  local sentences = table.concat(module.left_out(), "\n")
  for _, one in ipairs(own.trees[false].all) do
    local list = find(own.trees[false], one) or nil
    local is_found = sentences:find("rules.request never finds " .. one.operation[1], 1, true)
    for _, found in ipairs(list or {}) do
      is_found = is_found or found == one
    end
    counts.paths = counts.paths + 1
    if not is_found then
      faults[#faults + 1] = "no request is " .. one.operation[1]
    end
  end
end

-- The tools of all operations, one by one where the schemas of all are too large for one list.
local function tools_of(module, own)
  local ok, all = pcall(module.tools)
  if ok then
    return all
  end
  all = {}
  for _, operation in ipairs(own.operations) do
    all[#all + 1] = module.tools({ operation[1] })[1]
  end
  return all
end

-- Calls each tool of a decoded document so often. Returns the counts, and what was wrong.
function incoming_calls.run(root, count, seed)
  local made = types.generate(root, "api", { checks = true })
  local module = assert(load_text(made.files[#made.files - 1].text))()
  local own = tool_calls.own_of(module)
  local api = endpoint.defaults {
    baseUrl = "https://h.example" .. (own.base or ""):gsub("^%a[%w+.-]*://[^/]*", ""),
  }
  local counts, faults = { paths = 0, tools = 0, calls = 0, same = 0, changed = 0, passed = 0 }, {}
  try_paths(module, own, counts, faults)
  for position, tool in ipairs(tools_of(module, own)) do
    local draw = tool_calls.random.new(seed + position)
    counts.tools = counts.tools + 1
    for _ = 1, count do
      local given, r = call(module, api, tool, draw)
      if given then
        try(module, own, tool, given, r, counts, faults)
      end
    end
  end
  return counts, faults
end

local function main(count, files)
  local totals, names = {}, { "paths", "tools", "calls", "same", "changed", "passed" }
  for _, path in ipairs(files) do
    local file = assert(io.open(path))
    local root = json.decode(file:read "*a")
    file:close()
    local ok, counts, faults = pcall(incoming_calls.run, root, count, 1)
    if not ok then
      print(path .. ": " .. tostring(counts))
      counts, faults = { failed = 1 }, {}
    end
    for name, number in pairs(counts) do
      totals[name] = (totals[name] or 0) + number
    end
    for position = 1, math.min(tonumber(os.getenv "SHOWN" or 3), #faults) do
      print(path .. ": " .. faults[position])
    end
  end
  for _, name in ipairs(names) do
    io.write(totals[name] or 0, " ", name, ", ")
  end
  print(#files .. " documents, " .. (totals.failed or 0) .. " failed")
end

if arg and arg[0] and arg[0]:find "incoming_calls%.lua$" then
  main(tonumber(arg[1]), { (unpack or table.unpack)(arg, 2) })
end

return incoming_calls
