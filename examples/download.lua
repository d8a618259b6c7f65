-- SPDX-License-Identifier: MIT
-- Downloads a file with a progress bar. Run again, it goes on where it stopped, if the file is
-- still the same.
-- Needs LuaSocket, LuaSec and lua-cjson.
-- Usage: lua download.lua https://HOST/FILE FILE
local clients, endpoint, request =
  require "endpoint.clients", require "endpoint", require "endpoint.request"

local url, path = arg[1], assert(arg[2], "expected URL FILE")
-- What came so far, and its version.
local part, tag_file = path .. ".part", path .. ".etag"

-- What `read` returns of a file; `missing` if it cannot be opened.
local function read(name, read_from, missing)
  local file = io.open(name, "rb")
  local value = file and read_from(file)
  if file then
    file:close()
  end
  return value or missing
end

local function text_of(file)
  return file:read "*a"
end

local function size_of(file)
  return file:seek "end"
end

-- What a file was told to write may reach the disk when it is closed, and be refused then.
local function save(name, text)
  local file = assert(io.open(name, "wb"))
  assert(file:write(text))
  assert(file:close())
end

local function show(size, wanted)
  local share = wanted and wanted > 0 and size / wanted or 0
  io.stderr:write(
    ("\r[%-40s] %.0f of %s bytes"):format(("#"):rep(math.floor(40 * share)), size, wanted or "?")
  )
end

local tag, file, wanted = read(tag_file, text_of, ""), nil, nil
local size = tag ~= "" and read(part, size_of, 0) or 0

-- 206 is a part of the same file; 200 is all of it, because it has changed, or has no tag. Returns
-- where the part begins, and how long the file is.
local function place_of(response)
  if response.status ~= 206 then
    return 0, tonumber(response.headers["content-length"])
  end
  local first, total = (response.headers["content-range"] or ""):match "^bytes (%d+)%-%d+/(%d+)$"
  return tonumber(first), tonumber(total)
end

local function begin(response)
  local first, total = place_of(response)
  if response.status == 206 and (first ~= size or total ~= (wanted or total) or not total) then
    return nil, "the server sends another part"
  end
  size, wanted = first, total
  if response.status ~= 206 then -- a weak tag says nothing of bytes (RFC 9110, section 13.1.5)
    tag = (response.headers.etag or ""):match '^".*' or ""
  end
  save(tag_file, tag)
  file = assert(io.open(part, size > 0 and "ab" or "wb"))
  return true
end

-- The call ends with what the system says of a full disk; no other try could help.
local disk_problem

local function checked(ok, problem)
  if not ok then
    disk_problem = problem
    return nil, problem
  end
  return true
end

local function sink(piece, response)
  if not piece then
    return not file or checked(file:close())
  end
  if not file then
    local ok, problem = begin(response)
    if not ok then
      return nil, problem
    end
  end
  if wanted and size + #piece > wanted then
    return nil, "the server sends more than it said"
  end
  local ok, problem = checked(assert(file):write(piece))
  size = size + #piece
  show(size, wanted)
  return ok, problem
end

local send = request.new(
  endpoint,
  { cafile = os.getenv "CA", timeout = math.huge, idle_timeout = 30, sink = sink }
)

-- Asks for what is missing. Returns whether the file is whole now.
local function ask()
  -- Packed bytes could not go on.
  local headers = { accept = "*/*", ["accept-encoding"] = "identity" }
  if size > 0 then
    headers.range, headers["if-range"] = ("bytes=%.0f-"):format(size), tag
  end
  file = nil
  local _, response = send.ask("GET " .. clients.literal(url), { headers = headers })
  local status, place = response.status, response.headers["content-range"]
  if status == 416 and place == ("bytes */%.0f"):format(size) then
    return size == (wanted or size)
  elseif status >= 300 then
    error(("the server answers %d"):format(status), 0)
  elseif not file and status ~= 206 then
    size = 0
    save(part, "")
  end
  return status ~= 206 or size == wanted
end

-- A server may send less than was asked for (RFC 9110, section 15.3.7), and an answer may be cut
-- off, so ask until all is there or nothing more comes.
repeat
  local before = size
  local ok, is_whole = pcall(ask)
  local can_go_on = tag ~= "" and size > before
  if disk_problem then
    error(part .. ": " .. disk_problem, 0)
  elseif not ok and not can_go_on then
    error(tostring(is_whole), 0)
  end
  is_whole = ok and is_whole
  if not is_whole and not can_go_on then
    error(("the server sends %.0f of %s bytes, and not the rest"):format(size, wanted or "?"), 0)
  end
until is_whole
assert(os.rename(part, path))
os.remove(tag_file)
print(("\n%s\t%.0f"):format(path, size))
