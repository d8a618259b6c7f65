/* SPDX-License-Identifier: MIT */
/* The headers of a call over those of the defaults (RFC 9110 section 5). */
#ifndef EP_HEADERS_H
#define EP_HEADERS_H

#include "call.h"

/* [-0, +n] Reads the headers in the table at an absolute index, with their names in lower case,
 * lists copied. Null among them stays. Returns whether a name had an upper-case letter: otherwise
 * no two names can differ only in case. Raises on a name that is no token; on a value that is
 * neither string, finite number, boolean nor list of strings, or that holds CR, LF or NUL. */
EP_INTERNAL bool ep_headers_read_table(lua_State *L, EpPairs *headers, int table);

/* Raises if two of the names, which are in order, are equal. */
EP_INTERNAL void ep_headers_check_once(lua_State *L, const EpName *names, int count);

/* [-0, +1] Pushes a new table of the call's headers over those of the defaults, with room for
 * `more`. Raises as these two do, and as ep_home_check does. */
EP_INTERNAL void ep_headers_push(lua_State *L, const EpCall *c, int more);

#endif
