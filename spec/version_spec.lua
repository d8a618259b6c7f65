-- The version stands in src/version.h; all that repeats it must agree. And the rockspecs.
local endpoint = require "endpoint"
local support = require "support"

-- The global variables that a rockspec sets.
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

describe("the version of src/version.h", function()
  local version = support.read("src/version.h"):match('ENDPOINT_VERSION "([%d.]+)"')
  local released = "rockspec/endpoint-" .. version .. "-1.rockspec"

  it("is the _VERSION of the module", function()
    assert.equal(version, endpoint._VERSION)
  end)

  it("is in the default user-agent", function()
    assert.equal("service-endpoint.js/" .. version, endpoint.DEFAULTS.headers["user-agent"])
  end)

  it("is that of the rockspec of the release", function()
    assert.equal(version .. "-1", rockspec(released).version)
    assert.equal("v" .. version, rockspec(released).source.tag)
  end)

  it("is the newest in the changelog", function()
    assert.equal(version, support.read("CHANGELOG.md"):match("\n## ([%d.]+)"))
  end)
end)

describe("the rockspecs", function()
  local scm = rockspec("rockspec/endpoint-scm-1.rockspec")

  it("build every C source", function()
    local listed = {}
    for _, source in ipairs(scm.build.modules.endpoint.sources) do
      listed[source] = true
      support.read(source)
    end
    local listing = assert(io.popen("ls src/*.c"))
    for source in listing:lines() do assert.is_true(listed[source], source) end
    listing:close()
  end)

  -- luarocks test sets no path to the modules that the specs share.
  it("name busted for their test, which finds the modules that the specs share", function()
    assert.equal("busted", scm.test.type)
    local path = ";" .. dofile(".busted").default.lpath .. ";"
    assert.truthy(path:find(";./spec/tools/?.lua;", 1, true))
  end)

  it("of the release and of scm differ in version and source alone", function()
    local released = rockspec("rockspec/endpoint-" .. endpoint._VERSION .. "-1.rockspec")
    assert.same(scm.build, released.build)
    assert.same(scm.dependencies, released.dependencies)
  end)
end)
