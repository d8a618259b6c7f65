/* A compiled template and the values of a call -> URL text (RFC 6570 section 3). */
#ifndef EP_EXPAND_H
#define EP_EXPAND_H

#include <stdbool.h>

#include "buffer.h"
#include "symbols.h"
#include "view.h"

/* [-0, +0] Appends the expansion of the view's template. Returns whether it holds a "?" or
 * "#". Raises if a value cannot be
 * written as text, if a path segment vanishes or becomes a dot segment, and if a value
 * would move the request to another host. */
EP_INTERNAL bool ep_expand(lua_State *L, EpBuffer *out, const EpView *v);

#endif
