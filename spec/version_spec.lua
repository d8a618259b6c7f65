-- The version stands in one place, src/version.h; whatever repeats it agrees.
local endpoint = require "endpoint"
local support = require "support"

describe("the version", function()
  local version = support.read("src/version.h"):match('ENDPOINT_VERSION "([%d.]+)"')

  it("is the module's", function()
    assert.equal(version, endpoint._VERSION)
  end)

  it("is the user-agent's", function()
    assert.equal("service-endpoint.js/" .. version, endpoint.DEFAULTS.headers["user-agent"])
  end)

  it("is the changelog's newest", function()
    assert.equal(version, support.read("CHANGELOG.md"):match("\n## ([%d.]+)"))
  end)
end)

-- What the rockspec defines.
local function rockspec()
  local env = {}
  local chunk
  if setfenv then -- Lua 5.1
    chunk = assert(loadfile "rockspec/endpoint-scm-1.rockspec")
    setfenv(chunk, env)
  else
    chunk = assert(loadfile("rockspec/endpoint-scm-1.rockspec", "t", env))
  end
  chunk()
  return env
end

describe("the rockspec", function()
  local rock = rockspec()

  -- What it does not name is missing in the rock alone.
  it("builds every C source", function()
    local sources = rock.build.modules.endpoint.sources
    table.sort(sources)
    assert.same(support.files "src/*.c", sources)
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
    assert.same(support.files("src/endpoint/*.lua", "src/endpoint/clients/*.lua"), listed)
  end)

  it("carries the license and the README", function()
    assert.same({ "LICENSE", "README.md" }, rock.build.install.conf)
  end)

  it("fetches the sources from its homepage's repository", function()
    assert.equal("git+" .. rock.description.homepage .. ".git", rock.source.url)
  end)

  it("names a test that finds what the specs share", function()
    assert.equal("busted", rock.test.type)
    assert.truthy(support.read(rock.test.flags[1]:match "^%-%-helper=(.*)$"))
    local path = ";" .. dofile(".busted").default.lpath .. ";"
    assert.truthy(path:find(";./spec/tools/?.lua;", 1, true))
  end)
end)
