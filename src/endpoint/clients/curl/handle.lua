-- SPDX-License-Identifier: MIT
-- A message for a handle of libcurl's bindings, or for their table of options.
local handle = {}

local fail = require "endpoint.clients.misuse".fail
local fields = require "endpoint.clients.curl.fields"
local path = require "endpoint.clients.curl.path"
local protected = require "endpoint.protected"
local stream = require "endpoint.clients.body.stream"

-- The message as libcurl can send it. libcurl does not call a source whose length is 0, and would
-- so miss pieces and an error. Such a source is called here; without pieces its body is empty.
function handle.without_empty_stream(m)
  if m.length ~= 0 then
    return m
  end
  stream.raising(m.body)()
  local same = {}
  for name, value in next, m do
    same[name] = value
  end
  same.body, same.length = "", nil
  return same
end

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
  path.refuse_dot_segments(m, "this handle")
end

-- Sets the request on a handle, which may have had another before. OPT_HTTPGET resets what
-- that one left, so the options of the body come after it.
function handle.set(easy, m)
  set_path(easy, m)
  easy:setopt(OPT_HTTPGET, 1)
  easy:setopt(OPT_URL, m.url)
  easy:setopt(OPT_HTTPHEADER, fields.lines(m, not easy.setopt_postfields))
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
function handle.settings(m)
  local settings = {
    url = m.url,
    customrequest = m.method,
    httpheader = fields.lines(m),
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
function handle.check(what, easy)
  local kind = type(easy)
  local found, setopt = protected.call(setopt_of, easy)
  if not (kind == "userdata" or kind == "table") or not found or type(setopt) ~= "function" then
    fail("%s: expected a handle of libcurl, got a %s", what, kind)
  end
end

return handle
