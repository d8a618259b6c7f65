/* SPDX-License-Identifier: MIT */
/* The mediaType option, and the accept header that it changes. */
#ifndef EP_ACCEPT_H
#define EP_ACCEPT_H

#include "call.h"

/* [-0, +1] Pushes a new mediaType table: the call's option over the default; nil if neither sets
 * anything. Raises if a key is not format or previews, if a field has another type, and on a name
 * that RFC 6838 section 4.2 does not allow. */
EP_INTERNAL void ep_accept_push_media_type(lua_State *L, const EpCall *c);

/* [-0, +0] Changes the accept header as mediaType says. `headers` is the absolute index of the
 * table of headers. Raises as ep_accept_push_media_type does, and if the header must be changed but
 * is not a string. */
EP_INTERNAL void ep_accept_change(lua_State *L, const EpCall *c, int headers);

#endif
