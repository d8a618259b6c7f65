/* Out of memory. Lets each allocation of each operation fail, one after the other, in
 * three ways, and checks that the Lua state is still sound.
 *
 * Usage: oom OPERATIONS.lua [WAYS]   the first WAYS of the ways, or all
 *
 * The ways: the allocation fails with all that follow; alone; with the next one. From Lua
 * 5.2 on, Lua repeats a failed request after a full collection. So there the second way
 * shows what this collection frees, and the third lets one request fail for good.
 *
 * Only growth fails, of new blocks and of old ones, since Lua relies on the other
 * requests. After a failure the operation must have raised Lua's memory error, or must
 * have given its usual answer without that memory. The state must then answer other
 * calls, and leave no byte behind when it is closed.
 *
 * This is also C++, for a Lua that is C++ too: its errors are exceptions, and run the
 * destructors of the functions that they leave. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/endpoint.h"

static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  putchar('\n');
  exit(1);
}

/* --- memory ------------------------------------------------------------------- */

/* Which growths fail beside the first one. */
typedef enum Way { WITH_ALL, ALONE, WITH_NEXT, WAYS } Way;

static const char *const way_names[WAYS] = {"with all that follow", "alone", "with the next one"};

/* The memory of a state, and which of its requests fail. */
typedef struct Heap {
  size_t held;  /* bytes */
  bool watched; /* are growths counted, and do they fail? */
  Way way;
  long growths; /* while watched */
  long failing; /* the number of the first growth to fail */
  long failed;  /* growths */
} Heap;

/* Stands before each block, and has the strictest alignment. */
typedef union Header {
  size_t size; /* bytes behind the header */
  long double alignment;
} Header;

enum { FRESH = 0xA5, FREED = 0xDD };

static void *take(size_t size) {
  Header *header = (Header *)malloc(sizeof *header + size);
  if (!header)
    fail("the machine has no memory");
  header->size = size;
  return memset(header + 1, FRESH, size);
}

static void give_back(void *block, size_t size) {
  Header *header = (Header *)block - 1;
  if (header->size != size)
    fail("a block of %lu bytes was freed as one of %lu", (unsigned long)header->size,
         (unsigned long)size);
  memset(block, FREED, size);
  free(header);
}

static bool is_failing(Heap *heap) {
  long behind;
  if (!heap->watched)
    return false;
  heap->growths++;
  behind = heap->growths - heap->failing;
  if (behind < 0 || (heap->way == ALONE && behind > 0) || (heap->way == WITH_NEXT && behind > 1))
    return false;
  heap->failed++;
  return true;
}

/* Always moves the block, and overwrites the old one, so that a stale pointer shows. */
static void *resize(void *data, void *block, size_t old, size_t size) {
  Heap *heap = (Heap *)data;
  size_t had = block ? old : 0; /* for a new block `old` is the type of its object */
  void *moved = NULL;
  if (size > had && is_failing(heap))
    return NULL;
  if (size > 0)
    moved = take(size);
  if (moved && block)
    memcpy(moved, block, had < size ? had : size);
  if (block)
    give_back(block, had);
  heap->held = heap->held - had + size;
  return moved;
}

/* --- states ------------------------------------------------------------------- */

/* A state. Its stack holds the table of operations, and above it the prepared one. */
typedef struct Host {
  lua_State *L;
  Heap heap;
} Host;

enum { OPERATIONS = 1, PREPARED };

/* The text of the operations' file. */
static char *source;
static size_t source_size;

static void check_status(Host *host, int status, const char *doing) {
  if (status != 0)
    fail("%s: %s", doing, lua_tostring(host->L, -1));
}

static void open_state(Host *host) {
  memset(&host->heap, 0, sizeof host->heap);
#if LUA_VERSION_NUM >= 505
  host->L = lua_newstate(resize, &host->heap, 0);
#else
  host->L = lua_newstate(resize, &host->heap);
#endif
  if (!host->L)
    fail("no state: a LuaJIT without GC64 takes no allocator");
  luaL_openlibs(host->L);
}

/* [-0, +1] Loads the module and pushes the operations, or pushes an error message.
 * Returns Lua's status. */
static int load_operations(Host *host) {
  int status = luaL_loadbuffer(host->L, source, source_size, "=operations.lua");
  if (status != 0)
    return status;
  lua_pushcfunction(host->L, luaopen_endpoint);
  lua_pushcfunction(host->L, luaopen_endpoint_result);
  return lua_pcall(host->L, 2, 1, 0);
}

static void open_host(Host *host) {
  open_state(host);
  check_status(host, load_operations(host), "loading");
}

/* Closes the state. Returns how many bytes it left behind. */
static size_t close_host(Host *host) {
  lua_close(host->L);
  return host->heap.held;
}

/* [-arguments, +1] Calls a function of the operations with the arguments on top. */
static int call_operations(Host *host, const char *function, int arguments) {
  lua_getfield(host->L, OPERATIONS, function);
  lua_insert(host->L, -1 - arguments);
  return lua_pcall(host->L, arguments, 1, 0);
}

