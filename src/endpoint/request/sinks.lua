-- SPDX-License-Identifier: MIT
-- Sinks that keep a state from piece to piece. The program has one function; each call that is
-- given this function opens a sink of its own, so that two calls at once share nothing.
local sinks = {}

-- The function that the program has -> what opens a sink for the settings of a call.
local openers = setmetatable({}, { __mode = "k" })

-- Makes the function of a program. Called by the program itself, it uses `defaults` as its
-- settings, and begins again after an end.
function sinks.new(open, defaults)
  local opened
  local function sink(piece, response)
    local current = opened or open(defaults)
    opened = piece and current or nil
    return current(piece, response)
  end
  openers[sink] = open
  return sink
end

-- The sink for one call.
function sinks.of_call(sink, settings)
  local open = sink and openers[sink]
  return open and open(settings) or sink
end

-- What a function of the program's returned for an event or a line, as a sink returns it: only nil
-- and a message end a call.
function sinks.taken(result, problem)
  if not result and problem ~= nil then
    return nil, problem
  end
  return true
end

return sinks
