/* Compiled templates by their text. Bounded, for callers do write
 * "GET /users/" .. id. The memory is Lua's; a load of the module has one cache. */
#ifndef EP_CACHE_H
#define EP_CACHE_H

#include <stdbool.h>

#include "compat.h"
#include "route.h"
#include "slice.h"
#include "symbols.h"
#include "template.h"

/* A template and what is known of a call by it alone. */
typedef struct EpCompiled {
  const EpTemplate *t;
  EpSlice method; /* in lower case; its bytes are NULL if the route names none */
  EpSends sends;  /* what that method sends */
} EpCompiled;

/* [-0, +1] Pushes a new cache. */
EP_INTERNAL void ep_cache_push(lua_State *L);

/* [-0, +2] Finds or compiles the template of a route or URL at an absolute index.
 * The cache may be at a pseudo-index. Pushes where it looked, and the userdata that
 * anchors the result. Raises on a malformed template, with the reason and the byte,
 * and as ep_read_route does. */
EP_INTERNAL const EpCompiled *ep_cache_find(lua_State *L, int cache, bool is_route, int text);

#endif
