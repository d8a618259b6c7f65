-- The setting other_origins: to which other servers a redirect may lead, and what goes there.
local endpoint = require "endpoint"
local request = require "endpoint.request"
local scripted = require "request.scripted"
local support = require "support"

local asked, response = scripted.asked, scripted.response

local function moved_to(place)
  return response("", "location: " .. place .. "\n", 302)
end

-- The secrets of a call, and what may be shown.
local HEADERS = {
  authorization = "Bearer 0123",
  cookie = "a=b",
  ["x-api-key"] = "k",
  ["x-tenant"] = "7",
  accept = "application/octet-stream",
  ["user-agent"] = "mine/1",
}

local function api_at(base)
  return endpoint.defaults { baseUrl = base, headers = HEADERS, tenant = 7 }
end

-- Sends GET /x, which leads to a place, where "moved" is the text. Returns what the call gives, and
-- the requests that were sent.
local function ask(base, place, settings, route, options)
  scripted.reset()
  settings.redirects = settings.redirects or 1
  local value = asked(function(_, number)
    return number == 1 and moved_to(place) or response "moved"
  end, scripted.sender(settings, api_at(base)), route, options)
  return value, scripted.sent
end

local REFUSED = "it has another origin, which the setting other_origins does not have"
local PLAIN = "it has another origin, which is not https"

-- list: the setting. base, place: from where to where. reason: why it is refused, nil if it is not.
local ROWS = {
  { list = { "files.example" }, place = "https://files.example/a" },
  { list = { "a.example", "FILES.example" }, place = "https://files.Example./a" },
  { list = { "files.example." }, place = "https://files.example/a" },
  { list = { "*.example" }, place = "https://files.example/a" },
  { list = { "*.example" }, place = "https://a.files.example/a" },
  { list = { "*.example" }, place = "https://example/a", reason = REFUSED },
  { list = { "*.files.example" }, place = "https://evilfiles.example/a", reason = REFUSED },
  { list = { "files.example" }, place = "https://files.example.evil/a", reason = REFUSED },
  { list = { "files.example" }, place = "https://a.files.example/a", reason = REFUSED },
  { list = { "files.example" }, place = "https://files.example:8443/a", reason = REFUSED },
  { list = { "files.example:8443" }, place = "https://files.example:8443/a" },
  { list = { "files.example:8443" }, place = "https://files.example/a", reason = REFUSED },
  { list = {}, place = "https://files.example/a", reason = REFUSED },
  { list = { "files.example" }, place = "http://files.example/a", reason = PLAIN },
  {
    list = { "files.example" },
    base = "http://h",
    place = "http://files.example/a",
    reason = PLAIN,
  },
  { list = { "h" }, place = "http://h/a", reason = PLAIN },
  { list = { "h:81" }, base = "http://h", place = "http://h:81/a" },
  {
    list = { "files.example" },
    place = "https://me:pw@files.example/a",
    shown = "https://***@files.example/a",
    reason = "it has another origin, and a user",
  },
}

