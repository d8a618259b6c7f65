/* Left-over parameters -> query string (RFC 3986 section 3.4). */
#ifndef EP_QUERY_H
#define EP_QUERY_H

#include "buffer.h"
#include "pairs.h"
#include "symbols.h"

/* [-0, +0] Puts the pairs into the query of the URL in the buffer, in bytewise
 * order of their names, behind what the query holds and before a fragment.
 * Raises on a map and on values without text. */
EP_INTERNAL void ep_query_append(lua_State *L, EpBuffer *url, const EpPairs *pairs);

#endif
