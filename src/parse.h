/* Request options of a call. */
#ifndef EP_PARSE_H
#define EP_PARSE_H

#include "call.h"
#include "compat.h"
#include "core/symbols.h"

/* [-n, +3] Pushes a new table of request options: method, url, headers, body and request. It
 * ends on top of two values that it was made of. For functions with the upvalues of state.h
 * alone. */
EP_INTERNAL void ep_parse_push(lua_State *L, EpCall *c);

#endif
