/* SPDX-License-Identifier: MIT */
/* Compiles routes and URLs, and keeps the results by route or URL. */
#ifndef EP_COMPILE_H
#define EP_COMPILE_H

#include "compat.h"
#include "core/route.h"
#include "core/template.h"

/* A template, and what the route alone says of a call. */
typedef struct EpCompiled {
  const EpTemplate *t;
  int method; /* the index of the route's method in ep_methods; EP_NO_METHOD without one */
} EpCompiled;

EP_ALIGNS(EpCompiled, EpTemplate);

enum { EP_NO_METHOD = -1 };

/* [-0, +1] Pushes an empty cache of templates. Its keys are routes, or URLs. Its size is limited,
 * since callers do write "GET /users/" .. id. */
EP_INTERNAL void ep_compile_push_cache(lua_State *L);

/* [-0, +1] Finds or compiles a template, and pushes the userdata that keeps the result. `cache` is
 * the index of the cache. `text` is the absolute index of the route or URL, a string. Raises if the
 * template is malformed, if a route has no URL, if its method is not a token, and if its URL begins
 * with a method. */
EP_INTERNAL const EpCompiled *ep_compile_push(lua_State *L, int cache, bool is_route, int text);

#endif
