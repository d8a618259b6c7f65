-- The request as libcurl is told of it, by a binding or by the curl program.
local libcurl = {}

local errors = require "endpoint.clients.errors"
local stream = require "endpoint.clients.stream"
local text = require "endpoint.clients.text"
local fail = errors.fail

-- libcurl waits for a server's leave to send a body of more bytes, the number
-- being another in each version; nobody asked for that.
local WAITS_FROM = 1024

local function waits(m, uploads)
  return m.body and not m.headers.expect and (uploads or type(m.body) == "function" or #m.body > WAITS_FROM)
end

-- The list that libcurl wants. "name;" sends an empty field, "name:" keeps
-- libcurl from adding its own: a form's content type, where the body has none.
function libcurl.header_lines(m, uploads)
  local lines = {}
  for i, field in ipairs(m.fields) do
    local name, value = field[1], field[2]
    lines[i] = name .. (value:find("^[ \t]*$") and ";" or ": " .. value)
  end
  if m.body and not m.headers["content-type"] then lines[#lines + 1] = "content-type:" end
  if waits(m, uploads) then lines[#lines + 1] = "expect:" end
  return lines
end

-- libcurl takes dot segments away (RFC 3986, section 5.2.4), which makes another
-- request of it, unless an option forbids it that not all bindings know.
function libcurl.refuse_dot_segments(m, client)
  if text.has_dot_segment(m.path) then
    fail("url: %s would take the path's segments . and .. away", client)
  end
end

-- libcurl asks no source whose length is 0, and what it gives would be lost. So it is
-- asked here, and is an empty body if it gives nothing.
function libcurl.end_empty_stream(m)
  if m.length ~= 0 then return end
  stream.raising(m.body)()
  m.body, m.length = "", nil
end

-- --- a handle of a binding ------------------------------------------------------

-- libcurl's numbers, which are part of its ABI (curl/curl.h): the bindings
-- give them different names, and take the numbers.
local OPT_INFILESIZE, OPT_NOBODY, OPT_UPLOAD, OPT_HTTPGET = 14, 44, 46, 80
local OPT_URL, OPT_HTTPHEADER, OPT_CUSTOMREQUEST, OPT_READFUNCTION = 10002, 10023, 10036, 20012
local UNKNOWN_SIZE = -1

-- Reads a text, again and again: libcurl reads no more than the length that it
-- knows; then the next request begins.
local function text_reader(body)
  local at = 1
  return function(size)
    local part = body:sub(at, at + size - 1)
    at = at + #part
    if at > #body then at = 1 end
    return part
  end
end

-- Debian's binding wants the size and the part of a read function, and raises
-- what that raises; Lua-cURL 3 the part, or nil.
local function with_size(read)
  return function(size)
    local part = read(size)
    return #part, part
  end
end

local function set_upload(easy, size, read)
  easy:setopt(OPT_UPLOAD, 1)
  easy:setopt(OPT_INFILESIZE, size)
  easy:setopt(OPT_READFUNCTION, read)
end

-- Lua-cURL 3 counts the bytes and keeps the string. Debian's lua-curl copies
-- post fields up to the first NUL, cannot take them away again, and libcurl
-- prefers them, of whatever size it was told, to a function. So there the body is
-- an upload, which looks at no post fields.
local function set_body(easy, m)
  if type(m.body) == "function" then
    local read = stream.raising(m.body)
    set_upload(easy, m.length or UNKNOWN_SIZE, easy.setopt_postfields and read or with_size(stream.sized(read)))
  elseif easy.setopt_postfields then
    easy:setopt_postfields(m.body)
  else
    set_upload(easy, #m.body, with_size(text_reader(m.body)))
  end
end

local function set_path(easy, m)
  if easy.setopt_path_as_is then return easy:setopt_path_as_is(true) end
  libcurl.refuse_dot_segments(m, "this handle")
end

-- Sets the request on a handle, which may have had another before.
function libcurl.set_handle(easy, m)
  set_path(easy, m)
  easy:setopt(OPT_HTTPGET, 1)
  easy:setopt(OPT_URL, m.url)
  easy:setopt(OPT_HTTPHEADER, libcurl.header_lines(m, not easy.setopt_postfields))
  if m.method == "HEAD" then easy:setopt(OPT_NOBODY, 1) end
  if m.body then set_body(easy, m) end
  easy:setopt(OPT_CUSTOMREQUEST, m.method)
  return easy
end

-- The options of Lua-cURL 3, which sets them in any order.
function libcurl.settings(m)
  local settings = {
    url = m.url,
    customrequest = m.method,
    httpheader = libcurl.header_lines(m),
    nobody = m.method == "HEAD" or nil,
    path_as_is = true,
  }
  if type(m.body) == "function" then
    settings.upload, settings.infilesize = true, m.length
    settings.readfunction = stream.raising(m.body)
  else
    settings.postfields = m.body
  end
  return settings
end

local function setopt_of(easy)
  return easy.setopt
end

-- The check of an option.
function libcurl.is_handle(what, easy)
  local kind = type(easy)
  local found, setopt = pcall(setopt_of, easy)
  if not (kind == "userdata" or kind == "table") or not found or type(setopt) ~= "function" then
    fail("%s: expected a handle of libcurl's, got a %s", what, kind)
  end
end

-- --- the curl program -----------------------------------------------------------

-- In quotes of a configuration file, \ stands before what it hides.
local function line(name, value)
  return name .. ' = "' .. value:gsub('[\\"]', "\\%0") .. '"\n'
end

-- What curl reads from its standard input: its configuration line by line, and behind
-- the line that names the standard input as the body, the body.
function libcurl.input(m)
  local lines = { line("url", m.url) }
  if m.method == "HEAD" then
    lines[2] = "head\n"
  elseif m.method ~= "GET" then
    lines[2] = line("request", m.method)
  end
  for _, header in ipairs(libcurl.header_lines(m)) do lines[#lines + 1] = line("header", header) end
  if m.body then lines[#lines + 1] = line("data-binary", "@-") .. m.body end
  return table.concat(lines)
end

return libcurl
