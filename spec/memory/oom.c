/* Out of memory. Lets each allocation of each operation fail, one after the other, in
 * three ways, and checks that the Lua state is still sound.
 *
 * Usage: oom OPERATIONS.lua
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

/* The memory of the state that is tested, and which of its requests fail. */
static struct {
  size_t held;  /* bytes */
  bool watched; /* are growths counted, and do they fail? */
  Way way;
  long growths; /* while watched */
  long failing; /* the number of the first growth to fail; 0 for none */
  long failed;  /* growths */
} heap;

/* Stands before each block, and has the strictest alignment. */
typedef union Header {
  size_t size; /* bytes after the header */
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

static bool is_failing(void) {
  long behind;
  if (!heap.watched || heap.failing == 0)
    return false;
  heap.growths++;
  behind = heap.growths - heap.failing;
  if (behind < 0 || (heap.way == ALONE && behind > 0) || (heap.way == WITH_NEXT && behind > 1))
    return false;
  heap.failed++;
  return true;
}

/* Always moves the block, and overwrites the old one, so that a stale pointer shows. */
static void *resize(void *data, void *block, size_t old, size_t size) {
  size_t had = block ? old : 0; /* for a new block `old` is the type of its object */
  void *moved = NULL;
  (void)data;
  if (size > had && is_failing())
    return NULL;
  if (size > 0)
    moved = take(size);
  if (moved && block)
    memcpy(moved, block, had < size ? had : size);
  if (block)
    give_back(block, had);
  heap.held = heap.held - had + size;
  return moved;
}

/* --- one failure -------------------------------------------------------------- */

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

/* Calls the function at index 1 while an object lives. */
static int call_with_object(lua_State *L) {
  Object object;
  lua_call(L, 0, 1);
  return 1;
}
#endif

/* inject(f): the same as pcall(f), and growths fail meanwhile. */
static int inject(lua_State *L) {
  int status, arguments = 0;
#ifdef __cplusplus
  lua_pushcfunction(L, call_with_object);
  lua_insert(L, 1);
  arguments = 1;
#endif
  heap.watched = true;
  status = lua_pcall(L, arguments, 1, 0);
  heap.watched = false;
#ifdef __cplusplus
  if (alive != 0)
    fail("BAD: an error ran no destructor");
#endif
  lua_pushboolean(L, status == 0);
  lua_insert(L, 1);
  return 2;
}

static lua_State *new_state(void) {
#if LUA_VERSION_NUM >= 505
  lua_State *L = lua_newstate(resize, NULL, 0);
#else
  lua_State *L = lua_newstate(resize, NULL);
#endif
  if (!L)
    fail("no state: a LuaJIT without GC64 takes no allocator");
  luaL_openlibs(L);
  return L;
}

/* A state with plain memory. Its stack holds what the tested states are given. */
static lua_State *catalogue;

enum { CODE = 1, OPERATIONS, NAME, EXPECTED };

/* [-0, +1] Loads the module and pushes the operations, or pushes an error message. In number 0
 * growths fail meanwhile. Returns Lua's status. */
static int load_operations(lua_State *L, int number) {
  size_t size;
  const char *code = lua_tolstring(catalogue, CODE, &size);
  if (luaL_loadbuffer(L, code, size, "=operations.lua") != 0)
    return LUA_ERRSYNTAX;
  lua_pushcfunction(L, luaopen_endpoint);
  lua_pushcfunction(L, luaopen_endpoint_result);
  if (number == 0)
    lua_pushcfunction(L, inject);
  else
    lua_pushnil(L);
  return lua_pcall(L, 3, 1, 0);
}

/* [-0, +1] Pushes the operation's answer, or an error message. Returns Lua's status. */
static int call_operation(lua_State *L, int number) {
  lua_getfield(L, 1, "attempt");
  lua_pushinteger(L, number);
  lua_pushcfunction(L, inject);
  lua_pushstring(L, lua_tostring(catalogue, EXPECTED));
  return lua_pcall(L, 3, 1, 0);
}

static void bad(const char *message) {
  fail("BAD: operation \"%s\", growth %ld failing %s: %.300s", lua_tostring(catalogue, NAME),
       heap.failing, way_names[heap.way], message);
}

/* Tries an operation, or the first luaopen if the number is 0, in a new state. Returns whether
 * it came to the growth that was to fail. If none is to fail, the answer is what is expected. */
static bool attempt(int number, long failing) {
  lua_State *L = new_state();
  heap.failing = failing;
  heap.growths = heap.failed = 0;
  if (load_operations(L, number) != 0 || call_operation(L, number) != 0)
    bad(lua_tostring(L, -1));
  if (failing == 0) {
    lua_pushstring(catalogue, lua_tostring(L, -1));
    lua_replace(catalogue, EXPECTED);
  }
  lua_close(L);
  if (heap.held > 0)
    bad("bytes are left after closing");
  return heap.failed > 0;
}

/* [-1, +1] Calls a function of the operations with the number on top. */
static void ask(const char *function) {
  lua_getfield(catalogue, OPERATIONS, function);
  lua_insert(catalogue, -2);
  lua_call(catalogue, 1, 1);
}

/* Returns how many failures there were. */
static long test(int number) {
  long failures = 0;
  lua_settop(catalogue, OPERATIONS);
  lua_pushinteger(catalogue, number);
  ask("name");
  lua_pushnil(catalogue); /* EXPECTED */
  attempt(number, 0);
  for (int way = 0; way < WAYS; way++) {
    heap.way = (Way)way;
    for (long growth = 1; attempt(number, growth); growth++)
      failures++;
  }
  return failures;
}

/* The operations are compiled once: each of the many states loads them, and to parse takes longer.
 */
static void fill_catalogue(const char *path) {
  catalogue = luaL_newstate();
  luaL_openlibs(catalogue);
  luaL_loadstring(catalogue, "return string.dump(assert(loadfile(...)))");
  lua_pushstring(catalogue, path);
  if (lua_pcall(catalogue, 1, 1, 0) != 0 || load_operations(catalogue, 1) != 0)
    fail("%s", lua_tostring(catalogue, -1));
}

int main(int argc, char **argv) {
  long failures = 0;
  int count;
  if (argc != 2)
    fail("usage: %s OPERATIONS.lua", argv[0]);
  fill_catalogue(argv[1]);
  lua_getfield(catalogue, OPERATIONS, "count");
  count = (int)lua_tointeger(catalogue, -1);
  for (int number = 0; number <= count; number++)
    failures += test(number);
  lua_getfield(catalogue, OPERATIONS, "version");
  printf("%s: %d operations, %ld failures injected, 0 bad\n", lua_tostring(catalogue, -1),
         count + 1, failures);
  lua_close(catalogue);
  return 0;
}
