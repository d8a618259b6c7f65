-- Usage: loop.lua COUNT CASE PEER   makes that many calls and nothing else, for a profiler.
local count, name, peer_name = tonumber(arg[1]), arg[2], arg[3]
for _, case in ipairs(dofile "bench/workloads.lua") do
  for _, peer in ipairs(case.peers) do
    if case.name == name and peer.name == peer_name then
      for _ = 1, count do peer.call() end
      return
    end
  end
end
error("no such case: " .. name .. ", " .. peer_name)
