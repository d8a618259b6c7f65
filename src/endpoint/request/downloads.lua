-- SPDX-License-Identifier: MIT
-- Saves the body of a response as a file. What came so far is in PATH.part and its version, a
-- strong entity tag, in PATH.etag: a response that is cut off, and the next run, go on there. The
-- file gets its name when it is whole.
local Download = {}
Download.__index = Download

local callbacks = require "endpoint.request.failures.callbacks"
local calls = require "endpoint.request.call"
local digests = require "endpoint.request.downloads.digests"
local failures = require "endpoint.request.failures"
local files = require "endpoint.request.downloads.files"
local protected = require "endpoint.protected"
local responses = require "endpoint.request.response"
local text = require "endpoint.text"
local with = require "endpoint.request.settings".with

-- Seconds of silence that end a request, unless the call says.
local IDLE = 30

-- route, options: of the call. path: of the file. how: the settings `progress` and `sha256`.
function Download.new(sender, route, options, path, how)
  if type(route) == "table" then
    route, options = nil, route
  end
  local own = options and options.request
  local request = type(own) == "table" and own or {}
  if request.sink then
    failures.misuse "download: it has a sink of its own"
  end
  local download = setmetatable({
    sender = sender,
    route = route,
    options = options or {},
    request = request,
    how = how,
    path = path,
    part = path .. ".part",
    tag_path = path .. ".etag",
    tag = "", -- of what came so far; "" if that cannot go on
    size = 0, -- the bytes that came so far
    wanted = nil, -- the bytes of the whole file, if that is known
    file = nil, -- where the response goes
    shown_at = nil, -- when `progress` was called last
    is_refused = false, -- does the server not go on after what came so far?
    has_lost = false, -- was what came so far given up for that?
    before = 0, -- the bytes that were there before this request, and are still a part of the file
    has_changed = false, -- has another file taken the place of what came so far?
    deadline = sender.now() + (request.timeout or math.huge),
  }, Download)
  download:recall()
  return download
end

-- A strong entity tag (RFC 9110, section 8.8.3); "" for another text. A weak one says nothing of
-- bytes (section 13.1.5).
local function strong_tag(written)
  return (written or ""):match '^"[!#-~\128-\255]*"$' or ""
end

-- What an earlier run has left.
function Download:recall()
  self.tag = strong_tag(files.text(self.tag_path))
  self.size = self.tag ~= "" and files.size(self.part) or 0
end

-- --- a response -------------------------------------------------------------------

-- 206 is a part of the same file; 200 is all of it, because it has changed, or has no tag. Returns
-- where the response begins, and how long the file is, nil if that is not said.
local function place_of(response)
  if response.status ~= 206 then
    return 0, tonumber(response.headers["content-length"])
  end
  local range = response.headers["content-range"] or ""
  local first, total = range:match "^bytes (%d+)%-%d+/(%d+)$"
  return tonumber(first), tonumber(total)
end

-- Opens the file for a response; returns true, or nil and a message.
function Download:begin(response)
  local first, total = place_of(response)
  if response.status == 206 then
    local is_same = (response.headers.etag or self.tag) == self.tag
    if first ~= self.size or not total or total ~= (self.wanted or total) or not is_same then
      self.is_refused = true
      return nil, "the server sends another part"
    end
  else
    self:begin_at_start(response)
  end
  self.size, self.wanted = first, total
  return self:open()
end

-- The whole file comes. If it takes the place of what came so far, all of it is new, once: a server
-- may say another tag each time.
function Download:begin_at_start(response)
  self.tag = strong_tag(response.headers.etag)
  if self.size > 0 and not self.has_changed then
    self.has_changed, self.before = true, 0
  end
end

-- Opens the file. Its tag is written after it is empty: no tag ever stands beside bytes of another
-- file.
function Download:open()
  local ok, problem
  self.file, problem = files.open(self.part, self.size > 0 and "ab" or "wb")
  self.has_begun = self.file ~= nil
  if self.file then
    ok, problem = files.save(self.tag_path, self.tag)
  end
  return ok, problem
end

-- Shows the progress, at most ten times a second and at the end.
local OFTEN = 0.1

function Download:show(is_end)
  local now = self.sender.now()
  if not self.how.progress or not is_end and self.shown_at and now - self.shown_at < OFTEN then
    return
  end
  self.shown_at = now
  callbacks.call(self.how.progress, self.size, self.wanted)
end

-- The disk is full, or the file cannot be written: another try would not help.
function Download:note_disk(ok, problem)
  self.is_stuck = self.is_stuck or not ok
  return ok, problem
end

