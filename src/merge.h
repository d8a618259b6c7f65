/* SPDX-License-Identifier: MIT */
/* Merged options of a call. */
#ifndef EP_MERGE_H
#define EP_MERGE_H

#include "call.h"

/* [-0, +1] Pushes a new table of merged options. Raises as ep_merge_push_option does. */
EP_INTERNAL void ep_merge_push(lua_State *L, EpCall *c);

/* [-0, +1] Pushes a merged option, nil for none. Raises on headers and mediaType that are wrong. */
EP_INTERNAL void ep_merge_push_option(lua_State *L, const EpCall *c, EpOption option);

#endif
