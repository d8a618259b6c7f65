-- SPDX-License-Identifier: MIT
-- libcurl, by lua-curl (Debian's) or Lua-cURL 3. It keeps connections, and compares authorities and names.
local field = require "endpoint.request.http1".field

-- The numbers of libcurl's options, which belong to its ABI.
local VERIFYPEER, VERIFYHOST, NOSIGNAL, TIMEOUT, CONNECTTIMEOUT, LOW_SPEED_LIMIT, LOW_SPEED_TIME, FRESH_CONNECT, PROXY,
  CAINFO, CAPATH, HEADERFUNCTION, WRITEFUNCTION = 64, 81, 99, 155, 156, 19, 20, 74, 10004, 10065, 10097, 20079, 20011

local function milliseconds(seconds) return math.max(1, math.floor(seconds * 1000)) end

-- A connection that is kept may be lost just then, and libcurl would send once more what must not arrive twice.
-- Without a CAPATH that is none it would trust the system's directory beside cafile.
local function set_options(easy, s)
  for option, value in pairs {
    [VERIFYPEER] = 1, [VERIFYHOST] = 2, [NOSIGNAL] = 1, [LOW_SPEED_LIMIT] = 1,
    [LOW_SPEED_TIME] = math.ceil(s.step_timeout), [FRESH_CONNECT] = s.may_repeat and 0 or 1, [PROXY] = s.proxy or "",
    [TIMEOUT] = milliseconds(s.left()), [CONNECTTIMEOUT] = milliseconds(s.step()), [CAINFO] = s.cafile,
    [CAPATH] = s.cafile and "/dev/null",
  } do easy:setopt(option, value) end
end

-- Takes a line of a head. A tunnel through a proxy has a head of its own before that of the answer. What stands behind
-- a head and is none of a tunnel's is a trailer.
local function take_line(answer, line)
  local status = line:match "^HTTP/%S+ (%d%d%d)"
  if answer.is_whole and status and answer.tunnels > 0 and not answer.has_body then
    answer.tunnels, answer.is_whole = answer.tunnels - 1, false
  end
  if answer.is_whole then return end
  if line == "\r\n" or line == "\n" then
    answer.is_whole = answer.status and answer.status >= 200
  elseif status then
    answer.status, answer.headers = tonumber(status), {}
  elseif answer.status then
    local name, value = field(line:gsub("\r?\n$", ""))
    if name then
      answer.headers[name] = answer.headers[name] or {}
      table.insert(answer.headers[name], value)
    end
  end
end

-- Sets the functions that read the answer into `answer`.
local function set_readers(easy, s, answer)
  local room = 65536 -- for the heads of 1xx and trailers, too
  easy:setopt(HEADERFUNCTION, function(line)
    room = room - #line
    if room < 0 then s.refusal = "the head of the answer is too long" end
    if line:find "[%z\r][^\n]" then s.refusal = "the answer is no HTTP" end
    if not s.refusal then take_line(answer, line) end
    return s.refusal and 0 or #line
  end)
  easy:setopt(WRITEFUNCTION, function(piece)
    answer.has_body = true
    return s.write(piece, answer.status) and #piece or 0
  end)
end

return function(_, need)
  local found, curl = pcall(require, "cURL")
  if not found then curl = need("curl", "lua-curl or Lua-cURL, or another client") end
  local idle -- a handle and its connections; a second request, from a sink, has a handle of its own
  return function(_, s)
    local easy, answer = idle or (curl.easy_init or curl.easy)(), { tunnels = s.proxy and s.scheme == "https" and 1 or 0 }
    idle = nil
    s.arguments("curl", { easy = easy })
    set_options(easy, s)
    set_readers(easy, s, answer)
    -- lua-curl returns a number and a text, Lua-cURL 3 itself, or it returns or raises an object.
    local ok, result, problem = pcall(easy.perform, easy)
    -- lua-curl's is of no more use behind an error in a function, and holds its connections until it is collected.
    if ok then idle = easy else easy = collectgarbage() end
    if not ok then return nil, result end
    if result ~= 0 and result ~= true and result ~= easy then return nil, result == 28 and "timeout" or problem end
    return answer.status, answer.headers or "the answer is no HTTP", true
  end
end
