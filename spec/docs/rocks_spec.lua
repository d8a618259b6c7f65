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
  -- What it says when it is loaded while `name` is a module with other fields.
  local function message_beside(name, fields)
    local former = require(name)
    package.loaded[name] = setmetatable(fields, { __index = former })
    local ok, message = pcall(assert(loadfile "src/endpoint/types.lua"))
    package.loaded[name] = former
    assert.is_false(ok)
    return message
  end

  local MESSAGE = "endpoint.types: endpoint-types %s needs endpoint %s, but found %s: install "
    .. "endpoint and endpoint-types of one version"

  for name, field in pairs {
    ["endpoint"] = "_VERSION",
    ["endpoint.result"] = "VERSION",
    ["endpoint.text"] = "VERSION",
    ["endpoint.checks.validator.keywords"] = "VERSION",
    ["endpoint.checks.validator.patterns"] = "VERSION",
  } do
    it("does not load beside another version of " .. name .. ", and says so", function()
      local own = endpoint._VERSION
      local message = message_beside(name, { [field] = "0.9.0" })
      assert.equal(MESSAGE:format(own, own, name .. " 0.9.0"), message)
    end)
  end

  it("refuses a private module of a release that had no version in it", function()
    local own = endpoint._VERSION
    local message = message_beside("endpoint.text", { VERSION = false })
    assert.equal(MESSAGE:format(own, own, "endpoint.text without a version"), message)
  end)

  it("checks each module of the rock endpoint that it requires", function()
    local checked = support.read "src/endpoint/types.lua"
    local seen = {}
    for _, file in pairs(modules_of_tree().types) do
      for name in support.read(file):gmatch '\nlocal [^\n]*= require%(?%s*"(endpoint[%w_.]*)"' do
        if not (name:find "^endpoint%.types" or seen[name]) then
          seen[name] = true
          local call = name == "endpoint" and 'check_version("endpoint"' or '"' .. name .. '"'
          assert.truthy(checked:find(call, 1, true), file .. " requires " .. name)
        end
      end
    end
    assert.truthy(seen["endpoint.result"])
  end)
end)
