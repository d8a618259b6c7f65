/* A complete host, in C and in C++, for Lua 5.2 to 5.4: endpoint is linked in, the files of
 * endpoint.clients are preloaded, and Lua has BYTES of memory.
 *
 * Usage: host BYTES ROUTE   in the root of the repository */
#include <stdio.h>
#include <stdlib.h>
#if defined(__cplusplus)
#include <lua.hpp>
#else
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#endif

#include "endpoint.h"

static const char script[] =
    "for name in ('clients body errors form libcurl links message multipart reference secrets'"
    "    .. ' shell stream text'):gsub(' ', ' clients.'):gmatch '%S+' do\n"
    "  local file = 'src/endpoint/' .. name:gsub('%.', '/') .. '.lua'\n"
    "  package.preload['endpoint.' .. name] = assert(loadfile(file))\n"
    "end\n"
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

/* Whatever may raise: lua_pcall calls it. The argument is a pointer to the route. */
static int run(lua_State *L) {
  luaL_openlibs(L);
  luaL_requiref(L, "endpoint", luaopen_endpoint, 0);
  luaL_requiref(L, "endpoint.plain", luaopen_endpoint_plain, 0);
  if (luaL_loadstring(L, script) != LUA_OK)
    lua_error(L);
  lua_pushstring(L, (const char *)lua_touserdata(L, 1));
  lua_call(L, 1, 0);
  return 0;
}

int main(int count, char **arguments) {
  long left = count == 3 ? strtol(arguments[1], NULL, 10) : 0;
  lua_State *L = lua_newstate(allocate, &left);
  int status = LUA_ERRMEM;
  if (L) {
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, arguments[2]);
    status = lua_pcall(L, 1, 0, 0);
    if (status != LUA_OK)
      fprintf(stderr, "host: %s\n", lua_tostring(L, -1));
    lua_close(L);
  }
  return status;
}
