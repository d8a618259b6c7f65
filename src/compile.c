/* SPDX-License-Identifier: MIT */
#include "compile.h"

#include <stdint.h>

#include "errors.h"
#include "value.h"

/* Checks the method of a route. A URL with white space in it looks like a method and a URL. The
 * error shows the whole of it, masked: a password and its "@" may be on both sides of the white
 * space. */
static void check_route_method(lua_State *L, EpSlice route, EpSlice method) {
  if (ep_route_is_token(method))
    return;
  if (memchr(method.bytes, '/', method.size) || memchr(method.bytes, ':', method.size))
    ep_error(L, "endpoint: route %s: expected a method, a token such as GET, before white space",
             ep_quote_masked(L, route));
  ep_method_error(L, method);
}

/* Splits a route. "GET POST /x" and "GET/x" are mistakes. The error shows only the method of them.
 */
static EpRoute read_route(lua_State *L, EpSlice text) {
  const EpRoute route = ep_route_split(text);
  const EpSlice misplaced = ep_route_misplaced_method(route.url);
  if (route.url.size == 0)
    ep_error(L, "endpoint: route %s: expected \"<METHOD> <URL>\" or a URL, got %s",
             ep_quote_masked(L, text), route.method.bytes ? "only a method" : "an empty string");
  if (route.method.bytes)
    check_route_method(L, text, route.method);
  if (misplaced.size > 0)
    ep_error(
        L,
        "endpoint: route: expected \"<METHOD> <URL>\" or a URL, got a URL that begins with the "
        "method %s (a path of that name begins with \"/\")",
        ep_quote(L, misplaced));
  return route;
}

/* Raises if a variable has the name of an option other than data. The error names the first one. */
static void check_variables(lua_State *L, const EpTemplate *t) {
  for (size_t i = 0; i < t->varspec_count; i++) {
    const EpSlice name = t->variables[t->varspecs[i].variable].text;
    EpOption option = ep_option_find(name);
    if (option != EP_OPTION_COUNT && option != EP_DATA)
      ep_error(L,
               "endpoint: template variable %s at byte %d has the name of an option: "
               "expected another name",
               ep_quote(L, name), (int)(name.bytes - t->text.bytes) + 1);
  }
}

/* [-0, +1] Pushes a userdata that holds an EpCompiled, and the template after it. */
static void push_compiled(lua_State *L, bool is_route, int index) {
  const EpSlice text = ep_to_slice(L, index);
  const EpRoute url_alone = {{NULL, 0}, text}, route = is_route ? read_route(L, text) : url_alone;
  const EpTemplateRoom room = ep_template_room(route.url);
  EpTemplateError error;
  if (room.size == 0) /* GCOVR_EXCL_BR_LINE: too much to try */
    ep_error(L, "endpoint: template: the text is too long"); /* GCOVR_EXCL_LINE */
  EpCompiled *c = (EpCompiled *)ep_newuserdata(L, sizeof *c + room.size);
  c->t = ep_template_compile(c + 1, room, route.url, &error);
  if (!c->t)
    ep_error(L, "endpoint: template %s: %s at byte %d", ep_quote_masked(L, route.url), error.reason,
             (int)error.byte);
  check_variables(L, c->t);
  c->method = route.method.bytes ? ep_route_method(route.method) : EP_NO_METHOD;
}

/* The most bytes that the templates of a cache take. When more are needed, all are removed. A
 * template that takes more than LARGEST_KEPT is not kept: it is compiled at each call. */
enum { BOUND = 1024 * 1024, LARGEST_KEPT = BOUND / 16 };

/* A cache is a table from routes or URLs to templates. Its first element is a userdata with this
 * struct. Many keys, such as "GET /users/" .. id, come once and never again. So a template is kept
 * only when its key comes for the second time. */
typedef struct Usage {
  size_t bytes;             /* bytes that the templates take */
  size_t seen_count;        /* bits that are set */
  unsigned char seen[2048]; /* a bit for each hash: did a key with this hash come? */
} Usage;

void ep_compile_push_cache(lua_State *L) {
  lua_newtable(L);
  memset(ep_newuserdata(L, sizeof(Usage)), 0, sizeof(Usage));
  lua_rawseti(L, -2, 1);
}

/* Did the text, or one with the same bit (by its hash, FNV-1a), come before? When a quarter of the
 * bits is set, all bits are cleared, so that few texts share a bit. */
static bool has_come(Usage *u, EpSlice text) {
  enum { BITS = 8 * sizeof u->seen };
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < text.size; i++)
    hash = (hash ^ (unsigned char)text.bytes[i]) * 16777619u;
  unsigned char *seen = &u->seen[hash % BITS / 8];
  const unsigned char bit = (unsigned char)(1u << hash % 8);
  if (*seen & bit)
    return true;
  if (u->seen_count++ == BITS / 4) {
    memset(u->seen, 0, sizeof u->seen);
    u->seen_count = 1;
  }
  *seen |= bit;
  return false;
}

/* [-0, +0] Removes all templates. Nothing is allocated meanwhile, so no finalizer runs that could
 * change the table. */
static void forget(lua_State *L, int cache) {
  lua_pushnil(L);
  while (lua_next(L, cache)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING)
      continue;
    lua_pushvalue(L, -1);
    lua_pushnil(L);
    lua_rawset(L, cache);
  }
}

/* [-0, +0] Keeps the template on top. Its size is that of the userdata, of its key, and of a field
 * of a table. */
static void remember(lua_State *L, Usage *u, int cache, int text) {
  enum { FIELD = 2 * 40 };
  const size_t size = FIELD + ep_rawlen(L, text) + ep_rawlen(L, -1);
  if (size > LARGEST_KEPT || !has_come(u, ep_to_slice(L, text)))
    return;
  if (u->bytes + size > BOUND) {
    forget(L, cache);
    u->bytes = 0;
  }
  u->bytes += size;
  lua_pushvalue(L, text);
  lua_pushvalue(L, -2);
  lua_rawset(L, cache);
}

const EpCompiled *ep_compile_push(lua_State *L, int cache, bool is_route, int text) {
  lua_pushvalue(L, text);
  lua_rawget(L, cache);
  if (lua_isnil(L, -1)) {
    lua_rawgeti(L, cache, 1);
    Usage *u = (Usage *)lua_touserdata(L, -1);
    lua_pop(L, 2);
    push_compiled(L, is_route, text);
    remember(L, u, cache, text);
  }
  return (const EpCompiled *)lua_touserdata(L, -1);
}
