-- What the fuzzers start from: the calls of the vectors as inputs of call.c, and their texts and
-- numbers as inputs of scanners.c. It writes each into a file of its own.
--
-- Usage: lua5.4 spec/fuzz/seeds.lua CALLS SCANNERS FILE...   two directories, and spec/vectors/*.json
local json = require "cjson"

-- What JSON cannot say, or no vector needs to; call.lua says what the lines mean.
local MORE = {
  "POST /{x}{?y}\n!k40\nx=F",
  "POST /{x}{?y}\n!k200\n!g\nx=x999:%25",
  "GET /{x}{?y}\nx=[i1,nnan]\ny={#2=i1}\n#1=i1",
  "GET /{k3}/{x}\n!k60\n!z9\nx=x3000:a b\ny=[x99:abcdefgh,x999:qrstuvwx]",
  "GET /{+x:9999}{?l*}#f-{y}\n!g\nx=x500:%41/\nl=[x600:a,x600:b&]\ny=x90:\237\160\128\195",
  "GET /{a}{+b}{.c}{/d*}{;e}{?f,g*}{&h:2}{#i}\na=sA b\nb=s/%41%\nc={k=s1}\nd=[sx,sy]\ne=s\nf=s\ng={k=s1,l=s}\ni=s#!",
  "GET /%zz/\255{x}\nbaseUrl=x3000:/\195\169 %2\208 \"\nx=s\195",
  "PUT /{a}\n!z3\na=x80:ab\nheaders={X-L=x80:v,accept=s\255ream,l=[sa,sb],b=t}\n"
    .. "mediaType={previews=[x20:abc],format=x20:xyz}\nbody=[x50:x]",
  "GET /{x}\n!d\nbaseUrl=shttps://h/v2\nheaders={l=[sa]}\nper=[s1]\ndata={a=[i1]}\nmediaType={previews=[sq]}\nrequest={t=F}",
  "GET /\na=n0.30000000000000004\nb=n1e300\nc=n5e-324\nd=i-9223372036854775808\ne=n-0.0",
}

local ESCAPES = { ["\n"] = "\\n", ["\r"] = "\\r", ["\0"] = "\\0", [","] = "\\,", ["]"] = "\\]", ["}"] = "\\}",
  ["="] = "\\=", ["\\"] = "\\\\" }

local function escaped(text)
  return (text:gsub("[%z\n\r,%]}=\\]", ESCAPES))
end

-- --- calls ----------------------------------------------------------------------------------

local value_text

local function list_texts(list)
  local texts = {}
  for i, value in ipairs(list) do texts[i] = value_text(value) end
  return texts
end

local function field_texts(fields)
  local texts = {}
  for key, value in pairs(fields) do texts[#texts + 1] = escaped(key) .. "=" .. value_text(value) end
  table.sort(texts)
  return texts
end

function value_text(value)
  if value == json.null then return "0" end
  if type(value) == "boolean" then return value and "t" or "f" end
  if type(value) == "number" then return ("%s%.17g"):format(value % 1 == 0 and "i" or "n", value) end
  if type(value) == "string" then return "s" .. escaped(value) end
  if #value > 0 then return "[" .. table.concat(list_texts(value), ",") .. "]" end
  return "{" .. table.concat(field_texts(value), ",") .. "}"
end

local function lines_of(options)
  return type(options) == "table" and #options == 0 and table.concat(field_texts(options), "\n") or ""
end

local function call_text(group, route, options)
  local lines, defaults = { type(route) == "string" and route or "" }, group.defaults or {}
  if type(options) == "string" then options = { headers = { [group.result] = options } } end
  lines[2], lines[3] = lines_of(route), lines_of(options)
  for _, each in ipairs(defaults[1] and defaults or { defaults }) do lines[#lines + 1] = "!d\n" .. lines_of(each) end
  return table.concat(lines, "\n")
end

local function add_calls(calls, group)
  for _, case in ipairs(group.cases or {}) do calls[#calls + 1] = call_text(group, case[1], case[2]) end
  for _, route in ipairs(group.routes or {}) do
    for _, value in ipairs(group.values or { json.null }) do calls[#calls + 1] = call_text(group, route, { x = value }) end
  end
end

-- --- texts and numbers ------------------------------------------------------------------------

local function add_texts(texts, value)
  if type(value) == "number" then value = string.pack("d", value) end -- luacheck: ignore 143
  if type(value) == "string" then texts[value] = true end
  for key, field in pairs(type(value) == "table" and value or {}) do
    add_texts(texts, type(key) == "string" and key)
    add_texts(texts, field)
  end
end

local function sorted(set)
  local list = {}
  for text in pairs(set) do list[#list + 1] = text end
  table.sort(list)
  return list
end

-- --------------------------------------------------------------------------------------------

local function write_all(directory, inputs)
  for i, text in ipairs(inputs) do
    local file = assert(io.open(("%s/%d"):format(directory, i), "wb"))
    assert(file:write(text))
    file:close()
  end
end

local calls, texts = MORE, {}
for i = 3, #arg do
  for _, group in ipairs(json.decode(assert(io.open(arg[i])):read "a").groups) do
    add_calls(calls, group)
    add_texts(texts, { group.defaults or "", group.cases or "", group.routes or "", group.values or "" })
  end
end
for i = 1, #calls, 100 do calls[i] = calls[i] .. "\n!g" end
for i = 50, #calls, 100 do calls[i] = calls[i] .. "\n!z" .. i % 250 end
write_all(arg[1], calls)
write_all(arg[2], sorted(texts))
