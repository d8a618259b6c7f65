-- send.download: a file that goes on where it stopped. spec/docs/programs_wire_spec.lua runs
-- examples/download.lua, which is little more, against more answers.
local endpoint = require "endpoint"
local scripted = require "request.scripted"
local support = require "support"

local outcome, response = scripted.outcome, scripted.response

-- The sums of "0123456789" and of nothing.
local SUM = "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"
local EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

local IS_WINDOWS = package.config:sub(1, 1) == "\\"

local has_digest = pcall(require, "openssl.digest")

local path

-- What is there: the file, its part and its tag.
local function left()
  return {
    file = support.read_if_there(path),
    part = support.read_if_there(path .. ".part"),
    tag = support.read_if_there(path .. ".etag"),
  }
end

local function cut(body, length, etag)
  local head = "HTTP/1.1 200 OK\ncontent-length: %d\n%s\n"
  return scripted.lines(head:format(length, etag and "etag: " .. etag .. "\n" or "")) .. body
end

local function part(first, last, total, body)
  local range = ("content-range: bytes %d-%d/%s\n"):format(first, last, total)
  return response(body, range, 206)
end

-- Downloads with these answers. Returns what download returns, or the message.
local function download(answers, how, settings, options, route)
  scripted.answers = type(answers) == "table" and answers or { answers }
  settings = settings or {}
  settings.tries = 1
  local send = scripted.sender(settings)
  return outcome(send.download, route or "GET /file", options, path, how)
end

