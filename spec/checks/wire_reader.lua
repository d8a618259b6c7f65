-- What a server reads in a request: decoders of URLs, forms, multipart bodies and JSON, which share
-- no code with what writes them.
local wire = {}

local json = require "cjson"

local NULL = json.null

function wire.unescaped(text, is_form)
  text = is_form and text:gsub("%+", " ") or text
  return (text:gsub("%%(%x%x)", function(hex)
    return string.char(tonumber(hex, 16))
  end))
end

-- The parts of a text between a separator.
function wire.split(text, separator)
  local parts, from = {}, 1
  while true do
    local first, last = text:find(separator, from, true)
    parts[#parts + 1] = text:sub(from, first and first - 1)
    if not first then
      return parts
    end
    from = last + 1
  end
end

-- The pairs of a query or a form: by name a list of values, and `raw` the same before decoding.
function wire.pairs(text, is_form)
  local values = { raw = {} }
  for _, pair in ipairs(text == "" and {} or wire.split(text, "&")) do
    local name, value = pair:match "^([^=]*)=?(.*)$"
    name = wire.unescaped(name, is_form)
    values[name], values.raw[name] = values[name] or {}, values.raw[name] or {}
    table.insert(values[name], wire.unescaped(value, is_form))
    table.insert(values.raw[name], value)
  end
  return values
end

-- The parts of a multipart body: by name a list of texts, and `types`, the media type of each.
function wire.parts(body, content_type)
  local boundary = content_type:match "boundary=(.*)$"
  local values = { types = {} }
  local pieces = wire.split("\r\n" .. body, "\r\n--" .. boundary)
  assert(pieces[1] == "" and pieces[#pieces] == "--\r\n", body)
  for position = 2, #pieces - 1 do
    local head, value = pieces[position]:match "^(.-)\r\n\r\n(.*)$"
    local name = head:match ' name="([^"]*)"'
    name = name:gsub("%%22", '"'):gsub("%%0D", "\r"):gsub("%%0A", "\n")
    values[name], values.types[name] = values[name] or {}, values.types[name] or {}
    table.insert(values[name], value)
    values.types[name][#values[name]] = head:match "Content%-Type: ([^\r]*)"
  end
  return values
end

-- Is a value of a model what a text means?
function wire.is_text_of(value, text)
  if type(value) == "number" then
    return tonumber(text) == value
  elseif type(value) == "boolean" then
    return text == tostring(value)
  end
  return value == text
end

-- Are two decoded values the same? An empty list and an empty object are the same table of Lua.
function wire.same(one, other)
  if type(one) ~= "table" or type(other) ~= "table" then
    return one == other
  end
  for key, value in pairs(one) do
    if not wire.same(value, other[key]) then
      return false
    end
  end
  for key in pairs(other) do
    if one[key] == nil then
      return false
    end
  end
  return true
end

function wire.is_json_of(value, text)
  local ok, decoded = pcall(json.decode, "[" .. text .. "]")
  return ok and wire.same({ value }, decoded)
end

-- Do these texts mean the elements of a list, in their order?
function wire.is_list_of(list, texts)
  if type(list) ~= "table" or #list ~= #texts then
    return false
  end
  for position, value in ipairs(list) do
    if not wire.is_text_of(value, texts[position]) then
      return false
    end
  end
  return true
end

-- Do these texts mean names and values of a map, one after the other?
function wire.is_map_of(map, texts)
  local count = 0
  for position = 1, #texts, 2 do
    if not wire.is_text_of(map[texts[position]], texts[position + 1]) then
      return false
    end
    count = count + 1
  end
  for _ in pairs(map) do
    count = count - 1
  end
  return count == 0
end

-- Takes the pairs below a name out of `values`: name[key], name[] and name[0], as one value of
-- texts.
function wire.deep(values, name)
  local found = {}
  for pair, list in pairs(values) do
    if pair ~= "raw" and pair:sub(1, #name + 1) == name .. "[" then
      local at, keys = found, {}
      for key in pair:sub(#name + 1):gmatch "%[([^%]]*)%]" do
        keys[#keys + 1] = key
      end
      local is_list = keys[#keys] == ""
      for position = 1, #keys - (is_list and 2 or 1) do
        at[keys[position]] = at[keys[position]] or {}
        at = at[keys[position]]
      end
      if is_list and #keys == 1 then
        found = list
      else
        at[keys[is_list and #keys - 1 or #keys]] = is_list and list or list[1]
      end
    end
  end
  return found
end

-- Is a value of texts what a value of a model means? The elements of a list are "0", "1" and
-- so on, or a list.
function wire.is_deep_of(value, texts)
  if type(value) ~= "table" or type(texts) ~= "table" then
    return wire.is_text_of(value, texts)
  end
  for key, one in pairs(value) do
    local name = type(key) == "number" and texts[key] == nil and tostring(key - 1) or key
    if one == NULL or not wire.is_deep_of(one, texts[name]) then
      return false
    end
  end
  return true
end

return wire
