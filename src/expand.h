/* Expands a compiled template with the values of a call (RFC 6570 section 3). */
#ifndef EP_EXPAND_H
#define EP_EXPAND_H

#include "buffer.h"
#include "call.h"
#include "core/guard.h"
#include "core/symbols.h"

/* [-0, +0] Appends the expansion of the call's template, and notes where each varspec has
 * written. Raises if a value has no text. */
EP_INTERNAL void ep_expand(lua_State *L, EpBuffer *out, const EpCall *c, EpNote *notes);

#endif
