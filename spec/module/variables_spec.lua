-- endpoint.variables: the variables of a template.
local endpoint = require "endpoint"
local support = require "support"

local api = endpoint.defaults { baseUrl = "https://h" }
local variables = api.variables

-- A variable as text: its operator, name and modifier, and "!" if it is required.
local function text_of(v)
  return v.operator .. v.name .. (v.explode and "*" or v.prefix and ":" .. ("%d"):format(v.prefix) or "")
    .. (v.required and "!" or "")
end

local function list(route)
  local texts = {}
  for i, v in ipairs(variables(route)) do texts[i] = text_of(v) end
  return table.concat(texts, " ")
end

describe("endpoint.variables", function()
  it("lists name, operator, explode, prefix and required of each variable", function()
    assert.same({
      { name = "owner", operator = "", explode = false, required = true },
      { name = "path", operator = "/", explode = true, required = false },
      { name = "q", operator = "?", explode = false, prefix = 3, required = false },
    }, variables("GET /repos/{owner}{/path*}{?q:3}"))
    assert.same({}, variables("GET /user"))
  end)

  local cases = {
    -- route                            variables, "!" behind those of the path and of the host
    { "/:a/:b",                         "a! b!" },
    { "POST /{b}/{a}{?c,d*}{&e:4}{#f}", "b! a! ?c ?d* &e:4 #f" },
    { "/{+a}{.b}{/c}{;d}",              "+a! .b /c ;d" },
    { "{?z,y,z}",                       "?z ?y" },
    { "/{enterprise-team}/{a.b}/{%41}", "enterprise-team! a.b! %41!" },
    { "/{data}",                        "data!" },
    -- All but required is of the first expression that names it.
    { "/{a}/{a:3}{?a*}",                "a!" },
    { "/x{/a*}/{a}{?b}{&b:2}",          "/a*! ?b" },
    { "/x{;a}{.a:2}{+a}",               ";a!" },
    { "/x{?a}/{a}",                     "?a" },
    { "/x#{a:3}{a}",                    "a:3" },
    -- Plain and "+" expressions are required, whatever stands beside them.
    { "/{a}{b}",                        "a! b!" },
    { "/{a,b}",                         "a! b!" },
    { "/{+a,b:2}",                      "+a! +b:2!" },
    { "/x{a}.json",                     "a!" },
    { "/a/..{x}",                       "x!" },
    { "{a}",                            "a!" },
    { "{+a}",                           "+a!" },
    { "/x{/a}{b}",                      "/a b!" },
    { "/x{.a}{;b}{/c}",                 ".a ;b /c" },
    { "/a/{.x}..",                      ".x" },
    -- Only before the first "?", "#", {?x}, {&x} or {#x}.
    { "/{a}?{b}",                       "a! b" },
    { "/{a}#{b}",                       "a! b" },
    { "/{a}{?b}{c}",                    "a! ?b c" },
    { "/{a}{&b}/{c}",                   "a! &b c" },
    { "/{a}{#b}/{+c}",                  "a! #b +c" },
    { "?{a}",                           "a" },
    { "{?a}/{b}",                       "?a b" },
    -- So they are in a host.
    { "https://{a}.h:{b}/{c}",          "a! b! c!" },
    { "https://{+a}/",                  "+a!" },
    { "https://h{a}",                   "a!" },
    { "https://h{+a,b}/{c}",            "+a! +b! c!" },
    { "https://h{.a}{/b}{+c}",          ".a /b +c!" },
    { "https://{a}?{b}",                "a! b" },
    { "https://h{?a}/{b}",              "?a b" },
    -- What only a whole call can tell raises none.
    { "https://{+a}.h{+b}/",            "+a! +b!" },
    { "//h/{a}",                        "a!" },
    { "http{a}://h",                    "a!" },
  }
  for _, case in ipairs(cases) do
    it(("lists those of %s: %s"):format(case[1], case[2]), function()
      assert.equal(case[2], list(case[1]))
    end)
  end

  it("lists those of random templates, each once, in order", function()
    local random = support.random(20261122)
    local function pick(choices) return choices[random(#choices)] end
    local kinds = { "", "", "+", "/", ".", ";", "?", "#", "&" }
    for _ = 1, 1000 do
      local template, order, found, in_path = { pick { "/", "https://h/", "x" } }, {}, {}, true
      for i = 1, random(6) do
        local operator, name = pick(kinds), pick { "a", "b", "c", "d" }
        template[2 * i], template[2 * i + 1] = "{" .. operator .. name .. "}", pick { "", "-", "/", "a#" }
        in_path = in_path and not operator:find "[?#&]"
        if not found[name] then
          found[name] = { name = name, operator = operator, explode = false, required = false }
          order[#order + 1] = found[name]
        end
        found[name].required = found[name].required or in_path and (operator == "" or operator == "+")
        in_path = in_path and template[2 * i + 1] ~= "a#"
      end
      assert.same(order, variables(table.concat(template)), table.concat(template))
    end
  end)

  it("takes a route, a URL, a table with url, or a default url", function()
    local with_url = api.defaults { url = "/{b}" }
    assert.equal("a", variables("GET /{a}")[1].name)
    assert.equal("a", variables({ url = "/{a}", method = "POST", x = 1 })[1].name)
    assert.equal("b", with_url.variables()[1].name)
    assert.equal("b", with_url.variables({})[1].name)
    assert.equal("a", with_url.variables("/{a}")[1].name)
    assert.equal("a", api:variables("/{a}")[1].name)
    assert.equal("a", variables(nil, { url = "/{a}" })[1].name)
  end)

  it("requires a variable that has a default parameter, too", function()
    assert.is_true(api.defaults({ a = 1 }).variables("/{a}")[1].required)
  end)

  it("returns a new table each time", function()
    local first = variables("/{a}")
    first[1].name, first[2] = "spoiled", "spoiled"
    assert.equal("a!", list("/{a}"))
  end)

  it("raises without url, on a malformed template and on wrong arguments", function()
    support.raises({ 'option "url"', "missing" }, variables)
    support.raises({ 'option "url"', "missing" }, variables, {})
    support.raises({ 'option "url"', "missing" }, variables, { url = endpoint.null })
    support.raises({ 'option "url"', "string", "number" }, variables, { url = 5 })
    support.raises({ "template", "byte 2" }, variables, "/{a")
    support.raises({ "template", "byte 4" }, variables, "/a/../{b}")
    support.raises({ "template", "byte 9" }, variables, "https:///{b}")
    support.raises({ "template", "byte 6" }, variables, "http:x/{b}")
    support.raises({ "template", "byte 10" }, variables, { url = "https://h /{b}" })
    support.raises({ "template", "byte 5" }, variables, "/x?y{?b}")
    support.raises({ 'variable "headers"', "option" }, variables, "/{headers}")
    support.raises({ "route", "method alone" }, variables, "GET")
    support.raises({ "argument 1", "route", "number" }, variables, 5)
    support.raises({ "argument 2", "nothing after the route", "table" }, variables, "/x", {})
    support.raises({ "argument 2", "nothing after the route", "table" }, api.variables, api, { url = "/x" }, {})
    support.raises({ "argument 1", "another endpoint" }, variables, endpoint, "/x")
    support.raises({ "argument 3", "nothing after the options", "number" }, variables, "/x", nil, 5)
    assert.equal("a", endpoint.defaults({ baseUrl = endpoint.null }).variables("/{a}")[1].name)
  end)

  it("lists the parameters of a real API's routes, all of them required", function()
    local count = 0
    for line in support.read("spec/tools/routes.tsv"):gmatch("[^\n]+") do
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
