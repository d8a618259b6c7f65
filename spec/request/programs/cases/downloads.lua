-- A download that goes on where it was cut off.
local case, sending = ...
local support = require "support"
local equal, read = support.equal, support.read_if_there

case("a download that is cut off goes on, and leaves nothing but the file", function()
  local path = os.tmpname()
  local shown
  local size = sending.send.download("GET /file?id=" .. path:match "%w+$", nil, path, {
    progress = function(...)
      shown = table.concat({ ... }, " of ")
    end,
  })
  local text = read(path)
  os.remove(path)
  equal(100000, size)
  equal(("0123456789"):rep(10000), text)
  equal("100000 of 100000", (shown:gsub("%.0", "")))
  equal(nil, read(path .. ".part"))
  equal(nil, read(path .. ".etag"))
end)
