# What report in .ci/common prints of the failures of a file: one of each kind, and how many more
# there are. Those of one line of the specs are of one kind, and so are those that say the same of
# one line of the sources. The kinds that our own lines raise come first, the most frequent of these
# before the others: one of them explains what comes after it.
function end_block() {
  if (!lines) return
  source = match(said, /src\/[^ :]*\.lua:[0-9]+: [^\n"]*/) ? substr(said, RSTART, RLENGTH) : ""
  key = source ? source : place
  if (!(key in count)) {
    keys[++kinds] = key
    text[key] = block
    is_own[key] = source != ""
  }
  count[key]++
  lines = 0
}

/^(Failure|Error|Pending) -> / {
  end_block()
  place = block = $0
  lines = 1
  said = ""
  is_trace = 0
  next
}

!lines { print; next }

{
  block = block "\n" $0
  is_trace = is_trace || /^stack traceback:/
  if (++lines > 2 && !is_trace) said = said "\n" $0
}

function show(key) {
  print text[key]
  if (count[key] > 1) printf "(and %d more of this kind)\n\n", count[key] - 1
  is_shown[key] = 1
}

END {
  end_block()
  for (;;) {
    best = ""
    for (i = 1; i <= kinds; i++) {
      key = keys[i]
      if (is_own[key] && !is_shown[key] && (best == "" || count[key] > count[best])) best = key
    }
    if (best == "") break
    show(best)
  }
  for (i = 1; i <= kinds; i++) if (!is_shown[keys[i]]) show(keys[i])
}
