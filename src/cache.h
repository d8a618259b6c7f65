/* Compiled templates by their text. Bounded, for callers do write
 * "GET /users/" .. id. The memory is Lua's; a load of the module has one cache. */
#ifndef EP_CACHE_H
#define EP_CACHE_H

#include <stdbool.h>

#include "compat.h"
#include "route.h"
#include "symbols.h"
#include "template.h"

/* A template and what is known of a call by it alone. */
typedef struct EpCompiled {
  const EpTemplate *t;
  const char *url; /* the template's text */
  size_t url_size; /* bytes */
  int variables;   /* number of slots behind those of the options */
  bool has_method; /* does the route name a method? */
  EpSends sends;   /* what that method sends */
} EpCompiled;

/* It lives in a Lua table. The string keys of that are the template's variables,
 * each with the slot that its value goes to. Its numbered fields: */
enum {
  EP_COMPILED_DATA = 1, /* userdata, the EpCompiled and its template */
  EP_COMPILED_URL,      /* string, the template's text */
  EP_COMPILED_METHOD,   /* string, in lower case; nil if the route names none */
  EP_COMPILED_LAST = EP_COMPILED_METHOD
};

/* [-0, +1] Pushes a new cache. */
EP_INTERNAL void ep_cache_push(lua_State *L);

/* [-0, +3] With a cache on top, pushes where it has the template of a route or
 * URL at an absolute index, the template's table, and the userdata that it
 * returns. Raises on a malformed template, with the reason and the byte, and as
 * ep_push_route does. */
EP_INTERNAL const EpCompiled *ep_cache_find(lua_State *L, bool is_route, int text);

#endif
