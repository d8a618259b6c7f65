/* SPDX-License-Identifier: MIT */
/* The headers of a call over those of the defaults (RFC 9110 section 5). */
#ifndef EP_HEADERS_H
#define EP_HEADERS_H

#include "call.h"

/* [-0, +n] Reads the headers in the table at an absolute index, with their names in lower case,
 * lists copied. Null stays. Raises on a name that is not a token, on two that differ only in case,
 * on a value that is neither string, finite number, boolean nor list of strings, on CR, LF and NUL.
 */
EP_INTERNAL void ep_headers_read(lua_State *L, EpPairs *headers, int table);

/* [-0, +n] Reads the call's headers, and then those of the defaults. If both have a name, the
 * call's comes first. Raises as ep_headers_read does. */
EP_INTERNAL void ep_headers_read_all(lua_State *L, const EpCall *c, EpPairs *headers);

/* [-0, +1] Pushes a new table of the call's headers over those of the defaults, with room for the
 * label of a body. Raises as ep_headers_read does. */
EP_INTERNAL void ep_headers_push(lua_State *L, const EpCall *c, bool has_label);

#endif
