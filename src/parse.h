/* SPDX-License-Identifier: MIT */
/* Request options of a call. */
#ifndef EP_PARSE_H
#define EP_PARSE_H

#include "call.h"

/* [-0, +1] Pushes a new table of request options. Raises as ep_address_push, ep_headers_push and
 * ep_accept_change do; if the method is not a token; and if it cannot send data or a parameter that
 * is given. Only for functions that have the upvalues of call.h. */
EP_INTERNAL void ep_parse_push(lua_State *L, EpCall *c);

#endif
