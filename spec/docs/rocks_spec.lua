-- The two rocks of this repository: their rockspecs name each file, and their modules load
-- together in one version alone.
local endpoint = require "endpoint"
local support = require "support"

-- The global variables that a rockspec sets.
local function rock_of(path)
  local rock = {}
  local chunk = setfenv and setfenv(assert(loadfile(path)), rock)
    or assert(loadfile(path, "t", rock))
  chunk()
  return rock
end

local library = rock_of "rockspec/endpoint-scm-1.rockspec"
local types = rock_of "rockspec/endpoint-types-scm-1.rockspec"

-- The modules below src/endpoint and their files: those of the generator, and the others.
local function modules_of_tree()
  local found, patterns = { types = {}, library = {} }, {}
  for depth = 0, 3 do
    patterns[#patterns + 1] = "src/endpoint/" .. ("*/"):rep(depth) .. "*.lua"
  end
  for _, file in ipairs(support.files(support.unpack(patterns))) do
    local name = file:match("^src/(.*)%.lua$"):gsub("/", ".")
    local rock = name:find "^endpoint%.types%f[%z.]" and "types" or "library"
    found[rock][name] = file
  end
  return found
end

describe("the rockspec of endpoint", function()
  local tree = modules_of_tree() -- `make rockspecs` writes what is missing

  it("names every C source", function()
    local sources = library.build.modules.endpoint.sources
    table.sort(sources)
    assert.same(support.files("src/*.c", "src/core/*.c"), sources)
  end)

  it("names every Lua module but the generator's", function()
    local modules = { endpoint = library.build.modules.endpoint }
    for name, file in pairs(tree.library) do
      modules[name] = file
    end
    assert.same(modules, library.build.modules)
  end)

  it("installs the license and the README, and needs nothing but Lua", function()
    assert.same({ conf = { "LICENSE", "README.md" } }, library.build.install)
    assert.same({ "lua >= 5.1, < 5.6" }, library.dependencies)
  end)

  it("names its homepage's repository, which the guide to embedding fetches", function()
    assert.equal("git+" .. library.description.homepage .. ".git", library.source.url)
    local fetched = "GIT_REPOSITORY " .. library.source.url:gsub("^git%+", "") .. " GIT_TAG "
    assert.truthy(support.read("docs/embedding.md"):find(fetched, 1, true), fetched)
  end)
end)

describe("the rockspec of endpoint-types", function()
  it("names every module of the generator", function()
    assert.same(modules_of_tree().types, types.build.modules)
  end)

  it("installs the program and the license", function()
    assert.same({ bin = { "src/bin/endpoint-types" }, conf = { "LICENSE" } }, types.build.install)
  end)

  it("needs endpoint of its own version, and lua-cjson", function()
    assert.same({ "lua >= 5.1, < 5.6", "endpoint == scm", "lua-cjson >= 2.1" }, types.dependencies)
  end)
end)

describe("endpoint.types", function()
  it("loads beside no other version of endpoint, and says so", function()
    package.loaded.endpoint = setmetatable({ _VERSION = "0.9.0" }, { __index = endpoint })
    local ok, message = pcall(assert(loadfile "src/endpoint/types.lua"))
    package.loaded.endpoint = endpoint
    assert.is_false(ok)
    assert.equal(
      (
        "endpoint.types: version %s, but the endpoint that is loaded is version 0.9.0: install the "
        .. "rocks endpoint and endpoint-types of one version"
      ):format(endpoint._VERSION),
      message
    )
  end)
end)
