-- The Lua blocks of a Markdown file, and what they print.
local endpoint = require "endpoint"

local load_text = loadstring or load

local examples = {}

-- A list of { line, code }: the blocks that have no file's name. `line` is that of the
-- first line of code.
function examples.blocks_of(text)
  local blocks, block, number = {}, nil, 0
  for line in text:gmatch "([^\n]*)\n" do
    number = number + 1
    if block and line:sub(1, 3) == "```" then
      blocks[#blocks + 1] = { line = block.line, code = table.concat(block, "\n") .. "\n" }
      block = nil
    elseif block then
      block[#block + 1] = line
    elseif line == "```lua" then
      block = { line = number + 1 }
    end
  end
  return blocks
end

-- What its "-->" comments say that it prints.
function examples.promised(code)
  local lines = {}
  for line in code:gmatch("%-%-> ([^\n]*)") do lines[#lines + 1] = line end
  return lines
end

-- Runs a block; returns what it printed and its value.
function examples.run(code, path)
  local printed = {}
  local function print_line(...)
    local fields = { ... }
    for i = 1, select("#", ...) do fields[i] = tostring((select(i, ...))) end
    printed[#printed + 1] = table.concat(fields, "\t")
  end
  local chunk = assert(load_text("local print, endpoint = ...\n" .. code, "=" .. path))
  return printed, chunk(print_line, endpoint)
end

return examples
