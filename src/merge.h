/* Merged options of a view. */
#ifndef EP_MERGE_H
#define EP_MERGE_H

#include "compat.h"
#include "symbols.h"
#include "view.h"

/* [-0, +1] Pushes a new table of merged options. For functions with the upvalues of
 * state.h. Raises on headers and mediaType as their own functions do. */
EP_INTERNAL void ep_merge_push(lua_State *L, const EpView *v);

/* [-0, +1] Pushes the method in upper case. */
EP_INTERNAL void ep_merge_push_method(lua_State *L, const EpView *v);

#endif
