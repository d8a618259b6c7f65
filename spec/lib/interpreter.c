/* An interpreter for the checks. Each of its blocks is one of malloc: LuaJIT's own
 * allocator would hide from a sanitizer which blocks Lua has freed.
 *
 * Usage: interpreter SCRIPT [ARGUMENT...] */
#include <stdio.h>
#include <stdlib.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

static void *allocate(void *context, void *block, size_t old_size, size_t size) {
  (void)context;
  (void)old_size;
  if (size > 0)
    return realloc(block, size);
  free(block);
  return NULL;
}

static int fail(const char *what) {
  fprintf(stderr, "interpreter: %s\n", what ? what : "an error that is not a string");
  return 1;
}

#if defined(MODULES)
#include "endpoint.h"

int luaopen_cjson(lua_State *L);

/* The modules that are linked in. */
static void preload(lua_State *L) {
  static const luaL_Reg modules[] = {{"endpoint", luaopen_endpoint},
                                     {"endpoint.result", luaopen_endpoint_result},
                                     {"cjson", luaopen_cjson}};
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "preload");
  for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
    lua_pushcfunction(L, modules[i].func);
    lua_setfield(L, -2, modules[i].name);
  }
  lua_pop(L, 2);
}
#endif

static void set_arguments(lua_State *L, int count, char **arguments) {
  lua_newtable(L);
  for (int i = 0; i < count; i++) {
    lua_pushstring(L, arguments[i]);
    lua_rawseti(L, -2, i - 1);
  }
  lua_setglobal(L, "arg");
}

int main(int count, char **arguments) {
  lua_State *L = count > 1 ? lua_newstate(allocate, NULL) : NULL;
  int status;
  if (!L)
    return fail("no script, or no memory");
  luaL_openlibs(L);
#if defined(MODULES)
  preload(L);
#endif
  set_arguments(L, count, arguments);
  luaL_checkstack(L, count, "arguments");
  status = luaL_loadfile(L, arguments[1]);
  for (int i = 2; status == 0 && i < count; i++)
    lua_pushstring(L, arguments[i]);
  if (status == 0)
    status = lua_pcall(L, count - 2, 0, 0);
  if (status != 0)
    return fail(lua_tostring(L, -1));
  lua_close(L);
  return 0;
}
