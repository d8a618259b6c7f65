-- SPDX-License-Identifier: MIT
-- Downloads a file with a progress bar. Run again, it goes on where it stopped, if the file is
-- still the same.
-- Needs LuaSocket, LuaSec and lua-cjson.
-- Usage: lua download.lua https://HOST/FILE FILE
local clients, endpoint, request =
  require "endpoint.clients", require "endpoint", require "endpoint.request"

local url, path = arg[1], assert(arg[2], "expected URL FILE")

local function progress(size, wanted)
  local share = wanted and wanted > 0 and size / wanted or 0
  local bar = ("#"):rep(math.floor(40 * share))
  io.stderr:write(("\r[%-40s] %.0f of %s bytes"):format(bar, size, wanted or "?"))
end

local send = request.new(endpoint, { cafile = os.getenv "CA" })
local options = { headers = { accept = "*/*" } }
local size = send.download(clients.literal(url), options, path, { progress = progress })
print(("\n%s\t%.0f"):format(path, size))
