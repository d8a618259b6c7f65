-- endpoint.variables: what a template asks for.
local endpoint = require "endpoint"
local support = require "support"

local api = endpoint.defaults { baseUrl = "https://h" }
local variables = api.variables

-- A variable in short: its operator, name and modifier, and "!" if it is required.
local function short(v)
  return v.operator .. v.name .. (v.explode and "*" or v.prefix and ":" .. ("%d"):format(v.prefix) or "")
    .. (v.required and "!" or "")
end

local function list(route)
  local texts = {}
  for i, v in ipairs(variables(route)) do texts[i] = short(v) end
  return table.concat(texts, " ")
end

describe("variables", function()
  it("have these fields", function()
    assert.same({
      { name = "owner", operator = "", explode = false, required = true },
      { name = "path", operator = "/", explode = true, required = false },
      { name = "q", operator = "?", explode = false, prefix = 3, required = false },
    }, variables("GET /repos/{owner}{/path*}{?q:3}"))
    assert.same({}, variables("GET /user"))
  end)

  local cases = {
    -- route                            in short
    { "/:a/:b",                         "a! b!" },
    { "POST /{b}/{a}{?c,d*}{&e:4}{#f}", "b! a! ?c ?d* &e:4 #f" },
    { "/{+a}{.b}{/c}{;d}",              "+a .b /c ;d" },
    { "/{a}/{a:3}{?a*}",                "a!" },
    { "{?z,y,z}",                       "?z ?y" },
    { "/{enterprise-team}/{a.b}/{%41}", "enterprise-team! a.b! %41!" },
    { "/{data}",                        "data!" },
    -- a segment must not vanish
    { "/{a}{b}",                        "a b" },
    { "/{a,b}",                         "a b" },
    { "/{a}{a}",                        "a!" },
    { "/x{a}",                          "a" },
    { "/{a}.json",                      "a" },
    { "/{a}{.b}",                       "a .b" },
    { "/{+a}/x",                        "+a!" },
    { "/x{/a}/y",                       "/a" },
    { "/x{/a}{b}",                      "/a b" },
    { "/x{;a}{b}/{c}{;d}",              ";a b c! ;d" },
    { "/{a}{/b}",                       "a! /b" },
    { "/x{?a}{b}",                      "?a b" },
    { "/x?{a}",                         "a" },
    { "{a}",                            "a!" },
    { "{/a}",                           "/a" },
    -- no dot segment must be left
    { "/a/{x}..",                       "x!" },
    { "/a/..{x}",                       "x!" },
    { "/a/.{x}%2e/b",                   "x!" },
    { "/a/{.x}..",                      ".x!" },
    { "/a/{?x}..",                      "?x!" },
    { "/a/.{?x}.",                      "?x!" },
    { "/a/..{?x}",                      "?x" },
    { "/a/..{/x}/b",                    "/x" },
    { "/a/..{;x}",                      ";x" },
    { "/a/{x}..{?y}",                   "x! ?y" },
    { "/a/{x}..{/y}",                   "x! /y" },
    { "/a/{x}..{y}",                    "x y" },
    { "/a/{x}..b",                      "x" },
    { "/a/{x}...",                      "x" },
    { "/a/{x}..;b",                     "x!" },
    { "/a/..;{x}",                      "x" },
    { "/a?{x}..",                       "x" },
    { "/a{?y}/{x}..",                   "?y x" },
    { "/a{?x}/{x}..",                   "?x!" },
    { "/compare/{base}..{head}",        "base head" },
    { "https://h/a/{x}../b",            "x!" },
    { "https://h/..%2F{x}..",           "x!" },
    -- the host
    { "https://{a}.h/",                 "a!" },
    { "https://{a,b}/",                 "a! b!" },
    { "https://h{a}",                   "a!" },
    { "https://h{+a}",                  "+a!" },
    { "https://h{+a,b}/{c}",            "+a! +b c!" },
    { "https://{+a}{+b}",               "+a! +b!" },
    { "https://h{.a}/",                 ".a" },
    { "https://{.a}/",                  ".a!" },
    { "https://{.a}{;b}",               ".a ;b" },
    { "x://{.a}/",                      ".a" },
    { "https://h{/a}{b}",               "/a! b" },
    { "https://h{/a}{.b}",              "/a! .b" },
    { "https://h{/a}.g{b}",             "/a! b" },
    { "https://h{/a}{+b}{?c}",          "/a +b ?c" },
    { "https://h{/a}.g/{b}",            "/a b!" },
    { "https://h{?a}/{b}",              "?a b" },
    { "https://u@{a}:{p}/",             "a! p!" },
    -- a call raises whatever the values are
    { "https:///{a}",                   "a" },
    { "https://u@{+a}",                 "+a" },
    { "https://:{p}/{a}",               "p a" },
    { "https://{+a,b}/{c}",             "+a +b c" },
    { "https://{a}{+a}",                "a" },
    { "http:x/{a}",                     "a" },
  }
  for _, case in ipairs(cases) do
    it(("of %s are %s"):format(case[1], case[2]), function()
      assert.equal(case[2], list(case[1]))
    end)
  end

  it("are required where a call raises without them alone", function()
    local texts = { "a", "/a" }
    for _, case in ipairs(cases) do
      local found = variables(case[1])
      -- Which of the two texts each other variable has does not matter but in hosts.
      for _, v in ipairs(found) do
        local sound, without = false, false
        for choice = 0, 2 ^ #found - 1 do
          local all, others = {}, {}
          for i, other in ipairs(found) do
            all[other.name] = texts[math.floor(choice / 2 ^ (i - 1)) % 2 + 1]
            if other.name ~= v.name then others[other.name] = all[other.name] end
          end
          local route = { url = case[1]:match("%S+$"), method = "POST" }
          local function call(values)
            for name, value in pairs(route) do values[name] = value end
            return (pcall(api, values))
          end
          sound, without = sound or call(all), without or call(others)
        end
        assert.equal(v.required, sound and not without, case[1] .. " without " .. v.name)
      end
    end
  end)

  it("are those of a route, a URL, a table with url, or a default url", function()
    local with_url = api.defaults { url = "/{b}" }
    assert.equal("a", variables("GET /{a}")[1].name)
    assert.equal("a", variables({ url = "/{a}", method = "POST", x = 1 })[1].name)
    assert.equal("b", with_url.variables()[1].name)
    assert.equal("b", with_url.variables({})[1].name)
    assert.equal("a", with_url.variables("/{a}")[1].name)
    assert.equal("a", api:variables("/{a}")[1].name)
  end)

  it("do not depend on default parameters", function()
    assert.is_true(api.defaults({ a = 1 }).variables("/{a}")[1].required)
  end)

  it("are a new table each time", function()
    local first = variables("/{a}")
    first[1].name, first[2] = "spoiled", "spoiled"
    assert.equal("a!", list("/{a}"))
  end)

  it("raise without url and on a malformed template, but not on what a call alone can tell", function()
    support.raises({ 'option "url"', "missing" }, variables)
    support.raises({ 'option "url"', "missing" }, variables, {})
    support.raises({ 'option "url"', "missing" }, variables, { url = endpoint.null })
    support.raises({ 'option "url"', "string", "number" }, variables, { url = 5 })
    support.raises({ "template", "byte 2" }, variables, "/{a")
    support.raises({ 'variable "headers"', "option" }, variables, "/{headers}")
    support.raises({ "route", "method alone" }, variables, "GET")
    support.raises({ "argument 1", "route", "number" }, variables, 5)
    support.raises({ "argument 2", "nothing after the route", "table" }, variables, "/x", {})
    support.raises({ "argument 2", "nothing after the route", "table" }, api.variables, api, { url = "/x" }, {})
    support.raises({ "argument 1", "another endpoint" }, variables, endpoint, "/x")
    assert.equal("a", endpoint.defaults({ baseUrl = endpoint.null }).variables("/{a}")[1].name)
  end)

  it("of a real API's routes are its parameters, and those of the path are required", function()
    local count = 0
    for line in support.read("spec/routes.tsv"):gmatch("[^\n]+") do
      local route, path = line:match("^(%u+ [^\t]+)\t([^\t]*)")
      if route then
        local names = {}
        for i, v in ipairs(variables(route)) do
          names[i] = v.name
          assert.is_true(v.required, line)
        end
        table.sort(names)
        local expected = {}
        for name in path:gmatch("[^, ]+") do expected[#expected + 1] = name end
        table.sort(expected)
        assert.same(expected, names, line)
        count = count + 1
      end
    end
    assert.is_true(count > 50, "too few routes: " .. count)
  end)
end)
