-- Usage: lua slow_patterns_in_nginx.lua [FILE...]   what slow_patterns.lua does, with ngx.re: in a
-- real nginx, all patterns of the documents FILE match long strings.
package.path = "src/?.lua;spec/?.lua;spec/lib/?.lua;" .. package.path
local json = require "cjson"
local server = require "server"
local slow_patterns = require "checks.slow_patterns"
local support = require "support"

local list = slow_patterns.of_documents(arg)
local running, start, stop = server.plan {
  locations = [[
location /slow {
  set $specs @ROOT@/spec;
  set $patterns "";
  if ($uri = /slow/documents) { set $patterns @DIRECTORY@/patterns.json; }
  content_by_lua_file @ROOT@/spec/checks/programs/slow_patterns.lua;
}
]],
  prepare = function(directory)
    support.write(directory .. "/patterns.json", json.encode(list))
  end,
}
start()
local failed = false
for path, count in pairs { ["/slow"] = #slow_patterns.LIST, ["/slow/documents"] = #list } do
  if count > 0 then
    local said = server.shell(("curl -s -m 3000 '%s%s'"):format(running.url, path))
    print(("%d patterns in nginx: %s"):format(count, said))
    failed = failed or not said:find "^0 took too long"
  end
end
stop()
os.exit(not failed)
