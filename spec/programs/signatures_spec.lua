-- examples/signatures.lua, under each Lua, with the program openssl for its functions of
-- cryptography: published examples, and random requests that LuaSocket sends, of which signatures.py
-- makes the signature anew from what arrived.
local server = require "wire.server"
local support = require "support"

-- `crypto`, made of openssl, for SHA-256 or SHA-1.
local HEAD = [[
local endpoint, clients = require "endpoint", require "endpoint.clients"
local signatures = dofile "examples/signatures.lua"
local sign_aws4, sign_oauth1 = signatures.aws4, signatures.oauth1
local base, directory, seed = arg[1], arg[2], tonumber(arg[3])

local function ask_openssl(words, text)
  local file = assert(io.open(directory .. "/text", "wb"))
  file:write(text)
  file:close()
  local pipe = assert(io.popen("openssl " .. words .. " <" .. directory .. "/text"))
  local answer = pipe:read "*a"
  pipe:close()
  return answer
end

local function crypto_of(digest)
  return {
    sha256 = function(text) return ask_openssl("dgst -sha256 -binary", text) end,
    hmac = function(key, text)
      local hex = key:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end)
      return ask_openssl("dgst -" .. digest .. " -mac HMAC -macopt hexkey:" .. hex .. " -binary", text)
    end,
    base64 = function(text) return (ask_openssl("base64 -A", text)) end,
  }
end

local null = endpoint.null
local bare = endpoint.defaults { headers = { accept = null, ["user-agent"] = null } }
local key = { id = "AKIDEXAMPLE", secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" }
]]

