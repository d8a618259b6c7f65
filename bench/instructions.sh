#!/bin/sh
# Instructions a call, counted by callgrind on Lua 5.4: lines "case <tab> peer <tab>
# instructions". They are the same on every run in one directory, so that diff compares two
# commits.
set -e
. .ci/common
lua=${1:-lua5.4}
build "$lua" "build/$lua"
${CC:-cc} -O2 -fno-plt -fPIC -shared -I"$(.ci/lua incdir "$lua")" bench/baseline.c -o "build/$lua/baseline.so"

# Lua takes the seed of its hashes from the time and from addresses. So the time stands
# still, and an empty environment keeps the stack in its place.
echo 'long time(long *t) { if (t) *t = 1; return 1; }' |
  ${CC:-cc} -O2 -fPIC -shared -fno-builtin -x c - -o build/still.so

# run_loop PROGRAM ARGUMENT...: in that environment
run_loop() {
  env -i PATH="$PATH" CATALOGUE="${CATALOGUE:-bench/routes.tsv}" LD_PRELOAD=build/still.so \
    LUA_CPATH="build/$lua/?.so;;" LUA_PATH="src/?.lua" "$@"
}

# instructions COUNT CASE PEER: of a whole run with that many calls
instructions() {
  run_loop setarch -R valgrind --tool=callgrind --callgrind-out-file=/dev/null "$lua" bench/loop.lua "$@" 2>&1 |
    sed -n 's/^==[0-9]*== Collected : //p'
}

# The difference of two runs leaves out the start, and 10,000 calls share the work of
# the collector evenly.
run_loop "$lua" bench/loop.lua | while IFS=/ read -r case peer; do
  few=$(instructions 02000 "$case" "$peer")
  many=$(instructions 12000 "$case" "$peer")
  printf '%s\t%s\t%d\n' "$case" "$peer" $(((many - few) / 10000))
done
