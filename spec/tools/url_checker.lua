-- What must hold of every URL, asked with nothing but the template, the baseUrl and the
-- URL: no value, no method. It shares no code with src/, and none with oracle.lua.
--
-- checker.violations(template, base, url) returns a list of texts, empty for a good URL.
local checker = {}

local UNRESERVED = "A-Za-z0-9%-._~"
local SPECIAL = { http = true, https = true, ws = true, wss = true, ftp = true }

local function encoded(text)
  return (text:gsub("%%%x%x", function(triplet) return "\1" .. triplet:sub(2) end)
    :gsub("[^\1" .. UNRESERVED .. ":/?#%[%]@!$&'()*+,;=]", function(byte) return ("%%%02X"):format(byte:byte()) end)
    :gsub("\1", "%%"))
end

-- Scheme (or nil), authority (or nil) and path of a URL.
local function parts_of(url)
  local scheme, authority, rest = url:match "^(%a[%w+.%-]*)://([^/?#]*)(.*)$"
  return scheme, authority, (rest or url):match "^[^?#]*"
end

-- The path as the last of many decoders splits it. The byte 16 is an encoded ? or #.
local function decoded_separators(path)
  local count
  repeat path, count = path:gsub("%%25", "%%") until count == 0
  -- Behind a "%" that was encoded, digits may be triplets.
  local function digit(before, hex)
    return before .. (string.char(tonumber(hex, 16)):match "^%x$" or "%" .. hex)
  end
  path = path:gsub("(%%)%%(%x%x)", digit):gsub("(%%%x)%%(%x%x)", digit)
  return (path:gsub("%%2[Ff]", "/"):gsub("%%5[Cc]", "/"):gsub("\\", "/"):gsub("%%2[Ee]", "."):gsub("%%3[Bb]", ";")
    :gsub("%%3[Ff]", "\16"):gsub("%%23", "\16"))
end

local function has_dot_segment(path)
  for segment in (decoded_separators(path) .. "/"):gmatch "([^/]*)/" do
    local counted = segment:match "^[^;\16]*"
    if counted == "." or counted == ".." then return true end
  end
  return false
end

-- How many segments of a path keep a byte that counts.
local function kept_segments(path)
  local kept = 0
  for segment in (decoded_separators(path) .. "/"):gmatch "([^/]*)/" do
    if segment:find "^[^;]" then kept = kept + 1 end
  end
  return kept
end

-- --- templates

-- Start, authority and the rest of an absolute template; nil, nil and all of another.
local function split_template(template)
  local start, rest = template:match "^(%a[%w+.%-]*://)(.*)$"
  if not start then return nil, nil, template end
  local at = rest:match "^{%+[^}]*}()"
  if not at then
    at = 1
    while rest:find("^[^/?#{]", at) or rest:find("^{[^+#./;?&]", at) do
      at = rest:match("^[^/?#{]+()", at) or rest:match("^{[^}]*}()", at)
    end
  end
  return start, rest:sub(1, at - 1), rest:sub(at)
end

