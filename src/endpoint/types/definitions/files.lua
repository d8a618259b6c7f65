-- SPDX-License-Identifier: MIT
-- Blocks of definitions as the texts of files, none larger than an editor reads.
local files = {}

-- A page is the text of a file, of blocks: lists of lines with a `head` and perhaps a `last` line.
-- `size` counts bytes without the ends of lines.
-- The editor skips files of 500 KB without a word.
local LARGEST_FILE = 2 ^ 18

local MARK = "---@meta _\n-- Written by endpoint-types. Not to be changed by hand.\n"

local function add_line(page, line)
  page[#page + 1], page.size = line, page.size + #line
end

local function new_page(list, head)
  list[#list + 1] = { head, size = #head }
  return list[#list]
end

local function size_of(block)
  local size = #block.head
  for _, line in ipairs(block) do
    size = size + #line
  end
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
    if #page > 1 and page.size + #line > LARGEST_FILE then
      page = new_page(list, block.head)
    end
    add_line(page, line)
  end
  if block.last then
    add_line(page, block.last)
  end
end

-- Lists of blocks as a list of texts, one for each file.
function files.texts(lists)
  local list, texts = {}, {}
  for _, blocks in ipairs(lists) do
    for _, block in ipairs(blocks) do
      add_block(list, block)
    end
  end
  for number, page in ipairs(list) do
    texts[number] = MARK .. "\n" .. table.concat(page, "\n") .. "\n"
  end
  return texts
end

return files
