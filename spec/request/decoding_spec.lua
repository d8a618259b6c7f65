-- Values of Lua as a request's body, and an answer's body as a value of Lua.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local scripted = require "request.scripted"

local asked, json, response, sender =
  scripted.asked, scripted.json, scripted.response, scripted.sender

-- The body of a request.
local function body_of(text)
  return text:match "\r\n\r\n(.*)$"
end

-- Answers with the body of the request, as a text or as JSON.
local function echo(text)
  return response(body_of(text))
end
local function echo_as_json(text)
  return json(body_of(text))
end

describe("the body of an answer", function()
  before_each(scripted.reset)

  it("is decoded, and the answer says what came", function()
    local note, answer = asked(echo_as_json, sender {}, "POST /x", { title = "Bug" })
    assert.equal("Bug", note.title)
    assert.equal(200, answer.status)
    assert.equal("application/json", answer.headers["content-type"])
    assert.equal('{"title":"Bug"}', answer.text)
    assert.equal(scripted.BASE .. "/x", answer.url)
  end)

  for kind, is_decoded in pairs {
    ["text/plain"] = false,
    ["application/json-seq"] = false,
    ["application/x-ndjson"] = false,
    ["Application/vnd.x+JSON ; a=b"] = true,
    ["a/json\t"] = true,
    ["application/vnd.github.raw+json; charset=utf-8"] = false,
    ["application/vnd.github.v3.raw+json"] = false,
    ["application/vnd.github.raw"] = false,
    ["application/vnd.draw+json"] = true,
  } do
    local title = "of the content type %q is %s"
    it(title:format(kind, is_decoded and "decoded" or "a string as it came"), function()
      local value = asked(response("[1]", "content-type: " .. kind .. "\n"), sender {})
      assert.same(is_decoded and { 1 } or "[1]", value)
    end)
  end

  it("that is empty is nil", function()
    assert.is_nil((asked(json "", sender {})))
  end)

  it("that is JSON's null is endpoint.null", function()
    assert.equal(endpoint.null, (asked(json "null", sender {})))
  end)

  it("that should be JSON and is not raises an error without its text", function()
    assert.equal("GET /x: the response is not JSON", asked(json "{S3CRET", sender {}))
  end)

  it("with a content encoding that the call asked for is a string as it came", function()
    local options = { headers = { ["accept-encoding"] = "gzip" } }
    local answer = json("no JSON", "content-encoding: gzip\n")
    assert.equal("no JSON", (asked(answer, sender {}, "GET /x", options)))
  end)
end)

describe("the setting decode", function()
  before_each(scripted.reset)

  it("takes the place of lua-cjson", function()
    assert.equal("cb", (asked(json "bc", sender { decode = string.reverse })))
  end)

  it("says by nil, a position and a message that an answer is not JSON", function()
    local function decode()
      return nil, 5, "no JSON at 5"
    end
    assert.equal("GET /x: the response is not JSON", asked(json "x", sender { decode = decode }))
  end)

  it("may return nil and a position for JSON's null", function()
    local function decode()
      return nil, 5
    end
    assert.is_nil((asked(json "null", sender { decode = decode })))
  end)
end)

describe("the body of a request", function()
  local FORM = { ["content-type"] = "application/x-www-form-urlencoded" }
  before_each(scripted.reset)

  it("is written by the setting encode", function()
    local function encode(body)
      return body.a
    end
    assert.equal("bc", (asked(echo, sender { encode = encode }, "POST /x", { a = "bc" })))
  end)

  it("is sent by ask as it is by the sender itself", function()
    assert.equal("x", (asked(echo, sender {}.ask, "POST /x", { data = "x" })))
  end)

  it("is a form whose lists are nested as the setting nested says", function()
    local options = { a = { { b = 1 } }, headers = FORM }
    local said = asked(echo, sender { nested = "indices" }, "POST /x", options)
    assert.equal("a%5B0%5D%5Bb%5D=1", said)
  end)

  it("is a form whose lists are nested as the call's own setting says", function()
    local options = { a = { "x" }, headers = FORM, request = { nested = "brackets" } }
    assert.equal("a%5B%5D=x", (asked(echo, sender {}, "POST /x", options)))
  end)

  it("is made of parts by clients.multipart", function()
    local body, kind = clients.multipart { { name = "a", data = "b" } }
    local options = { data = body, headers = { ["content-type"] = kind } }
    local said = asked(echo, sender {}, "POST /x", options)
    assert.truthy(said:find('name="a"', 1, true), said)
  end)

  it("is a stream in chunks", function()
    local parts = { "a", "b" }
    local function stream()
      return table.remove(parts, 1)
    end
    local said = asked(echo, sender {}, "PUT /x", { data = stream })
    assert.equal("1\r\na\r\n1\r\nb\r\n0\r\n\r\n", said)
  end)

  for _, problem in ipairs { "broke off", "timeout" } do
    it(("that is a stream raises what the stream says: %s"):format(problem), function()
      local function stream()
        return nil, problem
      end
      assert.equal("PUT /x: " .. problem, asked(echo, sender {}, "PUT /x", { data = stream }))
    end)
  end
end)

describe("a long answer", function()
  local LONG = ("x"):rep(30000)
  local pieces, ends
  before_each(function()
    scripted.reset()
    pieces, ends = {}, 0
  end)

  local function sink(piece)
    if piece then
      pieces[#pieces + 1] = piece
    else
      ends = ends + 1
    end
  end

  -- What the call returns or raises, and its response.
  local function called_with(settings, status)
    return asked(response(LONG, nil, status), sender {}, "GET /x", { request = settings })
  end

  it("goes to a sink, whose end is said once, and not to the caller", function()
    local value, answer = called_with { sink = sink }
    assert.is_nil(value)
    assert.equal("", answer.text)
    assert.is_true(LONG == table.concat(pieces))
    assert.equal(1, ends)
  end)

  it("that is an error does not go to a sink, which gets its end once", function()
    assert.equal("GET /x: the server answers 404", called_with({ sink = sink }, 404))
    assert.equal("", table.concat(pieces))
    assert.equal(1, ends)
  end)

  it("ends with the message of a sink that does not take more", function()
    local function full()
      return nil, "full"
    end
    assert.equal("GET /x: full", called_with { sink = full })
  end)

  it("ends with the error of a sink as it is", function()
    local function raising(piece)
      if piece then
        error("mine", 0)
      end
    end
    assert.equal("mine", called_with { sink = raising })
  end)

  it("is refused by a max_size of one byte less", function()
    assert.equal("GET /x: the response is too long", called_with { max_size = 29999 })
  end)

  it("is let through by a max_size of its size", function()
    assert.is_true(LONG == called_with { max_size = 30000 })
  end)
end)
