-- SPDX-License-Identifier: MIT
-- Reads lines of JSON (application/x-ndjson, application/jsonl) that come in pieces.
local Lines = {}
Lines.__index = Lines

local Cutter = require "endpoint.request.sinks.cutter"
local responses = require "endpoint.request.response"
local taken = require "endpoint.request.sinks".taken

-- f: gets the value of each line. most: the bytes of one line at most. decode: reads a text of
-- JSON, and returns true and the value; or false for a text that is not JSON.
function Lines.new(f, most, decode)
  local lines = { f = f, most = most, decode = decode, cutter = Cutter.new "\n" }
  function lines.take(text, first, last)
    return lines:take_line(text:sub(first, last))
  end
  return setmetatable(lines, Lines)
end

-- Media types that are certainly no lines of JSON, or how such begin.
local NO_LINES = { "^text/html$", "^text/css$", "[/+]xml$", "/pdf$" }
for _, kind in ipairs { "image", "audio", "video", "font", "multipart" } do
  NO_LINES[#NO_LINES + 1] = "^" .. kind .. "/"
end

-- What is wrong with the type of a response. Servers call lines by many types, but not by these.
function Lines.fault(response)
  local kind = responses.media_type(response)
  for _, pattern in ipairs(NO_LINES) do
    if kind:find(pattern) then
      return ("the response is %s, not lines of JSON"):format(kind)
    end
  end
end

local TOO_LONG = "a line of the response is too long"

-- Takes a line. One of white space alone is empty.
function Lines:take_line(line)
  if #line > self.most then
    return nil, TOO_LONG
  end
  if not line:find "[^ \t\r]" then
    return true
  end
  local ok, value = self.decode(line)
  if not ok then
    return nil, "a line of the response is not JSON"
  end
  return taken(self.f(value))
end

-- Takes a piece, or nil at the end and a message if the response is not whole, and returns what a
-- sink returns. The last line needs no end.
function Lines:write(piece, problem)
  if not piece and problem ~= nil then
    return true
  elseif not piece then
    return self:take_line(self.cutter:rest())
  end
  local ok, refusal = self.cutter:feed(piece, self.take)
  if ok and self.cutter:size() > self.most then
    return nil, TOO_LONG
  end
  return ok, refusal
end

return Lines
