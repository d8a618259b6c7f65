-- SPDX-License-Identifier: MIT
-- Tokens that expire: a hook that writes one into each request, fetches another a little before it
-- ends or after the server has refused it, and shares it with everyone who has the same store.
--
-- The store has three values of a token, by its key: the token; a lock, which the one who fetches
-- holds for a limited time; and how the last fetch failed, until another may be tried.
local Tokens = {}
Tokens.__index = Tokens

local Memory = require "endpoint.request.tokens.memory"
local callbacks = require "endpoint.request.failures.callbacks"
local display = require "endpoint.request.failures.display"
local failures = require "endpoint.request.failures"
local null = require "endpoint.request.response.null"
local protected = require "endpoint.protected"
local scopes = require "endpoint.request.call.scopes"
local stream = require "endpoint.clients.body.stream"

-- --- what the store holds ---------------------------------------------------------

-- Times are written as whole milliseconds, which no locale changes.
local KEPT, FAILED = "%.0f %.0f\n%s", "%.0f %.0f\n%s"

-- The two numbers and the text of such a value; nil if there is none.
local function read(self, name)
  local value = self.store:get(self.key .. name)
  local first, second, text = tostring(value or ""):match "^(%d+) (%d+)\n(.*)$"
  if not first then
    return nil
  end
  return tonumber(first) / 1000, tonumber(second) / 1000, text
end

-- The token that is kept, if it has not ended, and when it should be renewed.
function Tokens:kept()
  local ends, renews, token = read(self, "")
  if ends and self.now() < ends then
    return token, renews
  end
end

-- The message of the last fetch, if it has failed and no other may be tried yet.
function Tokens:failed()
  local ends, count, message = read(self, " failed")
  if not ends then
    return nil, 0
  end
  return self.now() < ends and message or nil, count * 1000
end

-- Seconds that a token without an end is kept, and the most that any is.
local DAY, LONGEST_LIFE = 86400, 2 ^ 31

function Tokens:keep(token, seconds, began)
  seconds = math.min(seconds or DAY, LONGEST_LIFE)
  local before = math.min(self.before or math.min(seconds / 10, 60), seconds / 2)
  local ends, renews = began + seconds, began + seconds - before
  local left = ends - self.now()
  if left > 0 then
    local value = KEPT:format(ends * 1000, renews * 1000, token)
    self.store:set(self.key, value, math.max(left, 0.001))
  end
  self.store:delete(self.key .. " failed")
end

-- Seconds until the next fetch after one that has failed: they are doubled with each.
local SHORTEST, LONGEST = 1, 30

function Tokens:note_failed(message, retry_after)
  local _, count = self:failed()
  local pause = math.min(SHORTEST * 2 ^ count, LONGEST)
  pause = math.max(pause, math.min(retry_after or 0, 2 * LONGEST))
  local value = FAILED:format((self.now() + pause) * 1000, count + 1, message)
  self.store:set(self.key .. " failed", value, 2 * pause)
end

-- --- a fetch ----------------------------------------------------------------------

-- What is wrong with what the function fetch has returned; nil if nothing is. seconds: a number, a
-- text of digits, as some servers send it, null or nil.
local function fault_of(token, seconds)
  if type(token) ~= "string" then
    return ("expected a token, a string, got a %s"):format(type(token))
  elseif token == "" or token:find "[%z\1-\31\127]" then
    return "expected a token, got a string that cannot be sent"
  end
  local number = tonumber(seconds)
  if seconds ~= nil and not null.is(seconds) and not (number and number >= 0) then
    return "expected the seconds that the token is valid, a number"
  end
end

-- What fetch raised: a failure's message, and how long its server asks to wait; or words that show
-- nothing. Lack of memory is no failed fetch, and is raised.
local function read_problem(problem)
  if callbacks.is_thrown(problem) then
    problem = problem[1]
  end
  protected.check(problem)
  if failures.is_failure(problem) then
    return problem.message, problem.retry_after, true
  end
  return "the function fetch raised an error"
end

-- Calls the function fetch, while the lock is held. Returns a token, or nil and a message. What is
-- not a failure of a server is raised as it is. A failure counts for all, unless it was the time of
-- this call alone that was over.
function Tokens:fetched(scope)
  local began = self.now()
  self.fetching = scope.call
  local ok, token, seconds = pcall(scopes.run, scope.call, self.fetch_timeout, self.fetch)
  self.fetching = nil
  local message, retry_after, is_failure
  if not ok then
    message, retry_after, is_failure = read_problem(token)
  elseif token == nil and seconds ~= nil then
    message, is_failure = display.words(seconds), true
  else
    message, is_failure = fault_of(token, seconds), true
  end
  if not message then
    self:keep(token, tonumber(seconds), began)
    return token
  end
  message = "token: " .. scope.call:masked(message)
  if scope:seconds_left() > 0 then
    self:note_failed(message, retry_after)
  end
  if not is_failure then
    callbacks.throw(token)
  end
  return nil, message
end

