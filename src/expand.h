/* SPDX-License-Identifier: MIT */
/* Expands a compiled template with Lua values (RFC 6570 section 3). guard.h judges the result. */
#ifndef EP_EXPAND_H
#define EP_EXPAND_H

#include "buffer.h"
#include "core/guard.h"

/* [-0, +0] Appends the expansion of a template, and notes where each varspec has written. The
 * values of its variables lie on the stack from `first_value` on. Raises if one has no text. */
EP_INTERNAL void ep_expand(lua_State *L, EpBuffer *out, const EpTemplate *t, int first_value,
                           EpNote *notes);

#endif
