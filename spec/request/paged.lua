-- A list in pages, and how specs walk through one.
local endpoint = require "endpoint"
local scripted = require "request.scripted"

local paged = {}

-- Answers with the pages of a list, each with a link to the next: the second is empty, and the
-- third the last.
function paged.items(text)
  local page = tonumber(text:match "page=(%d)" or 1)
  return scripted.json(
    page == 2 and "[]" or ('["%d", null]'):format(page),
    page < 3 and ('link: <?page=%d>; rel="next"\n'):format(page + 1)
  )
end

-- More than any list here has.
local MOST_ITEMS = 9

local function shown(item)
  if item == endpoint.null then
    return "null"
  end
  return type(item) == "table" and item.id or item
end

-- What send.each(...) brings if every connection answers in this way: the elements and then, if
-- there is one, the error, with a space between two.
function paged.walked(answer, send, ...)
  scripted.answers = type(answer) == "function" and answer or function()
    return answer
  end
  local seen, next_item = {}, send.each(...)
  while #seen < MOST_ITEMS do
    local ok, item = pcall(next_item)
    if not ok then
      seen[#seen + 1] = scripted.outcome(error, item, 0)
      assert(next_item() == nil, "expected nothing after an error")
      break
    elseif item == nil then
      break
    end
    seen[#seen + 1] = shown(item)
  end
  return table.concat(seen, " ")
end

return paged
