-- SPDX-License-Identifier: MIT
-- Downloads a file with a progress bar. Run again, it goes on where it stopped, if the file is still the same.
-- Needs LuaSocket, LuaSec and lua-cjson.
-- Usage: lua download.lua https://HOST/FILE FILE
local clients, endpoint, request =
  require "endpoint.clients", require "endpoint", require "endpoint.request"

local url, path = arg[1], assert(arg[2], "expected URL FILE")
local part, tag_file = path .. ".part", path .. ".etag" -- what came so far, and of which version it is

local function contents(name)
  local file = io.open(name, "rb")
  local text = file and file:read "*a" or ""
  if file then
    file:close()
  end
  return text
end

local function save(name, text)
  local file = assert(io.open(name, "wb"))
  assert(file:write(text))
  file:close()
end

local function show(size, wanted)
  local share = wanted and wanted > 0 and size / wanted or 0
  io.stderr:write(
    ("\r[%-40s] %.0f of %s bytes"):format(("#"):rep(math.floor(40 * share)), size, wanted or "?")
  )
end

local tag, file, wanted = contents(tag_file), nil, nil
local size = tag ~= "" and #contents(part) or 0

-- 206 is the rest of the same file; 200 is all of it, because it has changed, or has no tag.
local function begin(response)
  local first, total = (response.headers["content-range"] or ""):match "^bytes (%d+)%-%d+/(%d+)"
  if response.status == 206 and tonumber(first) ~= size then
    return nil, "the server sends another part"
  end
  if response.status ~= 206 then
    size = 0
  end
  tag = response.headers.etag or ""
  save(tag_file, tag:find '^"' and tag or "") -- a weak tag says nothing of bytes (RFC 9110, section 13.1.5)
  wanted = tonumber(total or response.headers["content-length"])
  file = assert(io.open(part, size > 0 and "ab" or "wb"))
  return true
end

local function sink(piece, response)
  if not piece then
    return file and file:close()
  end
  if not file then
    local ok, problem = begin(response)
    if not ok then
      return nil, problem
    end
  end
  assert(assert(file):write(piece))
  size = size + #piece
  show(size, wanted)
  return true
end

local send = request.new(
  endpoint,
  { cafile = os.getenv "CA", timeout = math.huge, idle_timeout = 30, sink = sink }
)
local headers = { accept = "*/*", ["accept-encoding"] = "identity" } -- a part of packed bytes could not go on
if size > 0 then
  headers.range, headers["if-range"] = ("bytes=%.0f-"):format(size), tag
end
local _, response = send.ask("GET " .. clients.literal(url), { headers = headers })

local is_whole = response.status == 416
  and response.headers["content-range"] == ("bytes */%.0f"):format(size)
if response.status >= 300 and not is_whole then
  error(("the server answers %d"):format(response.status), 0)
end
if not file and not is_whole then
  save(part, "")
end -- the file is empty
assert(os.rename(part, path))
os.remove(tag_file)
print(("\n%s\t%.0f"):format(path, size))
