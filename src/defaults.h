/* SPDX-License-Identifier: MIT */
/* Makes endpoints: the options of a call become the defaults of a new endpoint. */
#ifndef EP_DEFAULTS_H
#define EP_DEFAULTS_H

#include "call.h"

/* [-1, +1] Replaces the metatable on top by an endpoint that has this metatable and no defaults. */
EP_INTERNAL void ep_defaults_push_root(lua_State *L);

/* [-0, +1] Pushes a new endpoint. Its defaults are those of a call that was read for defaults, and
 * its metatable is that of the call's endpoint. Raises as ep_merge_push_option does, if the baseUrl
 * is malformed, and if a default has tables more than 100 deep. */
EP_INTERNAL void ep_defaults_push(lua_State *L, EpCall *c);

#endif
