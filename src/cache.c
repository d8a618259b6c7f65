#include "cache.h"

#include "state.h"

/* The bytes that the templates of routes take at most, and those of URLs. Then all are
 * forgotten at once. One that takes more than LARGEST_KEPT is compiled at each call. */
enum { BOUND = 1024 * 1024, LARGEST_KEPT = BOUND / 16 };

/* The field of the cache that holds how many bytes its templates take, if there is one. */
enum { BYTES = 1 };

/* [-0, +0] Removes all fields. Nothing is allocated here, so that no finalizer changes the
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

/* [-0, +0] Remembers the template on top, and counts its bytes: its own, the text and a field of
 * the table. */
static void remember(lua_State *L, int cache, int text) {
  enum { FIELD = 2 * 40 };
  const size_t size = FIELD + ep_rawlen(L, text) + ep_rawlen(L, -1);
  size_t bytes;
  if (size > LARGEST_KEPT)
    return;
  lua_rawgeti(L, cache, BYTES);
  bytes = (size_t)lua_tonumber(L, -1) + size;
  lua_pop(L, 1);
  if (bytes > BOUND) {
    forget(L, cache);
    bytes = size;
  }
  lua_pushnumber(L, (lua_Number)bytes);
  lua_rawseti(L, cache, BYTES);
  lua_pushvalue(L, text);
  lua_pushvalue(L, -2);
  lua_rawset(L, cache);
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
