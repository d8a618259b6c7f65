-- SPDX-License-Identifier: MIT
-- A pool: so many jobs at once over a list, each in a coroutine, in a loop around LuaSocket's
-- select.
local Pool = {}
Pool.__index = Pool

local failures = require "endpoint.request.failures"
local Waiting = require "endpoint.request.pool.waiting"
local settings = require "endpoint.request.settings"

-- Jobs that are begun at once at most: select takes 1,024 descriptors, and a program has others.
local MOST = 900

-- The longest wait at a time, in seconds: in between Lua sees a signal, such as that of Ctrl-C.
local SLICE = 0.2

-- In Lua 5.1 no coroutine can be left within pcall, unless the program has set that of coxpcall.
local function can_leave_pcall()
  local co = coroutine.create(function()
    pcall(coroutine.yield)
    return true
  end)
  coroutine.resume(co)
  return coroutine.status(co) == "suspended"
end

-- socket: LuaSocket. current: the task that runs; waiting: the tasks that wait; pauses:
-- of all jobs, by the origin that has asked for them; why: why no job goes on, nil if they do.
--
-- A task has the clock of its last call in `now`, the setting of that name: it waits by that. So it
-- is one clock that ends its waits and its limits.
function Pool.new(at_once)
  if rawget(_G, "ngx") then
    failures.misuse "pool: inside nginx, ngx.thread.spawn sends several requests at once"
  elseif type(at_once) ~= "number" then
    failures.misuse("pool: at_once: expected a number, got a %s", type(at_once))
  elseif not (at_once >= 1 and at_once < math.huge) then
    failures.misuse(
      "pool: at_once: expected a finite number of at least 1, got %s",
      settings.shown_number(at_once)
    )
  elseif not can_leave_pcall() then
    failures.misuse "pool: Lua 5.1 needs coxpcall before anything is loaded: docs/many-at-once.md"
  end
  local socket = failures.need("socket", "LuaSocket")
  return setmetatable({
    socket = socket,
    most = math.min(at_once, MOST),
    pauses = {},
    waiting = Waiting.new(socket),
  }, Pool)
end

-- --- the pool that runs -----------------------------------------------------------

-- The pool whose loop runs now: the innermost, if a job runs another pool.
local running

-- Is a job going on? An error that ended an earlier run, as Ctrl-C does, may have come before its
-- job was forgotten.
local function is_running(self)
  local status = self.current and coroutine.status(self.current.co)
  return status == "running" or status == "normal"
end

-- The pool whose job runs now, by whatever functions and coroutines; nil outside of jobs.
function Pool.of_job()
  return running and is_running(running) and running or nil
end

-- The job that runs now waits by this clock from now on.
function Pool.use_clock(now)
  local pool = Pool.of_job()
  if pool then
    pool.current.now = now
  end
end

-- --- what a job waits for ---------------------------------------------------------

-- Lets the other jobs run until the socket is ready, or for so many seconds. Returns true if it is
-- ready.
local function leave(self, sock, direction, seconds)
  local now = self.current.now or self.socket.gettime
  local awaited = { sock = sock, direction = direction, now = now, ends = now() + seconds }
  local is_ready = coroutine.yield(self, awaited)
  if self.why then
    error(self.why, 0)
  end
  return is_ready
end

-- The setting `wait`. Outside of the jobs LuaSocket waits.
function Pool:wait(sock, direction, seconds)
  if self.current and coroutine.running() == self.current.co then
    return leave(self, sock, direction, seconds)
  elseif self.waiting:is_beyond_select(sock) then
    self.socket.sleep(math.min(seconds, Waiting.LOOK))
    return seconds > Waiting.LOOK or nil
  end
  local list = { sock }
  local r, w =
    self.socket.select(direction == "r" and list or nil, direction == "w" and list or nil, seconds)
  return (r[1] or w[1]) ~= nil or nil
end

-- The setting `sleep`.
function Pool:sleep(seconds)
  if self.current and coroutine.running() == self.current.co then
    leave(self, nil, nil, seconds)
  else
    self.socket.sleep(seconds)
  end
