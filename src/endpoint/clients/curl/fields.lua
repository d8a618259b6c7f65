-- SPDX-License-Identifier: MIT
-- The headers of a message as libcurl and the program curl take them.
local fields = {}

local find = string.find

-- libcurl adds `expect: 100-continue` to an upload and to a longer body, and waits for the
-- server's answer. The limit differs between its versions; this is the least.
local EXPECTS_ABOVE = 1024

local function adds_expect(m, uploads)
  return m.body
    and not m.headers.expect
    and (uploads or type(m.body) == "function" or #m.body > EXPECTS_ABOVE)
end

-- The list of header lines for libcurl. "name;" sends an empty field. "name:" keeps libcurl
-- from adding a field of its own, such as a form's content type to an unlabelled body.
-- uploads: whether the body is sent as an upload even if it is a string.
function fields.lines(m, uploads)
  local lines = {}
  for i, field in ipairs(m.fields) do
    local name, value = field[1], field[2]
    lines[i] = find(value, "[^ \t]") and name .. ": " .. value or name .. ";"
  end
  if m.body and not m.headers["content-type"] then
    lines[#lines + 1] = "content-type:"
  end
  if adds_expect(m, uploads) then
    lines[#lines + 1] = "expect:"
  end
  return lines
end

return fields