-- The examples of AWS' documents, "Create a signed AWS API request" and "Signature Calculations for
-- the Authorization Header" (S3), and those of RFC 5849, sections 1.2 and 3.4.1.1.
local PUBLISHED = [[
local sha256, sha1 = crypto_of "sha256", crypto_of "sha1"
local r = bare("GET https://iam.amazonaws.com/", { Action = "ListUsers", Version = "2010-05-08",
  headers = { ["content-type"] = "application/x-www-form-urlencoded; charset=utf-8" } })
print(sign_aws4(r, key, { region = "us-east-1", service = "iam" }, sha256, 1440938160).headers.authorization)

local s3 = { id = "AKIAIOSFODNN7EXAMPLE", secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" }
local bucket = bare.defaults { baseUrl = "https://examplebucket.s3.amazonaws.com" }
local function sign_s3(request)
  return sign_aws4(request, s3, { region = "us-east-1", service = "s3" }, sha256, 1369353600).headers.authorization
end
print(sign_s3(bucket("GET /test.txt", { headers = { range = "bytes=0-9" } })))
print(sign_s3(bucket("PUT /{Key}", { Key = "test$file.text", data = "Welcome to Amazon S3.",
  headers = { date = "Fri, 24 May 2013 00:00:00 GMT", ["x-amz-storage-class"] = "REDUCED_REDUNDANCY" } })))
print(sign_s3(bucket "GET /?lifecycle"))
print(sign_s3(bucket("GET /", { ["max-keys"] = 2, prefix = "J" })))

local base_string
local function keep(_, text)
  base_string = text
  return ""
end
sign_oauth1(bare("POST http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b", { data = "c2&a3=2+q",
  headers = { ["content-type"] = "application/x-www-form-urlencoded" } }), { secret = "s" }, {
  oauth_consumer_key = "9djdj82h48djs9d2", oauth_token = "kkk9d7dh3k39sjv7", oauth_signature_method = "HMAC-SHA1",
  oauth_timestamp = "137131201", oauth_nonce = "7d8f3e4a" }, { hmac = keep, base64 = sha1.base64 })
print(base_string)
print(sign_oauth1(bare("GET http://photos.example.net/photos", { file = "vacation.jpg", size = "original" }),
  { secret = "kd94hf93k423kf44", token_secret = "pfkkdhi9sl3r4s00" }, { oauth_consumer_key = "dpf43f3p2l4k3l03",
  oauth_token = "nnch734d00sl2jdk", oauth_signature_method = "HMAC-SHA1", oauth_timestamp = "137131202",
  oauth_nonce = "chapoH" }, sha1).headers.authorization)
]]

local AWS = "AWS4-HMAC-SHA256 Credential="
local S3 = AWS .. "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders="
local EXPECTED = {
  AWS .. "AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, "
    .. "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
  S3 .. "host;range;x-amz-content-sha256;x-amz-date, "
    .. "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  S3 .. "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class, "
    .. "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  S3 .. "host;x-amz-content-sha256;x-amz-date, "
    .. "Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  S3 .. "host;x-amz-content-sha256;x-amz-date, "
    .. "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D"
    .. "%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1"
    .. "%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7",
  'OAuth oauth_consumer_key="dpf43f3p2l4k3l03", oauth_nonce="chapoH", oauth_signature="MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D", '
    .. 'oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131202", oauth_token="nnch734d00sl2jdk"',
}

-- Sends random requests to the echo, and prints what arrived, a line each.
local RANDOM = [[
local http, ltn12 = require "socket.http", require "ltn12"
local crypto = crypto_of "sha256"
local function random(n)
  seed = seed * 16807 % 2147483647
  return seed % n + 1
end
local function text()
  local bytes = {}
  for i = 1, random(8) do bytes[i] = string.char(random(3) == 1 and random(255) or 32 + random(94)) end
  return table.concat(bytes)
end
local function list() return { text(), text(), random(99) } end

local SERVICES = { "s3", "execute-api", "s3express", "execute-api", "s3-object-lambda", "execute-api", "s3-outposts" }
local ROUTES = { "GET /{a}{/b*}?z=1&a=%7E", "POST /{a}{?q,l}", "PUT {/b*}{?m*}", "DELETE /x//y/{a}", "PATCH /(x)'/{a}{?l*}" }
local api = endpoint.defaults { baseUrl = base .. "/v1", ["b=2"] = 2, headers = { ["x-amz-meta-a"] = "  two  words " } }
for i = 1, 25 do
  local route = ROUTES[i % #ROUTES + 1]
  local options = { a = "a" .. text(), b = { text() .. "b", "c" .. text() }, q = text(), l = list(),
    [text() .. "[]"] = list(), ["x" .. i] = text(), n = 1, n1 = 2, ["n-1"] = 3 }
  if route:find("m*", 1, true) then options.m = { [text()] = text(), [text()] = list(), ["{"] = 1, a = 2 } end
  local ok, r = pcall(api, route, options)
  if ok then
    if i % 5 == 2 then r.body = text() end
    if i % 4 == 0 then r.headers["x-amz-content-sha256"], r.headers.pragma = "UNSIGNED-PAYLOAD", "x" end
    local token = i % 2 == 0 and "session/token" or nil
    local signed = sign_aws4(r, { id = key.id, secret = key.secret, token = token },
      { region = "eu-west-1", service = SERVICES[i % #SERVICES + 1] }, crypto, 1440938160 + i)
    assert(signed.headers["x-amz-security-token"] == token and type(signed.body) ~= "table")
    local parts = {}
    assert(http.request(clients.luasocket(signed, { sink = ltn12.sink.table(parts) })))
    print(table.concat(parts))
  end
end
]]

describe("examples/signatures.lua", function()
  local running, start, stop = server.plan()
  setup(start)
  teardown(stop)

  for number, lua in ipairs(server.luas()) do
    local function run(code)
      return server.run_code(running, lua, HEAD .. code, ("%s %s %d"):format(running.url, running.directory, 1000 + number))
    end

    it("makes those of published examples, on " .. lua, function()
      assert.equal(table.concat(EXPECTED, "\n"), run(PUBLISHED))
    end)

    it("makes those of random requests as they arrive, on " .. lua, function()
      support.write(running.directory .. "/arrived", run(RANDOM) .. "\n")
      local said = server.shell("python3 spec/programs/signatures.py " .. running.directory .. "/arrived 2>&1") .. "\n"
      local _, right = said:gsub("right\n", "")
      assert.is_true(right >= 20, said)
      assert.equal(("right\n"):rep(right), said)
    end)
  end
end)
