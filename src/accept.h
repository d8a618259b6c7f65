/* SPDX-License-Identifier: MIT */
/* The mediaType option, and the accept header that it changes. */
#ifndef EP_ACCEPT_H
#define EP_ACCEPT_H

#include "call.h"

/* [-0, +1] Pushes a new mediaType table, the call's over the defaults', nil if nothing is set.
 * Raises on keys other than format and previews, and on names that RFC 6838 does not allow. */
EP_INTERNAL void ep_accept_push_media_type(lua_State *L, const EpCall *c);

/* [-0, +0] Changes the accept header in the table at an absolute index as mediaType says. Raises as
 * ep_accept_push_media_type does, and if a header that is to be changed is not a string. */
EP_INTERNAL void ep_accept_change(lua_State *L, const EpCall *c, int headers);

#endif
