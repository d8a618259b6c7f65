-- SPDX-License-Identifier: MIT
-- Files of this library that are loaded when something of them is first used.
--
-- A worker of nginx goes on while a new version is installed, and must not read a file of that. So
-- there all are loaded at once.
local lazy = {}

-- A table of what such files return. prefix: how the names of all their modules begin. places: the
-- rest of each name, by the key that it has in the table.
function lazy.files(prefix, places)
  local files = setmetatable({}, {
    __index = function(loaded, key)
      loaded[key] = require(prefix .. places[key])
      return loaded[key]
    end,
  })
  if rawget(_G, "ngx") then
    for key in pairs(places) do
      assert(files[key])
    end
  end
  return files
end

return lazy
