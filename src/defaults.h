/* SPDX-License-Identifier: MIT */
/* Merged options: merge hands them out, and an endpoint keeps them as its defaults. */
#ifndef EP_DEFAULTS_H
#define EP_DEFAULTS_H

#include "call.h"

/* [-0, +1] Pushes a new table of merged options. Raises on headers and mediaType as their own
 * functions do. */
EP_INTERNAL void ep_merge_push(lua_State *L, EpCall *c);

/* [-1, +1] Replaces the metatable on top by an endpoint without defaults. */
EP_INTERNAL void ep_defaults_push_root(lua_State *L);

/* [-0, +1] Pushes a new endpoint with the defaults of a call that was read for defaults, and the
 * metatable of the call's endpoint. Raises as merge does, on a malformed baseUrl, and on tables too
 * deep. */
EP_INTERNAL void ep_defaults_push(lua_State *L, EpCall *c);

/* Replaces default tables among the left-over parameters and data by deep copies, before they are
 * handed out. */
EP_INTERNAL void ep_defaults_copy_out(lua_State *L, const EpCall *c);

#endif
