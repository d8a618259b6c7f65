-- The option mediaType, and the accept header that it leads to.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local api = endpoint.defaults { baseUrl = "https://h" }
local V3 = "application/vnd.service.v3+json"

-- The accept header of the result. A nil accept stands for no such header.
local function compose(accept, media_type)
  return api("/x", { headers = { accept = accept or null }, mediaType = media_type }).headers.accept
end

local function media_type_of(e, given)
  return e.merge("/x", { mediaType = given }).mediaType
end

describe("mediaType.format", function()
  local cases = {
    { "application/vnd.service",              "application/vnd.service.raw" },
    { V3,                                     "application/vnd.service.v3.raw" },
    { "application/vnd.x.v3",                 "application/vnd.x.v3.raw" },
    { "application/vnd.x.v3.html",            "application/vnd.x.v3.raw" },
    { "application/vnd.x.v3.html+json",       "application/vnd.x.v3.raw" },
    { "application/vnd.x.html",               "application/vnd.x.raw" },
    { "application/vnd.x.html+json",          "application/vnd.x.raw" },
    { "application/vnd.x+json",               "application/vnd.x.raw" },
    { "application/vnd.x_1.v20240101+json",   "application/vnd.x_1.v20240101.raw" },
    -- A word that only begins like a version is an X, which is replaced.
    { "application/vnd.x.v3raw",              "application/vnd.x.raw" },
    { "application/vnd.x.v",                  "application/vnd.x.raw" },
    { "application/vnd.x.V3",                 "application/vnd.x.raw" },
    { "application/vnd.x.v_3",                "application/vnd.x.raw" },
    { "application/vnd.x.v3.v4",              "application/vnd.x.v3.raw" },
    { "application/vnd.v3",                   "application/vnd.v3.raw" },
    { "application/vnd.v3.v4",                "application/vnd.v3.v4.raw" },
  }
  for _, case in ipairs(cases) do
    it("changes " .. case[1] .. " to " .. case[2], function()
      assert.equal(case[2], compose(case[1], { format = "raw" }))
    end)
  end

  local untouched = {
    "", "*/*", "application/json", "text/html, application/xml;q=0.9",
    "application/vnd.", "application/vnd.+json", "application/vnd.-x", "application/vnd..v3",
    "application/vnd.x+xml", "application/vnd.x.v3+xml", "application/vnd.x+JSON", "application/vnd.x+jsonp",
    "application/vnd.x+json+json", "application/vnd.x.", "application/vnd.x..raw", "application/vnd.x.v3.",
    "application/vnd.x.v3.a.b", "application/vnd.x.a.v3", "application/vnd.x.a.b+json",
    "application/vnd.x;q=0.5", "application/vnd.x.v3+json; charset=utf-8", "application/vnd.x ;q=1",
    "application/vnd.x y", "application/vnd.x-y+json", "application/vnd.x.a-b", "application/vnd.\195\169",
    "application/vnd.x.luke-preview", "application/vnd.x.luke-preview+json",
    "xapplication/vnd.x", "application/vnd.xapplication/vnd.x", "text/vnd.x", "application/problem+json",
  }
  it("leaves parts alone that are no vendor parts", function()
    for _, accept in ipairs(untouched) do
      assert.equal(accept, compose(accept, { format = "raw" }))
    end
  end)

  it("changes each vendor part of a list and no other", function()
    assert.equal("application/vnd.a.v1.raw,a/b,application/vnd.b.raw,application/vnd.c;q=1",
      compose("application/vnd.a.v1+json,a/b,application/vnd.b,application/vnd.c;q=1", { format = "raw" }))
    assert.equal(",,application/vnd.a.raw,", compose(",,application/vnd.a,", { format = "raw" }))
  end)

  it("changes a vendor part between white space, which stays", function()
    for _, space in ipairs { " ", "  ", "\t", " \t " } do
      local accept = "a/b," .. space .. "application/vnd.x.v3+json" .. space .. ", c/d"
      assert.equal("a/b," .. space .. "application/vnd.x.v3.raw" .. space .. ", c/d",
        compose(accept, { format = "raw" }))
      accept = space .. "application/vnd.x" .. space
      assert.equal(space .. "application/vnd.x.raw" .. space, compose(accept, { format = "raw" }))
    end
  end)

  it("leaves the white space of other parts alone", function()
    assert.equal(" a/b ;q=1 , c/d\t", compose(" a/b ;q=1 , c/d\t", { format = "raw" }))
  end)

  it("does nothing without accept", function()
    assert.is_nil(compose(nil, { format = "raw" }))
    assert.same({}, api.parse { url = "https://h", mediaType = { format = "raw" } }.headers)
  end)
end)

