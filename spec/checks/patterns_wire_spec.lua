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
    title = "ends a match that would take too many steps",
    pattern = "^(a+)+$",
    string = "a",
    times = 5000,
    last = "b",
    says = "the pattern takes too many steps",
  },
  {
    title = "leaves out a pattern that it cannot read",
    pattern = "(?i)a",
    string = "b",
    says = "right",
  },
}

describe("patterns in nginx", function()
  local running, start, stop = server.plan {
    locations = [[
location = /pattern { content_by_lua_file @ROOT@/spec/checks/programs/pattern.lua; }
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
      assert.is_nil(said:find("pattern is not checked", 1, true), said)
    end)
  end
end)