static void prepare(Host *host, int operation) {
  lua_settop(host->L, OPERATIONS);
  lua_pushinteger(host->L, operation);
  check_status(host, call_operations(host, "prepare", 1), "preparing");
  /* So that the time of the next collection does not depend on the loading. */
  lua_gc(host->L, LUA_GCCOLLECT, 0);
}

/* --- one failure -------------------------------------------------------------- */

/* The case that is tested, for the message if it is bad, and the counts so far. */
typedef struct Test {
  const char *version, *name; /* of the Lua, of the operation */
  int ways;                   /* how many are tried */
  int operation, step;
  Way way;
  long growth;  /* the number of the one that fails; 0 for none */
  char *answer; /* the operation's answer when nothing fails */
  long injected[WAYS], by_checkstack;
} Test;

static void bad(const Test *test, const char *what, const char *message) {
  fail("%s: BAD: operation \"%s\", step %d, growth %ld failing %s: %s%s%.300s", test->version,
       test->name, test->step, test->growth, way_names[test->way], what, message ? ": " : "",
       message ? message : "");
}

/* Is the value on top Lua's memory error? From 5.2 on lua_checkstack fails, too, if there is no
 * memory for the stack. */
static bool is_memory_error(Host *host, Test *test, int status) {
  const char *message = lua_tostring(host->L, -1);
  if (status == LUA_ERRMEM || (status != 0 && strcmp(message, "not enough memory") == 0))
    return true;
  if (status == 0 || (strstr(message, "stack overflow (endpoint: ") == NULL &&
                      strstr(message, "do not fit on Lua's stack") == NULL))
    return false;
  test->by_checkstack++;
  return true;
}

/* [-1, +1] Replaces the result of the operation by its text. */
static const char *answer_text(Host *host, const Test *test, int status) {
  lua_pushinteger(host->L, test->operation);
  lua_pushboolean(host->L, status == 0);
  lua_pushvalue(host->L, -3);
  if (call_operations(host, "answer", 3) != 0)
    bad(test, "wrong answer", lua_tostring(host->L, -1));
  lua_replace(host->L, -2);
  return lua_tostring(host->L, -1);
}

#ifdef __cplusplus
static int alive; /* objects that errors leave behind */

struct Object {
  Object() {
    alive++;
  }
  ~Object() {
    alive--;
  }
};

/* Calls the function at index 1 with the arguments above it, while an object lives. */
static int call_with_object(lua_State *L) {
  Object object;
  lua_call(L, lua_gettop(L) - 1, 1);
  return 1;
}
#endif

/* [-arguments - 1, +1] Calls the function on top, and lets the growth fail meanwhile. */
static int call_watched(Host *host, const Test *test, int arguments) {
  Heap *heap = &host->heap;
  int status;
  heap->growths = heap->failed = 0;
  heap->failing = test->growth;
  heap->way = test->way;
#ifdef __cplusplus
  lua_pushcfunction(host->L, call_with_object);
  lua_insert(host->L, -2 - arguments++);
#endif
  heap->watched = true;
  status = lua_pcall(host->L, arguments, 1, 0);
  heap->watched = false;
#ifdef __cplusplus
  if (alive != 0)
    bad(test, "an error ran no destructor", NULL);
#endif
  return status;
}

/* Checks the state after the operation. Returns whether a growth has failed. */
static bool judge_state(Host *host, Test *test) {
  if (call_operations(host, "check_state", 0) != 0)
    bad(test, "the state is damaged", lua_tostring(host->L, -1));
  if (host->heap.failed == 0)
    return false;
  test->injected[test->way]++;
  return true;
}

/* [-0, +0] Runs the prepared operation. Returns whether it came to the growth that was to
 * fail. */
static bool inject(Host *host, Test *test) {
  int status;
  lua_settop(host->L, PREPARED);
  lua_pushvalue(host->L, PREPARED);
  lua_pushinteger(host->L, test->step);
  status = call_watched(host, test, 1);
  if (host->heap.failed == 0 || !is_memory_error(host, test, status)) {
    const char *text = answer_text(host, test, status);
    if (test->answer && strcmp(text, test->answer) != 0)
      bad(test, "another answer than without a failure", text);
  }
  return judge_state(host, test);
}

static void close_tested(Host *host, const Test *test) {
  size_t left = close_host(host);
  char text[32];
  snprintf(text, sizeof text, "%lu", (unsigned long)left);
  if (left > 0)
    bad(test, "bytes left after closing", text);
}

/* --- operations --------------------------------------------------------------- */

static void remember_answer(Host *host, Test *test) {
  const char *text;
  test->growth = 0;
  lua_settop(host->L, PREPARED);
  lua_pushvalue(host->L, PREPARED);
  lua_pushinteger(host->L, test->step);
  text = answer_text(host, test, lua_pcall(host->L, 1, 1, 0));
  test->answer = (char *)malloc(strlen(text) + 1);
  if (!test->answer)
    fail("the machine has no memory");
  strcpy(test->answer, text);
}

