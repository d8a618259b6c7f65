-- The programs in examples, run under each Lua against an nginx that plays the API, over HTTP and
-- TLS. gateway_wire_spec has those of nginx.
local echo = require "echo"
local examples = require "docs.examples"
local json = require "cjson"
local server = require "server"
local support = require "support"

-- What comes before a command, the command, and what it prints, without white space.
local MAKE = "make --no-print-directory demo"
local ROUTE, PARAMS =
  [[ROUTE='GET /users?$filter=$(a)&b="c"']], [[ROUTE='GET /:org' PARAMS='{"org": "$x"}']]

describe("make demo", function()
  for _, row in ipairs {
    { ROUTE, MAKE, "/users?$filter=$(a)&b=%22c%22" },
    { "", MAKE .. " " .. ROUTE, "/users?$filter=$(a)&b=%22c%22" },
    { PARAMS, MAKE, "/%24x" },
    { "", MAKE .. " " .. PARAMS, "/%24x" },
    { "", MAKE, "/orgs/octokit/repos" },
    { "", MAKE .. " ROUTE=/:owner", 'endpoint:parameter"owner"ismissing' },
    { "", MAKE .. " ROUTE=/:owner", "Error1" },
  } do
    it(("prints what it should: %s %s: %s"):format(row[1], row[2], row[3]), function()
      local printed = server.run(
        "lua5.4",
        row[2],
        "env -u MAKEFLAGS -u MAKELEVEL -u ROUTE -u PARAMS LC_ALL=C " .. row[1]
      )
      assert.truthy(printed:gsub("%s", ""):find(row[3], 1, true), printed)
      assert.falsy(printed:find("traceback", 1, true), printed)
    end)
  end
end)

-- --- the programs

