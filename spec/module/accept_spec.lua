-- The option mediaType, beyond the rows of spec/vectors/accept.json: long names, and many.
local endpoint = require "endpoint"
local judge = require "oracle.judge"
local support = require "support"

local api = endpoint.defaults { baseUrl = "https://h" }
local VENDOR = "application/vnd."

local function compose(accept, media_type)
  return api("/x", { headers = { accept = accept }, mediaType = media_type }).headers.accept
end

describe("names of formats and previews", function()
  it("have at most 127 bytes, -preview not counted", function()
    local name = ("a"):rep(127)
    assert.equal(VENDOR .. "x." .. name, compose(VENDOR .. "x", { format = name }))
    assert.equal(VENDOR .. "x." .. name .. "-preview+json", compose(VENDOR .. "x", { previews = { name .. "-preview" } }))
    for _, f in ipairs { compose, function(_, given) return api.defaults { mediaType = given } end } do
      support.raises({ "format", "RFC 6838" }, f, "application/octet-stream", { format = name .. "a" })
      support.raises({ "preview", "RFC 6838" }, f, VENDOR .. "x", { previews = { "a", name .. "a-preview" } })
    end
  end)
end)

describe("previews", function()
  it("are refused beside a vendor name of over 127 bytes, for accept would grow with the square of the input", function()
    support.raises({ 'header "accept"', "vendor name", "127" }, compose, VENDOR .. ("a"):rep(128), { previews = { "b" } })
    assert.truthy(compose(VENDOR .. ("a"):rep(127), { previews = { "b" } }))
  end)

  it("may be many, in accept and in the option, in their order", function()
    local parts, names, expected = {}, {}, {}
    for i = 1, 2500 do
      parts[i] = VENDOR .. "x.p" .. i .. "-preview"
      expected[i], expected[i + 2500] = parts[i] .. "+json", VENDOR .. "x.q" .. i .. "-preview+json"
      names[i] = i % 2 == 0 and "q" .. i or "q" .. i .. "-preview"
    end
    local accept = table.concat(parts, ", ")
    assert.equal(table.concat(expected, ","), compose(accept, { previews = names }))
  end)

  it("are refused where Lua's stack has no room for them", function()
    local previews = {}
    for i = 1, 1000000 do previews[i] = "a" end
    support.raises({ 'mediaType "previews"', "1000000", "Lua's stack" }, compose, "", { previews = previews })
  end)
end)

describe("the option mediaType", function()
  it("refuses what JSON cannot say: other keys, lists with other keys, and functions", function()
    for _, media in ipairs { { [true] = "raw" }, { format = print }, { previews = { "a", a = "b" } },
      { previews = { "a", [3] = "b" } }, { previews = { [0] = "a" } } } do
      assert.is_false(judge.check(nil, "/x", { mediaType = media })[1])
    end
  end)

  it("is changed by parse, not by merge, whose output has a copy", function()
    local base = api.defaults { headers = { accept = VENDOR .. "x" }, mediaType = { format = "raw", previews = { "a" } } }
    local merged = base.merge("/x")
    assert.equal(VENDOR .. "x", merged.headers.accept)
    assert.equal(VENDOR .. "x.a-preview.raw", api.parse(merged).headers.accept)
    merged.mediaType.format, merged.mediaType.previews[1] = "changed", "changed"
    assert.same({ format = "raw", previews = { "a" } }, base.merge("/x").mediaType)
  end)
end)
