-- Loads endpoint.request again where other modules are there than outside.
local reloaded = {}

local function not_here()
  error("not here", 0)
end

-- Runs f while modules are these, or are not there if false; those of endpoint.request are loaded
-- again, and afterwards all are what they were.
function reloaded.while_modules_are(modules, f)
  local loaded, preload = {}, {}
  for name, module in pairs(package.loaded) do
    if name:find "^endpoint%.request" then
      loaded[name], package.loaded[name] = module, nil
    end
  end
  for name, module in pairs(modules) do
    loaded[name], preload[name] = package.loaded[name] or false, package.preload[name] or false
    package.loaded[name], package.preload[name] = module or nil, not_here
  end
  local ok, problem = pcall(f)
  for name in pairs(modules) do
    package.preload[name] = preload[name] or nil
  end
  for name, module in pairs(loaded) do
    package.loaded[name] = module or nil
  end
  if not ok then
    error(problem, 0)
  end
end

return reloaded
