/* Expands a compiled template with the values of a call (RFC 6570 section 3). */
#ifndef EP_EXPAND_H
#define EP_EXPAND_H

#include <stdbool.h>

#include "buffer.h"
#include "symbols.h"
#include "view.h"

/* [-0, +0] Appends the expansion of the view's template. Returns whether the expansion holds
 * a "?" or "#". Raises if a value has no text, if a path segment vanishes or becomes a dot
 * segment, and if a value would change the host. */
EP_INTERNAL bool ep_expand(lua_State *L, EpBuffer *out, const EpView *v);

#endif
