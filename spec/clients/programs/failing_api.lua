-- For nginx: an API that answers by the last word of its path, and counts what reached it. An
-- answer begins with the address that gave it.
-- luacheck: globals ngx
local word = ngx.var.uri:match "%w+$"
local address, is_kept = ngx.var.server_addr, ngx.var.connection_requests ~= "1"

ngx.shared.seen:incr(ngx.req.get_method() .. " " .. word, 1, 0)

-- Headers of an answer that says too much.
local TALK = {
  ["Set-Cookie"] = "a=b",
  ["Strict-Transport-Security"] = "max-age=9",
  ["Clear-Site-Data"] = "*",
  ["X-Oauth-Scopes"] = "repo",
  ["Access-Control-Allow-Origin"] = "*",
  ["Access-Control-Allow-Credentials"] = "true",
  ["X-Accel-Limit-Rate"] = "1",
}

local answers = {}

-- A line before the status line.
function answers.babbles()
  ngx.req.socket(true):send "\r\nHTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\n\r\n"
  return true
end

-- An interim response (RFC 9110, section 15.2), and then two that are not.
for _, status in ipairs { 100, 101, 102, 103, 104, 199 } do
  answers[tostring(status)] = function()
    ngx.req.socket(true):send(
      ("HTTP/1.1 %d X\r\nSet-Cookie: a=b\r\n\r\n"):format(status)
        .. ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno"):rep(2)
    )
    return true
  end
end

function answers.slow()
  ngx.sleep(0.5)
end

-- Closes a connection at its second request.
function answers.closes()
  return is_kept and ngx.exit(444)
end

-- The same at the first address alone.
function answers.dies()
  return is_kept and address == "127.0.0.2" and ngx.exit(444)
end

function answers.refuses()
  ngx.status = 401
  ngx.header["WWW-Authenticate"] = 'Bearer error="bad secret"'
end

function answers.talks()
  for name, value in pairs(TALK) do
    ngx.header[name] = value
  end
end

-- Answers at once.
function answers.fast() end

if not answers[word]() then
  ngx.print(address, (" "):rep(3000))
end
