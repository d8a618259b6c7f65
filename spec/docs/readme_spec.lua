-- Runs the Lua examples of every document. An example must print what its "-->" comments
-- say. interpreters_wire_spec runs the blocks that have a file's name.
local endpoint = require "endpoint"
local examples = require "docs.examples"
local support = require "support"

local README, REFERENCE = support.read "README.md", support.read "docs/reference.md"

for _, path in ipairs(examples.documents()) do
  describe("the examples of " .. path, function()
    for _, program in ipairs(examples.programs_of(support.read(path))) do
      it("print what they promise: " .. program.section, function()
        local done = examples.run(program.code, path)
        assert.same(examples.promised(program.code), done.printed)
      end)
    end
  end)
end

-- The values that the reference names above its table of templates. Under POST those that a template does not
-- use are not in the URL.
local VALUES = { id = "a/b", list = { "x", "y" }, map = { k = 1, l = 2 } }

describe("the reference of the rules", function()
  it("is right about each template in its table, which has two rows side by side", function()
    local count = 0
    for line in REFERENCE:gmatch "\n(| `/[^\n]*)" do
      for template, url in line:gmatch "| `([^`]*)`[^|]*| `([^`]*)` |" do
        assert.equal(support.BASE .. url, endpoint("POST " .. template, VALUES).url, template)
        count = count + 1
      end
    end
    assert.equal(10, count)
  end)

  it("lists the built-in defaults", function()
    local defaults = endpoint.DEFAULTS
    local rows = {}
    local part = REFERENCE:match "\n| default | value (.-)\n\n"
    for name, value in part:gmatch "\n| `([^`]*)` | `([^`]*)` |" do rows[name] = value end
    assert.same({ method = defaults.method, baseUrl = defaults.baseUrl, ["headers.accept"] = defaults.headers.accept,
      ['headers["user-agent"]'] = defaults.headers["user-agent"] }, rows)
  end)

  it("names every member and option", function()
    for _, name in ipairs { "merge", "parse", "defaults", "variables", "DEFAULTS", "null", "_VERSION" } do
      assert.truthy(REFERENCE:find("\n| `endpoint." .. name, 1, true), name)
    end
    for _, name in ipairs(support.option_names()) do
      assert.truthy(REFERENCE:find("\n| `" .. name .. "` |", 1, true), name)
    end
  end)
end)

describe("the documents", function()
  it("are a front door of at most 1,100 words, and pages of at most 300 lines, each linked from both indexes", function()
    assert.is_true(select(2, README:gsub("%S+", "")) <= 1100)
    local index = support.read "docs/README.md"
    for _, path in ipairs(support.files "docs/*.md") do
      assert.is_true(select(2, support.read(path):gsub("\n", "")) <= 300, path)
      local name = path:match "[^/]+$"
      assert.truthy(name == "README.md" or index:find("](" .. name, 1, true) and README:find("](" .. path, 1, true), path)
    end
  end)
  -- A source that was called is half read, and the server waits for the rest of the body.
  it("calls no source of LuaSocket's requests, so that they can be sent, nor do the documents", function()
    for _, path in ipairs(examples.documents()) do
      assert.falsy(support.read(path):find "source%(", path)
    end
  end)

  it("sends its first requests, and walks through pages", function()
    local program = examples.programs_of(README)[1]
    for token, authorization in pairs { ["0123"] = "Bearer 0123", [false] = false } do
      local sent = examples.run(program.code, "README.md", token or nil).sent
      local seen = {}
      for i, request in ipairs(sent) do
        seen[i] = request.method .. " " .. request.url
        assert.equal(authorization or nil, request.headers.authorization)
      end
      assert.same({ "GET https://api.github.com/orgs/luarocks/repos?per_page=2",
        "GET https://api.github.com/orgs/luarocks/repos?per_page=2&page=2",
        "POST https://api.github.com/repos/me/notes/issues" }, seen)
    end
  end)
end)

describe("CONTRIBUTING", function()
  local text = support.read ".github/CONTRIBUTING.md"

  it("says what each C file and each script of .ci does", function()
    for _, path in ipairs(support.files("src/*.c", "src/core/*.c", ".ci/*")) do
      assert.truthy(text:find("`" .. path:match "^[^/]+/(.*)$" .. "`", 1, true), path)
    end
  end)

  it("names files that exist", function()
    local count = 0
    for _, pattern in ipairs { "([%w_/]+%.[ch])%f[^%w_]", "`([%w_./-]+/[%w_.-]+%.%l+)`" } do
      for name in text:gmatch(pattern) do
        local is_there = io.open(name) or io.open("src/" .. name) or io.open("src/core/" .. name)
        assert.truthy(is_there or name:find "^build/", name)
        count = count + 1
      end
    end
    assert.is_true(count > 50, count)
  end)
end)
