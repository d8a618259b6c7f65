-- Bodies that come piece by piece: a source is a function that returns the next
-- piece, nil at the end, or nil and what went wrong (ltn12). A body that breaks off
-- must not look complete to the server, so each client is told in its own way.
local stream = {}

local PREFIX = "endpoint.clients: body: "

-- The next piece that is not empty, for an empty one ends the body for most
-- clients; nil at the end; nil and a message.
local function next_piece(source)
  while true do
    local piece, problem = source()
    if piece == nil then return nil, problem end
    if type(piece) ~= "string" then
      return nil, PREFIX .. "expected strings from the function, got a " .. type(piece)
    end
    if piece ~= "" then return piece end
  end
end

local function wrong_length(sent, length)
  return ("%sthe function gave %s the %.0f bytes that content-length promises"):format(PREFIX,
    sent > length and "more than" or ("%.0f of"):format(sent), length)
end

-- A source without empty pieces that is asked no more once it has ended, and
-- keeps its error. length: what content-length says, or nil. The piece that reaches
-- it is held back until the source has said that it was the last one.
function stream.checked(source, length)
  local sent, ended, problem = 0, false, nil
  local function ask()
    local piece
    piece, problem = next_piece(source)
    ended = piece == nil
    return piece
  end
  return function()
    if ended then return nil, problem end
    local piece = ask()
    sent = sent + #(piece or "")
    if piece and sent == length and ask() then sent = sent + 1 end
    if length and not problem and (sent > length or ended and sent < length) then
      ended, problem = true, wrong_length(sent, length)
    end
    if problem then return nil, problem end
    return piece
  end
end

-- For clients that take nil for the end, whatever stands behind it.
function stream.raising(source)
  return function()
    local piece, problem = source()
    if problem then error(problem, 0) end
    return piece
  end
end

-- RFC 9112, section 7.1, for clients that leave it to the source.
function stream.chunked(source)
  local ended
  return function()
    if ended then return nil end
    local piece, problem = source()
    if problem then return nil, problem end
    ended = piece == nil
    return ended and "0\r\n\r\n" or ("%x\r\n%s\r\n"):format(#piece, piece)
  end
end

-- At most `size` bytes at a time; "" at the end.
function stream.sized(source)
  local rest, at = "", 1
  return function(size)
    if at > #rest then rest, at = source() or "", 1 end
    local part = rest:sub(at, at + size - 1)
    at = at + #part
    return part
  end
end

return stream
