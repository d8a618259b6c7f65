-- SPDX-License-Identifier: MIT
-- Bodies that are sent piece by piece. A source is an ltn12 source: a function that returns
-- the next piece as a string, nil at the end, or nil and a message. A body that breaks off
-- must not look complete to the server, and each client has another way to stop.
local stream = {}

local places = require "endpoint.places"

local PREFIX = "endpoint.clients: body: "

-- The next piece that is not empty, since an empty one ends the body for most clients; nil
-- at the end; nil and a message if the source fails.
local function next_piece(source)
  while true do
    local piece, problem = source()
    if piece == nil then
      return nil, problem
    end
    if type(piece) ~= "string" then
      return nil, PREFIX .. "expected strings from the function, got a " .. type(piece)
    end
    if piece ~= "" then
      return piece
    end
  end
end

local function wrong_length(sent, length, promise)
  return ("%sthe function gave %s the %.0f bytes that %s promises"):format(
    PREFIX,
    sent > length and "more than" or ("%.0f of"):format(sent),
    length,
    promise or "content-length"
  )
end

-- A source without empty pieces that keeps its error and does not call `source` after the
-- end. length: the bytes that content-length promises, or nil. The piece that reaches this
-- length is held back until the source has ended: a client that has it takes the body for
-- complete. promise: what promises the length, if it is not content-length.
function stream.checked(source, length, promise)
  local sent, ended, problem = 0, false, nil
  local function ask()
    local piece
    piece, problem = next_piece(source)
    ended = piece == nil
    return piece
  end
  return function()
    if ended then
      return nil, problem
    end
    local piece = ask()
    sent = sent + #(piece or "")
    if piece and sent == length and ask() then
      sent = math.huge
    end
    if length and not problem and (sent > length or ended and sent < length) then
      ended, problem = true, wrong_length(sent, length, promise)
    end
    if problem then
      return nil, problem
    end
    return piece
  end
end

-- A source that gives a string in one piece, and nothing of an empty one. After its end it
-- begins again, so that a request can be sent once more.
function stream.of_text(text)
  if text == "" then
    text = nil
  end
  local rest = text
  return function()
    local piece = rest
    rest = not piece and text or nil
    return piece
  end
end

-- A step for ltn12.pump, for the source of a string. If the connection breaks after the piece was
-- taken, it brings the source to its end, where the source begins again.
function stream.text_step(source, sink)
  local piece, problem = source()
  local sent, refusal = sink(piece, problem)
  if piece and sent then
    return 1
  end
  if piece then
    source()
  end
  return nil, problem or refusal
end

-- A source that raises its message, for clients that take nil for the end, whatever follows
-- the nil.
function stream.raising(source)
  return function()
    local piece, problem = source()
    if problem then
      error(problem, 0)
    end
    return piece
  end
end

-- --- sources with a state ---------------------------------------------------------

-- What belongs to who reads: the readers of the sources that it has opened, by the source. The
-- program may wrap a source in functions of its own, and give it to two requests at once.
local run, current = places.new()

-- Calls a source or another function for a reader, a table; returns what pcall returns.
stream.run_for = run

-- Ends what a reader has opened.
function stream.leave(readers)
  for source, opened in pairs(readers) do
    readers[source] = nil
    if opened.close then
      run(readers, opened.close)
    end
  end
end

-- A source that each reader begins at its start; and a function that brings it there again. open
-- returns a source, and what ends it, or nil. Without a reader it is that of the whole program.
function stream.of_each(open)
  local own = {}
  local source
  local function rewind()
    local readers = current() or own
    local opened = readers[source]
    -- A key that is not there must not be set while `leave` walks the table, not to nil either.
    if opened then
      readers[source] = nil
      if opened.close then
        opened.close()
      end
    end
  end
  function source()
    local readers = current() or own
    local opened = readers[source]
    if not opened then
      local read, close = open()
      opened = { read = read, close = close }
      readers[source] = opened
    end
    local piece, problem = opened.read()
    if piece == nil then
      rewind()
    end
    return piece, problem
  end
  return source, rewind
end

-- The sources that can begin again -> how many bytes they give, or nil; and what brings them to
-- their start.
local repeatable = setmetatable({}, { __mode = "k" })

function stream.set_repeatable(source, length, rewind)
  repeatable[source] = { length = length, rewind = rewind }
end

function stream.is_repeatable(source)
  return repeatable[source] ~= nil
end

-- The number of bytes that a source gives; nil if it is not known.
function stream.length_of(source)
  return repeatable[source] and repeatable[source].length
end

-- Brings a source to its start, if it can begin again.
function stream.rewind(source)
  if repeatable[source] then
    repeatable[source].rewind()
  end
end

-- A source of chunks (RFC 9112, section 7.1), for clients that do not write them.
function stream.chunked(source)
  local ended
  return function()
    if ended then
      return nil
    end
    local piece, problem = source()
    if problem then
      return nil, problem
    end
    ended = piece == nil
    -- The piece is not formatted by %s, which ends at a NUL in Lua 5.1.
    return ended and "0\r\n\r\n" or ("%x\r\n"):format(#piece) .. piece .. "\r\n"
  end
end

-- A function that returns at most `size` bytes of a source at a time, and "" at its end.
function stream.sized(source)
  local rest, at
  return function(size)
    if not rest or at > #rest then
      rest, at = source() or "", 1
    end
    local part = rest:sub(at, at + size - 1)
    at = at + #part
    return part
  end
end

-- A step for ltn12.pump that stops at an error. LuaSocket's own step tells its sink of an
-- error as of the end, and the sink then writes the last chunk: the server would take the
-- part for the whole.
function stream.step(source, sink)
  local piece, problem = source()
  if piece == nil and problem then
    return nil, problem
  end
  local sent, refusal = sink(piece)
  if piece and sent then
    return 1
  end
  return nil, refusal
end

return stream
