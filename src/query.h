/* Left-over parameters -> query string (RFC 3986 section 3.4). */
#ifndef EP_QUERY_H
#define EP_QUERY_H

#include "buffer.h"
#include "symbols.h"
#include "view.h"

/* [-0, +0] Puts the left-over parameters into the query of the URL in the buffer, in
 * bytewise order of their names, behind what the query holds and before a fragment. Has
 * the URL a "?" or "#"? Raises on a map and on values without text. */
EP_INTERNAL void ep_query_append(lua_State *L, EpBuffer *url, EpView *v, bool path_ended);

#endif
