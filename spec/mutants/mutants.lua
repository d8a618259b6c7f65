-- Mutants: copies of a source with one bug, which the tests must find.
-- Usage: lua5.4 spec/mutants/mutants.lua COMMAND
--   list SEED COUNT [NAME...]   the ids of these written ones and, for a name like url.c, of COUNT generated ones;
--                               without names, of all written ones and of COUNT that are generated from src/*.c
--   apply ID DIRECTORY          writes the source with that bug; prints its file, and where and what the bug is
--   unchanged ID                prints why it changes nothing, or fails
--
-- written.txt and unchanged.txt hold mutants, separated by empty lines:
--   FILE NAME: what the bug is               in unchanged.txt FILE: why it changes nothing, for all that follow
--   - old text, one line or more
--   + new text, any number of lines
-- White space there stands for any white space, so that the source may be wrapped in another way.
local WRITTEN = os.getenv "WRITTEN" or "spec/mutants/written.txt"
local UNCHANGED = "spec/mutants/unchanged.txt"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local function squeeze(text)
  return (text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""))
end

-- A list of { file, name, about, old, new } of such a file.
local function read_list(path)
  local list, file, name, about, mutant = {}, nil, nil, nil, nil
  for line in io.lines(path) do
    local sign, text = line:match "^([-+]) ?(.-) *$"
    if not sign then
      mutant = nil
      local heading, reason = line:match "^(%S.-): (.+)$"
      if heading then
        file, name = heading:match "^(%S+) ?(%S*)$"
        about = reason
      end
    else
      if not mutant or (sign == "-" and #mutant.new > 0) then
        mutant = { file = file, name = name, about = about, old = {}, new = {} }
        list[#list + 1] = mutant
      end
      table.insert(sign == "-" and mutant.old or mutant.new, text)
    end
  end
  for _, each in ipairs(list) do each.old, each.new = table.concat(each.old, "\n"), table.concat(each.new, "\n") end
  return list
end

-- --- a source as tokens

local PUNCTUATION = { "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||" }

-- The end of the token that begins at a place, and its kind; nil for what is left out.
local function scan(text, at)
  if text:find("^%s", at) then return select(2, text:find("^%s+", at)) end
  if text:find("^/%*", at) then return select(2, text:find("*/", at, true)) end
  if text:find("^#", at) then -- up to the end of a line without a backslash
    local last = at
    repeat last = text:find("\n", last + 1, true) until text:sub(last - 1, last - 1) ~= "\\"
    return last
  end
  local quote = text:match("^[\"']", at)
  if quote then
    local last = at + 1
    while text:sub(last, last) ~= quote do last = last + (text:sub(last, last) == "\\" and 2 or 1) end
    return last, quote == "'" and "number" or "string"
  end
  if text:find("^%d", at) then return select(2, text:find("^[%w.]+", at)), "number" end
  if text:find("^[%a_]", at) then return select(2, text:find("^[%w_]+", at)), "word" end
  for _, mark in ipairs(PUNCTUATION) do
    if text:sub(at, at + #mark - 1) == mark then return at + #mark - 1, "mark" end
  end
  return at, "mark"
end

local KEYWORDS = { ["if"] = true, ["else"] = true, ["for"] = true, ["while"] = true, ["do"] = true, ["switch"] = true,
  ["case"] = true, ["default"] = true, ["return"] = true }
local DROPPED = { ["return"] = true, ["break"] = true, ["continue"] = true } -- the keywords that are whole statements

-- The tokens, each with its text and place, and with its partner if it is a bracket.
local function tokens_of(text)
  local tokens, open, at = {}, {}, 1
  while at <= #text do
    local last, kind = scan(text, at)
    if kind then
      local token = { text = text:sub(at, last), kind = kind, first = at, last = last }
      tokens[#tokens + 1] = token
      token.index = #tokens
      if token.text:find "^[({%[]$" then
        open[#open + 1] = token
      elseif token.text:find "^[)}%]]$" then
        token.partner = table.remove(open)
        token.partner.partner = token
      end
    end
    at = last + 1
  end
  return tokens
end

-- --- the changes

local FLIPPED = { ["<"] = "<=", ["<="] = "<", [">"] = ">=", [">="] = ">", ["=="] = "!=", ["!="] = "==",
  ["&&"] = "||", ["||"] = "&&", ["true"] = "false", ["false"] = "true" }

-- The places that coverage leaves out, for a reason that stands there: from byte to byte.
local function unreachable_in(text)
  local places = {}
  for first, last in text:gmatch "()GCOVR_EXCL_B?R?_?START.-GCOVR_EXCL_B?R?_?STOP()" do places[first] = last end
  for first, last in text:gmatch "\n()[^\n]*GCOVR_EXCL_B?R?_?LINE()" do places[first] = last end
  return places
end

-- All mutants of a source, as { file, first, last, text }: the text takes the place of these bytes.
local function generate(name, text)
  local tokens, list, unreachable = tokens_of(text), {}, unreachable_in(text)
  local function add(first, last, new)
    for begin, finish in pairs(unreachable) do
      if first >= begin and last <= finish then return end
    end
    list[#list + 1] = { file = name, first = first, last = last, text = new }
  end
  local function is(index, what) return tokens[index] ~= nil and tokens[index].text == what end
  local function kind(index) return tokens[index] and tokens[index].kind end

  -- ±1, but not for the length of an array that is declared.
  local function shift(token)
    local i, number = token.index, math.tointeger(token.text)
    if is(i - 1, "[") and kind(i - 2) == "word" and kind(i - 3) == "word" and not KEYWORDS[tokens[i - 3].text] then
      return
    end
    add(token.first, token.last, number and tostring(number + 1) or ("(%s + 1)"):format(token.text))
    if token.text:sub(1, 1) ~= "'" then
      add(token.first, token.last, number and tostring(number - 1) or ("(%s - 1)"):format(token.text))
    end
  end

  -- The ";" of the statement that begins with a token.
  local function statement_end(token)
    local i = token.index
    while not is(i, ";") do
      local partner = tokens[i].partner
      i = (partner and partner.index > i and partner.index or i) + 1
    end
    return tokens[i]
  end

  -- A type and a name begin a declaration.
  local function is_declaration(token)
    local at = token.index + 1
    while is(at, "*") do at = at + 1 end
    return token.kind == "word" and kind(at) == "word"
  end

  -- Another value, by what the function returns.
  local function change_return(token, result)
    local first, last = tokens[token.index + 1].first, statement_end(token).first - 1
    local value = text:sub(first, last)
    if FLIPPED[value] or tonumber(value) then return end -- it is flipped or shifted
    add(first, last, (result:find "%*" and "NULL") or (result:find "bool" and "!(%s)" or "(%s) + 1"):format(value))
  end

  local function mutate_statement(token, result)
    if token.text == "return" and not is(token.index + 1, ";") then
      change_return(token, result)
    elseif DROPPED[token.text] or not (KEYWORDS[token.text] or is_declaration(token) or token.text:find "^[;{}]$") then
      add(token.first, statement_end(token).last, ";")
    end
  end

  -- In a function with that result.
  local function mutate_body(body, result)
    local begins = { [body.index] = true } -- by token: does a statement begin there?
    local inside = {}                      -- the brackets around a token
    for i = body.index, body.partner.index - 1 do
      local token, next_token = tokens[i], tokens[i + 1]
      local asks = (token.text == "if" or token.text == "while") and next_token.text == "("
      if begins[i] then mutate_statement(token, result) end
      if FLIPPED[token.text] then
        add(token.first, token.last, FLIPPED[token.text])
      elseif token.kind == "number" then
        shift(token)
      elseif asks then
        add(next_token.first, next_token.partner.last, "(!" .. text:sub(next_token.first, next_token.partner.last) .. ")")
      end
      if token.partner and token.partner.index > i then
        inside[#inside + 1] = token
        token.is_block = begins[i] and token.text == "{"
        begins[i + 1] = token.is_block
      elseif token.partner then
        table.remove(inside)
        begins[i + 1] = begins[i + 1] or token.partner.is_block
      elseif token.text == ";" then
        begins[i + 1] = inside[#inside].is_block
      elseif token.text == "else" or token.text == "do" then
        begins[i + 1] = true
      elseif asks or token.text == "for" or token.text == "switch" then
        begins[next_token.partner.index + 1] = true
      elseif token.text == "case" or token.text == "default" then
        local colon = i
        while not is(colon, ":") do colon = colon + 1 end
        begins[colon + 1] = true
      end
    end
  end

  local i, declared = 1, 1 -- a token, and where its declaration begins
  while i <= #tokens do
    local token = tokens[i]
    if is(i, "{") and is(i - 1, ")") then
      mutate_body(token, text:sub(tokens[declared].first, tokens[i - 1].partner.first - 1))
      i = token.partner.index
      declared = i + 1
    elseif is(i, "{") and (is(declared, "struct") or is(declared + 1, "struct")) then
      i = token.partner.index
    elseif is(i, ";") then
      declared = i + 1
    elseif token.kind == "number" then
      shift(token)
    end
    i = i + 1
  end
  return list
end

-- --- their names

-- Where a mutant changes a text: first and last byte, and what takes their place.
local function place_of(mutant, text)
  if mutant.first then return mutant.first, mutant.last, mutant.text end
  local pattern = squeeze(mutant.old):gsub("%p", "%%%0"):gsub("%s+", "%%s+")
  local first, last = text:find(pattern)
  if not first or text:find(pattern, last + 1) then
    error(("%s: the old text occurs %s: %s"):format(mutant.file, first and "twice" or "nowhere", mutant.old), 0)
  end
  return first, last, mutant.new
end

-- The whole lines that a mutant changes, as they were and as they are.
local function lines_of(mutant, text)
  local first, last, new = place_of(mutant, text)
  local before = text:sub(1, first - 1):match "[^\n]*$"
  local behind = text:match("^[^\n]*", last + 1)
  return squeeze(before .. text:sub(first, last) .. behind), squeeze(before .. new .. behind)
end

local function generated_of(file)
  return generate(file, read("src/" .. file))
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
  local file, number = id:match "^([%w_]+%.c):(%d+)$"
  if file then return generated_of(file)[tonumber(number)] end
  for _, mutant in ipairs(read_list(WRITTEN)) do
    if mutant.name == id then return mutant end
  end
  error("no mutant is called " .. id, 0)
end

local commands = {}

-- Fails if a written one of them fits its source no longer.
function commands.list(seed, count, ...)
  local ids, generated, files = {}, {}, { ... }
  if #files == 0 then
    for path in io.popen "ls src/*.c":lines() do files[#files + 1] = path:match "[^/]+$" end
    for _, mutant in ipairs(read_list(WRITTEN)) do files[#files + 1] = mutant.name end
  end
  for _, name in ipairs(files) do
    if name:find "%.c$" then
      for number = 1, #generated_of(name) do generated[#generated + 1] = name .. ":" .. number end
    else
      local mutant = find(name)
      place_of(mutant, read("src/" .. mutant.file))
      ids[#ids + 1] = name
    end
  end
  local sampled = sample(generated, tonumber(seed), tonumber(count))
  print(table.concat(table.move(sampled, 1, #sampled, #ids + 1, ids), "\n"))
end

function commands.apply(id, directory)
  local mutant = find(id)
  local text = read("src/" .. mutant.file)
  local first, last, new = place_of(mutant, text)
  local file = assert(io.open(directory .. "/" .. mutant.file, "wb"))
  file:write(text:sub(1, first - 1), new, text:sub(last + 1))
  file:close()
  local _, line = text:sub(1, first - 1):gsub("\n", "")
  local old, changed = lines_of(mutant, text)
  print(mutant.file)
  print(("%s:%d: %s"):format(mutant.file, line + 1, mutant.about or old .. " => " .. changed))
end

function commands.unchanged(id)
  local mutant = find(id)
  local old, new = lines_of(mutant, read("src/" .. mutant.file))
  for _, listed in ipairs(read_list(UNCHANGED)) do
    if listed.file == mutant.file and squeeze(listed.old) == old and squeeze(listed.new) == new then
      print(listed.about)
      os.exit(0)
    end
  end
  os.exit(1)
end

local ok, message = pcall(commands[arg[1]], table.unpack(arg, 2))
if not ok then
  io.stderr:write(message, "\n")
  os.exit(2)
end
