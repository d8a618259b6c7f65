#!/bin/sh
# Runs a command on a terminal of its own, and prints what that shows.
# Usage: on_terminal.sh COUNT FILE COMMAND   makes FILE as soon as COUNT bytes are shown
count=$1 seen=$2
shift 2
script -qec "$*" /dev/null </dev/null | {
  dd bs=1 count="$count" 2>/dev/null
  touch "$seen"
  cat
} | tr -d '\r'
