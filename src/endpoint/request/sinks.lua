-- SPDX-License-Identifier: MIT
-- Sinks, and those of them that keep a state from piece to piece. The program has one function,
-- which it may wrap in others and give to several calls at once. The state belongs to the call
-- whose sink runs.
local sinks = {}

local callbacks = require "endpoint.request.failures.callbacks"
local places = require "endpoint.places"

-- What belongs to the sink that runs: { call, response, readers }.
local run, current = places.new()

-- What a call keeps for its sink. readers: what reads its response, by the function that the
-- program has.
function sinks.place_of(call)
  return { call = call, response = nil, readers = {} }
end

-- Gives the sink of a call a piece of a response. Returns and raises what it does.
function sinks.give(call, piece, response)
  local place = call.sink_place
  place.response = response
  return callbacks.results(run(place, call.settings.sink, piece, response))
end

-- Tells the sink of a call that no piece follows; problem: why the response is not whole, or nil.
-- response: nil if there is none.
function sinks.finish(call, problem, response)
  local place = call.sink_place
  place.response = response
  return callbacks.results(run(place, call.settings.sink, nil, problem))
end

-- The media types that sinks ask for. Only a request that says no other asks for it, so that it
-- does not matter if a program has wrapped the function.
local wanted = setmetatable({}, { __mode = "k" })

function sinks.wanted_by(sink)
  return wanted[sink]
end

-- Makes the function of a program. kind: `open(settings)`, which returns a function that reads;
-- `fault(response)`, what is wrong with the type of a response, or nil; `accept`, the media type to
-- ask for, or nil. Called by the program itself, it uses `defaults` as its settings, and begins
-- again after an end.
function sinks.new(kind, defaults)
  local own = { readers = {}, call = { settings = defaults } }
  local function sink(piece, problem)
    local place = current() or own
    local read = place.readers[sink]
    local response = not read and place.response
    local fault = response and (piece or problem == nil) and kind.fault(response)
    if fault then
      return nil, piece and fault .. ": " .. piece or fault
    end
    read = read or kind.open(place.call.settings)
    place.readers[sink] = piece and read or nil
    return read(piece, problem)
  end
  wanted[sink] = kind.accept
  return sink
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
