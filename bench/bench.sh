#!/bin/sh
# Usage: bench/bench.sh LUA...   builds the module and the baseline for each interpreter,
# fetches the JavaScript peer where node and npm exist, and measures them all; then a gateway in nginx,
# and whole requests.
# ROUNDS and SECONDS in the environment are settings of bench/run.lua.
set -e
. .ci/common
[ $# -gt 0 ] || set -- lua5.4 luajit
.ci/need "$*" compiler headers lua cjson
.ci/need lua5.4 lua # for bench/run.lua
for lua; do
  build "$lua" "build/$lua"
  ${CC:-cc} -O2 -fno-plt -fPIC -shared -I"$(.ci/lua incdir "$lua")" bench/baseline.c -o "build/$lua/baseline.so"
done
if [ "$INSTALL" = no ] && [ ! -d bench/node_modules ]; then
  echo "INSTALL=no: @octokit/endpoint is not installed: NOT RUN, its column stays empty" >&2
elif command -v node >/dev/null && command -v npm >/dev/null; then
  (cd bench && npm install --no-audit --no-fund --loglevel=error >&2) ||
    echo "npm could not install @octokit/endpoint: NOT RUN, its column stays empty" >&2
fi
lua5.4 bench/run.lua "$@"
.ci/need luajit compiler headers cjson nginx valgrind clients
.ci/need lua5.4 cjson clients
build luajit build/luajit
export LUA_CPATH='build/lua5.4/?.so;;' LUA_PATH='spec/lib/?.lua;spec/?.lua;src/?.lua;;'
lua5.4 bench/nginx.lua
exec lua5.4 bench/requests.lua
