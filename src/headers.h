/* SPDX-License-Identifier: MIT */
/* The headers of a call over those of the defaults (RFC 9110 section 5). */
#ifndef EP_HEADERS_H
#define EP_HEADERS_H

#include "call.h"

/* [-0, +n] Reads the headers in the table at the absolute index `table`. Names become lower case,
 * lists are copied, and null stays. Raises if a name is not a token (RFC 9110 section 5.1), and if
 * two names differ only in case. Raises if a value is not a string, finite number, boolean, null or
 * list of strings, and if it contains CR, LF or NUL (section 5.5). */
EP_INTERNAL void ep_headers_read(lua_State *L, EpPairs *headers, int table);

/* [-0, +n] Returns the call's headers, which are read once. What that pushes must stay as long as
 * they are used. Raises as ep_headers_read does. */
EP_INTERNAL EpPairs *ep_headers_given(lua_State *L, EpCall *c);

/* [-0, +n] Returns the call's headers with the default ones after them. If both have a name, the
 * call's header comes first. Nothing may have been pushed since the call's headers were read.
 * Raises as ep_headers_read does. */
EP_INTERNAL EpPairs *ep_headers_read_all(lua_State *L, EpCall *c);

/* [-0, +1] Pushes a new table of the call's headers over the default ones. If is_json is true and
 * neither of them gives one, it has the content-type of JSON. Raises as ep_headers_read does. The
 * call's headers must not be used after this. Only for functions that have the upvalues of call.h.
 */
EP_INTERNAL void ep_headers_push(lua_State *L, EpCall *c, bool is_json);

#endif
