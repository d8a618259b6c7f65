-- The routes of a real API's catalogue, each with all of its parameters: the whole catalogue
-- if the environment names it as CATALOGUE, else the sample that the specs use. The body's
-- keys that are also options or variables are left out.
local TAKEN = { method = true, url = true, baseUrl = true, headers = true, mediaType = true, data = true, request = true }

local routes = {}
for line in io.lines(os.getenv "CATALOGUE" or "bench/routes.tsv") do
  local route, parameters = line:match "^([^#\t][^\t]*)\t(.*)$"
  if route then
    local options = {}
    for name in parameters:gmatch "[^,\t]+" do
      if not TAKEN[name] then options[name] = name end
    end
    routes[#routes + 1] = { route = route, parameters = options }
  end
end
return routes
