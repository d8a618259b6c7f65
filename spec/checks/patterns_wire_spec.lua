-- The patterns of rules inside a real nginx, where ngx.re judges them. keywords_spec.lua tries the
-- same with lrexlib.
local server = require "server"
local url = require "socket.url"

local ROWS = {
  { title = "takes a string that fits", pattern = "^[a-z]+$", string = "abc", says = "right" },
  {
    title = "refuses a string that does not fit",
    pattern = "^[a-z]+$",
    string = "ab1",
    says = "expected a string that fits the pattern",
  },
  {
    title = "does not let $ match before the last line end, as ECMA-262 says",
    pattern = "^a$",
    string = "a\n",
    says = "expected a string that fits the pattern",
  },
  {
    title = "counts a character of several bytes as one",
    pattern = "^.$",
    string = "\195\164",
    says = "right",
  },
  {
    title = "refuses bytes that are not UTF-8",
    pattern = "^a",
    string = "a\255",
    says = "expected a string in UTF-8",
  },
  {
    title = "takes a long string that fits",
    pattern = "^(a+)+$",
    string = "a",
    times = 5000,
    says = "right",
  },
  {
    title = "takes a long string by a group that is repeated",
    pattern = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==)?$",
    string = "aB1+",
    times = 700,
    says = "right",
  },
  {
    title = "ends a search that a just-in-time compiler does not count",
    pattern = "[\\p{L}\\s*]*\\{##[\\p{L}]*",
    string = "a",
    times = 80000,
    says = "the pattern takes too many steps",
  },
  {
    title = "ends a look-around of the whole string at each byte",
    pattern = "(?:(?=.*)a)*Z",
    string = "a",
    times = 20000,
    says = "the pattern takes too many steps",
  },
  {
    title = "ends a match that would take too many steps",
    pattern = "^(a+)+$",
    string = "a",
    times = 5000,
    last = "b",
    says = "the pattern takes too many steps",
  },
  {
    title = "takes a string with a space that only Unicode has",
    pattern = "^(\\s|a)+$",
    string = "a\194\160a",
    says = "right",
  },
  {
    title = "says that it leaves out a pattern that is not one of ECMA-262",
    pattern = "(?i)a",
    string = "b",
    says = 'right; GET /x: the pattern "(?i)a" is not checked: it is not one of ECMA-262',
  },
  {
    title = "says that it leaves out a pattern that ngx.re cannot read",
    pattern = "(a)\\p{Graph}",
    string = "b",
    says = "right; GET /x: the pattern",
  },
}

describe("patterns in nginx", function()
  local running, start, stop = server.plan {
    locations = [[
location = /pattern { content_by_lua_file @ROOT@/spec/checks/programs/pattern.lua; }
location = /slow {
  set $specs @ROOT@/spec;
  set $patterns "";
  content_by_lua_file @ROOT@/spec/checks/programs/slow_patterns.lua;
}
]],
  }
  setup(start)
  teardown(stop)

  local function judged(row)
    local query = ("p=%s&s=%s&times=%d&last=%s"):format(
      url.escape(row.pattern),
      url.escape(row.string),
      row.times or 1,
      row.last or ""
    )
    return server.fetch(running, "/pattern?" .. query)
  end

  for _, row in ipairs(ROWS) do
    it(row.title, function()
      local said = judged(row)
      assert.truthy(said:find(row.says, 1, true), said)
    end)
  end

  it("of documents end in time, whatever the string", function()
    local said = server.fetch(running, "/slow")
    assert.truthy(said:find("^0 took too long"), said)
  end)
end)