-- Does an authority fit that of the template?
local function is_fitting(authority, template)
  if template:find "^{%+" then
    local host = authority:gsub(":%d+$", function(port) return #port <= 6 and "" or nil end)
    return host:find("^[" .. UNRESERVED .. "]+$") or host:find "^%[[%x:.]+%]$"
  end
  local pattern = template:gsub("{[^}]*}", "\14"):gsub("[^%w\14]", "%%%0")
  pattern = pattern:gsub("\14", function() return "[" .. UNRESERVED .. "]+" end)
  return authority:find("^" .. pattern .. "$")
end

-- How many segments must keep a byte, those counted alone that literal separators part. The
-- byte 14 stands for an expression that must write.
local function must_keep(path, base, is_absolute)
  local is_exempt = path:find "^{%+" or not is_absolute and base == "" and (path:find "^{[^+#./;?&]" or path:find "^:[%a_]")
  path = path:gsub("{[?&#].*$", ""):gsub("{[./;][^}]*}", "}"):gsub("{[^}]*}", "\14"):gsub("[?#].*$", "")
  path = (" " .. path):gsub("([^%w_}\14\128-\255]):[%a_][%w_]*", "%1\14")
  path = decoded_separators((encoded(path):gsub("%%0E", "\14")))
  local count, is_first = 0, true
  for segment in (path .. "/"):gmatch "([^/]*)/" do
    if segment:find "\14" and not (is_first and is_exempt) then count = count + 1 end
    is_first = false
  end
  return count
end

-- --- the rules

local function check_characters(url, violated)
  if url:find "[^\33-\126]" then violated "bytes 0x21 to 0x7E alone" end
  if url:gsub("%%%x%x", ""):find("%", 1, true) then violated "each % begins a triplet" end
end

local function check_host(url, violated)
  local scheme, authority = parts_of(url)
  if scheme and SPECIAL[scheme:lower()] then
    local host = authority:gsub("^.*@", "")
    if host == "" or host:sub(1, 1) == ":" then violated "the host is not empty" end
    if url:find "^[^/?#]*//[^/?#]*[?#]" then violated "/ before ? and #" end
  elseif not scheme and SPECIAL[(url:match "^(%a[%w+.%-]*):" or ""):lower()] then
    violated "a special scheme has //"
  end
end

local function check_authority(template, url, violated)
  local start, wanted = split_template(template)
  if not start then return false end
  local _, authority = parts_of(url)
  if url:sub(1, #start) ~= start then violated "the template's own scheme" end
  if not is_fitting(authority or "", wanted) then violated "the template's own authority" end
  return true
end

local function check_base(base, template, url, violated)
  local prefix, query = base:match "^([^?]*)%??(.*)$"
  if base == "" then
    if template:find "^{%+" then return end
    local scheme = url:match "^%a[%w+.%-]*://" or url:match "^%a[%w+.%-]*:"
    if scheme and template:sub(1, #scheme) ~= scheme then violated "the template's own scheme" end
  else
    local path = encoded(prefix):gsub("/$", "")
    local is_followed = #url == #path or url:find("^[/?#]", #path + 1)
    if url:sub(1, #path) ~= path or not is_followed then violated "begins with baseUrl" end
    local sent = url:match "^[^?#]*%?([^#]*)" or ""
    if sent:sub(1, #encoded(query)) ~= encoded(query) then violated "baseUrl's query stands first" end
  end
  if url:find "^//" then violated "no // at the start" end
end

local function check_path(template, base, url, is_absolute, violated)
  local _, _, path = parts_of(url)
  local _, _, wanted = split_template(template)
  if has_dot_segment(path) then violated "no dot segment" end
  local _, _, base_path = parts_of(is_absolute and "" or encoded(base))
  if kept_segments(path) - kept_segments(base_path) < must_keep(wanted, base, is_absolute) then
    violated "each segment with an expression keeps a byte that counts"
  end
end

function checker.violations(template, base, url)
  local list = {}
  local function violated(rule) list[#list + 1] = rule end
  check_characters(url, violated)
  check_host(url, violated)
  local is_absolute = check_authority(template, url, violated)
  if not is_absolute then check_base(base or "", template, url, violated) end
  check_path(template, base or "", url, is_absolute, violated)
  return list
end

-- For other tools: scheme, userinfo, host, port and path, as the contract reads a URL.
function checker.read(url)
  local scheme, authority, path = parts_of(url)
  local userinfo, rest = (authority or ""):match "^(.*)@(.*)$"
  rest = rest or authority or ""
  local host = rest:match "^%[.*%]" or rest:match "^[^:]*"
  return scheme, userinfo, host, rest:sub(#host + 2), path
end

checker.has_dot_segment = has_dot_segment

return checker
