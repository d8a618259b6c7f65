-- Usage: loop.lua COUNT CASE PEER   makes that many calls and nothing else, for a profiler.
--        loop.lua                   prints each "case/peer" that there is.
local count, name, peer_name = tonumber(arg[1]), arg[2], arg[3]
for _, case in ipairs(dofile "bench/workloads.lua") do
  for _, peer in ipairs(case.peers) do
    if not count then print(case.name .. "/" .. peer.name) end
    if case.name == name and peer.name == peer_name then
      for _ = 1, count do peer.call() end
      return
    end
  end
end
if count then error("no such case: " .. name .. ", " .. peer_name) end
