-- The recipes of docs/expiring-tokens.md: a refresh token, and the token of a GitHub App.
local endpoint = require "endpoint"
local examples = require "docs.examples"
local request = require "endpoint.request"

local load_text = loadstring or load

-- The function of a recipe.
local function recipe(file, name)
  return assert(load_text(examples.recipe(file) .. "return " .. name))()
end

local JSON = { ["content-type"] = "application/json" }

-- A sender whose requests `answer` answers with JSON; it has what was sent.
local function sender(answer, settings)
  local all = {
    client = function(r)
      return 200, JSON, answer(r)
    end,
  }
  for name, value in pairs(settings or {}) do
    all[name] = value
  end
  return request.new(endpoint, all)
end

describe("the recipe refresh-token.lua", function()
  it("sends the last refresh token, and saves a new one", function()
    local kept, sent, clock = "r1", {}, 0
    local authority = sender(function(r)
      sent[#sent + 1] = r.body.refresh_token
      local body = '{"access_token": "a%d", "expires_in": 10, "refresh_token": "r%d"}'
      return body:format(#sent, #sent + 1)
    end)
    local fetch = recipe("refresh-token.lua", "refreshed")(
      authority,
      { id = "me", secret = "s3cret" },
      function()
        return kept
      end,
      function(new)
        kept = new
      end
    )
    local seen = {}
    local send = sender(function(r)
      seen[#seen + 1] = r.headers.authorization
      return "{}"
    end, {
      around = request.token {
        fetch = fetch,
        now = function()
          return clock
        end,
      },
    })
    send "GET /x"
    clock = 11
    send "GET /x"
    assert.same({ "r1", "r2" }, sent)
    assert.same({ "Bearer a1", "Bearer a2" }, seen)
    assert.equal("r3", kept)
  end)
end)

local has_openssl, pkey = pcall(require, "openssl.pkey")
local has_mime, mime = pcall(require, "mime")

describe("the recipe github-app.lua", function()
  it("signs a token by RFC 7519, and returns that of the installation", function()
    if not (has_openssl and has_mime) then
      pending "no luaossl or LuaSocket"
    end
    local key = pkey.new { type = "RSA", bits = 2048 }
    local seen
    local github = sender(function(r)
      seen = r
      return '{"token": "ghs_1", "expires_at": "2038-01-01T00:00:00Z"}'
    end)
    local pem = key:toPEM "private"
    local fetch = recipe("github-app.lua", "installation")(github, 7, pem, 42)
    local token, seconds = fetch()
    assert.same({ "ghs_1", 3600 }, { token, seconds })
    assert.truthy(seen.url:find "/app/installations/42/access_tokens$")

    local text, signature = seen.headers.authorization:match "^Bearer (.*)%.(.-)$"
    local function decoded(part)
      return mime.unb64((part:gsub("[-_]", { ["-"] = "+", _ = "/" }) .. ("="):rep(-#part % 4)))
    end
    local digest = require "openssl.digest"
    assert.is_true(key:verify(decoded(signature), digest.new("sha256"):update(text)))
    local claims = require("cjson").decode((decoded(text:match "%.(.*)$")))
    assert.equal(7, claims.iss)
    assert.is_true(claims.exp - claims.iat <= 600)
  end)
end)
