/* What callgrind counts of one call, as a Lua module: spec/tools/linear.lua makes calls
 * through it. Needs valgrind's headers; outside valgrind it calls and counts nothing. */
#include <lauxlib.h>
#include <lua.h>
#include <valgrind/callgrind.h>

int luaopen_measure(lua_State *L);

enum { NAME = 1, FUNCTION };

/* measure(name, f, ...): calls f in protected mode, as pcall does and with its
 * results. What the call took is dumped under the name. */
static int measure(lua_State *L) {
  const char *name = luaL_checkstring(L, NAME);
  int status;
  luaL_checkany(L, FUNCTION);
  CALLGRIND_TOGGLE_COLLECT;
  status = lua_pcall(L, lua_gettop(L) - FUNCTION, 1, 0);
  CALLGRIND_TOGGLE_COLLECT;
  CALLGRIND_DUMP_STATS_AT(name);
  lua_pushboolean(L, status == 0);
  lua_insert(L, FUNCTION);
  return 2;
}

int luaopen_measure(lua_State *L) {
  lua_pushcfunction(L, measure);
  return 1;
}
