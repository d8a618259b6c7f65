#!/bin/sh
# Usage: spec/lib/watch.sh FILE PID SECONDS
#          Ends the process that runs specs if one of them takes so many seconds. The file has its
#          number and title; it is empty between two specs, and gone after all.
file=$1 pid=$2 most=$3 last='' waited=0
while sleep 1 >/dev/null 2>&1 && [ -f "$file" ] && kill -0 "$pid" 2>/dev/null; do
  running=$(cat "$file" 2>/dev/null) # gone since, perhaps
  if [ -z "$running" ] || [ "$running" != "$last" ]; then
    last=$running waited=0
    continue
  fi
  waited=$((waited + 1))
  [ $waited -lt "$most" ] && continue
  echo
  echo "FAILED: a spec hangs, ended after $most s: ${running#* }"
  kill "$pid"
  sleep 2 >/dev/null 2>&1
  kill -9 "$pid" 2>/dev/null
done
rm -f "$file"
