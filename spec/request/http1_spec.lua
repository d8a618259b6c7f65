-- The HTTP/1.1 of endpoint.request over connections that are made here: which are kept, and what is written.
local endpoint = require "endpoint"
local http1 = require "endpoint.request.http1"

-- Sends a GET over connections that answer with these texts, one after the other; returns whether there was an answer,
-- what was written to the last connection, what became of each, and the body. The first is a kept one if `is_kept`.
local function send(answers, is_kept, proxy, headers)
  local sent, ends, body, made = nil, {}, {}, 0
  local function connect()
    made, sent = made + 1, {}
    local number, text = made, answers[made]
    return {
      connect = function(_, _, _, is_new) return is_kept and not is_new and number == 1 and "kept" or "new" end,
      send = function(_, piece) sent[#sent + 1] = piece return true end,
      receive = function()
        local piece = text ~= "" and text or nil
        text = ""
        return piece, piece == nil and "closed" or nil
      end,
      close = function() ends[number] = ends[number] or "closed" end,
      keep = function() ends[number] = "kept" end,
    }
  end
  local limits = { begin = function() end, seconds = function() return 1 end, message = function() return "over" end }
  local try = { r = endpoint.parse { url = "http://h/x", headers = headers }, settings = {}, limits = limits,
    scheme = "http", host = "h", port = 80, may_repeat = true, begin = function() end,
    write = function(_, piece) body[#body + 1] = piece return true end }
  local ok = http1.client({ proxy = proxy }, connect)(try)
  return ok, table.concat(sent), table.concat(ends, " "), table.concat(body)
end

local OK = "HTTP/1.1 200 OK\r\n"

describe("HTTP/1.1", function()
  it("keeps a connection behind an answer whose end is certain, and no other", function()
    for answer, expected in pairs {
      ["content-length: 1\r\n\r\na"] = "kept", ["transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"] = "kept",
      ["content-length: 1\r\nconnection: keep-alive, Close\r\n\r\na"] = "closed", ["content-length: 1\r\n\r\nab"] = "closed",
      ["content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"] = "closed", ["\r\na"] = "closed",
    } do
      local ok, _, ends, body = send { OK .. answer }
      assert.same({ true, expected, "a" }, { ok, ends, body }, answer)
    end
    assert.equal("closed", (select(3, send { "HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na" })))
    assert.equal("closed", (select(3, send { "HTTP/1.1 204 No Content\r\ncontent-length: 1\r\n\r\n" })))
  end)

  it("sends at once on another what was lost on a kept one, but not behind a byte of an answer", function()
    local answer = OK .. "content-length: 1\r\n\r\na"
    local ok, _, ends, body = send({ "", answer }, true)
    assert.same({ true, "closed kept", "a" }, { ok, ends, body })
    assert.is_nil((send({ "", answer }, false)))
    assert.is_nil((send({ "HTTP/1.1 2", answer }, true)))
    assert.is_nil((send({ "", "", answer }, true)))
  end)

  it("writes the host first, and no field twice", function()
    local _, sent = send({ OK .. "content-length: 0\r\n\r\n" }, false, "http://me:pw@p", { ["proxy-authorization"] = "mine",
      host = "other", connection = "x", ["content-type"] = "a/b" })
    assert.equal("GET http://h/x HTTP/1.1\r\nhost: other\r\n", sent:match "^.-\r\n.-\r\n")
    for name, count in pairs { host = 1, ["proxy%-authorization"] = 1, connection = 0, ["content%-type"] = 1 } do
      assert.equal(count, select(2, sent:gsub("\n" .. name .. ":", "")), name)
    end
    assert.truthy(sent:find("proxy-authorization: Basic bWU6cHc=", 1, true))
  end)
end)
