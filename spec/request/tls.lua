-- Servers with good and bad certificates; programs/cases/certificates.lua asks them.
local server = require "server"
local support = require "support"

local tls = {}

-- Answers without a length, over one version of TLS.
local LONG = "ssl_protocols %s; location / { "
  .. "content_by_lua_file @ROOT@/spec/request/programs/long_answer.lua; }"

-- The certificate of the server at each loopback address 127.0.0.N, of which the API has the first:
-- for which names, who signs it if it is not the authority, and what the server does if it does not
-- say "sent". The last says whose certificate the client shows.
local CERTIFICATES = {
  [2] = { "right", "DNS:api.example,DNS:*.wild.example,IP:127.0.0.2" },
  [3] = { "other", "DNS:other.example,IP:127.0.0.9" },
  [4] = { "expired", "DNS:api.example,IP:127.0.0.4", signer = "authority-in-the-past" },
  [5] = { "self", "DNS:api.example,IP:127.0.0.5", signer = "itself" },
  [6] = { "unknown", "DNS:api.example,IP:127.0.0.6", signer = "stranger" },
  [8] = { "long", "DNS:*.cut.example", LONG:format "TLSv1.2" },
  [9] = { "longer", "DNS:*.cut.example", LONG:format "TLSv1.3" },
  [10] = {
    "asking",
    "DNS:asking.example",
    [[ssl_client_certificate authority.pem; ssl_verify_client on;
    location / { return 200 "$ssl_client_verify $ssl_client_s_dn"; }]],
  },
}

-- A server for each, which logs a connection if one byte of a request arrived; and what
-- certificates.sh reads.
local servers, rows =
  { "lua_ssl_trusted_certificate authority.pem; lua_ssl_protocols TLSv1.2 TLSv1.3;" }, {}
for number, row in pairs(CERTIFICATES) do
  rows[#rows + 1] = ("%s %s %s"):format(row[1], row[2], row.signer or "authority")
  servers[#servers + 1] = ([[
server { listen 127.0.0.%d:@SECOND@ ssl; ssl_certificate %s.pem; ssl_certificate_key %s.key;
  %s }]]):format(
    number,
    row[1],
    row[1],
    row[3] or 'access_log bytes.log; location / { return 200 "sent"; }'
  )
end

tls.servers = table.concat(servers, "\n")

function tls.write_certificates(directory)
  support.write(directory .. "/rows", table.concat(rows, "\n") .. "\n")
  local said = server.shell(([[
    exec 2>&1
    sh spec/request/certificates.sh %s <%s/rows && cd %s || exit
    cat right.pem right.key >both.pem
    cat authority.pem certificate.pem >authorities.pem
    echo made
  ]]):format(directory, directory, directory))
  assert(said:find "made$", said)
end

return tls
