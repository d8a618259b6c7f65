-- Bodies of multipart/form-data through a gateway in nginx: sent by endpoint.request and by curl,
-- held in memory by nginx or in a file, counted or in chunks; right ones reach the API as they were
-- sent, and wrong ones do not.
package.path = "src/?.lua;" .. package.path
local clients = require "endpoint.clients"
local echo = require "echo"
local endpoint = require "endpoint"
local json = require "cjson"
local request = require "endpoint.request"
local server = require "server"
local socket = require "socket"
local support = require "support"

local TEXT, INTEGER = '{"type":"string"}', '{"type":"integer"}'
local DOCUMENT = ([[{"openapi":"3.1.0","paths":{"/upload":{"post":{"requestBody":{"required":true,
  "content":{"multipart/form-data":{
    "schema":{"type":"object","required":["title","file"],"properties":{
      "title":TEXT,"pages":INTEGER,"tags":{"type":"array","items":TEXT},
      "meta":{"type":"object","required":["n"],"properties":{"n":INTEGER}},
      "file":{"type":"string","format":"binary"}}},
    "encoding":{"file":{"contentType":"image/png, image/jpeg"}}}}}}},
  "/ping":{"get":{}}}}]]):gsub("TEXT", TEXT):gsub("INTEGER", INTEGER)

-- The longest body that the gateway takes, and the size from which nginx has one in a file.
local LIMIT, BUFFER = 300000, 1024

