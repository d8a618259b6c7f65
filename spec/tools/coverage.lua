-- Reads the output of gcov --json-format for several builds, one JSON object on a line.
-- Prints how much of src/ ran in at least one of them. See .ci/coverage.
--
-- A line counts if the compiler made code of it, and is covered if that code ran. A branch
-- is one way out of a decision, also of "&&", "||" and "?:", and is covered if it was
-- taken. The code is not optimized, so that it has the decisions of the source.
local cjson = require "cjson"

local LEAST = { lines = 98, branches = 95 } -- percent
local REASONS = "spec/tools/coverage.txt"

local files = {}

local function field(t, key)
  t[key] = t[key] or {}
  return t[key]
end

-- A macro may have more branches on one Lua than on another. The larger number counts.
local function add_branches(line, branches)
  if #branches < #line.branches then return end
  local before = #branches == #line.branches and line.branches or {}
  for i, branch in ipairs(branches) do branches[i] = before[i] or branch.count > 0 end
  line.branches = branches
end

for text in io.lines() do
  for _, file in ipairs(cjson.decode(text).files) do
    if file.file:match "^src/" then
      for _, found in ipairs(file.lines) do
        local lines = field(files, file.file)
        local line = lines[found.line_number] or { branches = {} }
        lines[found.line_number] = line
        line.ran = line.ran or found.count > 0
        add_branches(line, found.branches)
      end
    end
  end
end

-- reasons[file][source line]. The file * stands for any.
local reasons = { ["*"] = {} }
for text in io.lines(REASONS) do
  local file, source, reason = text:match "^([^#\t][^\t]*)\t([^\t]+)\t([^\t]+)$"
  if file then field(reasons, file)[source] = reason end
end

local function percent(part, whole)
  return whole == 0 and 100 or 100 * part / whole
end

local function show(name, counts)
  print(("%-20s %5d of %5d lines %6.2f %%   %5d of %5d branches %6.2f %%"):format(name,
    counts.lines, counts.all_lines, percent(counts.lines, counts.all_lines),
    counts.branches, counts.all_branches, percent(counts.branches, counts.all_branches)))
end

local function new_counts() return { lines = 0, all_lines = 0, branches = 0, all_branches = 0 } end

-- Counts a line. Returns what of it did not run, or nil.
local function count(line, counts)
  local taken = 0
  for _, ran in ipairs(line.branches) do taken = taken + (ran and 1 or 0) end
  counts.all_lines, counts.lines = counts.all_lines + 1, counts.lines + (line.ran and 1 or 0)
  counts.all_branches, counts.branches = counts.all_branches + #line.branches, counts.branches + taken
  if not line.ran then return "line" end
  if taken < #line.branches then return ("%d of %d branches"):format(#line.branches - taken, #line.branches) end
end

local names, left, total, unexplained = {}, {}, new_counts(), 0
for name in pairs(files) do names[#names + 1] = name end
table.sort(names)

for _, name in ipairs(names) do
  local counts, number = new_counts(), 0
  for text in io.lines(name) do
    number = number + 1
    local line = files[name][number]
    local what = line and count(line, counts)
    if what then
      local source = text:match "^%s*(.-)%s*$"
      local reason = reasons[name] and reasons[name][source] or reasons["*"][source]
      if not reason then unexplained = unexplained + 1 end
      left[#left + 1] = ("%s:%d: %s: %s\n    %s"):format(name, number, what, source,
        reason or "NO REASON in " .. REASONS)
    end
  end
  show(name, counts)
  for key, value in pairs(counts) do total[key] = total[key] + value end
end

show("coverage: total", total)
print(("coverage: left, %d places, %d without a reason:"):format(#left, unexplained))
print(table.concat(left, "\n"))
if percent(total.lines, total.all_lines) < LEAST.lines or unexplained > 0 or #names == 0 or
  percent(total.branches, total.all_branches) < LEAST.branches then
  os.exit(1)
end
