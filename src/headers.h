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

/* [-0, +n] Reads the call's headers and then the default ones. If both have a name, the call's
 * header comes first. Raises as ep_headers_read does. */
EP_INTERNAL void ep_headers_read_all(lua_State *L, const EpCall *c, EpPairs *headers);

/* [-0, +1] Pushes a new table of the call's headers over the default ones. If has_label is true, it
 * has room for one more header, the content-type of a body. Raises as ep_headers_read does. */
EP_INTERNAL void ep_headers_push(lua_State *L, const EpCall *c, bool has_label);

#endif
