/* SPDX-License-Identifier: MIT */
/* Compiles routes and URLs, and remembers them by their text. */
#ifndef EP_COMPILE_H
#define EP_COMPILE_H

#include "compat.h"
#include "core/route.h"
#include "core/template.h"

/* A template and what is known of a call by its route alone. */
typedef struct EpCompiled {
  const EpTemplate *t;
  int method; /* the row of the route's method, see route.h; EP_NO_METHOD if the route does not name
                 one */
} EpCompiled;

EP_ALIGNS(EpCompiled, EpTemplate);

enum { EP_NO_METHOD = -1 };

/* [-0, +1] Pushes an empty cache of templates by the text of their routes, or of their URLs. Its
 * size is bounded, for callers do write "GET /users/" .. id. */
EP_INTERNAL void ep_compile_push_cache(lua_State *L);

/* [-0, +1] Finds or compiles the template of the route or URL at an absolute index, a string, and
 * pushes the userdata that keeps the result. The cache is at an index. Raises on a malformed
 * template, on a route without URL, and on a method that is not a token or begins the URL. */
EP_INTERNAL const EpCompiled *ep_compile_push(lua_State *L, int cache, bool is_route, int text);

#endif
