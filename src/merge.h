/* A view -> merged options. */
#ifndef EP_MERGE_H
#define EP_MERGE_H

#include "compat.h"
#include "symbols.h"
#include "view.h"

/* [-n, +1] Pushes a new table of merged options. Raises on headers and
 * mediaType as their own functions do. */
EP_INTERNAL void ep_merge_push(lua_State *L, EpView *v);

#endif
