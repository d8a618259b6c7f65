/* SPDX-License-Identifier: MIT */
/* Endpoints are made of the options of a call, which become their defaults. */
#ifndef EP_DEFAULTS_H
#define EP_DEFAULTS_H

#include "call.h"

/* [-1, +1] Replaces the metatable on top by an endpoint without defaults. */
EP_INTERNAL void ep_defaults_push_root(lua_State *L);

/* [-0, +1] Pushes a new endpoint with the defaults of a call that was read for defaults, and the
 * metatable of the call's endpoint. Raises as merge does, on a bad baseUrl, on tables too deep. */
EP_INTERNAL void ep_defaults_push(lua_State *L, EpCall *c);

#endif