/* A new state for each failure. */
static void test_operation(Test *test) {
  Host host;
  bool more = true;
  open_host(&host);
  prepare(&host, test->operation);
  remember_answer(&host, test);
  close_tested(&host, test);
  for (test->growth = 1; more; test->growth++) {
    open_host(&host);
    prepare(&host, test->operation);
    more = inject(&host, test);
    close_tested(&host, test);
  }
  free(test->answer);
  test->answer = NULL;
}

/* One state for all failures of an operation in many steps, each of which builds on those
 * before. A step is repeated until none of its growths is left to fail. */
static void test_steps(Test *test, int steps) {
  Host host;
  open_host(&host);
  prepare(&host, test->operation);
  for (test->step = 1; test->step <= steps; test->step++) {
    test->growth = 1;
    while (inject(&host, test))
      test->growth++;
  }
  close_tested(&host, test);
}

/* The first luaopen_endpoint of a state. If it left anything half-built in the registry,
 * the next one would find it. */
static void test_opening(Test *test) {
  Host host;
  bool more = true;
  test->name = "first luaopen";
  for (test->growth = 1; more; test->growth++) {
    int status;
    open_state(&host);
    lua_gc(host.L, LUA_GCCOLLECT, 0);
    lua_pushcfunction(host.L, luaopen_endpoint);
    status = call_watched(&host, test, 0);
    if (status != 0 && !is_memory_error(&host, test, status))
      bad(test, "another error", lua_tostring(host.L, -1));
    lua_settop(host.L, 0);
    if (load_operations(&host) != 0)
      bad(test, "the module cannot be loaded again", lua_tostring(host.L, -1));
    more = judge_state(&host, test);
    close_tested(&host, test);
  }
}

static int ask_number(Host *host, const char *function, int operation) {
  int number;
  lua_pushinteger(host->L, operation);
  check_status(host, call_operations(host, function, 1), function);
  number = (int)lua_tointeger(host->L, -1);
  lua_pop(host->L, 1);
  return number;
}

static void test_all(Host *catalogue, Test *test, int count) {
  for (int way = 0; way < test->ways; way++) {
    test->way = (Way)way;
    test_opening(test);
  }
  for (test->operation = 1; test->operation <= count; test->operation++) {
    int steps = ask_number(catalogue, "steps", test->operation);
    lua_pushinteger(catalogue->L, test->operation);
    check_status(catalogue, call_operations(catalogue, "name", 1), "name");
    test->name = lua_tostring(catalogue->L, -1);
    for (int way = 0; way < test->ways; way++) {
      test->way = (Way)way;
      test->step = 1;
      if (steps > 1)
        test_steps(test, steps);
      else
        test_operation(test);
    }
    lua_settop(catalogue->L, OPERATIONS);
  }
}

static void read_source(const char *path) {
  enum { LARGEST = 1 << 20 };
  FILE *file = fopen(path, "rb");
  source = (char *)malloc(LARGEST);
  if (!file || !source)
    fail("%s: cannot be read", path);
  source_size = fread(source, 1, LARGEST, file);
  fclose(file);
}

/* Compiles the source once: each of the many states loads it, and to parse it takes longer. */
static void compile_source(void) {
  Host host;
  size_t size;
  const char *code;
  open_state(&host);
  luaL_loadstring(host.L,
                  "return string.dump(assert((loadstring or load)(..., '=operations.lua')))");
  lua_pushlstring(host.L, source, source_size);
  check_status(&host, lua_pcall(host.L, 1, 1, 0), "compiling");
  code = lua_tolstring(host.L, -1, &size);
  memcpy(source, code, size);
  source_size = size;
  close_host(&host);
}

int main(int argc, char **argv) {
  Host catalogue;
  Test test = {NULL, NULL, WAYS, 0, 0, WITH_ALL, 0, NULL, {0, 0, 0}, 0};
  int count;
  if (argc > 2)
    test.ways = (int)strtol(argv[2], NULL, 10);
  if (argc < 2 || test.ways < 1 || test.ways > WAYS)
    fail("usage: %s OPERATIONS.lua [WAYS]", argv[0]);
  read_source(argv[1]);
  compile_source();
  open_host(&catalogue);
  lua_getfield(catalogue.L, OPERATIONS, "count");
  count = (int)lua_tointeger(catalogue.L, -1);
  lua_getfield(catalogue.L, OPERATIONS, "version");
  test.version = lua_tostring(catalogue.L, -1);
  lua_replace(catalogue.L, -2);
  lua_setfield(catalogue.L, LUA_REGISTRYINDEX, "version"); /* keeps the text */
  test_all(&catalogue, &test, count);
  printf("%s: %d operations, %ld failures injected (%ld with all that follow, %ld "
         "alone, %ld with the next one; %ld named Lua's stack), 0 bad\n",
         test.version, count + 1,
         test.injected[WITH_ALL] + test.injected[ALONE] + test.injected[WITH_NEXT],
         test.injected[WITH_ALL], test.injected[ALONE], test.injected[WITH_NEXT],
         test.by_checkstack);
  close_host(&catalogue);
  free(source);
  return 0;
}
