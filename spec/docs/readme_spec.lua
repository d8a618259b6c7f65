-- Runs the Lua examples of every document. An example must print what its "-->" comments say. programs_wire_spec
-- really sends those of README.md, and interpreters_wire_spec runs the blocks that have a file's name.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local examples = require "docs.examples"
local reference = require "docs.reference"
local support = require "support"

local README, REFERENCE = support.read "README.md", support.read "docs/reference.md"

for _, path in ipairs(examples.documents()) do
  describe("the examples of " .. path, function()
    for _, program in ipairs(examples.programs_of(support.read(path))) do
      it("print what they promise: " .. program.section, function()
        assert.same(examples.promised(program.code), examples.run(program.code, path))
      end)
    end
  end)
end

-- --- the guide: each row of its tables is a call and what comes out of it

local GUIDE = support.read "docs/guide.md"
local HEAD = examples.blocks_in(GUIDE, "lua")[1].code

-- The cells of each row: a list of what stands between backquotes. A bar in a table is written with a backslash.
local function rows_of(text, columns)
  local rows = {}
  for line in text:gmatch "[^\n]+" do
    local cells = {}
    for cell in line:gsub("\\|", "\1"):gmatch "|([^|]+)" do
      local spans = {}
      for span in cell:gmatch "`([^`]+)`" do spans[#spans + 1] = (span:gsub("\1", "|")) end
      cells[#cells + 1] = spans
    end
    if #cells == columns and cells[3][1] then rows[#rows + 1] = cells end
  end
  return rows
end

-- The URL as the guide shows it, and the body of a result if it has one; or a text.
local function outcome_of(value)
  if type(value) == "string" then return { value } end
  local url = value.url:sub(1, #support.BASE) == support.BASE and value.url:sub(#support.BASE + 1) or value.url
  return { url, value.body ~= nil and clients.plain(value).body or nil }
end

describe("the guide", function()
  local calls, styles = rows_of(GUIDE, 3), rows_of(GUIDE, 6)

  it("is right about each call, and each call of its tables is read", function()
    for _, row in ipairs(calls) do
      assert.same(row[3], outcome_of(assert((loadstring or load)(HEAD .. "\nreturn " .. row[2][1]))()))
    end
    assert.equal(select(2, GUIDE:gsub("\n| [^\n]*endpoint[^\n]*", "")), #calls)
  end)

  it("is right about the styles of OpenAPI", function()
    local values = { [4] = "blue", [5] = { "blue", "black", "brown" }, [6] = { R = 100, G = 200, B = 150 } }
    for _, row in ipairs(styles) do
      for column, value in pairs(values) do
        assert.same({ row[column][1] }, outcome_of(endpoint("GET " .. row[3][1], { color = value })))
      end
    end
    assert.equal(8, #styles)
  end)
end)

-- The values that the reference names above its table of templates. Under POST those that a template does not
-- use are not in the URL.
local VALUES = { id = "a/b", list = { "x", "y" }, map = { k = 1, l = 2 } }

describe("the reference of the rules", function()
  it("is right about each template in its table, which has two rows side by side", function()
    local count = 0 -- there are 10, in 5 rows: a pattern that matched none would pass
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

  it("has a row for every client, and names every member and option", function()
    for _, name in ipairs(reference.clients()) do
      assert.truthy(support.read "docs/clients.md":find("\n| `clients." .. name .. "(r", 1, true), name)
    end
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
end)

describe("CONTRIBUTING", function()
  local text = support.read ".github/CONTRIBUTING.md"

  it("says what each C file and each script of .ci does", function()
    for _, path in ipairs(support.files("src/*.c", "src/core/*.c", ".ci/*")) do
      assert.truthy(text:find("`" .. path:match "^[^/]+/(.*)$" .. "`", 1, true), path)
    end
  end)

  it("names files that exist", function()
    local count, is_windows = 0, package.config:sub(1, 1) == "\\" -- which opens no folder
    for _, pattern in ipairs { "([%w_/]+%.[ch])%f[^%w_]", "`([%w_.-]+/[%w_./-]*)`", " (%.?%l+/[%w_./-]+)" } do
      for name in text:gmatch(pattern) do
        local is_there = io.open(name) or io.open("src/" .. name) or io.open("src/core/" .. name)
        assert.truthy(is_there or name:find "^build/" or is_windows and not name:find "%.%w+$", name)
        count = count + 1
      end
    end
    assert.is_true(count > 0)
  end)
end)
