/* Left-over parameters -> query string (RFC 3986 section 3.4). */
#ifndef EP_QUERY_H
#define EP_QUERY_H

#include "buffer.h"
#include "symbols.h"
#include "view.h"

/* [-0, +0] Appends the left-over parameters to the query of the URL in the buffer, in bytewise
 * order of their names and before a fragment. `path_ended` says whether the URL has a "?" or
 * "#". Raises on maps and on values that have no text. */
EP_INTERNAL void ep_query_append(lua_State *L, EpBuffer *url, EpView *v, bool path_ended);

#endif