-- Inside nginx a request is killed when its client leaves, with all its light threads. So the lock
-- is held for a short time there, and one of them prolongs it: seconds between two times, and that
-- it is held.
local BEAT, HELD = 0.5, 2

local ngx_thread = rawget(_G, "ngx") and rawget(_G, "ngx").thread

-- Begins to prolong the lock; returns the light thread, or nil where there are none.
local function keep_lock(self)
  local function beat()
    local ends = self.now() + self.fetch_timeout
    repeat
      rawget(_G, "ngx").sleep(BEAT)
      self.store:set(self.lock, "1", math.min(HELD, self.fetch_timeout))
    until self.now() >= ends
  end
  local ok, thread = pcall(ngx_thread.spawn, beat)
  return ok and thread or nil
end

local function unlock_after(self, began, thread, ok, ...)
  if thread then
    ngx_thread.kill(thread)
  end
  -- After its time the lock may be another's.
  if self.now() - began < self.fetch_timeout then
    self.store:delete(self.lock)
  end
  if not ok then
    error((...), 0)
  end
  return ...
end

-- Calls f(self, ...) while this call alone may fetch. Returns false if another does.
function Tokens:with_lock(f, ...)
  local began = self.now()
  local seconds = ngx_thread and math.min(HELD, self.fetch_timeout) or self.fetch_timeout
  if not self.store:add(self.lock, "1", seconds) then
    return false
  end
  return unlock_after(self, began, ngx_thread and keep_lock(self), pcall(f, self, ...))
end

-- What another has fetched, or failed to, since this call has looked; else fetches. old: a token
-- that will not do, or nil.
local function fetch_unless_done(self, scope, old)
  local token = self:kept()
  if token and token ~= old then
    return token
  end
  local message = self:failed()
  if message then
    return nil, message
  end
  return self:fetched(scope)
end

-- --- who needs one ----------------------------------------------------------------

-- Seconds between two looks at the store, while another fetches.
local FIRST_LOOK, LONGEST_LOOK = 0.004, 0.1

-- A token that is not `old`, which another may be fetching; or nil and a message.
function Tokens:obtain(scope, old)
  local pause, sleep = FIRST_LOOK, scope.call.sender.sleep
  while true do
    local token = self:kept()
    if token and token ~= old then
      return token
    end
    local message = self:failed()
    if message then
      return nil, message
    end
    token, message = self:with_lock(fetch_unless_done, scope, old)
    if token ~= false then
      return token, message
    end
    if not sleep or scope:seconds_left() <= pause then
      return nil, "token: another call fetches one, and the time of this call is over"
    end
    callbacks.call(sleep, pause)
    pause = math.min(2 * pause, LONGEST_LOOK)
  end
end

-- Renews a token that ends soon, unless another does, or that has just failed.
local function renew(self, scope, old)
  local token = self:kept()
  if token ~= old or self:failed() then
    return token or old
  end
  return (self:fetched(scope))
end

-- The token for a request; or nil and a message. One that ends soon serves while it is renewed.
function Tokens:current(scope)
  local token, renews = self:kept()
  if not token then
    return self:obtain(scope)
  end
  if self.now() >= renews then
    return self:with_lock(renew, scope, token) or token
  end
  return token
end

-- --- the hook ---------------------------------------------------------------------

local function send_with(self, scope, token, r, send)
  scope.call:note_secret(token)
  r.headers[self.header] = self.form:gsub("%%s", function()
    return token
  end)
  return send(r)
end

local function can_send_again(r)
  return type(r.body) ~= "function" or stream.is_repeatable(r.body)
end

-- Seconds in which no other token is fetched after a new one was refused, too.
local REFUSED = 5

-- The setting `around`.
function Tokens:around(r, send)
  local scope = scopes.current() or failures.misuse "token: it is for the setting around"
  if self.fetching and scope.call.outer == self.fetching then
    failures.misuse "fetch: expected a request without the token that it fetches"
  end
  local token, problem = self:current(scope)
  if not token then
    return nil, problem, true, "token"
  end
  local response, message, is_final, reason = send_with(self, scope, token, r, send)
  local is_refused = response and response.status == 401
  if not is_refused or self.store:get(self.key .. " refused") then
    return response, message, is_final, reason
  end
  token, problem = self:obtain(scope, token)
  if not token then
    return nil, problem, true, "token"
  elseif not can_send_again(r) then
    return response
  end
  response, message, is_final, reason = send_with(self, scope, token, r, send)
  if response and response.status == 401 then
    self.store:set(self.key .. " refused", "1", REFUSED)
  end
  return response, message, is_final, reason
end

-- given: what settings.of_token has checked. now: the clock, which all who share the store have.
function Tokens.new(given, now)
  return setmetatable({
    fetch = given.fetch,
    key = given.key or "",
    lock = (given.key or "") .. " lock", -- its key, so that no memory is needed to take it off
    before = given.before,
    header = given.header or "authorization",
    form = given.form or "Bearer %s",
    fetch_timeout = given.fetch_timeout or 10,
    fetching = nil, -- the call whose hook runs the function fetch now
    now = now,
    store = Memory.below(given.store, now),
  }, Tokens)
end

return Tokens
