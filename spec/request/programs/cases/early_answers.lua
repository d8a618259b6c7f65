-- Answers of a server that does not read the body to its end.
local case, sending = ...
local equal = require "support".equal

case("a server's answer that it gives before the end of the body is read", function()
  local route, options = sending.raw "HTTP/1.1 413 Too Long\ncontent-length: 0\n\n"
  function options.data()
    return ("x"):rep(9999)
  end
  local said = sending.message_of(sending.send, "PUT" .. route:sub(4), options)
  if not sending.is_curl then -- libcurl does not always read it, but always ends
    equal("PUT /raw: the server answers 413", said)
  end
end)
