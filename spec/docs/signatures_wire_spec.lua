-- examples/signatures.lua, under each Lua, with luaossl's functions as the file says at its top.
local server = require "server"
local support = require "support"

-- The comment's code, and what the requests below share.
local SHOWN = support.read "examples/signatures.lua":match "luaossl's:(\n.-)\n%-%- Both":gsub("\n%-%-", "\n")
  :gsub('require "signatures"', 'dofile "examples/signatures.lua"')
local CODE = 'local endpoint = require "endpoint"' .. SHOWN .. [[

local null = endpoint.null
local bare = endpoint.defaults { headers = { accept = null, ["user-agent"] = null } }
local key = { id = "AKIDEXAMPLE", secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" }

-- The examples of AWS' documents, "Create a signed AWS API request" and "Signature Calculations for
-- the Authorization Header" (S3), and those of RFC 5849, sections 1.2 and 3.4.1.1.
r = bare("GET https://iam.amazonaws.com/", { Action = "ListUsers", Version = "2010-05-08",
  headers = { ["content-type"] = "application/x-www-form-urlencoded; charset=utf-8" } })
print(signatures.aws4(r, key, { region = "us-east-1", service = "iam" }, crypto, 1440938160).headers.authorization)

r = bare("GET https://examplebucket.s3.amazonaws.com/test.txt", { headers = { range = "bytes=0-9" } })
local s3 = { id = "AKIAIOSFODNN7EXAMPLE", secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" }
print(signatures.aws4(r, s3, { region = "us-east-1", service = "s3" }, crypto, 1369353600).headers.authorization)

local sha1 = { base64 = crypto.base64, hmac = function(k, text) return hmac.new(k, "sha1"):final(text) end }
local function show(_, text)
  print(text)
  return text
end
signatures.oauth1(bare("POST http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b", { data = "c2&a3=2+q",
  headers = { ["content-type"] = "application/x-www-form-urlencoded" } }), { secret = "s" }, {
  oauth_consumer_key = "9djdj82h48djs9d2", oauth_token = "kkk9d7dh3k39sjv7", oauth_signature_method = "HMAC-SHA1",
  oauth_timestamp = "137131201", oauth_nonce = "7d8f3e4a" }, { hmac = show, base64 = crypto.base64 })
print(signatures.oauth1(bare("GET http://photos.example.net/photos", { file = "vacation.jpg", size = "original" }),
  { secret = "kd94hf93k423kf44", token_secret = "pfkkdhi9sl3r4s00" }, { oauth_consumer_key = "dpf43f3p2l4k3l03",
  oauth_token = "nnch734d00sl2jdk", oauth_signature_method = "HMAC-SHA1", oauth_timestamp = "137131202",
  oauth_nonce = "chapoH" }, sha1).headers.authorization)

-- Requests whose signatures another implementation, in Python, made from method, URL, headers and body as
-- LuaSocket sends them. They say how the path, the query and the headers of each service are encoded.
local api = bare.defaults { baseUrl = "https://h.example:8443/v1", ["b=2"] = 2,
  headers = { ["x-amz-meta-a"] = "  two  words " } }
local MORE = { a = "a b/%\1\233", b = { "x;y", "c*~'" }, q = "q+ &", l = { "2 ", "10", "\228" }, m = { k = { 1, "z" },
  ["{"] = "[]", a = 2 }, ["c[]"] = { "]", "[" }, n = 1, n1 = 2, ["n-1"] = 3 }
for i, row in ipairs {
  { "GET /{a}{/b*}?z=1&a=%7E", "s3" }, { "GET /{a}{/b*}?z=1&a=%7E", "execute-api" }, { "POST /{a}{?q,l}", "execute-api" },
  { "PUT {/b*}{?m*}", "s3express" }, { "DELETE /x//y/{a}", "execute-api" }, { "DELETE /x//y/{a}", "s3-outposts" },
  { "PATCH /(x)'/{a}{?l*}", "s3-object-lambda" },
} do
  local options = {}
  for name, value in pairs(MORE) do options[name] = (i == 4 or name ~= "m") and value or nil end
  local r = api(row[1], options)
  if i == 4 then r.headers["x-amz-content-sha256"], r.headers.pragma = "UNSIGNED-PAYLOAD", "x" end
  if r.body then r.body = "body " .. i end
  local token = i % 2 == 1 and "session/token" or nil
  local its_key, scope = { id = key.id, secret = key.secret, token = token }, { region = "eu-west-1", service = row[2] }
  local signed = signatures.aws4(r, its_key, scope, crypto, 1440938160)
  assert(signed.headers["x-amz-security-token"] == token and type(signed.body) ~= "table")
  print(signed.headers.authorization:match "Signature=(%x+)")
end
]]

local AWS = "AWS4-HMAC-SHA256 Credential="
local EXPECTED = {
  AWS .. "AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, "
    .. "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
  AWS .. "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders="
    .. "host;range;x-amz-content-sha256;x-amz-date, "
    .. "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D"
    .. "%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1"
    .. "%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7",
  'OAuth oauth_consumer_key="dpf43f3p2l4k3l03", oauth_nonce="chapoH", oauth_signature="MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D", '
    .. 'oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131202", oauth_token="nnch734d00sl2jdk"',
  "f184899ea0e78f674ad11fbb813ae8d5024b5d40a3ece4e9dc1ef676856feaab",
  "0dcef23951c75e14523a3b80594ea422bc1924d6f0c0203110b5e894d0e3728b",
  "c3fea2d45eb715af348891cdcbc6ad92560d62b6104be12431e132af56bf9a60",
  "75aca9d81c97077ea35ab00931b88feaf83eb47fded2161bf4c76fb52b880fdd",
  "d51433803925051b57cf261910021e107c5a94a4914d5710dbbc4ac0a9b6af72",
  "86a01261f478885ad604b754ed6e19464bd0e9e24916b25b9b491ae2972be645",
  "5d0c30249413ef1d33db1b0fa17a79f4acd3b3a77e56342b6f8ccbf0dd0bfd0f",
}

describe("examples/signatures.lua", function()
  local place = { directory = server.shell "mktemp -d" }
  teardown(function() server.shell("rm -r " .. place.directory) end)

  for _, lua in ipairs(server.luas()) do
    local run = server.has_module(lua, "openssl.hmac") and it or pending
    run("makes what others published or made, on " .. lua, function()
      assert.equal(table.concat(EXPECTED, "\n"), server.run_code(place, lua, CODE))
    end)
  end
end)
