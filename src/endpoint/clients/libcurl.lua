-- SPDX-License-Identifier: MIT
-- The request for libcurl: for a handle or an option table of its bindings, and for the
-- curl program, on its input or as a command of a POSIX shell.
local libcurl = {}

local errors = require "endpoint.clients.errors"
local stream = require "endpoint.clients.stream"
local text = require "endpoint.text"
local fail, find = errors.fail, string.find

-- libcurl adds `expect: 100-continue` to an upload and to a longer body, and waits for the
-- server's answer. The limit differs between its versions; this is the least.
local EXPECTS_ABOVE = 1024

local function adds_expect(m, uploads)
  return m.body
    and not m.headers.expect
    and (uploads or type(m.body) == "function" or #m.body > EXPECTS_ABOVE)
end

-- The list of header lines for libcurl. "name;" sends an empty field. "name:" keeps libcurl
-- from adding a field of its own, such as a form's content type to an unlabelled body.
-- uploads: whether the body is sent as an upload even if it is a string.
local function header_lines(m, uploads)
  local lines = {}
  for i, field in ipairs(m.fields) do
    local name, value = field[1], field[2]
    lines[i] = find(value, "[^ \t]") and name .. ": " .. value or name .. ";"
  end
  if m.body and not m.headers["content-type"] then
    lines[#lines + 1] = "content-type:"
  end
  if adds_expect(m, uploads) then
    lines[#lines + 1] = "expect:"
  end
  return lines
end

-- libcurl removes dot segments (RFC 3986, section 5.2.4), and so requests another resource.
-- Not all bindings know the option that forbids this.
function libcurl.refuse_dot_segments(m, client)
  if text.has_dot_segment(m.path) then
    fail("url: %s would take the segments . and .. out of the path", client)
  end
end

-- libcurl does not call a source whose length is 0, and would so miss pieces and an error.
-- Such a source is called here, and becomes an empty body if it gives nothing.
function libcurl.end_empty_stream(m)
  if m.length ~= 0 then
    return
  end
  stream.raising(m.body)()
  m.body, m.length = "", nil
end

-- --- a handle of a binding ------------------------------------------------------

-- The numbers of libcurl's options, which belong to its ABI (curl/curl.h). The bindings take
-- the numbers; their names for them differ.
local OPT_INFILESIZE, OPT_NOBODY, OPT_UPLOAD, OPT_HTTPGET = 14, 44, 46, 80
local OPT_URL, OPT_HTTPHEADER, OPT_CUSTOMREQUEST, OPT_READFUNCTION = 10002, 10023, 10036, 20012
local UNKNOWN_SIZE = -1

-- A read function that gives a text and then begins again: libcurl reads no more than the
-- length that it knows, and a second `perform` reads the text once more.
local function text_reader(body)
  local at = 1
  return function(size)
    local part = body:sub(at, at + size - 1)
    at = at + #part
    if at > #body then
      at = 1
    end
    return part
  end
end

-- The same read function for Debian's lua-curl, which expects the size before the part.
-- (Lua-cURL 3 expects the part, or nil.)
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

-- Lua-cURL 3 counts the bytes of post fields and keeps the string. Debian's lua-curl copies
-- them up to the first NUL and cannot remove them again, and libcurl prefers them to a read
-- function. An upload ignores post fields, so there the body is an upload.
local function set_body(easy, m)
  if type(m.body) == "function" then
    local read = stream.raising(m.body)
    set_upload(
      easy,
      m.length or UNKNOWN_SIZE,
      easy.setopt_postfields and read or with_size(stream.sized(read))
    )
  elseif easy.setopt_postfields then
    easy:setopt_postfields(m.body)
  else
    set_upload(easy, #m.body, with_size(text_reader(m.body)))
  end
end

local function set_path(easy, m)
  if easy.setopt_path_as_is then
    return easy:setopt_path_as_is(true)
  end
  libcurl.refuse_dot_segments(m, "this handle")
end

-- Sets the request on a handle, which may have had another before. OPT_HTTPGET resets what
-- that one left, so the options of the body come behind it.
function libcurl.set_handle(easy, m)
  set_path(easy, m)
  easy:setopt(OPT_HTTPGET, 1)
  easy:setopt(OPT_URL, m.url)
  easy:setopt(OPT_HTTPHEADER, header_lines(m, not easy.setopt_postfields))
  if m.method == "HEAD" then
    easy:setopt(OPT_NOBODY, 1)
  end
  if m.body then
    set_body(easy, m)
  end
  easy:setopt(OPT_CUSTOMREQUEST, m.method)
  return easy
end

-- The option table of Lua-cURL 3, which sets the options in any order.
function libcurl.settings(m)
  local settings = {
    url = m.url,
    customrequest = m.method,
    httpheader = header_lines(m),
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

-- The check for the option `easy`.
function libcurl.is_handle(what, easy)
  local kind = type(easy)
  local found, setopt = pcall(setopt_of, easy)
  if not (kind == "userdata" or kind == "table") or not found or type(setopt) ~= "function" then
    fail("%s: expected a handle of libcurl, got a %s", what, kind)
  end
end

-- --- the curl program -----------------------------------------------------------

-- curl 7.88 reads no line of so many bytes, its newline included, and stops.
local LINE_LIMIT = 102400

-- A line of a configuration file for curl: between quotes, \ precedes a quote or another \.
local function line(name, value)
  -- A search for one character is many times as fast as one for a class.
  if find(value, "\\") or find(value, '"') then
    value = value:gsub('[\\"]', "\\%0")
  end
  local written = name .. ' = "' .. value .. '"\n'
  if #written >= LINE_LIMIT then
    local what = name == "header" and ('header "%s"'):format(value:match "^(.-)[:;]") or name
    fail(
      "%s: expected less than %d bytes in the line for curl's configuration, got %d",
      what,
      LINE_LIMIT,
      #written
    )
  end
  return written
end

-- The bytes for curl's standard input: its configuration, line by line, and then the body.
-- The last line names the standard input as the body, so curl sends all that follows it.
function libcurl.input(m)
  local start, lines = line("url", m.url), header_lines(m)
  if m.method == "HEAD" then
    start = start .. "head\n"
  elseif m.method ~= "GET" then
    start = start .. line("request", m.method)
  end
  for i, header in ipairs(lines) do
    lines[i] = line("header", header)
  end
  if not m.body then
    return start .. table.concat(lines)
  end
  return start .. table.concat(lines) .. 'data-binary = "@-"\n' .. m.body
end

-- --- a command of a shell --------------------------------------------------------

-- May an interactive shell change the text? Its history works line by line and may not see
-- that a later line lies within quotes. There bash from 5.0 on takes a ^ at the start for a
-- change of the last command, and some shells take a ! for an earlier command.
local function is_history(value)
  local newline = value:find "\n"
  return newline and (value:find("!", newline, true) or value:find("\n^", newline, true)) ~= nil
end

-- Can the string be pasted into a terminal? All of it may be shown, but for newlines.
local function is_plain(value)
  local line = value:gsub("\n", " ")
  return text.shown(line) == line and not is_history(value)
end

-- A command that writes the text. A format for POSIX printf takes octal escapes of three
-- digits, and all but letters, digits and some harmless characters are written so.
local function printf(value)
  return "printf '"
    .. value:gsub("[^A-Za-z0-9 _.,:;/=]", function(byte)
      return ("\\%03o"):format(byte:byte())
    end)
    .. "'"
end

-- One word of the command line for text of any bytes but NUL.
local function word(value)
  if not is_plain(value) then
    return '"$(' .. printf(value) .. ')"'
  end
  return "'" .. value:gsub("'", "'\\''") .. "'"
end

-- Linux limits one argument of a program to 128 KiB, and printf is a program in some shells
-- (mksh). The limits are in bytes of text; printf's format takes up to four for each.
local LONGEST_WORD, LONGEST_PART = 65536, 16384

-- A command that writes a text of any length.
local function printfs(value)
  if #value <= LONGEST_PART then
    return printf(value)
  end
  local parts = {}
  for at = 1, #value, LONGEST_PART do
    parts[#parts + 1] = printf(value:sub(at, at + LONGEST_PART - 1))
  end
  return "{ " .. table.concat(parts, "; ") .. "; }"
end

-- What precedes the curl command, and curl's arguments for the body.
local function body_words(body)
  if #body <= LONGEST_WORD and is_plain(body) then
    return "", " --data-raw " .. word(body)
  end
  return printfs(body) .. " | ", " --data-binary @-"
end

-- The request as a command. Without its first options curl expands [ and { in a URL and resolves its dot segments.
function libcurl.command(m)
  local before, words = "", { "curl --globoff --path-as-is" }
  if m.method == "HEAD" then
    words[2] = " --head"
  elseif m.method ~= "GET" then
    words[2] = " --request " .. word(m.method)
  end
  for _, header in ipairs(header_lines(m)) do
    words[#words + 1] = " --header " .. word(header)
  end
  if m.body then
    before, words[#words + 1] = body_words(m.body)
  end
  return before .. table.concat(words) .. " " .. word(m.url)
end

return libcurl
