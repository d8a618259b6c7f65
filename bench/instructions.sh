#!/bin/sh
# Instructions a call, counted by callgrind on Lua 5.4: lines "case <tab> peer <tab>
# instructions". They are the same on every run in one directory, so that diff compares two
# commits.
set -e
. .ci/common
lua=${1:-lua5.4}
build "$lua" "build/$lua"
${CC:-cc} -O2 -fno-plt -fPIC -shared -I"$(.ci/lua-incdir "$lua")" bench/baseline.c -o "build/$lua/baseline.so"

# Lua takes the seed of its hashes from the time and from addresses. So the time stands
# still, and an empty environment keeps the stack in its place.
echo 'long time(long *t) { if (t) *t = 1; return 1; }' |
  ${CC:-cc} -O2 -fPIC -shared -fno-builtin -x c - -o build/still.so

# instructions COUNT CASE PEER: of a whole run with that many calls
instructions() {
  env -i PATH="$PATH" CATALOGUE="${CATALOGUE:-spec/tools/routes.tsv}" LD_PRELOAD=build/still.so LUA_CPATH="build/$lua/?.so" LUA_PATH="src/?.lua" setarch -R \
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$lua" bench/loop.lua "$@" 2>&1 |
    sed -n 's/^==[0-9]*== Collected : //p'
}

# The difference of two runs leaves out the start, and 10,000 calls share the work of
# the collector evenly.
for case in 'catalogue in turn/endpoint' 'GET/endpoint' 'GET/baseline' 'POST/endpoint' 'POST/baseline' \
  'GET with defaults/endpoint' 'GET with defaults/baseline' 'two headers/endpoint' 'format/endpoint' \
  'previews/endpoint' '30 query parameters/endpoint' 'level 4/endpoint' '4 kB of prose/endpoint' \
  'merge/endpoint' 'parse/endpoint' 'new URL/endpoint' 'new URL/known URL' 'new defaults/endpoint' \
  'expected error/endpoint' 'variables/endpoint' \
  'clients.plain, GET/endpoint' 'clients.plain, POST/endpoint' \
  'clients.luasocket, GET/endpoint' 'clients.luasocket, POST/endpoint' 'clients.resty_http, GET/endpoint' \
  'clients.resty_http, POST/endpoint' 'clients.lua_https, GET/endpoint' 'clients.lua_https, POST/endpoint' \
  'clients.curl, GET/endpoint' 'clients.curl, POST/endpoint' 'clients.argv, GET/endpoint' \
  'clients.argv, POST/endpoint'; do
  few=$(instructions 02000 "${case%/*}" "${case#*/}")
  many=$(instructions 12000 "${case%/*}" "${case#*/}")
  printf '%s\t%s\t%d\n' "${case%/*}" "${case#*/}" $(((many - few) / 10000))
done
