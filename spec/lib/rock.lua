-- What busted runs first under `luarocks test`: builds both rocks, and puts before all other
-- searchers, LuaRocks' among them, one that finds its modules alone, so that neither an
-- installed endpoint is tested nor a file that the rockspec does not name.
local version, tree = _VERSION:match "%d.%d", "build/rock"
local lib, share = tree .. "/lib/lua/" .. version .. "/", tree .. "/share/lua/" .. version .. "/"

for _, rock in ipairs { "endpoint", "endpoint-types" } do
  local built = os.execute(
    ("luarocks --lua-version %s --tree %s make --deps-mode=none rockspec/%s-scm-1.rockspec"):format(
      version,
      tree,
      rock
    )
  )
  if built ~= true and built ~= 0 then -- Lua 5.1 returns a number
    error "luarocks make failed"
  end
end

table.insert(package.searchers or package.loaders, 1, function(name)
  if name == "endpoint" or name == "endpoint.result" then
    return assert(
      package.loadlib(
        lib .. "endpoint" .. package.cpath:match "%?(%.%a+)",
        "luaopen_" .. name:gsub("%.", "_")
      )
    )
  elseif name:find "^endpoint%." then
    return assert(loadfile(share .. name:gsub("%.", "/") .. ".lua"))
  end
end)
