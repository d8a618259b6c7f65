-- Inside nginx: waits until a spec has seen what was sent.
local seen = {}

local ngx = rawget(_G, "ngx")

-- Waits until there is a file `seen` in a directory, for 5 s at most, and removes it. Returns
-- whether it was there.
function seen.wait(directory)
  for _ = 1, 250 do
    ngx.sleep(0.02)
    if os.remove(directory .. "/seen") then
      return true
    end
  end
  return false
end

return seen
