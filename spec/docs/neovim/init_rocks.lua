-- The lines of rocks.nvim's configuration that say where modules are. ROCKS is its tree.
local share, lib = os.getenv "ROCKS" .. "/share/lua/5.1/", os.getenv "ROCKS" .. "/lib/lua/5.1/"
package.path = package.path .. ";" .. share .. "?.lua;" .. share .. "?/init.lua"
package.cpath = package.cpath .. ";" .. lib .. "?.so"
