/* Many states in many threads, for ThreadSanitizer: the module shares nothing between
 * them. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int luaopen_endpoint(lua_State *L);

enum { THREADS = 8, STATES = 500, CALLS = 12 };

/* CALLS calls, which together run code of every file of the module. */
static const char script[] =
    "local endpoint, number = ...\n"
    "local e = endpoint.defaults { owner = number, list = { 1, { 2 } }, headers = { ['X-N'] = "
    "number } }\n"
    "local function expect(expected, got)\n"
    "  if got ~= expected then error('expected ' .. expected .. ', got ' .. tostring(got)) end\n"
    "end\n"
    "local base = 'https://api.service.example'\n"
    "expect(base .. '/' .. number .. '/a%20b', e('GET /{owner}/:b', { b = 'a b', list = e.null "
    "}).url)\n"
    "expect(base .. '/0.1?list=1%2C2&owner=' .. number, e('GET /{x}', { x = 0.1, list = { 1, 2 } "
    "}).url)\n"
    "expect(base .. '/?b=1', endpoint('GET /{?m*}', { m = { b = 1 } }).url)\n"
    "expect('x', e('POST /', { data = 'x' }).body)\n"
    "expect(2, e('PUT /').body.list[2][1])\n"
    "expect(number, e.merge('/').headers['x-n'])\n"
    "expect(number, e.DEFAULTS.owner)\n"
    "expect('get', e.parse(e.merge('/', { list = e.null })).method)\n"
    "expect('endpoint (' .. base .. ')', tostring(e))\n"
    "expect('application/vnd.service.p-preview.raw',\n"
    "  endpoint('GET /', { mediaType = { format = 'raw', previews = { 'p' } } }).headers.accept)\n"
    "expect(false, (pcall(e, 'GET /{')))\n"
    "expect(false, (pcall(e, 'GET /{a}')))\n";

typedef struct Worker {
  pthread_t thread;
  int number;
  int states; /* opened and closed */
} Worker;

static int is_run(lua_State *L, int number) {
  luaL_requiref(L, "_G", luaopen_base, 1);
  if (luaL_loadstring(L, script) != 0)
    return 0;
  luaL_requiref(L, "endpoint", luaopen_endpoint, 0);
  lua_pushinteger(L, number);
  return lua_pcall(L, 2, 0, 0) == 0;
}

static void *work(void *argument) {
  Worker *worker = (Worker *)argument;
  for (; worker->states < STATES; worker->states++) {
    lua_State *L = luaL_newstate();
    if (!L || !is_run(L, worker->number * STATES + worker->states)) {
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
  printf("%d threads under ThreadSanitizer: %d states opened and closed, %d calls, 0 bad\n",
         THREADS, states, states * CALLS);
  return 0;
}