-- What was read goes on in a header: of a long text its length and sum.
local LOCATIONS = ([[
location ~ ^/(upload|ping)$ {
  client_body_buffer_size @BUFFER@;
  access_by_lua_block {
    package.path = "@ROOT@/src/?.lua;" .. package.path
    local nginx, json = require "endpoint.checks.nginx", require "cjson"
    if not package.loaded.uploads then
      local made = require "endpoint.types".generate(json.decode [==[@DOCUMENT@]==], "uploads",
        { checks = true })
      package.loaded.uploads = assert(loadstring(made.files[#made.files - 1].text))()
    end
    local operation, values, problems =
      require "uploads".request(nginx.read { body = @LIMIT@ })
    if not operation then
      return nginx.refuse(values, problems)
    end
    local read = values.body or {}
    if read.file then
      read.file = { #read.file, require "echo".sum(read.file) }
    end
    ngx.req.set_header("x-read", json.encode(read))
    ngx.req.set_header("x-in-file", ngx.req.get_body_file() and "yes" or "no")
  }
  set $reached http://127.0.0.1:@PORT@/reached;
  proxy_pass $reached;
}
location = /reached {
  client_body_buffer_size 8m;
  content_by_lua_block { require "echo".answer() }
}
]]):gsub("@(%u+)@", { LIMIT = LIMIT, BUFFER = BUFFER, DOCUMENT = DOCUMENT })

local PNG = "\137PNG\r\n\26\n\0\r\n--"
local MULTIPART = "multipart/form-data; boundary=b"
local SIZES = { ["in memory"] = 10, ["in a file"] = 200000 }

-- The bytes of a file, of which each is there.
local function bytes(size)
  local all = {}
  for byte = 0, 255 do
    all[#all + 1] = string.char(byte)
  end
  all = table.concat(all)
  return PNG .. all:rep(math.ceil(size / #all)):sub(1, size)
end

local function file(data, more)
  local part = { name = "file", filename = "a.png", type = "image/png", data = data }
  for key, one in pairs(more or {}) do
    part[key] = one
  end
  return part
end

local function field(name, data, media_type)
  return { name = name, data = data, type = media_type }
end

-- what the row is; its parts without the file; what is read of them
local RIGHT = {
  { "two fields", { field("title", "a b&c=\195\169") }, { title = "a b&c=\195\169" } },
  {
    "fields of all kinds",
    {
      field("title", ""),
      field("pages", 12),
      field("tags", "x"),
      field("tags", "y, z"),
      field("meta", '{"n":5}', "application/json"),
    },
    { title = "", pages = 12, tags = { "x", "y, z" }, meta = { n = 5 } },
  },
}

local TITLE = field("title", "t")

-- what the row is; its parts, of which "file" is the file; the status; name and message of each
-- problem, which may be a pattern
local WRONG = {
  { "without the file", { TITLE }, { { nil, "^/file is missing$" } } },
  { "without a field", { "file" }, { { nil, "^/title is missing$" } } },
  {
    "with a part too much",
    { TITLE, "file", field("ttle", "x") },
    { { nil, "^/ttle is unknown, is it" } },
  },
  { "with a part twice", { TITLE, TITLE, "file" }, { { "title", "is there twice" } } },
  {
    "with a part of a wrong type",
    { TITLE, "file", field("pages", "x") },
    { { nil, "^/pages expected an integer, got a string$" } },
  },
  {
    "with a part of a wrong media type",
    { TITLE, { type = "image/gif" } },
    { { "file", "expected a part of image/png or image/jpeg" } },
  },
  {
    "with JSON that is wrong",
    { TITLE, "file", field("meta", '{"n":', "application/json") },
    { { "meta", "expected JSON" } },
  },
  {
    "with all of it wrong",
    { field("pages", "x"), field("ttle", "x") },
    { { nil, "." }, { nil, "." }, { nil, "." }, { nil, "." } },
  },
}

-- The options of curl for a form; the name of its file comes next.
local FORM = "-F title='a b' -F pages=3 -F tags=x -F tags=y "
  .. [[-F 'meta={"n":7};type=application/json' -F 'file=@]]

describe("a form with files, through the gateway,", function()
  local running, start, stop = server.plan { locations = LOCATIONS, errors = "" }
  local send
  setup(function()
    start()
    send = request.new(endpoint.defaults { baseUrl = running.url }, { timeout = 20 })
  end)
  teardown(stop)

  -- Sends a body by endpoint.request, in chunks as a stream. Returns the status, and what the
  -- gateway or the API says.
  local function sent(body, content_type, is_chunked)
    local data = body
    if is_chunked then
      local position = 1
      data = function()
        local piece = body:sub(position, position + 9999)
        position = position + 10000
        return piece ~= "" and piece or nil
      end
    end
    local ok, answer, response = pcall(send, "POST /upload", {
      data = data,
      headers = { ["content-type"] = content_type, accept = "*/*" },
    })
    if not ok then
      response = type(answer) == "table" and answer.response or error(answer, 0)
      return response.status, response.body
    end
    return response.status, echo.read(answer)
  end

  local function parts_of(row, data)
    local parts = {}
    for position, part in ipairs(row[2]) do
      local is_file = part == "file" or not part.name
      parts[position] = is_file and file(data, part ~= "file" and part or nil) or part
    end
    return parts
  end

  local function body_of(parts)
    local body, content_type = clients.multipart(parts)
    return body, content_type
  end

  -- Asserts that the API got this body, and the gateway read these values and the file.
  local function assert_reached(seen, body, values, data)
    if body then
      assert.same({ #body, echo.sum(body) }, { seen.length, seen.sum })
    end
    local read = json.decode(seen.headers["x-read"])
    assert.same({ #data, echo.sum(data) }, read.file)
    read.file = nil
    assert.same(values, read)
    assert.equal(seen.length > BUFFER and "yes" or "no", seen.headers["x-in-file"])
  end

  for where, size in pairs(SIZES) do
    for way, is_chunked in pairs { counted = false, ["in chunks"] = true } do
      local title = ("%s, %s: "):format(where, way)
      local data = bytes(size)

      for _, row in ipairs(RIGHT) do
        it("reaches the API, " .. title .. row[1], function()
          local parts = parts_of(row, data)
          parts[#parts + 1] = file(data)
          local body, content_type = body_of(parts)
          local status, seen = sent(body, content_type, is_chunked)
          assert.equal(200, status)
          assert.equal(content_type, seen.headers["content-type"])
          assert_reached(seen, body, row[3], data)
        end)
      end

      it("reaches the API, " .. title .. "sent by curl", function()
        support.write(running.directory .. "/a.png", data)
        local chunked = is_chunked and "-H 'Transfer-Encoding: chunked' " or ""
        local form = FORM .. running.directory .. "/a.png;type=image/png'"
        local answer = server.fetch(running, "/upload", chunked .. form)
        local values = { title = "a b", pages = 3, tags = { "x", "y" }, meta = { n = 7 } }
        local seen = echo.read(answer)
        assert_reached(seen, nil, values, data)
        assert.truthy(seen.length > size)
      end)

      for _, row in ipairs(WRONG) do
        it("is refused, " .. title .. row[1], function()
          local body, content_type = body_of(parts_of(row, data))
          local status, answer = sent(body, content_type, is_chunked)
          assert.equal(400, status)
          local problems = answer.problems
          assert.equal(#row[3], #problems, json.encode(problems))
          for position, expected in ipairs(row[3]) do
            local one = problems[position]
            local message = ("%s %s"):format(one.pointer, one.message)
            assert.same({ "body", expected[1] }, { one.place, one.name })
            assert.truthy(message:find(expected[2]), json.encode(problems))
          end
        end)
      end

      it("is refused, " .. title .. "cut within the file", function()
        local body, content_type = body_of { TITLE, file(data) }
        local status, answer = sent(body:sub(1, #body - 10), content_type, is_chunked)
        assert.same(
          { 400, "does not end with the boundary" },
          { status, answer.problems[1].message }
        )
      end)

      -- content-type, status, place
      for _, row in ipairs {
        { "application/json", 415, "header" },
        { "multipart/mixed; boundary=b", 415, "header" },
        { "multipart/form-data", 400, "header" },
        { "multipart/form-data; boundary=other", 400, "body" },
      } do
        it(("gets %d, %s%s"):format(row[2], title, row[1]), function()
          local status, answer = sent(body_of { TITLE, file(data) }, row[1], is_chunked)
          assert.same({ row[2], row[3] }, { status, answer.problems[1].place })
        end)
      end
    end
  end

  for way, is_chunked in pairs { counted = false, ["in chunks"] = true } do
    it("gets 413 where it has more bytes than the gateway takes, " .. way, function()
      local body, content_type = body_of { TITLE, file(bytes(LIMIT)) }
      local status, answer = sent(body, content_type, is_chunked)
      assert.same({ 413, "body" }, { status, answer.problems[1].place })
    end)

    it("is taken with just as many bytes, " .. way, function()
      local rest = #body_of { TITLE, file "" }
      local data = ("x"):rep(LIMIT - rest)
      local body, content_type = body_of { TITLE, file(data) }
      local status, seen = sent(body, content_type, is_chunked)
      assert.same({ LIMIT, 200 }, { #body, status })
      assert_reached(seen, body, { title = "t" }, data)
    end)
  end

  -- Sends a text, and nothing after it if it is cut there; returns what came back.
  local function exchange(text, is_cut)
    local connection = assert(socket.connect("127.0.0.1", running.port))
    connection:settimeout(10)
    assert(connection:send(text))
    if is_cut then
      connection:shutdown "send"
    end
    local answer = connection:receive "*a"
    connection:close()
    return answer or ""
  end

  local HEAD = "POST /upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: "
    .. MULTIPART
    .. "\r\n"
  for _, row in ipairs {
    { "within a body that is counted", "Content-Length: 5000\r\n\r\n--b\r\n" },
    { "within a chunk", "Transfer-Encoding: chunked\r\n\r\n100\r\n--b\r\n" },
    { "before the last chunk", "Transfer-Encoding: chunked\r\n\r\n5\r\n--b\r\n\r\n" },
  } do
    it("never reaches the API if the connection ends " .. row[1], function()
      local answer = exchange(HEAD .. row[2], true)
      assert.falsy(answer:find "^HTTP/1.1 2", answer)
    end)
  end

  -- headers of a request without a body
  for _, row in ipairs {
    { "a hundred and twenty headers, of which it needs none", ("X-A: 1\r\n"):rep(120), 200 },
    { "two content-types and no body", "Content-Type: a/b\r\nContent-Type: c/d\r\n", 200 },
    { "an empty body that is counted", "Content-Length: 0\r\n", 200 },
    { "a body that is counted", "Content-Length: 1\r\n", 415, "x" },
    { "a body in chunks", "Transfer-Encoding: chunked\r\n", 415, "1\r\nx\r\n0\r\n\r\n" },
    { "an empty body in chunks", "transfer-encoding: chunked\r\n", 200, "0\r\n\r\n" },
    {
      "a body and two content-types",
      HEAD:match "Content%-Type.*" .. "Content-Length: 1\r\n" .. "Content-Type: a/b\r\n",
      400,
      "x",
    },
    { "a body and many headers", ("X-A: 1\r\n"):rep(120) .. "Content-Length: 1\r\n", 431, "x" },
  } do
    it(("gets %d for a GET with %s"):format(row[3], row[1]), function()
      local head = "GET /ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
      local answer = exchange(head .. row[2] .. "\r\n" .. (row[4] or ""))
      assert.equal(row[3], tonumber(answer:match "^HTTP/1.1 (%d+)"), answer)
    end)
  end
end)
