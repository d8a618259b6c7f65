-- The fenced code blocks of a Markdown file, and how its Lua examples are run.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local support = require "support"

local load_text = loadstring or load

local examples = {}

-- The documents whose examples are run.
function examples.documents()
  return support.files("*.md", ".github/*.md", "bench/*.md", "src/*.md", "src/endpoint/*.md", "spec/nginx/*.md",
    "spec/programs/*.md")
end

-- A list of { language, name, section, line, code }. The name is a file's name behind the
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
    if block.language == language and block.name == "" then found[#found + 1] = block end
  end
  return found
end

-- The locals of each program. `token` is what a reader has of their own.
local HEAD = "local print, io, compare, token, endpoint, clients = ...\n"

-- A table block says what `r` is at that place.
local function statement_of(block)
  if block.code:sub(1, 1) == "{" then return "compare(" .. block.code .. ", r)\n" end
  return block.code
end

-- The Lua blocks below one heading are one program, so later blocks see the locals of
-- earlier ones. `endpoint` and `clients` are loaded already. A list of { section, code };
-- each line of the code has its number in the document.
function examples.programs_of(text)
  local programs, program, lines = {}, nil, 0
  for _, block in ipairs(examples.blocks_in(text, "lua")) do
    if not program or program.section ~= block.section then
      program, lines = { section = block.section, code = HEAD }, 1
      programs[#programs + 1] = program
    end
    local code = ("\n"):rep(block.line - 1 - lines) .. statement_of(block)
    program.code = program.code .. code
    lines = lines + select(2, code:gsub("\n", ""))
  end
  return programs
end

-- What the "-->" comments of a program say that it prints.
function examples.promised(code)
  local lines = {}
  for line in code:gmatch("%-%-> ([^\n]*)") do lines[#lines + 1] = line end
  return lines
end

-- Stands for `io` in an example. It starts no program and records what the example writes
-- to one.
local function recorder(commands)
  return { popen = function(command)
    local record = { command = command, input = "" }
    commands[#commands + 1] = record
    return {
      write = function(_, text) record.input = record.input .. text end,
      close = function() record.closed = true end,
    }
  end }
end

-- Runs a program, perhaps with a token. Returns what it did: the lines that it `printed`,
-- the `tables` that it shows as { promised, actual }, and for each program that it would
-- have started, in `commands`, { command, input, closed }.
function examples.run(code, path, token)
  local printed, tables, commands = {}, {}, {}
  local function print_line(...)
    local fields = { ... }
    for i = 1, select("#", ...) do fields[i] = tostring((select(i, ...))) end
    printed[#printed + 1] = table.concat(fields, "\t")
  end
  local function compare(promised, actual) tables[#tables + 1] = { promised, actual } end
  assert(load_text(code, "=" .. path))(print_line, recorder(commands), compare, token, endpoint, clients)
  return { printed = printed, tables = tables, commands = commands }
end

function examples.programs_in(path)
  return examples.programs_of(support.read(path))
end

return examples
