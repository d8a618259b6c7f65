/* Compiling templates, and remembering them in two generations: what is in
 * use when the young one is full is found in the old one and moves over. */
#include "cache.h"

#include "buffer.h"
#include "error.h"
#include "options.h"

enum {
  GENERATION = 256,     /* templates */
  LONGEST_CACHED = 1024 /* bytes of text: longer ones are compiled at each call */
};

/* The cache is a list of two times three fields. Routes and URLs are told
 * apart, for "GET /" is a fine relative URL too. */
enum { ROUTES = 1, URLS = 4, CACHE_LAST = 6 };
enum { YOUNG, OLD, YOUNG_COUNT };

/* --- compiling -------------------------------------------------------------- */

static void check_variable_name(lua_State *L, const EpVarspec *v, const char *text) {
  EpOption option = ep_option_find(text + v->name, v->name_size);
  if (option != EP_OPTION_COUNT && option != EP_DATA)
    ep_error(L,
             "endpoint: template variable %s at byte %d has the name of an option: "
             "expected another name",
             ep_quote_at(L, -1), (int)v->name + 1);
}

/* [-0, +0] Gives each variable of the template a slot, in the table on top.
 * Returns their number. */
static int assign_slots(lua_State *L, const EpTemplate *t, const char *text) {
  int count = 0;
  for (size_t i = 0; i < t->varspec_count; i++) {
    EpVarspec *v = &t->varspecs[i];
    int slot;
    lua_pushlstring(L, text + v->name, v->name_size);
    lua_pushvalue(L, -1);
    lua_rawget(L, -3);
    slot = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (slot == 0) {
      check_variable_name(L, v, text);
      slot = EP_OPTION_COUNT + count++;
      lua_pushinteger(L, slot);
      lua_rawset(L, -3);
    } else {
      lua_pop(L, 1);
    }
    v->slot = slot;
  }
  return count;
}

/* Bytes of a text whose template's size can be counted: a byte begins at most one
 * part and one variable, or makes a triplet. It matters where words have 32 bits. */
#define LONGEST_TEMPLATE (((size_t)-1 >> 1) / (sizeof(EpPart) + sizeof(EpVarspec) + 3))

/* [-0, +1] Pushes the userdata of the template that the text holds. */
static EpCompiled *push_data(lua_State *L, const char *text, size_t size) {
  EpTemplate counts;
  EpTemplateError error;
  EpCompiled *c;
  if (size > LONGEST_TEMPLATE)
    ep_error(L, "endpoint: text is too long");
  if (!ep_template_measure(text, size, &counts, &error))
    ep_error(L, "endpoint: template %s: %s at byte %d", ep_quote_url(L, text, size), error.reason,
             (int)error.byte);
  c = (EpCompiled *)ep_newuserdata(L, sizeof *c + ep_template_size(&counts));
  c->t = ep_template_fill(c + 1, &counts, text, size);
  c->url = text;
  c->url_size = size;
  return c;
}

/* [-0, +2] Pushes the method, or nil, and the URL that the key names. */
static void push_method_and_url(lua_State *L, int kind, int key) {
  if (kind == ROUTES) {
    ep_push_route(L, key);
  } else {
    lua_pushnil(L);
    lua_pushvalue(L, key);
  }
}

/* [-1, +0] Enters the method on top, if there is one, into the table at an index. */
static void enter_method(lua_State *L, EpCompiled *c, int table) {
  size_t size;
  const char *method = lua_tolstring(L, -1, &size);
  c->has_method = method != NULL;
  c->sends = EP_SENDS_NOTHING;
  if (method) {
    c->sends = ep_route_sends(method, size);
    ep_push_lower(L, method, size);
    lua_rawseti(L, table, EP_COMPILED_METHOD);
  }
  lua_pop(L, 1);
}

/* [-0, +1] Pushes the table of the key's template. */
static void compile(lua_State *L, int kind, int key) {
  const int method = lua_gettop(L) + 1, url = method + 1, data = url + 1, table = data + 1;
  size_t size;
  const char *text;
  EpCompiled *c;
  push_method_and_url(L, kind, key);
  text = lua_tolstring(L, url, &size);
  c = push_data(L, text, size);
  lua_createtable(L, EP_COMPILED_LAST, (int)c->t->varspec_count);
  c->variables = assign_slots(L, c->t, text);
  lua_pushvalue(L, method);
  enter_method(L, c, table);
  lua_pushvalue(L, url);
  lua_rawseti(L, table, EP_COMPILED_URL);
  lua_pushvalue(L, data);
  lua_rawseti(L, table, EP_COMPILED_DATA);
  lua_replace(L, method);
  lua_settop(L, method);
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

/* [-0, +0] Remembers the table on top. */
static void remember(lua_State *L, int cache, int kind, int key) {
  push_young(L, cache, kind);
  lua_pushvalue(L, key);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

/* [-0, +1] Pushes the table of a key that is not among the young. */
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

const EpCompiled *ep_cache_find(lua_State *L, bool is_route, int text) {
  const int cache = lua_gettop(L), table = cache + 2, kind = is_route ? ROUTES : URLS;
  lua_rawgeti(L, cache, kind + YOUNG);
  lua_pushvalue(L, text);
  lua_rawget(L, cache + 1);
  if (!lua_istable(L, table)) {
    lua_settop(L, cache + 1);
    push_old_or_new(L, cache, kind, text);
  }
  lua_rawgeti(L, table, EP_COMPILED_DATA);
  return (const EpCompiled *)lua_touserdata(L, -1);
}
