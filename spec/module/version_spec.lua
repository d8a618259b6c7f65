-- The version stands in src/endpoint.h; all that repeats it must agree. And the rockspecs.
local endpoint = require "endpoint"
local support = require "support"

local version = support.read("src/endpoint.h"):match('ENDPOINT_VERSION "([%d.]+)"')

describe("the version of src/endpoint.h", function()
  it("is that of the module, of its user-agent, and the newest in the changelog", function()
    assert.same({ version, "service-endpoint.js/" .. version, version }, { endpoint._VERSION,
      endpoint.DEFAULTS.headers["user-agent"], support.read("CHANGELOG.md"):match "\n## %[([%d.]+)%]" })
  end)

  it("is that of endpoint.clients, which endpoint.request loads, and which loads beside no other", function()
    local loaded = package.loaded.endpoint
    local load_module = assert(loadfile "src/endpoint/clients.lua")
    assert.equal("table", type(load_module()))
    package.loaded.endpoint = setmetatable({ _VERSION = "0.9.0" }, { __index = loaded })
    local ok, message = pcall(load_module)
    package.loaded.endpoint = loaded
    assert.is_false(ok)
    for _, words in ipairs { "endpoint.clients: ", "version " .. version, "version 0.9.0", "restart" } do
      assert.truthy(message:find(words, 1, true), message)
    end
  end)
end)

-- The global variables that the rockspec sets.
local function rockspec()
  local env, path = {}, "rockspec/endpoint-scm-1.rockspec"
  local chunk = setfenv and setfenv(assert(loadfile(path)), env) or assert(loadfile(path, "t", env))
  chunk()
  return env
end

describe("the rockspec", function()
  local rock = rockspec()

  -- A file that is not named is missing in the rock alone.
  it("builds every C source", function()
    local sources = rock.build.modules.endpoint.sources
    table.sort(sources)
    assert.same(support.files("src/*.c", "src/core/*.c"), sources)
  end)

  it("installs every Lua module", function()
    local listed = {}
    for name, path in pairs(rock.build.modules) do
      if name ~= "endpoint" then
        assert.equal("src/" .. name:gsub("%.", "/") .. ".lua", path)
        listed[#listed + 1] = path
      end
    end
    table.sort(listed)
    assert.same(support.files("src/endpoint/*.lua", "src/endpoint/checks/*.lua", "src/endpoint/clients/*.lua",
      "src/endpoint/request/*.lua", "src/endpoint/types/*.lua"), listed)
  end)

  it("installs every program, carries the license and the README, and names its homepage's repository", function()
    local programs = support.files "src/bin/*"
    assert.equal("src/bin/endpoint-types.1", table.remove(programs)) -- the manual's page has no place in a rock
    assert.same(programs, rock.build.install.bin)
    assert.same({ "LICENSE", "README.md" }, rock.build.install.conf)
    assert.equal("git+" .. rock.description.homepage .. ".git", rock.source.url)
  end)

  it("has the address that the guide to embedding fetches", function()
    local fetched = "GIT_REPOSITORY " .. rock.source.url:gsub("^git%+", "") .. " GIT_TAG "
    assert.truthy(support.read("docs/embedding.md"):find(fetched, 1, true), fetched)
  end)
end)
