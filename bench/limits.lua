-- Limits of the benchmarks: how many times a peer's figure ours may be, in the same run.
local limits = {}

local are_met = true

function limits.head()
  print "\n| limit | measured | target | met |\n|---|---|---|---|"
end

-- Prints one. A peer that is not here gives no figure.
function limits.print(what, ours, theirs, most)
  if not (ours and theirs) then
    return print(("| %s | NOT RUN | ≤ %s | – |"):format(what, most))
  end
  local ratio = ours / theirs
  local is_met = ratio <= most
  are_met = are_met and is_met
  print(("| %s | × %.2f | ≤ %s | %s |"):format(what, ratio, most, is_met and "yes" or "no"))
end

-- Ends the program, with a failure if one was not met.
function limits.exit()
  os.exit(are_met)
end

return limits
