-- The guide "How do I say it", docs/guide.md: each row of its tables is a call and
-- what comes out of it; its first Lua block stands above each call.
local endpoint = require "endpoint"
local clients = require "endpoint.clients"
local examples = require "docs.examples"
local support = require "support"

local load_text = loadstring or load

local GUIDE = support.read "docs/guide.md"
local HEAD = examples.blocks_in(GUIDE, "lua")[1].code

-- The cells of each row: a list of what stands between backquotes. A bar in a table
-- is written with a backslash.
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

-- The URL as the guide shows it.
local function url_of(r)
  local base = support.BASE
  return r.url:sub(1, #base) == base and r.url:sub(#base + 1) or r.url
end

-- What a call gives: a text, or the URL and, if there is one, the body of a result.
local function outcome_of(call)
  local value = assert(load_text(HEAD .. "\nreturn " .. call, "=" .. call))()
  if type(value) == "string" then return { value } end
  return { url_of(value), value.body ~= nil and clients.plain(value).body or nil }
end

describe("the guide", function()
  local calls, styles = rows_of(GUIDE, 3), rows_of(GUIDE, 6)
  local list, map = { "blue", "black", "brown" }, { R = 100, G = 200, B = 150 }

  for _, row in ipairs(calls) do
    it("is right about " .. row[2][1], function()
      assert.same(row[3], outcome_of(row[2][1]))
    end)
  end

  for _, row in ipairs(styles) do
    local template = row[3][1]
    it("is right about " .. template, function()
      for column, value in pairs { [4] = "blue", [5] = list, [6] = map } do
        assert.equal(row[column][1], url_of(endpoint("GET " .. template, { color = value })))
      end
    end)
  end

  it("has all of its rows run", function()
    local written = select(2, GUIDE:gsub("\n| [^\n]*endpoint[^\n]*", ""))
    assert.equal(written, #calls)
    assert.equal(8, #styles)
  end)

  it("is right about empty tables in JSON", function()
    local json, dkjson = require "cjson", require "dkjson"
    local bare, object = endpoint("POST /x", { a = {} }), setmetatable({}, { __jsontype = "object" })
    local written = json.empty_array_mt and '{"a":[]}' or '{"a":{}}'
    assert.equal(written, clients.plain(endpoint("POST /x", { a = setmetatable({}, json.empty_array_mt) })).body)
    assert.equal('{"a":{}}', clients.plain(bare).body)
    assert.equal('{"a":{}}', clients.plain(endpoint("POST /x", { a = object }), { encode = dkjson.encode }).body)
    assert.is_false(pcall(clients.plain, endpoint("POST /x", { a = endpoint.null }), { encode = dkjson.encode }))
  end)
end)
