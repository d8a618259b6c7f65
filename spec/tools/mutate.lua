-- Puts a bug into a source, to see whether the tests find it.
-- Usage: lua spec/tools/mutate.lua spec/mutants/FILE.txt NAME
--
-- That file holds the mutants of src/FILE, separated by empty lines:
--   name: what the bug is
--   - old text, one line or more
--   + new text, any number of lines
-- The old text is any part of the source that occurs exactly once. White space in it
-- stands for any white space, so that the source may be wrapped in another way.
local path, wanted = arg[1], arg[2]

-- The old and the new lines of a mutant.
local function read_mutant()
  local lines, name = { ["-"] = {}, ["+"] = {} }, nil
  for line in io.lines(path) do
    local sign, text = line:match "^([-+]) *(.-) *$"
    name = line:match "^([%w-]+): " or name
    if sign and name == wanted then table.insert(lines[sign], text) end
  end
  return lines["-"], lines["+"]
end

local old, new = read_mutant()
if #old == 0 then error(("%s: no old text of %q"):format(path, wanted), 0) end

local source = "src/" .. path:match "([^/]+)%.txt$"
local pattern = table.concat(old, " "):gsub("%p", "%%%0"):gsub("%s+", "%%s+")
local file = assert(io.open(source, "rb"))
local text, count = file:read("*a"):gsub(pattern, function() return table.concat(new, "\n") end)
if count ~= 1 then error(("%s: the old text of %q occurs %d times"):format(source, wanted, count), 0) end
file:close()
file = assert(io.open(source, "wb"))
file:write(text)
file:close()
