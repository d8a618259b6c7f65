-- SPDX-License-Identifier: MIT
-- The tasks of a pool that wait, and what each waits for. A turn looks at those that can go on, and
-- at all of them only when a time is over: so it does not grow with their number.
local Waiting = {}
Waiting.__index = Waiting

-- Seconds between two looks at a socket whose descriptor select does not take.
Waiting.LOOK = 0.005

-- tasks: what each waits for, a table { sock, direction, now, ends }: a socket and whether it is to
-- be read or written, or neither; the clock and the time at which the wait ends.
-- lists: the sockets for select, by their directions; owners: the task of each of them.
-- others: the tasks whose socket select does not take, or which another task waits for, as a set.
-- soonest: by its clock, a time before which no wait ends.
function Waiting.new(socket)
  return setmetatable({
    socket = socket,
    tasks = {},
    lists = { r = {}, w = {} },
    owners = { r = {}, w = {} },
    others = {},
    soonest = {},
  }, Waiting)
end

-- Is the descriptor of a socket one that select does not take? Such a socket is looked at instead.
function Waiting:is_beyond_select(sock)
  return sock:getfd() >= (self.socket._SETSIZE or 1024)
end

local function add_socket(self, task, awaited)
  local list, owners = self.lists[awaited.direction], self.owners[awaited.direction]
  awaited.is_beyond = self:is_beyond_select(awaited.sock)
  if awaited.is_beyond or owners[awaited.sock] then
    self.others[task] = true
    return
  end
  awaited.at = #list + 1
  list[awaited.at], owners[awaited.sock] = awaited.sock, task
end

function Waiting:add(task, awaited)
  self.tasks[task] = awaited
  local soonest = self.soonest[awaited.now]
  if not soonest or awaited.ends < soonest then
    self.soonest[awaited.now] = awaited.ends
  end
  if awaited.sock then
    add_socket(self, task, awaited)
  end
end

-- The last socket of the list takes the place of the one that leaves.
local function remove_socket(self, awaited)
  local list, owners = self.lists[awaited.direction], self.owners[awaited.direction]
  local last = list[#list]
  list[awaited.at], self.tasks[owners[last]].at = last, awaited.at
  list[#list], owners[awaited.sock] = nil, nil
end

-- Puts another task that waits for the same into the place of one that has left.
local function add_heir(self, left)
  for task in pairs(self.others) do
    local awaited = self.tasks[task]
    if awaited.sock == left.sock and awaited.direction == left.direction then
      self.others[task] = nil
      return add_socket(self, task, awaited)
    end
  end
end

function Waiting:remove(task)
  local awaited = self.tasks[task]
  self.others[task] = nil
  if awaited and awaited.at then
    remove_socket(self, awaited)
    add_heir(self, awaited)
  end
  self.tasks[task] = nil
end

-- The seconds until a wait may end, or until a socket is to be looked at.
local function seconds_left(self)
  local seconds = math.huge
  for now, ends in pairs(self.soonest) do
    seconds = math.min(seconds, ends - now())
  end
  for task in pairs(self.others) do
    seconds = self.tasks[task].is_beyond and math.min(seconds, Waiting.LOOK) or seconds
  end
  return math.max(seconds, 0)
end

local function add_ready(self, going, sockets, direction)
  for _, sock in ipairs(sockets) do
    going[self.owners[direction][sock]] = true
  end
  for task in pairs(self.others) do
    local awaited = self.tasks[task]
    if awaited.direction == direction and (awaited.is_beyond or sockets[awaited.sock]) then
      going[task] = true
    end
  end
end

-- Adds the tasks whose wait is over, and finds out anew when the next one is.
local function add_late(self, going, is_over)
  local times = {}
  self.soonest = {}
  for task, awaited in pairs(self.tasks) do
    local now = awaited.now
    times[now] = times[now] or now()
    if not going[task] and (is_over or awaited.ends <= times[now]) then
      going[task] = false
    elseif awaited.ends < (self.soonest[now] or math.huge) then
      self.soonest[now] = awaited.ends
    end
  end
end

local function is_any_late(self)
  for now, ends in pairs(self.soonest) do
    if ends <= now() then
      return true
    end
  end
end

-- Waits at most so many seconds. Returns the tasks that go on, with true where the socket is ready,
-- and else false. is_over: do all go on?
function Waiting:ready(most, is_over)
  local seconds = is_over and 0 or math.min(seconds_left(self), most)
  local r, w = self.socket.select(self.lists.r, self.lists.w, seconds)
  local going = {}
  add_ready(self, going, r, "r")
  add_ready(self, going, w, "w")
  if is_over or is_any_late(self) then
    add_late(self, going, is_over)
  end
  return going
end

return Waiting
