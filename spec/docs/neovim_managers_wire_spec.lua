-- Neovim's package managers, as docs/neovim.md shows them: after each has installed
-- endpoint, Neovim loads it. Nothing is fetched from outside: the repository is a copy of this
-- tree. LAZY_NVIM is the folder of lazy.nvim.
local examples = require "docs.examples"
local support = require "support"

local HERE = "spec/docs/neovim/"
local USED = "curl is told https://api.service.example/users/a%2Fb\nan answer\nfunction\n"

-- Runs a shell command; returns what it printed, without the last newline.
local function shell(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "*a"
  pipe:close()
  return (text:gsub("\n$", ""))
end

-- The version of the nvim that is here as a number, 10004 for 0.10.4.
local function neovim_version()
  local major, minor, patch =
    shell("nvim --version 2>/dev/null | head -n 1"):match "v(%d+)%.(%d+)%.(%d+)"
  return major and major * 1000000 + minor * 1000 + patch or 0
end

local version, lazy = neovim_version(), os.getenv "LAZY_NVIM"

local function why_not_lazy()
  if version < 8000 then
    return "lazy.nvim needs Neovim 0.8"
  end
  return not lazy and "LAZY_NVIM names no folder of lazy.nvim"
end

local function why_not_rocks()
  if version == 0 then
    return "there is no nvim"
  end
  return shell "command -v luarocks" == "" and "there is no luarocks"
end

-- `it`, or `pending` with the reason.
local function it_unless(reason, title, run)
  if reason then
    pending(title .. ": " .. reason)
  else
    it(title, run)
  end
end

describe("Neovim", function()
  local folder

  -- Runs nvim with this configuration, and returns what use.lua prints in it.
  local function run(settings, words)
    local command = "cd / && env -u LUA_PATH -u LUA_CPATH HOME=%s XDG_CONFIG_HOME=%s/config "
      .. "XDG_DATA_HOME=%s/data XDG_STATE_HOME=%s/state XDG_CACHE_HOME=%s/cache %s "
      .. "timeout 300 nvim --headless %s -c 'luafile %s/use.lua' -c qall 2>&1"
    local printed =
      shell(command:format(folder, folder, folder, folder, folder, settings, words, folder))
    return (printed:gsub("\r", ""))
  end

  -- Asserts that it printed what use.lua does, with the modules of this folder.
  local function check(printed, modules)
    assert.truthy(printed:find(USED .. "@" .. modules, 1, true), printed)
  end

  -- Runs a command in that folder.
  local function here(command)
    return shell("cd " .. folder .. " && " .. command)
  end

  setup(function()
    folder = shell "mktemp -d"
    shell("cp " .. HERE .. "*.lua " .. folder)
    here "mkdir copy"
    shell("tar -cf - --exclude=./.git --exclude=./build . | tar -xf - -C " .. folder .. "/copy")
  end)

  teardown(function()
    shell("rm -rf " .. folder)
  end)

  it_unless(why_not_lazy(), "loads endpoint after lazy.nvim has built it", function()
    here "cd copy && git init -q -b main && git add -A"
    here "cd copy && git -c user.name=x -c user.email=x@example.org commit -q -m x"
    here "mkdir -p config/nvim/lua/plugins && cp init_lazy.lua config/nvim/init.lua"
    local recipe = examples.recipe "lazy_nvim.lua"
    support.write(
      folder .. "/config/nvim/lua/plugins/endpoint.lua",
      (recipe:gsub("https://endpoint%.example/endpoint%.git", "file://" .. folder .. "/copy"))
    )
    local printed = run("LAZY_NVIM=" .. lazy, "'+Lazy! install'")
    check(printed, folder .. "/data/nvim/lazy/copy/lua/endpoint/clients.lua")
  end)

  it_unless(why_not_rocks(), "loads endpoint from the tree of rocks.nvim", function()
    here(
      "cd copy && luarocks --lua-version=5.1 --tree=../rocks make --deps-mode=none "
        .. "rockspec/endpoint-scm-1.rockspec >log 2>&1"
    )
    local printed = run("ROCKS=" .. folder .. "/rocks", "-u " .. folder .. "/init_rocks.lua")
    check(printed, folder .. "/rocks/share/lua/5.1/endpoint/clients.lua")
  end)
end)
