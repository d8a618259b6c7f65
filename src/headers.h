/* The headers of a call over those of the defaults (RFC 9110 section 5). */
#ifndef EP_HEADERS_H
#define EP_HEADERS_H

#include "compat.h"
#include "symbols.h"
#include "view.h"

/* [-0, +1] Pushes a new table of the view's headers, with room for `more`: the call's
 * headers with lower-case names, and the default headers that the call does not name.
 * null removes a default. Raises on a name that is no token; on names that differ only
 * in case; on a value that is neither string, finite number, boolean nor list of
 * strings, or that holds CR, LF or NUL; and as ep_credentials_check does. */
EP_INTERNAL void ep_headers_push(lua_State *L, const EpView *v, int more);

#endif
