/* SPDX-License-Identifier: MIT */
/* Expands a compiled template with Lua values (RFC 6570 section 3). guard.h judges the result. */
#ifndef EP_EXPAND_H
#define EP_EXPAND_H

#include "buffer.h"
#include "core/guard.h"

/* [-0, +0] Appends the expansion of a template to *out, and sets notes[i] to the place of varspec i
 * in it. The values of the variables are on the stack from the absolute index `first_value` on.
 * Raises if a value cannot be written (see ep_value_read), and if a list or map has a prefix
 * modifier. */
EP_INTERNAL void ep_expand(lua_State *L, EpBuffer *out, const EpTemplate *t, int first_value,
                           EpNote *notes);

#endif
