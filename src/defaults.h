/* An endpoint's state: its defaults, checked, merged and copied. */
#ifndef EP_DEFAULTS_H
#define EP_DEFAULTS_H

#include "compat.h"
#include "state.h"
#include "symbols.h"

/* [-0, +1] Pushes the state that goes without any default. The cache and the
 * metatable of endpoints are on top. */
EP_INTERNAL void ep_defaults_push_empty(lua_State *L);

/* [-1, +1] Replaces the merged options on top by a new state whose
 * defaults they are, and fills in the facts of its endpoint. The rest comes from
 * the state at an absolute index. Raises on a baseUrl that is none, on cycles and
 * on tables too deep. */
EP_INTERNAL void ep_defaults_push(lua_State *L, int state, EpEndpoint *e);

/* [-0, +1] Pushes the userdata of an endpoint with these facts, whose state is at an
 * absolute index. */
EP_INTERNAL void ep_defaults_push_object(lua_State *L, int state, const EpEndpoint *e);

/* [-0, +1] Pushes a table of the built-in options. */
EP_INTERNAL void ep_defaults_push_built_in(lua_State *L);

#endif
