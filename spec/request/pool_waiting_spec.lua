-- What the tasks of a pool wait for: random waits, beside the same looked at one by one.
local Waiting = require "endpoint.request.pool.waiting"
local support = require "support"

-- Sockets that are ready if they are in this set, and the calls of their methods and of the clock.
local ready, counts, time

local function new_socket(descriptor)
  return {
    getfd = function()
      counts.getfd = counts.getfd + 1
      return descriptor
    end,
  }
end

local function now()
  counts.now = counts.now + 1
  return time
end

local function chosen(list)
  local found = {}
  for _, sock in ipairs(list) do
    if ready[sock] then
      found[#found + 1] = sock
      found[sock] = #found
    end
  end
  return found
end

-- In the place of LuaSocket. The seconds of the last wait are in `waited`.
local waited
local function select_ready(r, w, seconds)
  waited = seconds
  return chosen(r), chosen(w)
end

local waiting
before_each(function()
  ready, counts, time, waited = {}, { getfd = 0, now = 0 }, 100, nil
  waiting = Waiting.new { select = select_ready, _SETSIZE = 1024 }
end)

describe("the tasks of a pool that wait", function()
  it("are looked at alone if they can go on, however many others wait", function()
    for count = 1, 500 do
      local awaited = { sock = new_socket(count), direction = "r", now = now, ends = 200 }
      waiting:add(count, awaited)
      ready[awaited.sock] = count == 7 or nil
    end
    counts = { getfd = 0, now = 0 }
    assert.same({ [7] = true }, waiting:ready(1, false))
    assert.same({ getfd = 0, now = 2 }, counts)
  end)

  it("wait until the first of their times, and no longer than they are told", function()
    waiting:add("late", { now = now, ends = 100.5 })
    waiting:add("later", { now = now, ends = 103 })
    assert.same({}, waiting:ready(0.2, false))
    assert.equal(0.2, waited)
    time = 100.4
    assert.same({}, waiting:ready(0.2, false))
    assert.truthy(math.abs(waited - 0.1) < 1e-5, waited)
    time = 101
    assert.same({ late = false }, waiting:ready(0.2, false))
    waiting:remove "late"
    waiting:ready(10, false)
    assert.equal(2, waited)
  end)

  it("may have clocks of their own", function()
    waiting:add("one", { now = now, ends = 101 })
    waiting:add("other", {
      now = function()
        return 5
      end,
      ends = 4,
    })
    assert.same({ other = false }, waiting:ready(1, false))
  end)

  it("are looked at often if select does not take their descriptor", function()
    local awaited = { sock = new_socket(1024), direction = "w", now = now, ends = 200 }
    waiting:add("far", awaited)
    assert.same({ far = true }, waiting:ready(1, false))
    assert.equal(Waiting.LOOK, waited)
  end)

  it("may wait for one socket", function()
    local sock = new_socket(3)
    for _, name in ipairs { "one", "two" } do
      waiting:add(name, { sock = sock, direction = "r", now = now, ends = 200 })
    end
    waiting:add("writer", { sock = sock, direction = "w", now = now, ends = 200 })
    ready[sock] = true
    assert.same({ one = true, two = true, writer = true }, waiting:ready(1, false))
    waiting:remove "one"
    waiting:remove "writer"
    assert.same({ two = true }, waiting:ready(1, false))
  end)

  it("all go on at the end", function()
    waiting:add("one", { now = now, ends = 101 })
    waiting:add("two", { sock = new_socket(3), direction = "r", now = now, ends = 200 })
    assert.same({ one = false, two = false }, waiting:ready(1, true))
    assert.equal(0, waited)
  end)
end)

-- What `ready` returns, found out by a look at each task.
local function expected_of(tasks)
  local going = {}
  for task, awaited in pairs(tasks) do
    local is_ready = awaited.sock and (awaited.is_far or ready[awaited.sock])
    if is_ready or awaited.ends <= time then
      going[task] = is_ready or false
    end
  end
  return going
end

describe("2,000 random turns of a pool", function()
  it("let those tasks go on that can", function()
    local random, tasks, made = support.random(57), {}, 0
    for _ = 1, 2000 do
      for _ = 1, random(4) - 1 do
        made = made + 1
        local is_far = random(20) == 1
        local sock = random(3) > 1 and new_socket(is_far and 2000 or 5) or nil
        local direction = random(2) == 1 and "r" or "w"
        tasks[made] = { sock = sock, direction = direction, now = now, ends = time + random(50) }
        waiting:add(made, tasks[made])
        tasks[made].is_far = is_far
      end
      time, ready = time + random(3) - 1, {}
      for _, awaited in pairs(tasks) do
        if awaited.sock and random(10) == 1 then
          ready[awaited.sock] = true
        end
      end
      local going = waiting:ready(1, false)
      assert.same(expected_of(tasks), going)
      for task in pairs(going) do
        waiting:remove(task)
        tasks[task] = nil
      end
    end
    assert.truthy(made > 1000, made)
  end)
end)
