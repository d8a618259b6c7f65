/* SPDX-License-Identifier: MIT */
/* Endpoints: their defaults, checked, merged and copied. */
#ifndef EP_DEFAULTS_H
#define EP_DEFAULTS_H

#include "call.h"

/* [-1, +1] Replaces the metatable on top by an endpoint without defaults. */
EP_INTERNAL void ep_defaults_push_root(lua_State *L);

/* [-0, +1] Pushes a new endpoint with the defaults of a call that was read for defaults, and the
 * metatable of the call's endpoint. Raises as merge does, on a malformed baseUrl, and on tables too
 * deep. */
EP_INTERNAL void ep_defaults_push(lua_State *L, EpCall *c);

/* [-0, +1] Pushes the method in upper case. */
EP_INTERNAL void ep_defaults_push_method(lua_State *L, const EpCall *c);

/* Replaces default tables among the left-over parameters and data by deep copies, before they are
 * handed out. */
EP_INTERNAL void ep_defaults_copy_out(lua_State *L, const EpCall *c);

#endif
