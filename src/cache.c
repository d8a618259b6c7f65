/* Compiling templates, and remembering them in two generations: what is in
 * use when the young one is full is found in the old one and moves over. */
#include "cache.h"

#include "error.h"
#include "options.h"
#include "percent.h"
#include "stack.h"

enum {
  GENERATION = 256,     /* templates */
  LONGEST_CACHED = 1024 /* bytes of text: longer ones are compiled at each call */
};

/* The cache is a list of two times three fields. Routes and URLs are told
 * apart, for "GET /" is a fine relative URL too. */
enum { ROUTES = 1, URLS = 4, CACHE_LAST = 6 };
enum { YOUNG, OLD, YOUNG_COUNT };

/* --- compiling -------------------------------------------------------------- */

static EpRoute read_key(lua_State *L, int kind, int key) {
  EpRoute route = {{NULL, 0}, {NULL, 0}};
  if (kind == ROUTES)
    return ep_read_route(L, key);
  route.url = ep_to_slice(L, key);
  return route;
}

static void measure(lua_State *L, const EpRoute *route, EpTemplate *counts) {
  EpTemplateError error;
  if (!ep_template_measure(route->url, counts, &error))
    ep_error(L, "endpoint: template %s: %s at byte %d", ep_quote_url(L, route->url), error.reason,
             (int)error.byte);
}

/* In the template's order, so that the first one is named. */
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

/* [-0, +1] Pushes the key's template, all of it in one userdata. */
static void compile(lua_State *L, int kind, int key) {
  const EpRoute route = read_key(L, kind, key);
  EpTemplate counts;
  EpCompiled *c;
  char *method;
  measure(L, &route, &counts);
  c = (EpCompiled *)ep_newuserdata(L, sizeof *c + ep_template_size(&counts) + route.method.size);
  c->t = ep_template_fill(c + 1, &counts);
  check_variables(L, c->t);
  method = (char *)(c + 1) + ep_template_size(&counts);
  ep_lower(method, route.method);
  c->method = ep_slice(route.method.bytes ? method : NULL, route.method.size);
  c->sends = route.method.bytes ? ep_route_sends(route.method) : EP_SENDS_NOTHING;
}

/* --- remembering -------------------------------------------------------------- */

static void add_generations(lua_State *L, int cache, int kind) {
  lua_newtable(L);
  lua_rawseti(L, cache, kind + YOUNG);
  lua_newtable(L);
  lua_rawseti(L, cache, kind + OLD);
  lua_pushinteger(L, 0);
  lua_rawseti(L, cache, kind + YOUNG_COUNT);
}

void ep_cache_push(lua_State *L) {
  const int cache = lua_gettop(L) + 1;
  lua_createtable(L, CACHE_LAST, 0);
  add_generations(L, cache, ROUTES);
  add_generations(L, cache, URLS);
}

/* [-0, +1] Pushes the young generation; a full one becomes the old one first. */
static void push_young(lua_State *L, int cache, int kind) {
  int count;
  lua_rawgeti(L, cache, kind + YOUNG_COUNT);
  count = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  if (count == GENERATION) {
    lua_createtable(L, 0, GENERATION);
    lua_rawgeti(L, cache, kind + YOUNG);
    lua_rawseti(L, cache, kind + OLD);
    lua_pushvalue(L, -1);
    lua_rawseti(L, cache, kind + YOUNG);
    count = 0;
  } else {
    lua_rawgeti(L, cache, kind + YOUNG);
  }
  lua_pushinteger(L, count + 1);
  lua_rawseti(L, cache, kind + YOUNG_COUNT);
}

/* [-0, +0] Remembers the template on top. */
static void remember(lua_State *L, int cache, int kind, int key) {
  push_young(L, cache, kind);
  lua_pushvalue(L, key);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

/* [-0, +1] Pushes the template of a key that is not among the young. */
static void push_old_or_new(lua_State *L, int cache, int kind, int key) {
  if (ep_rawlen(L, key) > LONGEST_CACHED) {
    compile(L, kind, key);
    return;
  }
  lua_rawgeti(L, cache, kind + OLD);
  lua_pushvalue(L, key);
  lua_rawget(L, -2);
  lua_replace(L, -2);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    compile(L, kind, key);
  }
  remember(L, cache, kind, key);
}

const EpCompiled *ep_cache_find(lua_State *L, int cache, bool is_route, int text) {
  const int kind = is_route ? ROUTES : URLS;
  const void *found;
  lua_rawgeti(L, cache, kind + YOUNG);
  lua_pushvalue(L, text);
  lua_rawget(L, -2);
  found = lua_touserdata(L, -1);
  if (!found) {
    lua_pop(L, 1);
    push_old_or_new(L, cache, kind, text);
    found = lua_touserdata(L, -1);
  }
  return (const EpCompiled *)found;
}
