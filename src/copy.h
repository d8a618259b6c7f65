/* Deep copies of tables. */
#ifndef EP_COPY_H
#define EP_COPY_H

#include "compat.h"

/* [-0, +0] Replaces the value on top by its deep copy, if it is a table.
 * Tables are copied, keys too, other values and metatables go by reference.
 * The memo, an absolute index, holds nil before the first table is copied. One memo
 * for several values keeps the shape of what they share. Raises on a cycle and on a
 * depth over 100, naming the default; the outcome does not depend on the order in
 * which Lua walks through a table. */
EP_INTERNAL void ep_copy(lua_State *L, int memo, EpSlice name);

#endif
