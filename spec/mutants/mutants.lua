-- Mutants: copies of a source with one bug, which the tests must find.
-- Usage: lua5.4 spec/mutants/mutants.lua COMMAND
--   list SEED COUNT [NAME...]   the ids of these written ones and, for a name like url.c or
--                               endpoint/types/signature/path.lua, of COUNT generated ones; without
--                               names, of all written ones and of COUNT generated ones
--   apply ID DIRECTORY          writes the source with that bug; prints its file, and where and
--                               what the bug is
--   unchanged ID                prints why it changes nothing, or fails
--   check                       prints the entries of both lists that fit no source any more
--
-- written.txt holds mutants under their name and what the bug is, and unchanged.txt under why they
-- change nothing:
--   FILE: old text => new text
-- White space there means any white space, so that the source may be wrapped in another way.
local WRITTEN = "spec/mutants/written.txt"
local UNCHANGED = "spec/mutants/unchanged.txt"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

-- The path below src/ of a source: one of C is named without its folder.
local function path_of(name)
  local file = io.open("src/core/" .. name)
  if file then
    file:close()
  end
  return file and "core/" .. name or name
end

local function read_source(name)
  return read("src/" .. path_of(name))
end

local function squeeze(text)
  return (text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""))
end

-- A list of { file, name, about, old, new } of such a file.
local function read_list(path)
  local list, name, about = {}, nil, nil
  for line in io.lines(path) do
    local file, old, new = line:match "^  (%S+): (.-) => ?(.*)$"
    if file then
      list[#list + 1] = { file = file, name = name, about = about, old = old, new = new }
    else
      name, about = line:match "^([%w-]+): (.+)$"
      about = about or line
    end
  end
  return list
end

-- --- a source without its texts

local function blank(text)
  return (text:gsub("[^\n]", " "))
end

-- What is not code, in C as .clang-format lays it out, and in Lua: comments, lines of the
-- preprocessor, and texts.
local C_TEXTS = { "^/%*.-%*/", "^#[^\n]*", '^"[^"\n]*"', "^'[^'\n]+'", "^'''" }
local LUA_TEXTS =
  { "^%-%-%[(=*)%[.-%]%1%]", "^%-%-[^\n]*", "^%[(=*)%[.-%]%1%]", '^"[^"\n]*"', "^'[^'\n]*'" }

-- The source with blanks for comments, and "_" for what is in quotes. All else stays in its
-- place.
local function masked(text, patterns)
  local parts, at = {}, 1
  text = text:gsub("\\.", "__")
  while at <= #text do
    local last = at
    for _, pattern in ipairs(patterns) do
      last = math.max(last, select(2, text:find(pattern, at)) or 0)
    end
    local part = text:sub(at, last)
    if part:find(patterns == C_TEXTS and "^[/#]." or "^%-%-") then
      part = blank(part)
    end
    parts[#parts + 1] = part:sub(1, 1)
      .. part:sub(2, -2):gsub("[^%s]", "_")
      .. (last > at and part:sub(-1) or "")
    at = last + 1
  end
  return table.concat(parts)
end

-- --- the changes

local FLIPPED = {
  ["<"] = "<=",
  ["<="] = "<",
  [">"] = ">=",
  [">="] = ">",
  ["=="] = "!=",
  ["!="] = "==",
  ["&&"] = "||",
  ["||"] = "&&",
  ["true"] = "false",
  ["false"] = "true",
}
local KEYWORDS = {
  ["if"] = true,
  ["else"] = true,
  ["for"] = true,
  ["while"] = true,
  ["do"] = true,
  ["switch"] = true,
  ["case"] = true,
  ["default"] = true,
}

local LUA_FLIPPED = {
  ["<"] = "<=",
  ["<="] = "<",
  [">"] = ">=",
  [">="] = ">",
  ["=="] = "~=",
  ["~="] = "==",
  ["+"] = "-",
  ["-"] = "+",
  ["*"] = "+",
  ["and"] = "or",
  ["or"] = "and",
  ["not"] = "",
  ["break"] = "",
  ["true"] = "false",
  ["false"] = "true",
}
local LUA_KEYWORDS = " local if elseif else for while repeat until end function return do "

-- The places that coverage leaves out, for a reason that is there: from byte to byte.
local function unreachable_in(text)
  local places = {}
  for first, last in text:gmatch "()GCOVR_EXCL_B?R?_?START.-GCOVR_EXCL_B?R?_?STOP()" do
    places[first] = last
  end
  for first, last in text:gmatch "\n()[^\n]*GCOVR_EXCL_B?R?_?LINE()" do
    places[first] = last
  end
  return places
end

-- What Lua's manual makes equal wherever it stands: patterns of what is changed, and to what; of
-- what comes before it in its line, and of what comes after it.
local EQUAL = {
  { "1", "0", ":sub%($", "" },
  { "1", "0", ":byte%($", "" }, -- the first byte
  { "1", "0", ", $", "^, true%)" },
  { "0", "%-1", "%f[%w_]error%(.*, $", "^%)" }, -- no position
  { "%d+", "%d+", "lua_createtable%(L, .*$", "" }, -- only memory that is set aside
  { "%^", "", "[\"']$", "^%(?%.[*-]" },
  { "%$", "", "%.%*%)?$", "" }, -- .* begins as early as it may, and ends as late
  { "%^", "", "[\"']$", "^%(?%[[^%]]+%]%*%)?[\"']" }, -- so does a set with *
  { "%^", "", "[\"']$", "^%(%[[^%]]+%]%*%):?%??%(%.%*%)%$[\"']" },
} -- with .* after it

local function is_equal(text, first, last, new)
  local old, after = text:sub(first, last), text:sub(last + 1, last + 40)
  local before = text:sub(math.max(first - 125, 1), first - 1):match "[^\n]*$"
  for _, row in ipairs(EQUAL) do
    local is_change = old:find("^" .. row[1] .. "$") and new:find("^" .. row[2] .. "$")
    if is_change and before:find(row[3]) and after:find(row[4]) then
      return true
    end
  end
  return false
end

-- Each text in quotes: of a pattern an anchor is dropped, a set or a repetition is changed; a word
-- becomes another.
local function change_quoted(mask, text, add)
  for first, last in mask:gmatch "()[\"']_+[\"']()" do
    local inside = text:sub(first + 1, last - 2)
    if inside:find "[%^%[]" or inside:find "%%[%ads][*+$]" then
      if inside:find "^%^." then
        add(first + 1, first + 1, "")
      end
      if inside:find "[^%%]%$$" then
        add(last - 2, last - 2, "")
      end
      for at, mark in inside:gmatch "[^%%]()([*+])" do
        add(first + at, first + at, mark == "*" and "+" or "*")
      end
      for at in inside:gmatch "%[()%^" do
        add(first + at, first + at, "")
      end
    elseif inside:find "^[%w_-]+$" and not mask:sub(1, first - 1):find "require *%(?$" then
      add(last - 1, last - 2, "_")
    end
  end
end

-- The mutants of Lua alone.
local function generate_lua(mask, text, add)
  for _, condition in ipairs { "if ().-() then", "elseif ().-() then", "while ().-() do" } do
    for first, last in mask:gmatch("%f[%w_]" .. condition) do
      add(first, last - 1, "not (" .. text:sub(first, last - 1) .. ")")
    end
  end
  for line in mask:gmatch "()[^\n]*\n" do
    local first, last = mask:match("^ +()%a[^\n]*()", line)
    local word = first and " " .. mask:match("^[%w_]+", first) .. " "
    if first and not LUA_KEYWORDS:find(word, 1, true) then
      add(first, last - 1, "")
    end -- a statement, or a field
    local from, value = mask:sub(line):match "^[^\n]-%f[%w_]return ()([^\n]+)"
    if value then
      value = value:gsub(" end%)*$", "")
      if not LUA_FLIPPED[value] and not tonumber(value) and value ~= "nil" then
        add(line + from - 1, line + from + #value - 2, "nil")
      end
    end
  end
  change_quoted(mask, text, add)
end

-- The mutants of C alone.
local function generate_c(mask, text, add)
  for first, last in mask:gmatch "()'_+()'" do
    add(first, last, ("(%s + 1)"):format(text:sub(first, last)))
  end
  for word, first, last in mask:gmatch "%f[%w_](%l+) ()%b()()" do
    if word == "if" or word == "while" then
      add(first, last - 1, "(!" .. text:sub(first, last - 1) .. ")")
    end
  end

  -- Drops a statement, or turns round what it returns. It begins a line, after a whole one or the
  -- head of one.
  for first in mask:gmatch "\n +()[^%s{}?:]" do
    local before, word =
      mask:sub(math.max(first - 200, 1), first - 1):match "(%S+)%s*$", mask:match("^[%w_]*", first)
    local is_begin = before and (before:find "[;{}:)]$" or before == "else" or before == "do")
    local is_declaration = word ~= "" and word ~= "return" and mask:find("^[%w_]+[ *]+[%w_]", first)
    if is_begin and not KEYWORDS[word] and not is_declaration then
      local last = mask:find(";", first, true)
      local from, value = text:sub(first, last):match "^return%s+()(.*);$"
      if not value then
        add(first, last, ";")
      elseif not FLIPPED[value] and not tonumber(value) then -- else it is flipped or shifted
        add(first + from - 1, last - 1, ("!(%s)"):format(value))
      end
    end
  end
end

-- All mutants of a source, as { file, first, last, text }: the text takes the place of these bytes.
local function generate(name, text)
  local is_lua = name:find "/"
  local mask, list, unreachable =
    masked(text, is_lua and LUA_TEXTS or C_TEXTS), {}, unreachable_in(text)
  local flipped = is_lua and LUA_FLIPPED or FLIPPED
  local function add(first, last, new)
    for begin, finish in pairs(unreachable) do
      if first >= begin and last <= finish then
        return
      end
    end
    if is_equal(text, first, last, new) then
      return
    end
    list[#list + 1] = { file = name, first = first, last = last, text = new }
  end

  -- Each number ±1, but not the length of an array that is declared, and each byte in quotes + 1.
  for first, digits in mask:gmatch "%f[%w_]()(%d[%w.]*)" do
    local array_of = mask:sub(math.max(first - 80, 1), first - 1):match "([%w_]+) +[%w_]+%[$"
    if not array_of or array_of == "return" then
      local number, last = math.tointeger(digits), first + #digits - 1
      add(first, last, number and tostring(number + 1) or ("(%s + 1)"):format(digits))
      add(first, last, number and tostring(number - 1) or ("(%s - 1)"):format(digits))
    end
  end

  for _, pattern in ipairs { "()([-+*<>=~!&|]+)()", "%f[%w_]()(%l+)()%f[^%w_]" } do
    for first, mark, last in mask:gmatch(pattern) do
      if flipped[mark] then
        add(first, last - 1, flipped[mark])
      end
    end
  end
  local generate_more = is_lua and generate_lua or generate_c
  generate_more(mask, text, add)
  return list
end

-- --- their names

-- Where a mutant changes a text: first and last byte, and what takes their place.
local function place_of(mutant, text)
  if mutant.first then
    return mutant.first, mutant.last, mutant.text
  end
  local pattern = squeeze(mutant.old):gsub("%p", "%%%0"):gsub("%s+", "%%s+")
  local first, last = text:find(pattern)
  if not first or text:find(pattern, last + 1) then
    error(
      ("%s: the old text occurs %s: %s"):format(
        mutant.file,
        first and "twice" or "nowhere",
        mutant.old
      ),
      0
    )
  end
  return first, last, mutant.new
end

-- The source with a mutant, and the lines that it changes, as they were and as they are.
local function change(mutant)
  local text = read_source(mutant.file)
  local first, last, new = place_of(mutant, text)
  local before, after = text:sub(1, first - 1), text:sub(last + 1)
  local start, finish = before:match "[^\n]*$", after:match "^[^\n]*"
  local lines = squeeze(start .. text:sub(first, last) .. finish)
    .. " => "
    .. squeeze(start .. new .. finish)
  return before .. new .. after, lines, select(2, before:gsub("\n", "")) + 1
end

local function generated_of(file)
  return generate(file, read_source(file))
end

-- COUNT ids that the seed picks of all.
local function sample(ids, seed, count)
  math.randomseed(seed)
  for i = 1, math.min(count, #ids) do
    local other = math.random(i, #ids)
    ids[i], ids[other] = ids[other], ids[i]
  end
  return table.move(ids, 1, math.min(count, #ids), 1, {})
end

-- An id is the name of a written mutant, or FILE:NUMBER for a generated one.
local function find(id)
  local file, number = id:match "^(%S+):(%d+)$"
  if file then
    return generated_of(file)[tonumber(number)]
  end
  for _, mutant in ipairs(read_list(WRITTEN)) do
    if mutant.name == id then
      return mutant
    end
  end
  error("no mutant is called " .. id, 0)
end

local commands = {}

-- Fails if a written one of them fits its source no longer.
function commands.list(seed, count, ...)
  local ids, generated, files = {}, {}, { ... }
  if #files == 0 then
    for path in io.popen "ls src/*.c src/core/*.c":lines() do
      files[#files + 1] = path:match "[^/]+$"
    end
    local lua = io.popen "cd src && find bin/endpoint-types endpoint -type f | sort"
    for path in lua:lines() do
      files[#files + 1] = path
    end
    for _, mutant in ipairs(read_list(WRITTEN)) do
      files[#files + 1] = mutant.name
    end
  end
  for _, name in ipairs(files) do
    if name:find "%.c$" or name:find "/" then
      for number = 1, #generated_of(name) do
        generated[#generated + 1] = name .. ":" .. number
      end
    else
      local mutant = find(name)
      place_of(mutant, read_source(mutant.file))
      ids[#ids + 1] = name
    end
  end
  local sampled = sample(generated, tonumber(seed), tonumber(count))
  print(table.concat(table.move(sampled, 1, #sampled, #ids + 1, ids), "\n"))
end

function commands.apply(id, directory)
  local mutant = find(id)
  local text, lines, number = change(mutant)
  local file = assert(io.open(directory .. "/" .. path_of(mutant.file), "wb"))
  assert(file:write(text))
  assert(file:close())
  print(path_of(mutant.file))
  print(("%s:%d: %s"):format(mutant.file, number, mutant.about or lines))
end

function commands.unchanged(id)
  local mutant = find(id)
  local text = squeeze(change(mutant))
  for _, listed in ipairs(read_list(UNCHANGED)) do
    if listed.file == mutant.file and squeeze(change(listed)) == text then
      print(listed.about)
      os.exit(0)
    end
  end
  os.exit(1)
end

-- Prints each entry of both lists that fits its source no longer; fails if there is one.
function commands.check()
  local count = 0
  for _, path in ipairs { WRITTEN, UNCHANGED } do
    for _, mutant in ipairs(read_list(path)) do
      local fits, problem = pcall(change, mutant)
      if not fits then
        count = count + 1
        print(path .. ": " .. tostring(problem))
      end
    end
  end
  os.exit(count == 0 and 0 or 1)
end

local ok, message = pcall(commands[arg[1]], table.unpack(arg, 2))
if not ok then
  io.stderr:write(message, "\n")
  os.exit(2)
end
