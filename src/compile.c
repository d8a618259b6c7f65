/* SPDX-License-Identifier: MIT */
#include "compile.h"

#include "text.h"

/* --- methods and routes --------------------------------------------------------- */

void ep_check_method(lua_State *L, EpSlice method) {
  if (!ep_route_is_token(method))
    ep_error(L, "endpoint: method %s: expected a token such as GET", ep_quote_masked(L, method));
}

/* Checks the method of a route. A URL with white space in it looks like a method and a URL. It
 * is quoted whole, for the "@" behind a password may stand behind the white space. */
static void check_route_method(lua_State *L, EpSlice route, EpSlice method) {
  if (ep_route_is_token(method))
    return;
  if (memchr(method.bytes, '/', method.size) || memchr(method.bytes, ':', method.size))
    ep_error(L, "endpoint: route %s: expected a method, a token such as GET, before white space",
             ep_quote_masked(L, route));
  ep_check_method(L, method);
}

/* "GET POST /x" and "GET/x" are slips. Only the method is quoted. */
static void check_route_url(lua_State *L, EpSlice url) {
  const EpSlice method = ep_route_misplaced_method(url);
  if (method.size > 0)
    ep_error(
        L,
        "endpoint: route: expected \"<METHOD> <URL>\" or a URL, got a URL that begins with the "
        "method %s (a path of that name begins with \"/\")",
        ep_quote(L, method));
}

static EpRoute read_route(lua_State *L, EpSlice text) {
  EpRoute route = ep_route_split(text);
  if (route.url.size == 0)
    ep_error(L, "endpoint: route %s: expected \"<METHOD> <URL>\" or a URL, got %s",
             ep_quote_masked(L, text), route.method.bytes ? "a method alone" : "no text");
  if (route.method.bytes)
    check_route_method(L, text, route.method);
  check_route_url(L, route.url);
  return route;
}

/* --- templates -------------------------------------------------------------------- */

static const EpTemplate *compile_url(lua_State *L, void *block, EpTemplateRoom room, EpSlice url) {
  EpTemplateError error;
  const EpTemplate *t = ep_template_compile(block, room, url, &error);
  if (!t)
    ep_error(L, "endpoint: template %s: %s at byte %d", ep_quote_masked(L, url), error.reason,
             (int)error.byte);
  return t;
}

/* Raises if a variable is named like an option, and names the first such variable. */
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

/* [-0, +1] Pushes the EpCompiled, a userdata. The method lies behind the template. */
static void push_compiled(lua_State *L, bool is_route, int index) {
  const EpSlice text = ep_to_slice(L, index);
  const EpRoute none = {{NULL, 0}, text}, route = is_route ? read_route(L, text) : none;
  const EpTemplateRoom room = ep_template_room(route.url);
  EpCompiled *c;
  char *method;
  if (room.size == 0) /* GCOVR_EXCL_BR_LINE: too much to try */
    ep_error(L, "endpoint: template: the text is too long"); /* GCOVR_EXCL_LINE */
  c = (EpCompiled *)ep_newuserdata(L, sizeof *c + room.size + route.method.size);
  method = (char *)(c + 1) + room.size;
  c->t = compile_url(L, c + 1, room, route.url);
  check_variables(L, c->t);
  ep_lower(method, route.method);
  c->method = ep_slice(route.method.bytes ? method : NULL, route.method.size);
  c->known = ep_route_method(route.method);
}

/* --- the cache -------------------------------------------------------------------- */

/* The bytes that the templates of a cache take at most. Then all are forgotten at once. One that
 * takes more than LARGEST_KEPT is compiled at each call. */
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

const EpCompiled *ep_compile_push(lua_State *L, int cache, bool is_route, int text) {
  lua_pushvalue(L, text);
  lua_rawget(L, cache);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    push_compiled(L, is_route, text);
    remember(L, cache, text);
  }
  return (const EpCompiled *)lua_touserdata(L, -1);
}
