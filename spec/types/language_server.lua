-- Runs lua-language-server over a folder of Lua files.
local json = require "cjson"
local support = require "support"

local language_server = {}

local function shell(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "*a"
  pipe:close()
  return text
end
language_server.shell = shell

function language_server.is_installed()
  return shell "command -v lua-language-server" ~= ""
end

-- A new folder in build/ for one run: two of them do not meet. remove_root keeps it if something
-- was wrong, so that somebody can look.
function language_server.new_root(name)
  return shell("mktemp -d build/" .. name .. ".XXXXXX"):match "[^\n]+"
end

function language_server.remove_root(root, is_right)
  if is_right then
    shell("rm -r " .. root)
  else
    print("what it made: " .. root)
  end
end

-- Makes a folder with the settings of a workspace. has_endpoint: it knows the definitions of
-- `endpoint`.
function language_server.new_workspace(directory, has_endpoint)
  shell("mkdir -p " .. directory)
  local settings = { ["diagnostics.globals"] = { "ngx" } }
  if has_endpoint then
    settings["workspace.library"] = { shell "pwd":match "[^\n]*" .. "/src/addon/library" }
  end
  support.write(directory .. "/.luarc.json", json.encode(settings))
end

-- What it finds in a folder: a list of `file` (its name), `line`, `code` and `message`.
function language_server.found_in(directory)
  local report, list = directory .. ".report.json", {}
  support.write(report, "{}")
  shell(
    (
      "lua-language-server --check=%s --checklevel=Information --check_format=json "
      .. "--check_out_path=%s --logpath=%s.log"
    ):format(directory, report, directory)
  )
  for path, found in pairs(json.decode(support.read(report))) do
    for _, one in ipairs(found) do
      list[#list + 1] = {
        file = path:match "[^/]*$",
        line = one.range.start.line + 1,
        code = one.code,
        message = one.message,
      }
    end
  end
  return list
end

return language_server
