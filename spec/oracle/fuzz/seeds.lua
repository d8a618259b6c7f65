-- What the fuzzers start from: the calls of the vectors as inputs of call.c, and their texts and
-- numbers as inputs of scanners.c. It writes each into a file of its own.
--
-- Usage: lua5.4 spec/oracle/fuzz/seeds.lua CALLS SCANNERS FILE...   two directories, and spec/vectors/*.json
local json = require "cjson"

-- What JSON cannot say, or no vector needs to; call.lua says what the fields mean.
local MORE = {
  [[{"route":"POST /{x}{?y}","many":40,"options":{"x":"\u0001F"}}]],
  [[{"route":"POST /{x}{?y}","many":200,"stress":true,"options":{"x":"\u0001999:%25"}}]],
  [[{"route":"GET /{x}{?y}","options":{"x":[1,"\u0001nan"],"y":{"#2":1},"#1":1}}]],
  [[{"route":"GET /{k3}/{x}","many":60,"cycles":10,"options":{"x":"\u00013000:a b",
    "y":["\u000199:abcdefgh","\u0001999:qrstuvwx"]}}]],
  [[{"route":"GET /{+x:9999}{?l*}#f-{y}","stress":true,"options":{"x":"\u0001500:%41/",
    "l":["\u0001600:a","\u0001600:b&"],"y":"\u000190:é\u0000"}}]],
  [[{"route":"GET /{a}{+b}{.c}{/d*}{;e}{?f,g*}{&h:2}{#i}","options":{"a":"A b","b":"/%41%","c":{"k":"1"},"d":["x","y"],
    "e":"","f":"","g":{"k":"1","l":""},"i":"#!"}}]],
  '{"route":"GET /%zz/\255{x}","options":{"baseUrl":"\\u00013000:/é%2 \\"","x":"\195"}}',
  [[{"route":"PUT /{a}","cycles":4,"options":{"a":"\u000180:ab","headers":{"X-L":"\u000180:v","accept":"\u001bream",
    "l":["a","b"],"b":true},"mediaType":{"previews":["\u000120:abc"],"format":"\u000120:xyz"},"body":["\u000150:x"]}}]],
  [[{"route":"GET /{x}","defaults":{"baseUrl":"https://h/v2","headers":{"l":["a"]},"per":["1"],"data":{"a":[1]},
    "mediaType":{"previews":["q"]},"request":{"t":"\u0001F"}}}]],
  [[{"route":"GET /","options":{"a":0.30000000000000004,"b":1e300,"c":5e-324,"d":-9223372036854775808,"e":-0.0}}]],
}

-- --- calls ----------------------------------------------------------------------------------

-- A call as an input. Of several defaults the last one wins.
local function call_text(group, route, options)
  if type(options) == "string" then options = { headers = { [group.result] = options } } end
  if type(route) == "table" then route, options = nil, route end
  local defaults, given = {}, group.defaults or {}
  for _, each in ipairs(given[1] and given or { given }) do
    for name, value in pairs(each) do defaults[name] = value end
  end
  return json.encode { route = route, options = options, defaults = next(defaults) and defaults }
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
  local vectors = json.decode(assert(io.open(arg[i])):read "a")
  for _, group in ipairs(vectors.groups) do
    group.defaults = group.defaults or vectors.defaults
    add_calls(calls, group)
    add_texts(texts, { group.defaults or "", group.cases or "", group.routes or "", group.values or "" })
  end
end
for i = 1, #calls, 100 do calls[i] = calls[i]:gsub("^{", '{"stress":true,') end
for i = 50, #calls, 100 do calls[i] = calls[i]:gsub("^{", ('{"cycles":%d,'):format(i % 250)) end
write_all(arg[1], calls)
write_all(arg[2], sorted(texts))
