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
    -- route                            variables
    { "/:a/:b",                         "a! b!" },
    { "POST /{b}/{a}{?c,d*}{&e:4}{#f}", "b! a! ?c ?d* &e:4 #f" },
    { "/{+a}{.b}{/c}{;d}",              "+a .b /c ;d" },
    { "/{a}/{a:3}{?a*}",                "a!" },
    { "{?z,y,z}",                       "?z ?y" },
    { "/{enterprise-team}/{a.b}/{%41}", "enterprise-team! a.b! %41!" },
    { "/{data}",                        "data!" },
    -- A segment must not vanish.
    { "/{a}{b}",                        "a b" },
    { "/{a,b}",                         "a b" },
    { "/{a}{a}",                        "a!" },
    { "/{a,a}",                         "a!" },
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
    { "/x#{a}",                         "a" },
    { "{a}",                            "a!" },
    { "{/a}",                           "/a" },
    -- No dot segment must be left.
    { "/a/{x}..",                       "x!" },
    { "/a/..{x}",                       "x!" },
    { "/a/.{x}%2e/b",                   "x!" },
    { "/a/.{x}",                        "x!" },
    { "/a/{x,y}..",                     "x y" },
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
    { "/..%5C{x}..",                    "x!" },
    -- The authority must not change.
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
    { "https://h{/a}%2F..{.a}",         "/a" },
    { "https://h{/a}.g/..{.a}",         "/a!" },
    { "https://h{/a}{a}",               "/a!" },
    { "https://h{/a}{+a}",              "/a!" },
    { "https://{b}{/a}{+b}",            "b! /a!" },
    { "https://{.a}{/a}",               ".a!" },
    { "https://h{/a}{.a}{b}",           "/a! b" },
    { "https://h{/a}{/a}/{b}",          "/a b!" },
    { "https://h{/a}{/a,b}",            "/a /b" },
    { "https://h{?a}/{b}",              "?a b" },
    { "https://u@{a}:{p}/",             "a! p!" },
    { "https://{a}:80{/b}",             "a! /b" },
    -- A call raises whatever the values are.
    { "https:///{a}",                   "a" },
    { "https://u@{+a}",                 "+a" },
    { "https://:{p}/{a}",               "p a" },
    { "https://{+a,b}/{c}",             "+a +b c" },
    { "https://{a}{+a}",                "a" },
    { "http:x/{a}",                     "a" },
    { "http://@{+a}",                   "+a" },
    { "s://@{+a}{b}",                   "+a! b" },
    { "http://h{/a}@",                  "/a!" },
    { "s://{/a}{+b}",                   "/a! +b" },
    { "https://{&a}{+b}",               "&a +b!" },
    { "https://h{+a}%2F..{b}/",         "+a! b!" },
  }
  for _, case in ipairs(cases) do
    it(("lists those of %s: %s"):format(case[1], case[2]), function()
      assert.equal(case[2], list(case[1]))
    end)
  end

  -- Whether a call has a result. The bits of choice select one of two texts for each name;
  -- one name may be left out.
  local function has_result(url, names, texts, choice, left_out)
    local options = { url = url, baseUrl = "https://h" }
    for i, name in ipairs(names) do
      if name ~= left_out then options[name] = texts[math.floor(choice / 2 ^ (i - 1)) % 2 + 1] end
    end
    return (pcall(endpoint.parse, options))
  end

  -- Whether a call has a result for some choice of texts.
  local function can_have_result(url, names, left_out)
    local texts = { "a", url:find "://" and "/a" or "a" }
    for choice = 0, 2 ^ #names - 1 do
      if has_result(url, names, texts, choice, left_out) then return true end
    end
    return false
  end

  -- Compares `required` with what calls do. Counts the variables of a template that has results.
  local function check_required(url)
    local found, names = variables { url = url }, {}
    for i, v in ipairs(found) do names[i] = v.name end
    local sound = can_have_result(url, names)
    for _, v in ipairs(found) do
      assert.equal(sound and not can_have_result(url, names, v.name), v.required, url .. " without " .. v.name)
    end
    return sound and #found or 0
  end

  it("requires a variable if calls raise where it alone is missing", function()
    for _, case in ipairs(cases) do check_required(case[1]:match("%S+$")) end
  end)

  it("requires a variable of a random template if calls raise where it alone is missing", function()
    local random = support.random(20261122)
    local function pick(choices) return choices[random(#choices)] end
    local starts = { "", "/", "/x", "https://", "https://h", "http://u@", "s://", "s://h", "https://h/", "https://h:" }
    local literals = { "/", "/", "a", ".", "..", "%2e", "@", ":", "?", "#", ";", "%2F", "80" }
    local operators = { "", "", "+", "+", "/", "/", "?", "#", ".", ";", "&" }
    local asked = 0
    for _ = 1, 3000 do
      local parts, names = { pick(starts) }, { "a", "b", "c", "d" }
      for _ = 1, pick { 1, 2, 3, 4, 5 } do
        local name = pick { true, false } and table.remove(names)
        local second = name and pick { true, false, false, false } and table.remove(names)
        parts[#parts + 1] = name and "{" .. pick(operators) .. name .. (second and "," .. second or "") .. "}"
          or pick(literals)
      end
      asked = asked + check_required(table.concat(parts))
    end
    assert.is_true(asked > 1000, "too few variables: " .. asked)
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
