/* A Lua module that lets callgrind count the instructions of one call, for
 * spec/memory/linear.lua. Outside valgrind it calls, but counts nothing. */
#include <lauxlib.h>
#include <lua.h>
#include <valgrind/callgrind.h>

int luaopen_measure(lua_State *L);

enum { NAME = 1, FUNCTION };

/* measure(name, f, ...): the same as pcall(f, ...). Callgrind dumps the instructions of
 * the call under the name. */
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
