-- SPDX-License-Identifier: MIT
-- The texts of the definitions' files: blocks of lines, each with a `head` and perhaps a `last` line.
local pages = {}

-- The editor skips files of 500 KB without a word.
local LARGEST_FILE = 250000

-- What is in one file with certainty, with a line of some length.
local LARGEST_BLOCK = 200000

local MARK = "---@meta _\n-- Written by endpoint-types. Not to be changed by hand.\n"

local function add_line(page, line)
  page[#page + 1], page.size = line, page.size + #line + 1
end

local function new_page(list, head)
  local page = { size = 0 }
  list[#list + 1] = page
  add_line(page, head)
  return page
end

local function size_of(block)
  local size = #block.head
  for _, line in ipairs(block) do size = size + #line + 1 end
  return size
end

-- Appends a block to the last page, or to a new one. A class that is too long for one goes on
-- in the next under the same name.
local function add_block(list, block)
  local page = list[#list]
  if page and page.size + size_of(block) < LARGEST_FILE then
    add_line(page, "")
    add_line(page, block.head)
  else
    page = new_page(list, block.head)
  end
  for _, line in ipairs(block) do
    if #page > 1 and page.size + #line > LARGEST_FILE then page = new_page(list, block.head) end
    add_line(page, line)
  end
  if block.last then add_line(page, block.last) end
end

-- Lines as blocks that need no second page. head, last: what stands around each; a "#" in it is
-- the block's number, from the second on.
function pages.numbered(lines, head, last)
  local block = { head = head:gsub("#", ""), size = 0, last = last }
  local blocks = { block }
  for _, line in ipairs(lines) do
    if block[1] and block.size + #line > LARGEST_BLOCK then
      block = { head = head:gsub("#", #blocks + 1), size = 0, last = last }
      blocks[#blocks + 1] = block
    end
    block[#block + 1], block.size = line, block.size + #line + 1
  end
  return blocks
end

-- Lists of blocks as a list of texts, one for each file.
function pages.texts(lists)
  local list, texts = {}, {}
  for _, blocks in ipairs(lists) do
    for _, block in ipairs(blocks) do add_block(list, block) end
  end
  for number, page in ipairs(list) do texts[number] = MARK .. "\n" .. table.concat(page, "\n") .. "\n" end
  return texts
end

return pages