end

-- What a program has of a pool.
function Pool:members()
  local function wait(...)
    return self:wait(...)
  end
  local function sleep(seconds)
    return self:sleep(seconds)
  end
  return wait, sleep
end

-- --- pauses that servers ask for --------------------------------------------------

-- The seconds that are left of a pause of all jobs that ask an origin; 0 if there is none.
function Pool:pause_left(origin)
  local pause = self.pauses[origin]
  local left = pause and pause.ends - pause.now() or 0
  if left <= 0 then
    self.pauses[origin] = nil
  end
  return math.max(left, 0)
end

-- Notes that no job is to ask an origin for so many seconds by a clock.
function Pool:note_pause(origin, seconds, now)
  if seconds > self:pause_left(origin) then
    self.pauses[origin] = { now = now, ends = now() + seconds }
  end
end

-- --- the loop ---------------------------------------------------------------------

local function finish(self, task, ok, value)
  if not ok and value == nil then
    value = "endpoint.request: pool: the job raised nil"
  end
  self.active = self.active - 1
  self[ok and "results" or "problems"][task.index] = value
end

local YIELDS = "endpoint.request: pool: the job yields by itself, which only wait and sleep of the "
  .. "pool may do"

-- Runs a task until it waits or ends.
local function go_on(self, task, ...)
  local outer = running
  self.waiting:remove(task)
  self.current, running = task, self
  local ok, value, awaited = coroutine.resume(task.co, ...)
  self.current, running = nil, outer
  if not ok or coroutine.status(task.co) == "dead" then
    return finish(self, task, ok, value)
  elseif value ~= self then
    return finish(self, task, false, YIELDS)
  end
  self.waiting:add(task, awaited)
end

local function begin(self, f)
  local index = self.begun + 1
  self.begun, self.active = index, self.active + 1
  go_on(self, { co = coroutine.create(f), index = index }, self.list[index], index)
end

local function may_begin(self)
  return not self.why and self.active < self.most and self.list[self.begun + 1] ~= nil
end

-- Waits, and lets those tasks go on whose socket is ready or whose time is over.
local function turn(self)
  for task, is_ready in pairs(self.waiting:ready(SLICE, self.why ~= nil)) do
    go_on(self, task, is_ready or nil)
  end
end

-- Raises if the list has elements that no job would get.
local function check_list(list)
  local count = 0
  for key in next, list do
    count = count + (type(key) == "number" and 1 or 0)
  end
  for position = 1, count do
    if rawget(list, position) == nil then
      failures.misuse(
        "pool: expected a list with the keys 1..n, got one without the key %d",
        position
      )
    end
  end
end

-- Elements that no job got: the pool was cancelled, or a job has added them after a hole.
local function note_left_out(self)
  for key in next, self.list do
    if type(key) == "number" and not (key >= 1 and key <= self.begun) then
      self.problems[key] = self.why or "endpoint.request: pool: a hole in the list is before it"
    end
  end
end

-- Calls f(list[i], i) for each element in a coroutine of its own. Returns what each call returned
-- first, and what each raised, by the same number.
function Pool:run(list, f)
  if type(list) ~= "table" or type(f) ~= "function" then
    failures.misuse("pool: expected a list and a function, got a %s and a %s", type(list), type(f))
  elseif is_running(self) then
    failures.misuse "pool: it is already running"
  end
  check_list(list)
  self.current = nil
  self.list, self.begun, self.active = list, 0, 0
  self.waiting = Waiting.new(self.socket)
  self.results, self.problems, self.why = {}, {}, nil
  repeat
    while may_begin(self) do
      begin(self, f)
    end
    local is_over = self.active == 0 and (self.why or list[self.begun + 1] == nil)
    if not is_over then
      turn(self)
    end
  until is_over
  note_left_out(self)
  return self.results, self.problems
end

-- Begins no other job, and ends those that wait: each has this as its problem.
function Pool:cancel(why)
  self.why = why or "endpoint.request: pool: it was cancelled"
end

return Pool
