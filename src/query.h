/* The query of a URL, written piece by piece (RFC 3986 section 3.4). */
#ifndef EP_QUERY_H
#define EP_QUERY_H

#include <stdbool.h>

#include "buffer.h"
#include "core/symbols.h"
#include "pairs.h"

/* A query at the end of the URL in the buffer. */
typedef struct EpQuery {
  EpBuffer *url;
  size_t begin;     /* offset behind its "?"; 0 while there is none */
  bool needs_slash; /* must a "/" precede the "?"? */
} EpQuery;

/* Appends "?", unless it is there. */
EP_INTERNAL void ep_query_begin(lua_State *L, EpQuery *q);

/* Appends "?", or "&" behind other pairs. */
EP_INTERNAL void ep_query_separate(lua_State *L, EpQuery *q);

/* [-0, +0] Appends the pairs in bytewise order of their names. Raises on maps and on values that
 * have no text. */
EP_INTERNAL void ep_query_add_pairs(lua_State *L, EpQuery *q, EpPairs *pairs);

#endif