-- What reaches the API: method, URL, and of a few headers the values that are there; then a body,
-- JSON as Lua. BASE is the API's address, TLS and PORT are its ports.
local function line_of(seen)
  local words, headers =
    { seen.method, ("%s://%s%s"):format(seen.scheme, seen.headers.host, seen.uri) }, seen.headers
  for _, name in ipairs {
    "authorization",
    "accept",
    "accept-encoding",
    "range",
    "if-range",
    "content-type",
  } do
    -- gzip is what lua-zlib's users ask for.
    words[#words + 1] = headers[name] ~= "gzip" and headers[name] or nil
  end
  local is_json = (headers["content-type"] or ""):find "^application/json"
  words[#words + 1] = is_json and support.shown(json.decode(seen.body))
    or seen.body ~= "" and seen.body
    or nil
  return table.concat(words, " ")
end

local HEAD, AS_JSON = " Bearer 0123 application/json", " application/json; charset=utf-8 "
local ISSUES, CUSTOMERS = "BASE/repos/lua/lua/issues", "BASE/v1/customers"
local ASKED, FIRST =
  "GET " .. ISSUES .. "?labels=bug%2Cui&per_page=2" .. HEAD,
  "GET BASE/orgs/luarocks/repos?per_page=2"
local CREATED = {
  "POST " .. ISSUES .. HEAD .. AS_JSON .. [[{ labels = { "bug" }, title = "Gr\195\188\195\159e" }]],
  '{"number": 4}',
  status = 201,
}
local LISTING = {
  {
    ASKED,
    '[{"number": 1, "title": "a"}, {"number": 2, "title": "b"}]',
    link = "<" .. ISSUES .. '?page=2>; rel="next"',
  },
  {
    "GET " .. ISSUES .. "?page=2" .. HEAD,
    '[{"number": 3, "title": "c"}]',
    link = "<" .. ISSUES .. '>; rel="prev"',
  },
  CREATED,
}

-- A release whose address for uploads is this.
local function release(address)
  return {
    "GET BASE/repos/lua/lua/releases/tags/v1.0%2Fbeta" .. HEAD,
    json.encode { upload_url = address },
  }
end

-- The upload to an address.
local function upload(address, name)
  return {
    "POST " .. address .. HEAD .. " application/octet-stream \0\255x",
    json.encode { name = name, size = 3 },
  }
end

local UPLOAD = "upload.lua lua/lua v1.0/beta 'BINARY'"
local UPLOADING = {
  release "BASE/uploads/1/assets{?name,label}",
  upload("BASE/uploads/1/assets?name=a%20b.bin&label=Built%20on%20a%2Fb", "a b.bin"),
}

-- README.md's first requests.
local README = examples
  .programs_of(support.read "README.md")[2].code
  :gsub("^[^\n]*", "")
  :gsub("https://api%.github%.com", "BASE")
  :gsub("request%.new%(api%)", 'request.new(api, { cafile = os.getenv "CA" })')

local GITHUB = " Bearer 0123 application/vnd.github+json"
local FIRST_REQUESTS = {
  { FIRST .. GITHUB, '[{"name": "a"}, {"name": "b"}]', link = '<?per_page=2&page=2>; rel="next"' },
  { FIRST .. "&page=2" .. GITHUB, '[{"name": "c"}]' },
  {
    "POST BASE/repos/me/notes/issues" .. GITHUB .. AS_JSON .. '{ title = "Found a bug" }',
    '{"title":"Found a bug"}',
    status = 201,
  },
}

-- examples/signatures.lua with luaossl's functions, as the comment at its top says, and what the
-- requests below share.
local SIGNING = support
  .read "examples/signatures.lua"
  :match "luaossl's:(\n.-)\n%-%- Both"
  :gsub("\n%-%-", "\n")
  :gsub('require "signatures"', 'dofile "examples/signatures.lua"')
local SIGNATURES = 'local endpoint = require "endpoint"'
  .. SIGNING
  .. [[

local null = endpoint.null
local bare = endpoint.defaults { headers = { accept = null, ["user-agent"] = null } }
local key = { id = "AKIDEXAMPLE", secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" }

-- The examples of AWS' documents, "Create a signed AWS API request" and "Signature Calculations for
-- the Authorization Header" (S3), and those of RFC 5849, sections 1.2 and 3.4.1.1.
r = bare("GET https://iam.amazonaws.com/", { Action = "ListUsers", Version = "2010-05-08",
  headers = { ["content-type"] = "application/x-www-form-urlencoded; charset=utf-8" } })
local scope = { region = "us-east-1", service = "iam" }
print(signatures.aws4(r, key, scope, crypto, 1440938160).headers.authorization)

r = bare("GET https://examplebucket.s3.amazonaws.com/test.txt",
  { headers = { range = "bytes=0-9" } })
local s3 = { id = "AKIAIOSFODNN7EXAMPLE", secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" }
scope = { region = "us-east-1", service = "s3" }
print(signatures.aws4(r, s3, scope, crypto, 1369353600).headers.authorization)

local sha1 = { base64 = crypto.base64,
  hmac = function(k, text) return hmac.new(k, "sha1"):final(text) end }
local function show(_, text)
  print(text)
  return text
end
signatures.oauth1(bare("POST http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b", {
  data = "c2&a3=2+q",
  headers = { ["content-type"] = "application/x-www-form-urlencoded" } }), { secret = "s" }, {
  oauth_consumer_key = "9djdj82h48djs9d2", oauth_token = "kkk9d7dh3k39sjv7",
  oauth_signature_method = "HMAC-SHA1", oauth_timestamp = "137131201",
  oauth_nonce = "7d8f3e4a" }, { hmac = show, base64 = crypto.base64 })
print(signatures.oauth1(bare("GET http://photos.example.net/photos",
  { file = "vacation.jpg", size = "original" }),
  { secret = "kd94hf93k423kf44", token_secret = "pfkkdhi9sl3r4s00" }, {
  oauth_consumer_key = "dpf43f3p2l4k3l03", oauth_token = "nnch734d00sl2jdk",
  oauth_signature_method = "HMAC-SHA1", oauth_timestamp = "137131202",
  oauth_nonce = "chapoH" }, sha1).headers.authorization)

-- Requests whose signatures another implementation, in Python, made from method, URL, headers and
-- body as LuaSocket sends them. They say how the path, the query and the headers of each service
-- are encoded.
local api = bare.defaults { baseUrl = "https://h.example:8443/v1", ["b=2"] = 2,
  headers = { ["x-amz-meta-a"] = "  two  words " } }
local MORE = { a = "a b/%\1\233", b = { "x;y", "c*~'" }, q = "q+ &", l = { "2 ", "10", "\228" },
  m = { k = { 1, "z" }, ["{"] = "[]", a = 2 }, ["c[]"] = { "]", "[" }, n = 1, n1 = 2, ["n-1"] = 3 }
for i, row in ipairs {
  { "GET /{a}{/b*}?z=1&a=%7E", "s3" }, { "GET /{a}{/b*}?z=1&a=%7E", "execute-api" },
  { "POST /{a}{?q,l}", "execute-api" },
  { "PUT {/b*}{?m*}", "s3express" }, { "DELETE /x//y/{a}", "execute-api" },
  { "DELETE /x//y/{a}", "s3-outposts" },
  { "PATCH /(x)'/{a}{?l*}", "s3-object-lambda" },
} do
  local options = {}
  for name, value in pairs(MORE) do options[name] = (i == 4 or name ~= "m") and value or nil end
  local r = api(row[1], options)
  if i == 4 then r.headers["x-amz-content-sha256"], r.headers.pragma = "UNSIGNED-PAYLOAD", "x" end
  if r.body then r.body = "body " .. i end
  local token = i % 2 == 1 and "session/token" or nil
  local its_key = { id = key.id, secret = key.secret, token = token }
  local scope = { region = "eu-west-1", service = row[2] }
  local signed = signatures.aws4(r, its_key, scope, crypto, 1440938160)
  assert(signed.headers["x-amz-security-token"] == token and type(signed.body) ~= "table")
  print(signed.headers.authorization:match "Signature=(%x+)")
end
]]

local AWS = "AWS4-HMAC-SHA256 Credential="
local SIGNED = {
  AWS
    .. "AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
    .. "SignedHeaders=content-type;host;x-amz-date, "
    .. "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
  AWS
    .. "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders="
    .. "host;range;x-amz-content-sha256;x-amz-date, "
    .. "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da"
    .. "%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D"
    .. "%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a"
    .. "%26oauth_signature_method%3DHMAC-SHA1"
    .. "%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7",
  'OAuth oauth_consumer_key="dpf43f3p2l4k3l03", oauth_nonce="chapoH", '
    .. 'oauth_signature="MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D", '
    .. 'oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131202", '
    .. 'oauth_token="nnch734d00sl2jdk"',
  "f184899ea0e78f674ad11fbb813ae8d5024b5d40a3ece4e9dc1ef676856feaab",
  "0dcef23951c75e14523a3b80594ea422bc1924d6f0c0203110b5e894d0e3728b",
  "c3fea2d45eb715af348891cdcbc6ad92560d62b6104be12431e132af56bf9a60",
  "75aca9d81c97077ea35ab00931b88feaf83eb47fded2161bf4c76fb52b880fdd",
  "d51433803925051b57cf261910021e107c5a94a4914d5710dbbc4ac0a9b6af72",
  "86a01261f478885ad604b754ed6e19464bd0e9e24916b25b9b491ae2972be645",
  "5d0c30249413ef1d33db1b0fa17a79f4acd3b3a77e56342b6f8ccbf0dd0bfd0f",
}

-- Each is a program with its arguments, and what reaches the API: a line, the answer's body, its
-- status and headers. Fields: environment, before API, TOKEN, CA, UPLOADS and HOST; prints, or
-- finds: all of what the program prints, or a part of it; needs, a module that not every Lua has.
-- The token is printed nowhere.
local RUNS = {
  {
    "README",
    FIRST_REQUESTS,
    prints = "a\nb\nc\n" .. table.concat(examples.promised(README), "\n"),
  },
  { "github.lua lua/lua", LISTING, prints = "1\ta\n2\tb\n3\tc\ncreated\t4" },
  { "github.lua lua/lua", {}, environment = "env -u CA", finds = "certificate" },
  {
    "github.lua lua/lua",
    { { ASKED, status = 302, location = "https://localhost:TLS/next" } },
    finds = "the server answers 302: moved to https://localhost",
  },
  {
    "github.lua lua/lua",
    { { ASKED, [=[[{"number": 1, "title": "\u001b]0;x\u0007\n2\u009b31mé"}]]=] }, CREATED },
    prints = "1\t\\x1b]0;x\\x07\\x0a2\\xc2\\x9b31mé\ncreated\t4",
  },
  {
    "github.lua lua/lua",
    { { ASKED, link = '<https://localhost:TLS/next>; rel="next"' } },
    finds = "localhost",
  },
  {
    "github.lua lua/lua",
    {
      {
        ASKED,
        link = '<https://localhost:TLS/x>; rel="prev", <BASE/next/{+rest}?{x}>; rel="next"',
      },
      { "GET BASE/next/%7B+rest%7D?%7Bx%7D" .. HEAD },
      CREATED,
    },
    prints = "created\t4",
  },
  {
    UPLOAD,
    { UPLOADING[1] },
    environment = "env -u UPLOADS",
    finds = 'goes only to "https://uploads.github.com"',
  },
  {
    UPLOAD,
    { release "/x", upload("BASE/x", "a\27\194\15531mé") },
    prints = "a\\x1b\\xc2\\x9b31mé\t3",
  },
  {
    UPLOAD,
    {
      release "BASE/next{?name,label}",
      upload("BASE/next?name=a%20b.bin&label=Built%20on%20a%2F..%2Fx", "x"),
    },
    prints = "x\t3",
  },
  { UPLOAD, { release "https://localhost:TLS/next{?name}" }, finds = "a default goes only to" },
  {
    "stripe.lua a@b.example",
    {
      {
        "POST "
          .. CUSTOMERS
          .. HEAD
          .. " application/x-www-form-urlencoded address%5Bcity%5D=Paris&email=a%40b.example"
          .. "&preferred_locales%5B0%5D=fr&preferred_locales%5B1%5D=en",
        '{"id": "c1"}',
      },
      {
        "GET " .. CUSTOMERS .. "?limit=2" .. HEAD,
        '{"has_more": true, "data": [{"id": "c1", "email": "a"}, {"id": "c2", "email": "b"}]}',
      },
      {
        "GET " .. CUSTOMERS .. "?limit=2&starting_after=c2" .. HEAD,
        [[{"has_more": false, "data": [{"id": "c3", "email": "c\u001b[2J\u202e"}, {"id": "c4"}]}]],
      },
    },
    prints = "created\tc1\nc1\ta\nc2\tb\nc3\tc\\x1b[2J\\xe2\\x80\\xae\nc4\tnil",
  },
  {
    "agent.lua",
    {},
    prints = [[refused	books_list: no parameter "pgae", is it "page"?
get	https://shop.example/v1/books?genre=science&page=2
Page 2 has Programming in Lua.]],
  },
  {
    "first.lua http://127.0.0.1:PORT",
    {
      {
        FIRST:gsub("BASE", "http://127.0.0.1:PORT") .. " application/json",
        "x",
        status = 302,
        location = "http://localhost:PORT/next",
      },
    },
    prints = "302\tx",
  },
  { "SIGNATURES", {}, prints = table.concat(SIGNED, "\n"), needs = "openssl.hmac" },
  { "tool.lua 'GET /x' bad", {}, finds = "token" },
  { "tool.lua 'GET /repos/:owner'", {}, finds = 'parameter "owner" is missing' },
  {
    "tool.lua 'GET https://evil.example/x'",
    {},
    environment = "SECRETS=1",
    finds = "a default goes only to",
  },
  {
    [[tool.lua 'GET /repos/:owner' '{"owner": "lua"}']],
    {},
    finds = "curl",
    environment = "SECRETS=0",
  },
  {
    [[tool.lua 'POST /repos/:owner' '{"owner": "lua", "title": "Found", "tags": ["a", 2]}']],
    {},
    environment = "API=https://h.example",
    finds = [[
method   post
url      https://h.example/repos/lua
headers  accept, authorization, content-type, user-agent
body     { tags = { "a", 2 }, title = "Found" }
]],
    has_command = true,
  },
}

-- Prints an error that is not a string, which the program lua of 5.1 does not.
local RUNNER = [[
arg = { select(2, ...) }
local ok, problem = pcall(dofile, ((...):gsub("^%w+%.lua$", "examples/%0")))
if not ok then print(problem) end]]

describe("the program", function()
  local running, start, stop = server.plan { locations = echo.LOCATION }

  -- Puts the addresses of this run into a text of the table above.
  local function at_home(text)
    return (
      text
        :gsub("BASE", "https://127.0.0.1:TLS")
        :gsub("TLS", running.second_port)
        :gsub("PORT", running.port)
        :gsub("BINARY", running.directory .. "/a b.bin")
        :gsub("README", running.directory .. "/readme.lua")
        :gsub("SIGNATURES", running.directory .. "/signatures.lua")
    )
  end

  setup(function()
    start()
    support.write(running.directory .. "/a b.bin", "\0\255x")
    local head = examples.write_shop(running.directory)
    support.write(running.directory .. "/run.lua", head .. RUNNER)
    support.write(running.directory .. "/readme.lua", at_home(README))
    support.write(running.directory .. "/signatures.lua", SIGNATURES)
  end)
  teardown(stop)

  -- Runs it, asserts that these requests reach the API and no other, and returns what it printed.
  local function run(lua, command, asks, environment)
    local rows, expected, lines = {}, {}, {}
    for i, ask in ipairs(asks) do
      local row = { body = at_home(ask[2] or "[]"), status = ask.status, headers = {} }
      for name, value in pairs(ask) do
        if type(name) == "string" and name ~= "status" then
          row.headers[name] = at_home(value)
        end
      end
      rows[i], expected[i] = row, at_home(ask[1])
    end
    echo.plan(running, rows)
    local printed = server.run(
      lua,
      at_home(command),
      ("TOKEN=0123 API=%s UPLOADS=%s CA=%s/certificate.pem HOST=a/../x %s"):format(
        running.tls_url,
        running.tls_url,
        running.directory,
        at_home(environment or "")
      )
    )
    for i, seen in ipairs(echo.seen(running)) do
      lines[i] = line_of(seen)
    end
    assert.equal(table.concat(expected, "\n"), table.concat(lines, "\n"), printed)
    return printed
  end

  local function run_example(lua, words, ...)
    return run(lua, ("%s %s/run.lua %s"):format(lua, running.directory, words), ...)
  end

  it("is run as the programs' README says", function()
    local block = examples.blocks_in(support.read "examples/README.md", "sh")[1]
    support.write(running.directory .. "/readme.sh", "set -e\n" .. block.code)
    local last = { "GET " .. ISSUES .. "?per_page=2" .. HEAD, "curl's" }
    local printed = run(
      "lua5.4",
      "sh " .. running.directory .. "/readme.sh",
      {
        { FIRST .. " application/json" },
        LISTING[1],
        LISTING[2],
        LISTING[3],
        UPLOADING[1],
        UPLOADING[2],
        last,
      },
      "REPO=lua/lua TAG=v1.0/beta HOST=a/b FILE='BINARY' CURL_CA_BUNDLE="
        .. running.directory
        .. "/certificate.pem"
    )
    assert.truthy(
      printed:find(
        "^200\t%[%]\n1\ta\n2\tb\n3\tc\ncreated\t4\na b%.bin\t3\n"
          .. "method   get\nurl      [^\n]*%?per_page=2\nheaders  [^\n]*\n\n"
          .. "curl [^\n]*authorization: %*%*%*"
      ),
      printed
    )
    assert.truthy(printed:find "\ncurl's$", printed)
  end)

  for _, lua in ipairs(server.luas()) do
    describe("on " .. lua, function()
      it(
        "download.lua goes on where it stopped, and begins again where the file is another",
        function()
          local path, all = running.directory .. "/" .. lua, ("0123456789"):rep(10000)
          local GET, GOES_ON =
            "GET BASE/file */* identity", 'GET BASE/file */* identity bytes=40000- "1"'
          local function download(row)
            return run_example(lua, "download.lua 'BASE/file' " .. path, { row })
          end
          local function read(name) -- of a part of the file its length
            local found, text = pcall(support.read, name)
            if not found then
              return nil
            end
            local is_part = text ~= "" and text == all:sub(1, #text)
            return text == all and "all" or is_part and #text or text
          end
          -- The tag of the first answer, what is kept of it, and what is asked and answered then.
          for _, row in ipairs {
            {
              '"1"',
              '"1"',
              {
                GOES_ON,
                all:sub(40001),
                status = 206,
                ["content-range"] = "bytes 40000-99999/100000",
              },
            },
            { '"1"', '"1"', { GOES_ON, all, etag = '"2"' } },
            { nil, "", { GET, all } },
            { 'W/"1"', "", { GET, all } },
          } do
            local cut = { GET, all:sub(1, 40000), ["content-length"] = "100000", etag = row[1] }
            local printed
            if row[2] ~= "" then -- by itself
              printed = run_example(lua, "download.lua 'BASE/file' " .. path, { cut, row[3] })
            else
              download(cut)
              assert.same(
                { 40000, row[2] },
                { read(path .. ".part"), read(path .. ".etag"), read(path) }
              )
              printed = download(row[3])
            end
            assert.truthy(
              printed:find(
                ("#"):rep(40) .. "] 100000 of 100000 bytes\n" .. path .. "\t100000",
                1,
                true
              ),
              printed
            )
            assert.same({ "all" }, { read(path), read(path .. ".part"), read(path .. ".etag") })
            os.remove(path)
          end
          -- A server may send less than was asked for.
          local function part(first, last)
            return {
              ('GET BASE/file */* identity bytes=%d- "1"'):format(first),
              all:sub(first + 1, last + 1),
              status = 206,
              ["content-range"] = ("bytes %d-%d/100000"):format(first, last),
            }
          end
          support.write(path .. ".part", all:sub(1, 40000))
          support.write(path .. ".etag", '"1"')
          local rows = { part(40000, 59999), part(60000, 99998), part(99999, 99999) }
          local printed = run_example(lua, "download.lua 'BASE/file' " .. path, rows)
          assert.truthy(printed:find(path .. "\t100000", 1, true), printed)
          assert.equal("all", read(path))
          os.remove(path)
          -- One that sends nothing of it, or sends a part without a tag, ends the program.
          for _, answer in ipairs { part(40000, 39999), { GET, all:sub(1, 600), status = 206 } } do
            local has_part = answer.status == 206 and answer[2] == ""
            support.write(path .. ".part", has_part and all:sub(1, 40000) or "")
            support.write(path .. ".etag", has_part and '"1"' or "")
            answer["content-range"] = has_part and "bytes 40000-39999/100000" or "bytes 0-599/1024"
            printed = run_example(lua, "download.lua 'BASE/file' " .. path, { answer })
            assert.truthy(printed:find("bytes, and not the rest", 1, true), printed)
            assert.is_nil(read(path))
          end
          -- So does one that sends more than it said, or nothing more.
          local function second(from, place, body, status)
            return {
              ('GET BASE/file */* identity bytes=%d- "1"'):format(from),
              body,
              status = status,
              ["content-range"] = "bytes " .. place,
            }
          end
          for problem, answer in pairs {
            ["more than it said"] = second(99999, "99999-99999/100000", "xx", 206),
            ["bytes, and not the rest"] = second(60000, "*/60000", "none", 416),
          } do
            support.write(path .. ".part", all:sub(1, 40000))
            support.write(path .. ".etag", '"1"')
            local first = part(40000, tonumber(answer[1]:match "%d+") - 1)
            printed = run_example(lua, "download.lua 'BASE/file' " .. path, { first, answer })
            assert.truthy(printed:find(problem, 1, true), printed)
            assert.is_nil(read(path))
          end
          -- Where the length is another than before, the file is another one: it begins anew.
          support.write(path .. ".part", all:sub(1, 40000))
          support.write(path .. ".etag", '"1"')
          local other = second(60000, "60000-60009/60010", ("x"):rep(10), 206)
          rows = { part(40000, 59999), other, { GET, all } }
          printed = run_example(lua, "download.lua 'BASE/file' " .. path, rows)
          assert.truthy(printed:find(path .. "\t100000", 1, true), printed)
          assert.equal("all", read(path))
          os.remove(path)
          support.write(path .. ".part", all)
          support.write(path .. ".etag", '"1"')
          download {
            (GOES_ON:gsub("40000", "100000")),
            "none",
            status = 416,
            ["content-range"] = "bytes */100000",
          }
          assert.equal("all", read(path))
        end
      )

      -- What fits into the buffer of a file is refused when it is closed, the rest when written.
      local has_full_disk = io.open "/dev/full" and it or pending
      for title, size in pairs {
        ["the file, when it is closed"] = 900,
        ["the file, when it is written"] = 100000,
        ["the last bytes of the file"] = 9000,
      } do
        has_full_disk("download.lua fails where the disk is full: " .. title, function()
          local path = running.directory .. "/full-" .. lua
          os.execute(("rm -f '%s'*; ln -s /dev/full '%s.part'"):format(path, path))
          local printed = run_example(
            lua,
            "download.lua 'BASE/file' " .. path,
            { { "GET BASE/file */* identity", ("x"):rep(size), etag = '"1"' } }
          )
          assert.truthy(printed:find("No space left on device", 1, true), printed)
          assert.is_nil(printed:find(path .. "\t", 1, true), printed)
          assert.is_nil((os.rename(path, path)))
          os.execute(("rm -f '%s'*"):format(path))
        end)
      end

      for i, row in ipairs(RUNS) do
        local run_it = (not row.needs or server.has_module(lua, row.needs)) and it or pending
        run_it(("runs as it should: %d, %s %s"):format(i, row.environment or "", row[1]), function()
          local printed = run_example(lua, row[1], row[2], row.environment)
          if row.prints then
            assert.equal(at_home(row.prints), printed)
          end
          assert.truthy(printed:find(at_home(row.finds or ""), 1, true), printed)
          assert.falsy(printed:find("0123", 1, true), printed)
          local has_command = row.has_command or row.finds == "curl"
          assert.equal(has_command, printed:find("curl ", 1, true) ~= nil, printed)
        end)
      end
    end)
  end
end)
