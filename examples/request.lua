-- To copy: sends what an endpoint makes, decodes JSON, waits where the server asks for it, raises
-- where it refuses, and walks through pages. Messages hold method and template, but no value.
--
--   local send, each, ask = require "request" (api, { cafile = "/etc/ssl/certs/ca-certificates.crt" })
--   local issue, answer = send("POST /repos/{owner}/{repo}/issues", { owner = "me", repo = "notes", title = "Bug" })
--   for repo in each("GET /orgs/{org}/repos", { org = "luarocks" }) do print(repo.name) end
--
-- An answer has status, headers and text; `ask` returns those of 400 and above, too. settings:
-- `cafile` for TLS; or for another client than LuaSocket `sleep` and `send`, which takes a result of
-- the endpoint and returns status, headers with lower-case names and text, or nil and a message;
-- `tries`, 3 unless given; `longest`, the seconds to wait for at most, 60 unless given.
local clients, json = require "endpoint.clients", require "cjson"

local function send_by_luasocket(r, cafile)
  local http, parts = require(r.url:find "^[Hh][Tt][Tt][Pp][Ss]:" and "ssl.https" or "socket.http"), {}
  local request = clients.luasocket(r, { sink = require "ltn12".sink.table(parts) })
  request.verify, request.cafile = "peer", cafile
  local sent, status, headers = http.request(request)
  if not sent then return nil, status end
  return status, headers, table.concat(parts)
end

-- The seconds that a `retry-after` asks for, a number or a date (RFC 9110, section 10.2.3).
local function seconds_of(text)
  local day, name, year, hour, min, sec = text:match "^%a+, (%d%d) (%a%a%a) (%d%d%d%d) (%d%d):(%d%d):(%d%d) GMT$"
  local place = name and ("JanFebMarAprMayJunJulAugSepOctNovDec"):find(name, 1, true)
  if not place then return tonumber(text:match "^%d+$") end
  local date = { year = year, month = (place + 2) / 3, day = day, hour = hour, min = min, sec = sec, isdst = false }
  return math.max(0, os.time(date) - os.time(os.date "!*t" --[[@as osdateparam]])) -- each is off by the time zone
end

-- Without userinfo and query, where a URL itself may hold a secret.
local function label_of(merged)
  return merged.method .. " " .. merged.url:gsub("{?[?].*", ""):gsub("//[^/]*@", "//***@")
end

local function decoded(answer)
  if answer.text == "" or not (answer.headers["content-type"] or ""):find("json", 1, true) then return nil, answer end
  local ok, value = pcall(json.decode, answer.text)
  if not ok and answer.status < 400 then error(answer.label .. ": the server answers no JSON", 0) end
  return ok and value, answer
end

return function(api, settings)
  local send_once, sleep = settings.send or send_by_luasocket, settings.sleep or require "socket".sleep

  local function ask(route, options, label)
    local r = api(route, options)
    label = label or label_of(api.merge(route, options))
    local tries = type(r.body) == "function" and 1 or settings.tries or 3 -- a stream can be sent once
    for try = 1, tries do
      local status, headers, text = send_once(r, settings.cafile)
      if not status then error(label .. ": " .. headers, 0) end
      local wait = (status == 429 or status == 503) and seconds_of(headers["retry-after"] or "")
      if try == tries or not wait or wait > (settings.longest or 60) then
        return decoded { label = label, url = r.url, status = status, headers = headers, text = text }
      end
      sleep(wait)
    end
  end

  local function send(...)
    local value, answer = ask(...)
    if answer.status >= 400 then error(("%s: the server answers %d"):format(answer.label, answer.status), 0) end
    return value, answer
  end

  local function each(route, options)
    return coroutine.wrap(function()
      local label, list, answer
      while route do
        list, answer = send(route, options, label)
        if type(list) ~= "table" then error(answer.label .. ": the server answers no list", 0) end
        for _, item in ipairs(list) do coroutine.yield(item) end
        route, options, label = clients.links(answer.headers.link, answer.url).next, nil, answer.label
      end
    end)
  end
  return send, each, ask
end
