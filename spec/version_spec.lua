-- The version stands in one place, src/version.h; whatever repeats it agrees.
local endpoint = require "endpoint"
local support = require "support"

-- What a rockspec defines.
local function rockspec(path)
  local env = {}
  local chunk
  if setfenv then -- Lua 5.1
    chunk = assert(loadfile(path))
    setfenv(chunk, env)
  else
    chunk = assert(loadfile(path, "t", env))
  end
  chunk()
  return env
end

describe("the version", function()
  local version = support.read("src/version.h"):match('ENDPOINT_VERSION "([%d.]+)"')
  local released = "rockspec/endpoint-" .. version .. "-1.rockspec"

  it("is the module's", function()
    assert.equal(version, endpoint._VERSION)
  end)

  it("is the user-agent's", function()
    assert.equal("service-endpoint.js/" .. version, endpoint.DEFAULTS.headers["user-agent"])
  end)

  it("is the rockspec's", function()
    assert.equal(version .. "-1", rockspec(released).version)
    assert.equal("v" .. version, rockspec(released).source.tag)
  end)

  it("is the changelog's newest", function()
    assert.equal(version, support.read("CHANGELOG.md"):match("\n## ([%d.]+)"))
  end)
end)

describe("the rockspecs", function()
  local scm = rockspec("rockspec/endpoint-scm-1.rockspec")

  -- A source that is missing in one of them breaks that rock alone.
  it("build every C source", function()
    local listed = {}
    for _, source in ipairs(scm.build.modules.endpoint.sources) do
      listed[source] = true
      support.read(source)
    end
    for _, source in ipairs(support.files "src/*.c") do assert.is_true(listed[source], source) end
  end)

  -- luarocks test sets no path to spec/tools/support.lua.
  it("name a test that finds what the specs share", function()
    assert.equal("busted", scm.test.type)
    local path = ";" .. dofile(".busted").default.lpath .. ";"
    assert.truthy(path:find(";./spec/tools/?.lua;", 1, true))
  end)

  it("differ in version and tag alone", function()
    local released = rockspec("rockspec/endpoint-" .. endpoint._VERSION .. "-1.rockspec")
    assert.same(scm.build, released.build)
    assert.same(scm.dependencies, released.dependencies)
  end)
end)
