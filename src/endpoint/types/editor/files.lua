-- SPDX-License-Identifier: MIT
-- Blocks of definitions as the texts of files, none larger than an editor reads.
local files = {}

-- The editor skips files of 500 KB without a word.
local LARGEST_FILE = 2 ^ 18

local MARK = "---@meta _\n-- Written by endpoint-types. Not to be changed by hand.\n"

-- A block is a list of lines with a `head` and perhaps a `last` line. A page is a list of the lines
-- of one file; its `size` counts bytes without the ends of lines.
local function add_line(page, line)
  page[#page + 1], page.size = line, page.size + #line
end

local function new_page(pages, head)
  pages[#pages + 1] = { head, size = #head }
  return pages[#pages]
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
local function add_block(pages, block)
  local page = pages[#pages]
  if page and page.size + size_of(block) < LARGEST_FILE then
    add_line(page, "")
    add_line(page, block.head)
  else
    page = new_page(pages, block.head)
  end
  for _, line in ipairs(block) do
    if #page > 1 and page.size + #line > LARGEST_FILE then
      page = new_page(pages, block.head)
    end
    add_line(page, line)
  end
  if block.last then
    add_line(page, block.last)
  end
end

-- Lists of blocks as a list of texts, one for each file.
function files.texts(lists)
  local pages, texts = {}, {}
  for _, blocks in ipairs(lists) do
    for _, block in ipairs(blocks) do
      add_block(pages, block)
    end
  end
  for number, page in ipairs(pages) do
    texts[number] = MARK .. "\n" .. table.concat(page, "\n") .. "\n"
  end
  return texts
end

return files
