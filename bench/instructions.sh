#!/bin/sh
# Instructions a call, counted by callgrind on Lua 5.4: lines "case <tab> peer <tab>
# instructions", the same on every run, so that two commits can be compared with diff.
set -e
cd "$(dirname "$0")/.."
lua=${1:-lua5.4}
command -v valgrind >/dev/null || { echo "Please install valgrind." >&2; exit 1; }
make --no-print-directory -s all LUA="$lua"
${CC:-cc} -O2 -fno-plt -fPIC -shared -I"$(.ci/lua-incdir "$lua")" bench/floor.c -o "build/$lua/floor.so"

# Lua takes the seed of its hashes from the time and from addresses: the time is
# made to stand still, and an empty environment keeps the stack in its place.
echo 'long time(long *t) { if (t) *t = 1; return 1; }' |
  ${CC:-cc} -O2 -fPIC -shared -fno-builtin -x c - -o build/still.so

# instructions COUNT CASE PEER: of a whole run with that many calls
instructions() {
  env -i PATH="$PATH" CATALOGUE="${CATALOGUE:-spec/routes.tsv}" LD_PRELOAD=build/still.so LUA_CPATH="build/$lua/?.so" LUA_PATH="src/?.lua" setarch -R \
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$lua" bench/loop.lua "$@" 2>&1 |
    sed -n 's/^==[0-9]*== Collected : //p'
}

# The difference of two runs leaves out the start, and the collector's work is
# spread over many calls.
for case in 'catalogue in turn/endpoint' 'GET/endpoint' 'GET/floor' 'POST/endpoint' 'POST/floor' \
  'GET with defaults/endpoint' 'GET with defaults/floor' 'two headers/endpoint' 'format/endpoint' \
  'previews/endpoint' '30 query parameters/endpoint' 'level 4/endpoint' '4 kB of prose/endpoint' \
  'merge/endpoint' 'parse/endpoint' 'new URL/endpoint' 'new URL/known URL' 'new defaults/endpoint' \
  'expected error/endpoint' 'variables/endpoint' 'clients.plain/endpoint'; do
  few=$(instructions 02000 "${case%/*}" "${case#*/}")
  many=$(instructions 12000 "${case%/*}" "${case#*/}")
  printf '%s\t%s\t%d\n' "${case%/*}" "${case#*/}" $(((many - few) / 10000))
done
