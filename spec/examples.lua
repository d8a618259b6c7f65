-- The Lua blocks of a Markdown file, and what they print.
local endpoint = require "endpoint"

local load_text = loadstring or load

local examples = {}

-- A list of { line, code }: the blocks that have no file's name.
function examples.blocks_of(text)
  local blocks, at = {}, 1
  while true do
    local _, fence = text:find("```lua\n", at, true)
    if not fence then return blocks end
    local behind = text:find("```", fence, true)
    local _, lines = text:sub(1, fence):gsub("\n", "")
    blocks[#blocks + 1] = { line = lines + 1, code = text:sub(fence + 1, behind - 1) }
    at = behind + 3
  end
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
