/* A module for programs in Lua: failing.call(f, growth, way) is the same as pcall(f), while that
 * growth of memory fails, counted from 1. It returns before the results how many failed. The ways
 * are those of oom.c: 0 for all that follow, too; 1 for that alone; 2 for the next one, too. */
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

enum { WITH_ALL, ALONE, WITH_NEXT };

/* The allocator of the state, which does the work, and what fails of it. */
typedef struct Failing {
  lua_Alloc allocate;
  void *data;
  long growths;
  long first;
  long failed;
  int way;
} Failing;

static bool is_failing(Failing *failing) {
  long after = ++failing->growths - failing->first;
  if (after < 0 || (failing->way == ALONE && after > 0) || (failing->way == WITH_NEXT && after > 1))
    return false;
  failing->failed++;
  return true;
}

static void *resize(void *data, void *block, size_t old, size_t size) {
  Failing *failing = (Failing *)data;
  size_t had = block ? old : 0; /* for a new block `old` is the type of its object */
  if (size > had && is_failing(failing))
    return NULL;
  return failing->allocate(failing->data, block, old, size);
}

static int call(lua_State *L) {
  Failing failing = {NULL, NULL, 0, 0, 0, 0};
  int status;
  luaL_checktype(L, 1, LUA_TFUNCTION);
  failing.first = (long)luaL_checkinteger(L, 2);
  failing.way = (int)luaL_checkinteger(L, 3);
  lua_settop(L, 1);
  luaL_checkstack(L, 10, NULL);
  failing.allocate = lua_getallocf(L, &failing.data);
  lua_setallocf(L, resize, &failing);
  status = lua_pcall(L, 0, LUA_MULTRET, 0);
  lua_setallocf(L, failing.allocate, failing.data);
  lua_pushinteger(L, (lua_Integer)failing.failed);
  lua_insert(L, 1);
  lua_pushboolean(L, status == 0);
  lua_insert(L, 2);
  return lua_gettop(L);
}

int luaopen_failing(lua_State *L) {
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, call);
  lua_setfield(L, -2, "call");
  return 1;
}
