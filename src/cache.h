/* Compiled templates by their text, in the tables that are upvalues of state.h, empty at first.
 * What they take is bounded, for callers do write "GET /users/" .. id. */
#ifndef EP_CACHE_H
#define EP_CACHE_H

#include "compile.h"

/* [-0, +1] Finds or compiles the template of the route or URL at an absolute index, and
 * pushes the userdata that anchors the result. Raises as ep_compile_push does. */
EP_INTERNAL const EpCompiled *ep_cache_push(lua_State *L, bool is_route, int text);

#endif