describe("send.download", function()
  before_each(function()
    scripted.reset()
    path = os.tmpname()
    os.remove(path)
  end)
  after_each(function()
    for _, ending in ipairs { "", ".part", ".etag" } do
      os.remove(path .. ending)
    end
  end)

  it("saves a file, returns its size and the response, and leaves nothing else", function()
    local size, answer = download(response("0123456789", 'etag: "1"\n'))
    assert.equal(10, size)
    assert.equal(200, answer.status)
    assert.same({ file = "0123456789" }, left())
  end)

  it("saves an empty file", function()
    local seen = {}
    local function progress(...)
      seen[#seen + 1] = { ... }
    end
    assert.equal(0, (download(response "", { progress = progress })))
    assert.same({ file = "" }, left())
    assert.same({ { 0, 0 } }, seen)
  end)

  it("asks for what is missing after a cut, with the entity tag", function()
    local size = download { cut("0123", 10, '"1"'), part(4, 9, 10, "456789") }
    assert.equal(10, size)
    assert.truthy(scripted.sent[2]:find("range: bytes=4-\r\n", 1, true))
    assert.truthy(scripted.sent[2]:find('if-range: "1"\r\n', 1, true))
    assert.same({ file = "0123456789" }, left())
  end)

  it("begins anew if the file has changed meanwhile", function()
    download { cut("0123", 10, '"1"'), response("abcdef", 'etag: "2"\n') }
    assert.same({ file = "abcdef" }, left())
  end)

  it("goes on after a cut of the file that has changed, however little came", function()
    local changed = { cut("012345", 10, '"1"'), cut("ab", 4, '"2"'), part(2, 3, 4, "cd") }
    assert.equal(4, (download(changed)))
    assert.same({ file = "abcd" }, left())
  end)

  it("ends where each cut file is another, and shorter", function()
    local said = download { cut("012345", 9, '"1"'), cut("abc", 9, '"2"'), cut("x", 9, '"3"') }
    assert.truthy(said:find("the response is cut off", 1, true), said)
    assert.equal(3, #scripted.sent)
    assert.same({ part = "x", tag = '"3"' }, left())
  end)

  it("never leaves the tag of a file beside the bytes of another", function()
    support.write(path .. ".part", "0123")
    support.write(path .. ".etag", '"1"')
    local open = io.open
    io.open = function(name, mode) -- luacheck: ignore 122
      if name == path .. ".part" and mode == "wb" then
        return nil, name .. ": Permission denied", 13
      end
      return open(name, mode)
    end
    local said = download(response("abcdef", 'etag: "2"\n'))
    io.open = open -- luacheck: ignore 122
    assert.equal("GET /file: " .. path .. ".part: Permission denied", said)
    assert.same({ part = "0123", tag = '"1"' }, left())
  end)

  it("goes on in the next run", function()
    local said = download { cut("0123", 10, '"1"'), "" }
    assert.truthy(said:find("closed the connection", 1, true), said)
    assert.same({ part = "0123", tag = '"1"' }, left())
    scripted.reset()
    assert.equal(10, (download(part(4, 9, 10, "456789"))))
    assert.same({ file = "0123456789" }, left())
  end)

  it("leaves what can go on when a function raises, as Ctrl-C does", function()
    local function progress(size)
      if size > 0 then
        error("interrupted!", 0)
      end
    end
    local said = download(cut("0123", 10, '"1"'), { progress = progress })
    assert.equal("interrupted!", said)
    assert.same({ part = "0123", tag = '"1"' }, left())
  end)

  for title, etag in pairs { ["a weak tag"] = 'W/"1"', ["no tag"] = false } do
    it("cannot go on with " .. title, function()
      local said = download(cut("0123", 10, etag or nil))
      assert.truthy(said:find("the response is cut off", 1, true), said)
      assert.equal("", left().tag)
      scripted.reset()
      download(response "abc")
      assert.is_nil(scripted.sent[1]:find "range")
      assert.same({ file = "abc" }, left())
    end)
  end

  it("fails where nothing more comes, and keeps what came", function()
    local said = download { cut("0123", 10, '"1"'), part(4, 3, 10, "") }
    local expected = "GET /file: the server sends 4 of 10 bytes, and not the rest"
    assert.equal(expected, said)
    assert.same({ part = "0123", tag = '"1"' }, left())
  end)

  it("fails where the server refuses, with its reason", function()
    local said = download(scripted.json('{"message": "no such asset"}', nil, 404))
    assert.equal("GET /file: the server answers 404: no such asset", said)
    assert.same({}, left())
  end)

  it("fails where a longer part comes", function()
    local got = download { cut("0123", 10, '"1"'), part(4, 9, 10, "4567890") }
    assert.equal("GET /file: the server sends more than it said", got)
    assert.is_nil(left().file)
  end)

  -- What comes instead of the missing part.
  for title, answer in pairs {
    ["another part"] = part(5, 9, 10, "56789"),
    ["a part of a whole of unknown length"] = part(4, 9, "*", "456789"),
    ["a part that says no place"] = response("456789", nil, 206),
    ["a part of another file"] = response(
      "456789",
      'content-range: bytes 4-9/10\netag: "2"\n',
      206
    ),
    ["416 for a shorter file"] = response("", "content-range: bytes */3\n", 416),
    ["416 without a length"] = response("", nil, 416),
  } do
    it("begins anew, once, where there comes " .. title, function()
      download { cut("0123", 10, '"1"'), answer, response("abc", 'etag: "2"\n') }
      assert.same({ file = "abc" }, left())
      assert.is_nil(scripted.sent[3]:find "range")
      scripted.reset()
      os.remove(path)
      local answers = { cut("0123", 10, '"1"'), answer, cut("0123", 10, '"1"'), answer }
      local said = download(answers)
      assert.equal(4, #scripted.sent)
      assert.truthy(said:find "another part" or said:find "416", said)
      assert.same({ part = "0123", tag = '"1"' }, left())
    end)
  end

  for _, tag in ipairs { '"1"\r\nx-a: b', '"1"\n', '"\27"', '"a"b"', '"1', "1" } do
    it(("sends no tag that is not one: %q"):format(tag), function()
      support.write(path .. ".part", "0123")
      support.write(path .. ".etag", tag)
      download(response "abc")
      assert.is_nil(scripted.sent[1]:find "range")
      assert.same({ file = "abc" }, left())
    end)
  end

  for _, status in ipairs { 300, 304 } do
    it(("leaves the file alone where the server answers %d"):format(status), function()
      support.write(path, "old")
      local said = download(response("", nil, status))
      assert.equal("GET /file: the server answers " .. status, said)
      assert.same({ file = "old" }, left())
    end)
  end

  it("takes the place of no directory, and asks for nothing where it sees one", function()
    assert(os.execute("mkdir " .. path))
    local said = download(response "abc")
    local is_told = said:find "irectory" or said:find "exists" -- as Windows says it
    assert.truthy(is_told, said)
    assert.equal(IS_WINDOWS and 1 or 0, #scripted.sent)
    assert(os.execute("rmdir " .. path))
  end)

  it("names the file that cannot get its name", function()
    local rename = os.rename
    os.rename = function(from) -- luacheck: ignore 122
      return nil, from .. ": Text file busy", 26
    end
    local said = download(response "abc")
    os.rename = rename -- luacheck: ignore 122
    assert.equal("GET /file: " .. path .. ": Text file busy", said)
  end)

  it("is whole where 416 says so", function()
    support.write(path .. ".part", "0123")
    support.write(path .. ".etag", '"1"')
    assert.equal(4, (download(response("", "content-range: bytes */4\n", 416))))
    assert.same({ file = "0123" }, left())
  end)

  it("takes another origin's bytes, with range and if-range", function()
    support.write(path .. ".part", "0123")
    support.write(path .. ".etag", '"1"')
    local answers =
      { response("", "location: https://files.example/1\n", 302), part(4, 9, 10, "456789") }
    local options = { request = { redirects = 1, other_origins = { "files.example" } } }
    local api = endpoint.defaults {
      baseUrl = "https://h",
      headers = { authorization = "Bearer 0123" },
    }
    scripted.answers = answers
    local size = scripted.sender({}, api).download("GET /file", options, path)
    assert.equal(10, size)
    assert.truthy(scripted.sent[2]:find("range: bytes=4-\r\n", 1, true))
    assert.truthy(scripted.sent[2]:find('if-range: "1"\r\n', 1, true))
    assert.truthy(scripted.sent[2]:find("accept-encoding: identity\r\n", 1, true))
    assert.is_nil(scripted.sent[2]:find "Bearer")
  end)

  it(
    "sends the headers and parameters of the call, and asks for bytes that are not packed",
    function()
      local options = { headers = { ["X-A"] = "b", ["Accept-Encoding"] = "gzip" }, q = 1 }
      download(response "x", nil, nil, options)
      assert.truthy(scripted.sent[1]:find("^GET /v1/file%?q=1 "))
      assert.truthy(scripted.sent[1]:find("x-a: b\r\n", 1, true))
      assert.truthy(scripted.sent[1]:find("accept-encoding: identity\r\n", 1, true))
      assert.same({ ["X-A"] = "b", ["Accept-Encoding"] = "gzip" }, options.headers)
    end
  )

  it("has no limit of the whole but that of the call, which is for all requests", function()
    local slow = { 0.7, 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\netag: "1"\r\n\r\nab' }
    local options = { request = { timeout = 1 } }
    local said = download({ slow, { 0.7, "" } }, nil, { timeout = 0.1 }, options)
    assert.truthy(said:find("timeout: no complete response", 1, true), said)
    assert.is_true(math.abs(scripted.clock - 1) < 0.01, scripted.clock)
    scripted.reset()
    assert.equal(1, (download({ { 20, response "x" } }, nil, { timeout = 0.1 })))
  end)

  it("shows the progress at most ten times a second, and at the end", function()
    local seen, pieces = {}, { "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n" }
    for _ = 1, 100 do
      pieces[#pieces + 1] = 0.01
      pieces[#pieces + 1] = "x"
    end
    download({ pieces }, {
      progress = function(size, wanted)
        seen[#seen + 1] = size .. "/" .. wanted
      end,
    })
    assert.is_true(#seen >= 8 and #seen <= 12, #seen)
    assert.equal("100/100", seen[#seen])
  end)

  it("compares the SHA-256", has_digest and function()
    for body, sum in pairs { ["0123456789"] = SUM, [""] = EMPTY } do
      scripted.reset()
      assert.equal(#body, (download(response(body), { sha256 = sum:upper() })))
    end
    scripted.reset()
    os.remove(path)
    local said = download(response("012345678X", 'etag: "1"\n'), { sha256 = SUM })
    assert.truthy(said:find("^GET /file: the file has another sha256: %x+$"), said)
    assert.same({}, left())
  end or function()
    pending "no luaossl"
  end)

  it("says where a file cannot be written", function()
    path = "/no such directory/file"
    local said = download(response("x", 'etag: "1"\n'))
    assert.equal("GET /file: " .. path .. ".part: No such file or directory", said)
  end)

  -- title: what is wrong. said: after "endpoint.request: ".
  for _, row in ipairs {
    { route = "POST /file", said = "download: expected a GET, got a POST" },
    { path = 7, said = "download: expected the path of a file, got a number" },
    { path = "/dev/full", said = "download: expected the path of a file, got that of a device" },
    { options = { headers = "x" }, said = 'option "headers": expected a table, got string' },
    {
      options = { headers = { Range = "bytes=0-9" } },
      said = "download: it writes the header range itself",
    },
    { path = "", said = "download: expected the path of a file, got another string" },
    {
      options = { request = { sink = function() end } },
      said = "download: it has a sink of its own",
    },
    { how = { sha256 = "ab" }, said = "sha256: expected 64 hexadecimal digits" },
    { how = { progres = 1 }, said = 'download: there is no setting "progres", is it "progress"?' },
  } do
    it("refuses a mistake: " .. row.said, function()
      local send = scripted.sender {}
      local said =
        outcome(send.download, row.route or "GET /file", row.options, row.path or path, row.how)
      assert.equal(row.said, (said:gsub("^endpoint[%a.]*: ", "")))
      assert.same({}, scripted.sent)
    end)
  end
end)
