-- busted's command line under the interpreter that runs this file. The program `busted` is
-- a Lua script as Debian packages it, and a shell script that names an interpreter of its
-- own as LuaRocks installs it.
require "busted.runner" { standalone = false }