describe("mediaType.previews", function()
  local cases = {
    { "take the vendor name from accept",     V3, { "luke" }, "service.luke-preview+json" },
    { "take the first vendor name", "a/b, application/vnd.x, application/vnd.y", { "a" }, "x.a-preview+json" },
    { "take the vendor name up to a dot",           "application/vnd.x_1.y", { "a" }, "x_1.a-preview+json" },
    { "take no vendor name before a hyphen", "application/vnd.x-y", { "a" }, "service.a-preview+json" },
    { "take no vendor name of a preview without one", "application/vnd.foo-preview,application/vnd.x", { "a" },
      "x.foo-preview+json", "x.a-preview+json" },
    { "take no vendor name before a slash", "application/vnd.x/y, application/vnd.z", { "a" }, "z.a-preview+json" },
    { "take no vendor name before UTF-8 or NUL", "application/vnd.x\195\169, application/vnd.y\127 application/vnd.z",
      { "a" }, "z.a-preview+json" },
    { "take the vendor name behind another prefix", "application/vnd.application/vnd.x", { "a" }, "x.a-preview+json" },
    { "take the vendor name before a plus sign", "application/vnd.x+xml", { "a" }, "x.a-preview+json" },
    { "take the vendor name before a comma", "application/vnd.x,application/vnd.y", { "a" }, "x.a-preview+json" },
    { "take the vendor name before white space", "application/vnd.x\t, a/b", { "a" }, "x.a-preview+json" },
    { "take the vendor name of a part with parameters", "application/vnd.x;q=1", { "a" }, "x.a-preview+json" },
    { "take service where accept has no vendor name",         "text/html", { "a" }, "service.a-preview+json" },
    { "take a vendor name behind an empty one", "application/vnd., application/vnd.x", { "a" }, "x.a-preview+json" },
    { "take service for an empty vendor name", "application/vnd.", { "a" }, "service.a-preview+json" },
    { "take service where there is no accept",   false, { "a" }, "service.a-preview+json" },
    { "take service with an empty accept", "", { "a" }, "service.a-preview+json" },
    { "come in the given order",       V3, { "b", "a" }, "service.b-preview+json", "service.a-preview+json" },
    { "come once each", V3, { "a", "b", "a" }, "service.a-preview+json", "service.b-preview+json" },
    { "lose -preview at their end", V3, { "a-preview" }, "service.a-preview+json" },
    { "come once, whether they end in -preview or not", V3, { "a-preview", "a", "a-preview" }, "service.a-preview+json" },
    { "keep -preview in their middle",        V3, { "a-preview-b" }, "service.a-preview-b-preview+json" },
    { "keep -previews at their end",              V3, { "a-previews" }, "service.a-previews-preview+json" },
    { "that differ in case are two",              V3, { "a", "A" }, "service.a-preview+json", "service.A-preview+json" },
    { "come behind the previews in accept",   "application/vnd.x.b-preview+json", { "a" },
      "x.b-preview+json", "x.a-preview+json" },
    { "come once, behind the previews in accept", "application/vnd.x.b-preview+json,application/vnd.x.a-preview",
      { "a", "c", "b" }, "x.b-preview+json", "x.a-preview+json", "x.c-preview+json" },
    { "follow the longest name before -preview in accept", "application/vnd.x.a_1-b-preview;q=1", { "c" },
      "x.a_1-b-preview+json", "x.c-preview+json" },
    { "follow a name in accept with text behind its -preview", "application/vnd.x.a-preview-b", { "c" },
      "x.a-preview+json", "x.c-preview+json" },
    { "follow a name in accept that ends in -preview twice", "application/vnd.x.a-preview-preview+json", { "c" },
      "x.a-preview-preview+json", "x.c-preview+json" },
    { "follow two names in one part of accept",          "a-preview.b-preview", { "c" },
      "service.a-preview+json", "service.b-preview+json", "service.c-preview+json" },
    { "ignore -preview without a name in accept",  "application/vnd.x.-preview", { "a" }, "x.a-preview+json" },
    { "ignore -PREVIEW in accept",     "application/vnd.x.b-PREVIEW", { "a" }, "x.a-preview+json" },
  }
  for _, case in ipairs(cases) do
    it(case[1], function()
      local expected = {}
      for i = 4, #case do expected[i - 3] = "application/vnd." .. case[i] end
      assert.equal(table.concat(expected, ","), compose(case[2], { previews = case[3] }))
    end)
  end

  it("are as many as the call names", function()
    local names, expected = {}, {}
    for i = 1, 40 do
      names[i], expected[i] = "p" .. i, "application/vnd.service.p" .. i .. "-preview+json"
      assert.equal(table.concat(expected, ","), compose(V3, { previews = names }))
    end
  end)

  it("end in .FORMAT in place of +json beside a format", function()
    assert.equal("application/vnd.service.a-preview.raw,application/vnd.service.b-preview.raw",
      compose(V3, { format = "raw", previews = { "a", "b" } }))
    assert.equal("application/vnd.x.a-preview.raw,application/vnd.x.b-preview.raw",
      compose("application/vnd.x.a-preview+json", { format = "raw", previews = { "b" } }))
    assert.equal("application/vnd.service.a-preview.raw",
      compose(nil, { format = "raw", previews = { "a" } }))
  end)
end)