-- The setting `sink` of the calls.
function Download:take(piece, response)
  if not piece then
    local file = self.file
    self.file = nil
    if not file then
      return true
    end
    return self:note_disk(files.close(file, self.part))
  end
  if not self.file then
    local ok, problem = self:begin(response)
    if not ok then
      return nil, problem
    end
  end
  if self.wanted and self.size + #piece > self.wanted then
    return nil, "the server sends more than it said"
  end
  local ok, problem = self:note_disk(files.write(self.file, self.part, piece))
  self.size = self.size + (ok and #piece or 0)
  self:show()
  return ok, problem
end

-- --- a call -----------------------------------------------------------------------

-- The headers that a download writes itself.
local OWN = { range = true, ["if-range"] = true }

-- The headers of the call: packed bytes could not go on.
function Download:headers()
  local headers, given = {}, self.options.headers
  if given ~= nil and type(given) ~= "table" then
    return given -- merge says what is wrong
  end
  for name, value in pairs(given or {}) do
    name = type(name) == "string" and text.lower(name) or name
    if OWN[name] then
      failures.misuse("download: it writes the header %s itself", name)
    end
    headers[name] = value
  end
  headers["accept-encoding"] = "identity"
  if self.size > 0 then
    headers.range, headers["if-range"] = ("bytes=%.0f-"):format(self.size), self.tag
  end
  return headers
end

function Download:new_call()
  local request = with(self.request, {
    timeout = math.max(self.deadline - self.sender.now(), 0.001),
    idle_timeout = self.request.idle_timeout or IDLE,
    sink = function(...)
      return self:take(...)
    end,
  })
  local options = with(self.options, { headers = self:headers(), request = request })
  local call = calls.from_program(self.sender, self.route or options, self.route and options)
  if call.method ~= "GET" then
    failures.misuse("download: expected a GET, got a %s", call.method)
  end
  return call
end

-- Asks for what is missing. Returns whether the file is whole, and the response.
function Download:ask(call)
  self.has_begun, self.is_refused = false, false
  local body, response, reason = calls.ask(call)
  local status, place = response.status, response.headers["content-range"]
  if status == 416 and place == ("bytes */%.0f"):format(self.size) then
    return self.size == (self.wanted or self.size), response
  end
  self.is_refused = status == 416
  calls.check(call, body, response, reason)
  if not responses.is_success(response) then -- such as 304: it has no file
    local message = ("%s answers %d"):format(call:speaker(status), status)
    failures.raise(call, "status", message, response)
  end
  if not self.has_begun and status ~= 206 then -- the file is empty
    self.size, self.wanted = 0, tonumber(response.headers["content-length"])
    local ok, problem = files.save(self.part, "")
    if not ok then
      failures.raise(call, "sink", problem)
    end
  end
  return status ~= 206 or self.size == self.wanted, response
end

-- Gives up what came so far, once, where the server does not go on there. Returns whether it did.
function Download:begin_anew()
  local may_begin = self.is_refused and self.size > 0 and not self.has_lost
  if may_begin then
    self.has_lost, self.size, self.tag, self.wanted = true, 0, "", nil
  end
  return may_begin
end

-- A response may be cut off, and a server may send less than was asked for (RFC 9110, section
-- 15.3.7). So it is asked until all is there, or nothing more comes. Returns the last call and its
-- response.
function Download:finish()
  while true do
    local call = self:new_call()
    self.before = self.size
    local ok, is_whole, response = protected.call(self.ask, self, call)
    local is_failure = not ok and failures.is_failure(is_whole)
    local can_go_on = is_failure and self:begin_anew()
    if not can_go_on then
      can_go_on = self.tag ~= "" and self.size > self.before and not self.is_stuck
    end
    if ok and is_whole then
      return call, response
    elseif not ok and not (can_go_on and is_failure) then
      error(is_whole, 0)
    elseif not can_go_on then
      local form = "the server sends %.0f of %s bytes, and not the rest"
      failures.raise(call, "cut off", form:format(self.size, self.wanted or "?"))
    end
  end
end

-- Compares the file with the sum that it should have. What is wrong cannot go on.
function Download:check_sum(call)
  local sum = self.how.sha256
  if not sum then
    return
  end
  local found = digests.sha256(self.part)
  if found ~= text.lower(sum) then
    os.remove(self.part)
    os.remove(self.tag_path)
    failures.raise(call, "protocol", "the file has another sha256: " .. found)
  end
end

-- Saves the file. Returns its size and the last response.
function Download:run()
  local call, response = self:finish()
  self:check_sum(call)
  local ok, problem = files.rename(self.part, self.path)
  if not ok then
    failures.raise(call, "sink", problem)
  end
  os.remove(self.tag_path)
  self:show "at the end"
  return self.size, response
end

return Download
