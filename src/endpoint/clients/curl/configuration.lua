-- SPDX-License-Identifier: MIT
-- A message for the standard input of the program curl: a configuration file and the body.
local configuration = {}

local fail = require "endpoint.clients.misuse".fail
local fields = require "endpoint.clients.curl.fields"
local find = string.find

-- curl 7.88 reads no line of so many bytes, its newline included, and stops.
local LINE_LIMIT = 102400

-- A line of a configuration file for curl: between quotes, \ precedes a quote or another \.
local function line(name, value)
  -- A search for one character is many times as fast as one for a class.
  if find(value, "\\") or find(value, '"') then
    value = value:gsub('[\\"]', "\\%0")
  end
  local written = name .. ' = "' .. value .. '"\n'
  if #written >= LINE_LIMIT then
    local what = name == "header" and ('header "%s"'):format(value:match "^(.-)[:;]") or name
    fail(
      "%s: expected less than %d bytes in the line for curl's configuration, got %d",
      what,
      LINE_LIMIT,
      #written
    )
  end
  return written
end

-- The bytes for curl's standard input: its configuration, line by line, and then the body.
-- The last line names the standard input as the body, so curl sends all that follows it.
function configuration.text(m)
  local start, lines = line("url", m.url), fields.lines(m)
  if m.method == "HEAD" then
    start = start .. "head\n"
  elseif m.method ~= "GET" then
    start = start .. line("request", m.method)
  end
  for i, header in ipairs(lines) do
    lines[i] = line("header", header)
  end
  if not m.body then
    return start .. table.concat(lines)
  end
  return start .. table.concat(lines) .. 'data-binary = "@-"\n' .. m.body
end

return configuration