describe("a vendor name longer than RFC 6838 allows", function()
  local previews = {}
  for i = 1, 2000 do previews[i] = "p" .. i end

  it("is left alone without previews", function()
    local accept = "application/vnd." .. ("a"):rep(128)
    assert.equal(accept .. ".raw", compose(accept, { format = "raw" }))
  end)

  it("is refused with previews, for accept would grow with the square of the input", function()
    support.raises({ 'header "accept"', "vendor name", "127" }, compose,
      "application/vnd." .. ("a"):rep(128), { previews = { "b" } })
    assert.is_nil(support.message_of(compose, "application/vnd." .. ("s3cret"):rep(1000),
      { previews = previews }):find("s3cret", 1, true))
    assert.equal(2000 * (#"application/vnd..p-preview+json," + 127) + #table.concat(previews) - 2000 - 1,
      #compose("application/vnd." .. ("a"):rep(127), { previews = previews }))
  end)
end)

describe("application/octet-stream in accept", function()
  local accepts = {
    "application/octet-stream", "Application/Octet-Stream", "APPLICATION/OCTET-STREAM",
    V3 .. ", application/octet-stream;q=0.5", "application/octet-stream," .. V3,
    "application/octet-stream, application/vnd.x.a-preview+json",
  }
  it("keeps accept as it is", function()
    for _, accept in ipairs(accepts) do
      assert.equal(accept, compose(accept, { format = "raw" }))
      assert.equal(accept, compose(accept, { previews = { "a" } }))
      assert.equal(accept, compose(accept, { format = "raw", previews = { "a" } }))
    end
  end)

  it("is not seen in a shorter text", function()
    assert.equal("application/octet-strea", compose("application/octet-strea", { format = "raw" }))
    assert.equal("application/vnd.service.a-preview+json",
      compose("application/octet-strea", { previews = { "a" } }))
  end)
end)

describe("the header accept", function()
  it("stays as it is without format and previews", function()
    for _, accept in ipairs { V3, "application/vnd.x.a-preview+json", " , ", 5, true } do
      assert.equal(accept, compose(accept))
      assert.equal(accept, compose(accept, {}))
      assert.equal(accept, compose(accept, { previews = {} }))
    end
  end)

  it("stays as it is with what octokit's merged options hold", function()
    for _, accept in ipairs { V3, 5 } do assert.equal(accept, compose(accept, { format = "", previews = {} })) end
    assert.equal(V3, endpoint.parse { url = "https://h", headers = { accept = V3 },
      mediaType = { format = "", previews = {} } }.headers.accept)
  end)

  it("is refused beside a format or previews if it is no string", function()
    for _, accept in ipairs { 5, true, { V3 } } do
      for _, media_type in ipairs { { format = "raw" }, { previews = { "a" } } } do
        support.raises({ 'header "accept"', "string", type(accept) }, compose, accept, media_type)
      end
    end
    support.raises({ 'header "accept"', "string", "boolean" }, api, "/x",
      { headers = { accept = false }, mediaType = { format = "raw" } })
  end)

  it("is changed under any case of its name", function()
    local result = api("/x", { headers = { ACCEPT = "application/vnd.x" }, mediaType = { format = "raw" } })
    assert.equal("application/vnd.x.raw", result.headers.accept)
  end)

  it("is changed by parse, not by merge", function()
    local merged = api.merge("/x", { mediaType = { format = "raw", previews = { "a" } } })
    assert.equal(V3, merged.headers.accept)
    assert.equal("application/vnd.service.a-preview.raw", api.parse(merged).headers.accept)
  end)
end)

describe("names of formats and previews", function()
  local long = ("a"):rep(127)
  local good = { "raw", "a", "Z", "3gpp", "0", "a!#$&-^_.+", "x.y-z+w", long }
  local bad = {
    long .. "a", "-a", ".a", "_a", "+a", "!a", "#a", "$a", "&a", "^a", "a/b", "a b", " a", "a ", "a,b",
    "a;b", "a=b", "a@b", "a%b", "a*", "a(", "a\"b", "a\\b", "a'b", "a`b", "a|b", "a~b", "a{b", "a?b", "a:b",
    "a\rb", "a\nb", "a\r\nb", "a\0b", "a\0", "a\127", "a\tb", "\195\169", "a\255",
  }

  it("of RFC 6838 are accepted as formats", function()
    for _, name in ipairs(good) do
      assert.equal("application/vnd.service.v3." .. name, compose(V3, { format = name }))
    end
  end)

  it("of RFC 6838 are accepted as previews", function()
    for _, name in ipairs(good) do
      local expected = "application/vnd.service." .. name .. "-preview+json"
      assert.equal(expected, compose(V3, { previews = { name } }))
      -- "-preview" is dropped before the name is measured.
      assert.equal(expected, compose(V3, { previews = { name .. "-preview" } }))
    end
  end)

  it("are refused and quoted if RFC 6838 does not allow them", function()
    for _, name in ipairs(bad) do
      support.raises({ "format", "RFC 6838" }, compose, V3, { format = name })
      support.raises({ "preview", "RFC 6838" }, compose, V3, { previews = { "a", name } })
      support.raises({ "format", "RFC 6838" }, api.merge, { mediaType = { format = name } })
      support.raises({ "preview", "RFC 6838" }, api.defaults, { mediaType = { previews = { name } } })
      local message = support.message_of(compose, V3, { format = name })
      assert.is_nil(message:find("[^\32-\126]"))
    end
    support.raises('"a/b"', compose, V3, { format = "a/b" })
    support.raises('"a@b"', compose, V3, { format = "a@b" })
    support.raises('"a?..."', compose, V3, { format = "a?s3cret" })
    support.raises('"https://***@h/"', compose, V3, { format = "https://u:s3cret@h/" })
    support.raises('"a?..."', compose, V3, { previews = { "a?s3cret" } })
    support.raises('"a/b"', compose, V3, { previews = { "a/b" } })
  end)

  it("are refused if they are empty, or -preview alone", function()
    for _, name in ipairs { "", "-preview", "-preview-preview" } do
      support.raises({ "preview", "RFC 6838" }, compose, V3, { previews = { name } })
      support.raises({ "preview", "RFC 6838" }, api.defaults, { mediaType = { previews = { name } } })
    end
  end)

  it("are checked even where accept stays as it is", function()
    support.raises("RFC 6838", compose, "application/octet-stream", { format = "a/b" })
    support.raises("RFC 6838", compose, nil, { format = "a\r\nb" })
  end)
end)

describe("the option mediaType", function()
  it("refuses keys other than format and previews", function()
    for _, key in ipairs { "formats", "preview", "Format", "charset", "format\0", "previews\0x", "" } do
      support.raises({ "mediaType", "format", "previews" }, compose, V3, { [key] = "raw" })
      support.raises({ "mediaType", "format", "previews" }, api.merge, { mediaType = { [key] = "raw" } })
      support.raises({ "mediaType", "format", "previews" }, api.defaults, { mediaType = { [key] = "raw" } })
    end
    support.raises({ "mediaType", '"charset"' }, compose, V3, { charset = "utf-8" })
    support.raises({ "mediaType", "got number key" }, compose, V3, { [1] = "raw" })
    support.raises({ "mediaType", "got boolean key" }, compose, V3, { [true] = "raw" })
    support.raises("mediaType", compose, V3, { charset = null })
  end)

  it("refuses values of a wrong type", function()
    for _, format in ipairs { 5, true, {}, print } do
      support.raises({ "mediaType", "format", "string", type(format) }, compose, V3, { format = format })
    end
    for _, previews in ipairs { "a", 5, true, print } do
      support.raises({ "mediaType", "previews", "list", type(previews) },
        compose, V3, { previews = previews })
    end
    for _, preview in ipairs { 5, true, {}, print } do
      support.raises({ "mediaType", "previews", "string", type(preview) },
        compose, V3, { previews = { "a", preview } })
    end
    support.raises({ "mediaType", "previews", "list", "string" }, compose, V3, { previews = "" })
    support.raises({ "mediaType", "previews", "list" }, compose, V3, { previews = { a = "b" } })
    support.raises({ "mediaType", "previews", "list" }, compose, V3, { previews = { "a", a = "b" } })
    support.raises({ "mediaType", "previews", "list" }, compose, V3, { previews = { "a", [3] = "b" } })
    support.raises({ "mediaType", "previews", "list" }, compose, V3, { previews = { [0] = "a" } })
  end)

  it("stands in merge's output only if something in it is set", function()
    for _, nothing in ipairs { {}, null, { format = null }, { format = "" }, { previews = null }, { previews = {} },
                               { format = "", previews = {} } } do
      assert.is_nil(api.defaults({ mediaType = nothing }).DEFAULTS.mediaType)
      assert.is_nil(media_type_of(api, nothing))
    end
    assert.is_nil(media_type_of(api, nil))
    assert.is_nil(api.DEFAULTS.mediaType)
  end)

  local base = api.defaults { mediaType = { format = "raw", previews = { "a", "b-preview" } } }
  local merges = {
    { "nil takes the default one", nil, { format = "raw", previews = { "a", "b" } } },
    { "an empty table takes the default one", {}, { format = "raw", previews = { "a", "b" } } },
    { "the call's format wins", { format = "html" }, { format = "html", previews = { "a", "b" } } },
    { "the call's new previews come behind the default ones", { previews = { "c", "a" } },
      { format = "raw", previews = { "a", "b", "c" } } },
    { "a preview comes once, with -preview or without", { previews = { "c-preview", "c", "b-preview" } },
      { format = "raw", previews = { "a", "b", "c" } } },
    { "-preview goes, however often it stands at the end", { previews = { "c-preview-preview" } },
      { format = "raw", previews = { "a", "b", "c" } } },
    { "an empty list of previews adds none", { previews = {} }, { format = "raw", previews = { "a", "b" } } },
    { "null removes the format", { format = null }, { previews = { "a", "b" } } },
    { "an empty format removes it", { format = "" }, { previews = { "a", "b" } } },
    { "an empty format and null for previews remove all", { format = "", previews = null }, nil },
    { "null removes the previews", { previews = null }, { format = "raw" } },
    { "null for both keys removes all",                    { format = null, previews = null }, nil },
    { "null for mediaType removes all", null, nil },
    { "null removes the previews, not the call's format",  { format = "html", previews = null }, { format = "html" } },
  }
  for _, case in ipairs(merges) do
    it("merges: " .. case[1], function()
      assert.same(case[3], media_type_of(base, case[2]))
      assert.same(case[3], base.defaults({ mediaType = case[2] }).DEFAULTS.mediaType)
      local options = { mediaType = case[2] }
      assert.same(base("/x", options), base.parse(base.merge("/x", options)))
    end)
  end

  it("of the defaults changes accept", function()
    assert.equal("application/vnd.service.a-preview.raw,application/vnd.service.b-preview.raw",
      base("/x").headers.accept)
    assert.equal("application/vnd.service.v3.raw",
      base("/x", { mediaType = { previews = null } }).headers.accept)
    assert.equal(V3, base("/x", { mediaType = null }).headers.accept)
  end)

  it("of the caller is not modified", function()
    local given = { format = "raw", previews = { "b-preview", "a", "a" } }
    base.merge("/x", { mediaType = given })
    base("/x", { mediaType = given })
    base.defaults { mediaType = given }
    assert.same({ format = "raw", previews = { "b-preview", "a", "a" } }, given)
  end)

  it("in merge's output is a copy", function()
    local merged = base.merge("/x")
    merged.mediaType.format, merged.mediaType.previews[1] = "changed", "changed"
    assert.same({ format = "raw", previews = { "a", "b" } }, media_type_of(base))
  end)
end)

describe("an accept of 100 kB", function()
  local size = 100 * 1024
  local function of(text, tail)
    return text:rep(math.floor(size / #text)) .. (tail or "")
  end
  local hostile = {
    ["a-"] = of("a-"),
    ["a"] = of("a"),
    ["-"] = of("-"),
    ["-preview"] = of("-preview"),
    ["a-preview"] = of("a-preview"),
    ["a-previe"] = of("a-previe"),
    ["a-preview,"] = of("a-preview,"),
    ["spaces"] = of(" "),
    ["commas"] = of(","),
    ["spaces behind a vendor part"] = "application/vnd.x" .. of(" ", "x"),
    ["application/vnd."] = of("application/vnd."),
    ["application/vnd.x.v3.raw+json,"] = of("application/vnd.x.v3.raw+json,"),
    ["a vendor part with a long last word"] = "application/vnd.x." .. of("a", "+"),
    ["a vendor part with a long version"] = "application/vnd.x.v" .. of("3", "-"),
    ["many versions"] = "application/vnd.x" .. of(".v3"),
    ["application/octet-strea, many times"] = of("application/octet-strea"),
  }
  -- A quadratic scan takes seconds, a linear one a few milliseconds.
  local SECONDS = 1
  for name, accept in pairs(hostile) do
    it("takes less than a second: " .. name, function()
      local begin = os.clock()
      compose(accept, { format = "raw" })
      compose(accept, { previews = { "b" } })
      compose(accept, { format = "raw", previews = { "b" } })
      assert.is_true(os.clock() - begin < SECONDS)
    end)
  end

  it("keeps all of its previews", function()
    local parts, expected = {}, {}
    for i = 1, 5000 do
      parts[i] = "application/vnd.x.p" .. i .. "-preview"
      expected[i] = parts[i] .. "+json"
    end
    expected[#expected + 1] = "application/vnd.x.b-preview+json"
    assert.equal(table.concat(expected, ","), compose(table.concat(parts, ", "), { previews = { "b" } }))
  end)
end)
