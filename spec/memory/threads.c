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

typedef struct Worker {
  pthread_t thread;
  int number;
  int states; /* opened and closed */
} Worker;

static int is_run(lua_State *L) {
  luaL_openlibs(L);
  if (luaL_loadstring(L, script) != 0)
    return 0;
  lua_pushcfunction(L, luaopen_endpoint);
  lua_pushcfunction(L, luaopen_endpoint_result);
  return lua_pcall(L, 2, 0, 0) == 0;
}

static void *work(void *argument) {
  Worker *worker = (Worker *)argument;
  for (; worker->states < STATES; worker->states++) {
    lua_State *L = luaL_newstate();
    if (!L || !is_run(L)) {
      printf("threads: BAD: state %d of thread %d: %s\n", worker->states + 1, worker->number,
             L ? lua_tostring(L, -1) : "cannot be opened");
      exit(1);
    }
    lua_close(L);
  }
  return NULL;
}

int main(void) {
  static Worker workers[THREADS];
  int states = 0;
  for (int i = 0; i < THREADS; i++) {
    workers[i].number = i + 1;
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
      return 2;
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(workers[i].thread, NULL);
    states += workers[i].states;
  }
  printf("%d threads under ThreadSanitizer: %d states opened and closed, 0 bad\n", THREADS, states);
  return 0;
}
