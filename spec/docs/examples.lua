-- The fenced code blocks of a Markdown file, and how its Lua examples are run.
local clients = require "endpoint.clients"
local support = require "support"

local load_text = loadstring or load

local examples = {}

-- The documents whose examples are run.
function examples.documents()
  return support.files("*.md", ".github/*.md", "docs/*.md", "examples/*.md")
end

-- A list of { language, name, section, line, code }. The name is a file's name after the
-- language, the section is the heading above, and the line is that of the code.
function examples.blocks_of(text)
  local blocks, section, open, number = {}, "", nil, 0
  for line in text:gmatch "([^\n]*)\n" do
    number = number + 1
    if open and line == "```" then
      open.code, open = table.concat(open, "\n") .. "\n", nil
    elseif open then
      open[#open + 1] = line
    elseif line:find "^```" then
      local language, name = line:match "^```(%w+) ?(%S*)$"
      open = { language = language, name = name, section = section, line = number + 1 }
      blocks[#blocks + 1] = open
    elseif line:find "^#+ " then
      section = line
    end
  end
  return blocks
end

-- The blocks of a language that have no file's name.
function examples.blocks_in(text, language)
  local found = {}
  for _, block in ipairs(examples.blocks_of(text)) do
    if block.language == language and block.name == "" then
      found[#found + 1] = block
    end
  end
  return found
end

-- The code of the block with this file's name in a document.
function examples.recipe(name)
  for _, path in ipairs(examples.documents()) do
    for _, block in ipairs(examples.blocks_of(support.read(path))) do
      if block.name == name then
        return block.code
      end
    end
  end
  error("no block " .. name)
end

-- The locals of each program, which stand in for what would need a network.
examples.HEAD = "local print, require, os = ... "

-- What the examples of the editor's definitions may leave out.
examples.LOADED = 'local endpoint, clients = require "endpoint", require "endpoint.clients"'

-- The Lua blocks below one heading are one program, so later blocks see the locals of earlier ones.
-- Nothing is loaded before them: a reader pastes them as they are. Only `loaded` is a statement
-- that they may leave out. A list of { section, code }; each line of the code has its number in the
-- document.
function examples.programs_of(text, loaded)
  local programs, program, lines = {}, nil, 0
  for _, block in ipairs(examples.blocks_in(text, "lua")) do
    if not program or program.section ~= block.section then
      program, lines =
        { section = block.section, code = examples.HEAD .. (loaded or "") .. "\n" }, 1
      programs[#programs + 1] = program
    end
    local code = ("\n"):rep(block.line - 1 - lines) .. block.code
    program.code = program.code .. code
    lines = lines + select(2, code:gsub("\n", ""))
  end
  return programs
end

-- What the "-->" comments of a program say that it prints.
function examples.promised(code)
  local lines = {}
  for line in code:gmatch("%-%-> ([^\n]*)") do
    lines[#lines + 1] = line
  end
  return lines
end

-- A server with two pages of nothing, on which whatever is posted can be created.
local function answer(request)
  local json = { ["content-type"] = "application/json" }
  if request.method == "POST" then
    return 201, json, '{"title":"Found a bug"}'
  end
  if request.url:find "/orgs/[^/]*$" then
    return 200, json, '{"login":"luarocks"}'
  end
  local is_first = request.url:find("?", 1, true) and not request.url:find "[?&]page="
  json.link = is_first and "<" .. request.url:match "%?.*" .. '&page=2>; rel="next"' or nil
  return 200, json, "[]"
end

-- In the place of LuaSocket and LuaSec: sends nothing, and answers.
local HTTP = {
  request = function(request)
    local status, headers, text = answer(request)
    request.sink(text)
    return 1, status, headers
  end,
}

-- endpoint.request, with such a client if the program has none of its own.
local REQUEST = setmetatable({}, { __index = require "endpoint.request" })
function REQUEST.new(api, settings)
  settings = settings or {}
  if type(settings.client) ~= "function" then
    settings.client = function(r)
      return answer(clients.plain(r))
    end
  end
  return require "endpoint.request".new(api, settings)
end

-- ltn12 needs LuaSocket, which not every Lua here has.
local LTN12 = {
  sink = {
    table = function(parts)
      return function(piece)
        parts[#parts + 1] = piece
        return 1
      end
    end,
  },
}

-- The files that endpoint-types makes of the document that `endpoint-types --example` prints.
local function example_files()
  local types = require "endpoint.types"
  local document = require "cjson".decode((require "endpoint.types.example"))
  return types.generate(document, "shop", { checks = true, responses = true }).files
end

-- Writes these files. Returns the line of a program that finds them.
function examples.write_shop(directory)
  for _, file in ipairs(example_files()) do
    support.write(directory .. "/" .. file.name, file.text)
  end
  return ('package.path = "%s/?.lua;" .. package.path\n'):format(directory)
end

-- The modules of these files, as functions.
local function example_modules()
  local modules = {}
  for _, file in ipairs(example_files()) do
    modules[file.name:gsub("%.lua$", "")] = assert(load_text(file.text, "=" .. file.name))
  end
  return modules
end

-- The replacement of a module, and for `os`, in which no token is set.
local STAND_INS =
  { ["socket.http"] = HTTP, ["ssl.https"] = HTTP, ltn12 = LTN12, ["endpoint.request"] = REQUEST }
local of_example
local function require_stand_in(name)
  if name:find "^shop%f[%z-]" then
    of_example = of_example or example_modules()
    STAND_INS[name] = STAND_INS[name] or of_example[name](name)
  end
  return STAND_INS[name] or require(name)
end
local OS = setmetatable({ getenv = function() end }, { __index = os })

-- Runs a program. Returns the lines that it printed.
function examples.run(code, path)
  local printed = {}
  local function print_line(...)
    local fields = { ... }
    for i = 1, select("#", ...) do
      fields[i] = tostring((select(i, ...)))
    end
    printed[#printed + 1] = table.concat(fields, "\t")
  end
  assert(load_text(code, "=" .. path))(print_line, require_stand_in, OS)
  return printed
end

return examples
