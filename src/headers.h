/* Header tables: names checked and lower-cased, values checked, one table over
 * another (RFC 9110 section 5). */
#ifndef EP_HEADERS_H
#define EP_HEADERS_H

#include "compat.h"
#include "symbols.h"
#include "view.h"

/* [-0, +1] Pushes a new table of the view's headers, with room for `more`: those
 * that the call gives, and of the default headers those that it does not name.
 * null removes a default. Raises on a name that is no token, on names that
 * differ only in case, and on a value that is neither string, finite number,
 * boolean nor list of strings, or that holds CR, LF or NUL, and as
 * ep_credentials_check does. */
EP_INTERNAL void ep_headers_push(lua_State *L, const EpView *v, int more);

#endif
