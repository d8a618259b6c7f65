/* SPDX-License-Identifier: MIT */
/* Request options of a call. */
#ifndef EP_PARSE_H
#define EP_PARSE_H

#include "call.h"

/* [-0, +1] Pushes a new table of request options. Raises if one of them cannot be made. For
 * functions with the upvalues of call.h, which hold the names of options. */
EP_INTERNAL void ep_parse_push(lua_State *L, EpCall *c);

#endif
