-- SPDX-License-Identifier: MIT
-- libcurl, by lua-curl (Debian's) or Lua-cURL 3. It keeps connections, and compares authorities and names.
local clients = require "endpoint.clients"
local errors = require "endpoint.request.errors"

-- The numbers of libcurl's options, which belong to its ABI.
local VERIFYPEER, VERIFYHOST, NOSIGNAL, TIMEOUT, CONNECTTIMEOUT, LOW_SPEED_LIMIT, LOW_SPEED_TIME, FRESH_CONNECT, PROXY,
  CAINFO, HEADERFUNCTION, WRITEFUNCTION = 64, 81, 99, 155, 156, 19, 20, 74, 10004, 10065, 20079, 20011

-- Its errors with which another try may help: names and connections that are lost, and time that has passed.
local LOST = { [5] = true, [6] = true, [7] = true, [16] = true, [18] = true, [28] = true, [52] = true, [55] = true,
  [56] = true, [65] = true, [92] = true }

local function milliseconds(seconds) return math.max(1, math.floor(seconds * 1000)) end

-- A connection that is kept may be lost just then, and libcurl would send once more what must not arrive twice.
local function set_options(easy, s)
  for option, value in pairs {
    [VERIFYPEER] = 1, [VERIFYHOST] = 2, [NOSIGNAL] = 1, [LOW_SPEED_LIMIT] = 1,
    [LOW_SPEED_TIME] = math.ceil(s.step_timeout), [FRESH_CONNECT] = s.may_repeat and 0 or 1, [PROXY] = s.proxy or "",
    [TIMEOUT] = milliseconds(s.left()), [CONNECTTIMEOUT] = milliseconds(math.min(s.step_timeout, s.left())),
    [CAINFO] = s.cafile,
  } do easy:setopt(option, value) end
end

-- Sets the functions that read the answer into `answer`.
local function set_readers(easy, s, answer)
  easy:setopt(HEADERFUNCTION, function(line)
    local status, name, value = line:match "^HTTP/%S+ (%d%d%d)", line:match "^([^:]+):%s*(.-)%s*$"
    if status then answer.status, answer.headers, answer.room = tonumber(status), {}, 65536 end
    answer.room = answer.room - #line
    if answer.room < 0 then answer.problem = "the head of the answer is too long" return 0 end
    if name and not status then
      name = name:gsub("[A-Z]", string.lower)
      answer.headers[name] = answer.headers[name] and answer.headers[name] .. ", " .. value or value
    end
    return #line
  end)
  easy:setopt(WRITEFUNCTION, function(piece)
    local ok, problem = s.write(piece, answer.status)
    if not ok then answer.problem = problem end
    return ok and #piece or 0
  end)
end

-- The number of an error and its text: lua-curl returns the number, Lua-cURL 3 an object or raises it.
local function perform(easy)
  local ok, result, message = pcall(easy.perform, easy)
  if ok and (result == 0 or result == true or result == easy) then return 0 end
  if type(result) == "number" then return result, message end
  local problem = ok and message or result
  local found, number = pcall(function() return problem:no() end)
  return found and number or -1, tostring(problem)
end

return function()
  local found, curl = pcall(require, "cURL")
  if not found then curl = errors.need("curl", "lua-curl or Lua-cURL") end
  local idle -- a handle and its connections; a second request, from a sink, has a handle of its own
  return function(r, s)
    local easy, answer = idle or (curl.easy_init or curl.easy)(), { room = 65536 }
    idle = nil
    errors.call(clients.curl, r, { easy = easy, encode = s.encode, nested = s.nested })
    set_options(easy, s)
    set_readers(easy, s, answer)
    local number, message = perform(easy)
    if number >= 0 then idle = easy end -- after an error in a function a handle is of no more use
    if number == 0 then return answer.status, answer.headers end
    return nil, answer.problem or number == 28 and "timeout" or message, answer.problem ~= nil or not LOST[number]
  end
end
