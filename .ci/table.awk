# What `.ci/test` prints at its end. Reads lines of LUA FILE PASSED FAILED SKIPPED [HOW IT ENDED].
# LUA may be "wire". If a Lua runs fewer specs of a file than another Lua, each missing one counts
# as failed, unless the file has already failed there as a whole.
{
  if (!($1 in row)) { row[$1]; order[++rows] = $1 }
  passed[$1] += $3; failed[$1] += $4; skipped[$1] += $5
  how = ""
  for (i = 6; i <= NF; i++) how = how " " $i
  if ($4) report($1, $2, $4 " failed" (how ? "," how : ""))
  if ($1 == "wire" || !($3 + $4)) next
  if (!($2 in most)) files[++count] = $2
  run[$1, $2] = $3 + $4 + $5
  is_broken[$1, $2] = how != ""
  if (run[$1, $2] > most[$2]) most[$2] = run[$1, $2]
}

function report(lua, file, what) {
  print lua ": " file ": " what
}

function find_missing(lua, file) {
  if (!((lua, file) in run) || is_broken[lua, file] || run[lua, file] == most[file]) return
  report(lua, file, run[lua, file] " specs run, under another Lua " most[file])
  failed[lua] += most[file] - run[lua, file]
}

END {
  for (i = 1; i <= count; i++) {
    for (j = 1; j <= rows; j++) find_missing(order[j], files[i])
  }
  printf "%-8s %8s %8s %8s\n", "lua", "passed", "failed", "skipped"
  for (j = 1; j <= rows; j++) {
    lua = order[j]
    printf "%-8s %8d %8d %8d\n", lua, passed[lua], failed[lua], skipped[lua]
    all_passed += passed[lua]; all_failed += failed[lua]; all_skipped += skipped[lua]
  }
  printf "%d passed, %d failed", all_passed, all_failed
  print all_skipped ? ", " all_skipped " skipped" : ""
  exit all_failed > 0 || all_passed == 0
}