describe("a redirect to another origin", function()
  before_each(scripted.reset)

  for _, row in ipairs(ROWS) do
    local base = row.base or "https://h"
    local title = "from %s to %s %s with other_origins = { %s }"
    local is_followed = row.reason and "is not followed" or "is followed"
    it(title:format(base, row.place, is_followed, table.concat(row.list, ", ")), function()
      local said, sent = ask(base, row.place, { other_origins = row.list })
      if row.reason then
        local form = "GET /x: the server answers 302: moved to %s (not followed: %s)"
        assert.equal(form:format(row.shown or row.place, row.reason), said)
        assert.equal(1, #sent)
      else
        assert.equal("moved", said)
      end
    end)
  end

  it("takes five headers of the call there, and nothing else of it", function()
    local headers = {
      range = "bytes=1-",
      ["accept-encoding"] = "identity",
      ["if-range"] = '"1"',
      ["x-more"] = "m",
    }
    local options = { headers = headers, q = "secret" }
    local _, sent = ask("https://h", "https://f.example/a?b=c", {
      other_origins = { "f.example" },
    }, "GET /x", options)
    local line, rest = sent[2]:match "^(.-)\r\n(.*)$"
    assert.equal("GET /a?b=c HTTP/1.1", line)
    local names = {}
    for name in rest:gmatch "([%w-]+): [^\r]*\r\n" do
      names[#names + 1] = name
    end
    table.sort(names)
    local expected = { "accept", "accept-encoding", "host", "if-range", "range", "user-agent" }
    assert.same(expected, names)
  end)

  it("does not ask the hook, and no token is written", function()
    local hooked = 0
    local _, sent = ask("https://h", "https://f.example/a", {
      other_origins = { "f.example" },
      around = function(r, send)
        hooked = hooked + 1
        r.headers["x-token"] = "t"
        return send(r)
      end,
    })
    assert.equal(1, hooked)
    assert.is_nil(sent[2]:find "token")
  end)

  it("takes no certificate there", function()
    local path = os.tmpname()
    support.write(path, "") -- Windows only names it
    local _ = ask("https://h", "https://f.example/a", {
      other_origins = { "f.example" },
      certificate = path,
    })
    os.remove(path)
    assert.is_nil(scripted.settings.certificate)
  end)

  it("does not take a credential again on the way back", function()
    local answers = { moved_to "https://f.example/a", moved_to "https://h/b", response "back" }
    local sender =
      scripted.sender({ redirects = 2, other_origins = { "f.example", "h" } }, api_at "https://h")
    assert.equal("back", (asked(function(_, number)
      return answers[number]
    end, sender)))
    assert.is_nil(scripted.sent[3]:find "Bearer")
  end)

  it("must be allowed at each step", function()
    local answers = { moved_to "https://f.example/a", moved_to "https://evil.example/b" }
    local sender =
      scripted.sender({ redirects = 5, other_origins = { "f.example" } }, api_at "https://h")
    local said = asked(function(_, number)
      return answers[number]
    end, sender)
    local form = "GET /x: the server f.example answers 302: moved to https://evil.example/b "
      .. "(not followed: %s)"
    assert.equal(form:format(REFUSED), said)
  end)

  it("tells which server refuses", function()
    local answers = { moved_to "https://f.example/a", response("", nil, 403) }
    local sender =
      scripted.sender({ redirects = 5, other_origins = { "f.example" } }, api_at "https://h")
    local said = asked(function(_, number)
      return answers[number]
    end, sender)
    assert.equal("GET /x: the server f.example answers 403", said)
  end)

  it("is not followed under POST, or more often than redirects says", function()
    local settings = { other_origins = { "f.example" } }
    local said = ask("https://h", "https://f.example/a", settings, "POST /x")
    assert.truthy(said:find("not followed: the method is POST", 1, true))
    said = ask("https://h", "https://f.example/a", {
      other_origins = { "f.example" },
      redirects = 0,
    })
    assert.truthy(said:find("not followed: the setting redirects is 0", 1, true))
  end)

  it("is followed where a function of the URL says so", function()
    local urls = {}
    local function is_ours(url)
      urls[#urls + 1] = url
      return url:find "^https://f%.example/" ~= nil
    end
    local settings = { other_origins = is_ours }
    assert.equal("moved", (ask("https://h", "https://f.example/a?{b}", settings)))
    local said = ask("https://h", "https://g.example/", settings)
    assert.truthy(said:find(REFUSED, 1, true))
    assert.same({ "https://f.example/a?%7Bb%7D", "https://g.example/" }, urls)
  end)

  it("ends with the error of such a function", function()
    local said = ask("https://h", "https://f.example/a", {
      other_origins = function()
        error("mine", 0)
      end,
    })
    assert.equal("mine", said)
  end)

  it("may be allowed for one call", function()
    local options = { request = { redirects = 1, other_origins = { "f.example" } } }
    assert.equal("moved", (ask("https://h", "https://f.example/a", {}, "GET /x", options)))
  end)

  for _, entry in ipairs { "https://f.example", "*", "f.example/", "", "a b", 7, "me@f.example" } do
    it(("cannot be allowed by %q"):format(tostring(entry)), function()
      local ok, said = pcall(request.new, endpoint, { other_origins = { entry } })
      assert.is_false(ok)
      local expected = "other_origins: expected hosts such as files.example or *.files.example"
      assert.truthy(said:find(expected, 1, true), said)
    end)
  end
end)
