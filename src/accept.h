/* The mediaType option, and the accept header composed from it. */
#ifndef EP_ACCEPT_H
#define EP_ACCEPT_H

#include "compat.h"
#include "symbols.h"
#include "view.h"

/* [-0, +2] Pushes the format, a string or nil, and the previews, a new list
 * without duplicates or nil, of the view on the stack. Raises on other keys of
 * mediaType and on names that RFC 6838 section 4.2 does not allow. */
EP_INTERNAL void ep_accept_push_media_type(lua_State *L, const EpView *v);

/* [-0, +1] Pushes a mediaType table of the format and the previews at absolute
 * indexes, nil if both are. */
EP_INTERNAL void ep_accept_push_table(lua_State *L, int format, int previews);

/* [-0, +0] Rewrites the accept header in the table at an absolute index after
 * the format and previews. Raises if one of them is set and the header is not a
 * string. */
EP_INTERNAL void ep_accept_compose(lua_State *L, int headers, int format, int previews);

#endif
