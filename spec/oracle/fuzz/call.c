/* Fuzzing of whole calls. call.lua makes a call of the bytes and judges the answer; it says what
 * the input looks like. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int luaopen_endpoint(lua_State *L);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RUNS_PER_STATE = 4000 /* then a new state, so that runs are alike */ };

/* Ends the fuzzer, which writes the input to a file. */
static void fail(lua_State *L) {
  fprintf(stderr, "violated: %s\n", luaL_tolstring(L, -1, NULL));
  abort();
}

/* A state whose stack holds the function that checks an input. */
static lua_State *open_state(void) {
  lua_State *L = luaL_newstate();
  if (!L)
    abort();
  luaL_openlibs(L);
  luaL_requiref(L, "endpoint", luaopen_endpoint, 0);
  if (luaL_dostring(L, "package.path = 'spec/lib/?.lua;spec/?.lua'\n"
                       "return require('oracle.fuzz.call').check"))
    fail(L);
  lua_replace(L, 1);
  return L;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static lua_State *L;
  static unsigned runs;
  if (runs++ % RUNS_PER_STATE == 0) {
    if (L)
      lua_close(L);
    L = open_state();
  }
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  lua_pushlstring(L, (const char *)data, size);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK)
    fail(L);
  return 0;
}
