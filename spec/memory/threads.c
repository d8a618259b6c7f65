/* Many states in many threads, for ThreadSanitizer: the module shares nothing between
 * them. It runs in the root of the repository. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../src/endpoint.h"

enum { THREADS = 8, STATES = 3 };

/* Calls each operation that is not heavy, and checks the answers that are errors or must not be. */
static const char script[] =
    "local operations = assert(loadfile 'spec/memory/operations.lua')(...)\n"
    "for number = 1, operations.count do\n"
    "  if not operations.is_heavy(number) then\n"
    "    operations.answer(number, pcall(operations.prepare(number)))\n"
    "  end\n"
    "end\n"
    "operations.check_state()\n";

static void *work(void *argument) {
  for (int i = 0; i < STATES; i++) {
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    luaL_loadstring(L, script);
    lua_pushcfunction(L, luaopen_endpoint);
    lua_pushcfunction(L, luaopen_endpoint_result);
    if (lua_pcall(L, 2, 0, 0) != 0) {
      printf("threads: BAD: %s\n", lua_tostring(L, -1));
      exit(1);
    }
    lua_close(L);
  }
  return argument;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, work, NULL) != 0)
      return 2;
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  printf("%d threads under ThreadSanitizer: %d states each, 0 bad\n", THREADS, STATES);
  return 0;
}
