-- A helper of busted, see .busted: a spec that hangs is ended, and its title is told. Lua itself
-- cannot interrupt what waits in C, so watch.sh does.
local busted = require "busted"

-- Seconds that a spec may take. On a machine that does much else some take minutes.
local seconds = tonumber(os.getenv "SPEC_SECONDS") or 600

local name, number = os.tmpname(), 0

-- The file has the spec that runs, with a number that makes each another; nothing between two.
local function note(text)
  local file = io.open(name, "w")
  if file then
    file:write(text)
    file:close()
  end
end

note ""
local pipe = io.popen(("sh spec/lib/watch.sh %s $PPID %d >&2 & echo $!"):format(name, seconds))
local watcher = pipe and pipe:read "*l"
if pipe then
  pipe:close()
end

-- The names of the blocks around the spec that runs.
local around = {}

local function subscribe(what, when, f)
  busted.subscribe({ what, when }, function(element)
    f(element)
    return nil, true -- and others hear of it, too
  end)
end

subscribe("describe", "start", function(element)
  around[#around + 1] = element.name
end)
subscribe("describe", "end", function()
  around[#around] = nil
end)
subscribe("test", "start", function(element)
  number = number + 1
  note(("%d %s %s"):format(number, table.concat(around, " "), element.name))
end)
subscribe("test", "end", function()
  note ""
end)
subscribe("exit", nil, function()
  os.remove(name)
  if watcher then
    os.execute("kill " .. watcher .. " 2>/dev/null")
  end
end)
