-- For nginx: answers with any bytes, and closes the connection.
-- Query: text, the bytes, in which {3|ab} is ababab; more, what is sent after them for ever, and
-- pause, the seconds between two; drains, to read all that the client sends; is_held, to wait until
-- the client leaves.
-- luacheck: globals ngx
local args, socket = ngx.req.get_uri_args(), ngx.req.socket(true)
socket:settimeout(30000)

local text = args.text:gsub("{(%d+)|([^}]*)}", function(count, unit)
  return unit:rep(count)
end)
socket:send(text)

local pause = tonumber(args.pause)
while args.more and socket:send(args.more) do
  if pause then
    ngx.sleep(pause)
  end
end
while args.drains and socket:receiveany(65536) do -- luacheck: ignore 542
end
if args.is_held then
  socket:receive(1)
end
ngx.exit(444)
