-- Programs that say what must hold: a file in programs/cases/ calls case(title, f, only) for each
-- thing that it promises, and f raises an error where that does not hold. A spec reads their titles
-- here, and run_cases.lua runs them on another Lua, inside nginx or in a loop.
--
-- only: the one run in which the case holds: "plain", "tls" or "nginx"; in all if nil.
local cases = {}

-- The cases of a file, { title, run } each, for a run. what: what they send with, see sending.lua,
-- or a loop; nil to read the titles alone.
function cases.read(path, run, what)
  local list = {}
  local function case(title, f, only)
    if not only or only == run then
      list[#list + 1] = { title = title, run = f }
    end
  end
  assert(loadfile(path))(case, what)
  return list
end

-- The most bytes of an error that are printed.
local MOST = 500

-- Runs the cases, and prints a line for each: "ok | TITLE", or "failed | TITLE | ERROR".
-- call: pcall, or what does the same.
function cases.run(list, print, call)
  for _, case in ipairs(list) do
    local ok, problem = call(case.run)
    if ok then
      print("ok | " .. case.title)
    else
      local said = tostring(problem):sub(1, MOST):gsub("%s*\n%s*", " ")
      print(("failed | %s | %s"):format(case.title, said))
    end
  end
end

-- Raises an error if a program has not printed that the case holds.
function cases.check(case, printed)
  local text = "\n" .. printed:gsub("\r", "") .. "\n"
  if text:find("\nok | " .. case.title .. "\n", 1, true) then
    return
  end
  local start = "\nfailed | " .. case.title .. " | "
  local _, last = text:find(start, 1, true)
  if last then
    error(text:match("[^\n]*", last + 1), 0)
  end
  error("the program did not come so far; the end of what it printed:\n" .. text:sub(-MOST), 0)
end

return cases
