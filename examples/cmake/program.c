/* SPDX-License-Identifier: MIT */
/* Prints the curl command of a route. endpoint and endpoint.clients are inside the program, which
 * needs no file when it runs, and Lua has BYTES of memory. In C and in C++, for Lua 5.1 to 5.5 and
 * LuaJIT.
 *
 * Needs: endpoint.c, endpoint.h and clients.lua of a release. `xxd -i clients.lua >clients.h` makes
 * clients.h; CMakeLists.txt does it without xxd.
 * Usage: program BYTES ROUTE */
#include <stdio.h>
#include <stdlib.h>
#if defined(__cplusplus)
extern "C" { /* what lua.hpp does, which Lua's own git repository does not have */
#endif
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#if defined(__cplusplus)
}
#endif

#include "clients.h"
#include "endpoint.h"

static const char script[] =
    "local endpoint, clients = require 'endpoint', require 'endpoint.clients'\n"
    "print(clients.curl_command(endpoint(...)))\n";

/* Lua's allocator: realloc and free, as long as bytes are left. */
static void *allocate(void *left, void *block, size_t old_size, size_t size) {
  const long more = (long)size - (block ? (long)old_size : 0);
  void *result = NULL;
  if (size == 0)
    free(block);
  else if (more > *(long *)left || !(result = realloc(block, size)))
    return NULL;
  *(long *)left -= more;
  return result;
}

/* [-0, +0] From here on `require` finds endpoint and endpoint.clients. The second entry point is
 * for endpoint.clients alone. */
static void preload(lua_State *L) {
  const char *text = (const char *)clients_lua;
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, luaopen_endpoint);
  lua_setfield(L, -2, "endpoint");
  lua_pushcfunction(L, luaopen_endpoint_result);
  lua_setfield(L, -2, "endpoint.result");
  if (luaL_loadbuffer(L, text, clients_lua_len, "=endpoint/clients.lua") != 0)
    lua_error(L);
  lua_setfield(L, -2, "endpoint.clients");
  lua_pop(L, 2);
}

/* Whatever may raise: lua_pcall calls it. The argument is a pointer to the route. */
static int run(lua_State *L) {
  luaL_openlibs(L);
  preload(L);
  if (luaL_loadstring(L, script) != 0)
    lua_error(L);
  lua_pushstring(L, (const char *)lua_touserdata(L, 1));
  lua_call(L, 1, 0);
  return 0;
}

static lua_State *new_state(long *left) {
#if LUA_VERSION_NUM >= 505
  return lua_newstate(allocate, left, luaL_makeseed(NULL));
#else
  return lua_newstate(allocate, left);
#endif
}

int main(int count, char **arguments) {
  long left = count == 3 ? strtol(arguments[1], NULL, 10) : 0;
  lua_State *L = new_state(&left);
  int status = LUA_ERRMEM;
  if (L) {
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, arguments[2]);
    status = lua_pcall(L, 1, 0, 0);
    if (status != 0)
      fprintf(stderr, "program: %s\n", lua_tostring(L, -1));
    lua_close(L);
  }
  return status;
}
