/* Remembering compiled templates. */
#include "cache.h"

#include "state.h"

/* The bytes that the templates of routes take at most, and those of URLs. Then all are
 * forgotten at once. One that takes more than LARGEST_KEPT is compiled at each call. */
enum { BOUND = 1024 * 1024, LARGEST_KEPT = BOUND / 16 };

/* The field of the cache that holds how many bytes its templates take. */
enum { BYTES = 1 };

/* The bytes that a template takes: its own, the text and a field of the table. */
static size_t cost(lua_State *L, int text) {
  enum { FIELD = 2 * 40 };
  return FIELD + ep_rawlen(L, text) + ep_rawlen(L, -1);
}

/* [-0, +0] Removes all templates. Nothing is allocated here, so that no finalizer changes the
 * table meanwhile. */
static void forget(lua_State *L, int cache) {
  lua_pushnil(L);
  while (lua_next(L, cache)) {
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    lua_pushnil(L);
    lua_rawset(L, cache);
  }
}

/* [-0, +0] Counts the bytes of a new template. */
static void count(lua_State *L, int cache, size_t size) {
  size_t bytes;
  lua_rawgeti(L, cache, BYTES);
  bytes = (size_t)lua_tonumber(L, -1) + size;
  lua_pop(L, 1);
  if (bytes > BOUND) {
    forget(L, cache);
    bytes = size;
  }
  lua_pushnumber(L, (lua_Number)bytes);
  lua_rawseti(L, cache, BYTES);
}

/* [-0, +0] Remembers the template on top. */
static void remember(lua_State *L, int cache, int text) {
  const size_t size = cost(L, text);
  if (size > LARGEST_KEPT)
    return;
  count(L, cache, size);
  lua_pushvalue(L, text);
  lua_pushvalue(L, -2);
  lua_rawset(L, cache);
}

void ep_cache_push_empty(lua_State *L) {
  lua_createtable(L, BYTES, 0);
  lua_pushnumber(L, 0);
  lua_rawseti(L, -2, BYTES);
}

const EpCompiled *ep_cache_push(lua_State *L, bool is_route, int text) {
  const int cache = lua_upvalueindex(is_route ? EP_UPVALUE_ROUTES : EP_UPVALUE_URLS);
  lua_pushvalue(L, text);
  lua_rawget(L, cache);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    ep_compile_push(L, is_route, text);
    remember(L, cache, text);
  }
  return (const EpCompiled *)lua_touserdata(L, -1);
}
