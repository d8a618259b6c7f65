/* What error messages quote. Headers, data and bodies never come here. */
#ifndef EP_ERROR_H
#define EP_ERROR_H

#include "compat.h"
#include "slice.h"
#include "symbols.h"

/* [-0, +1] Pushes a text that may hold a URL, its userinfo as ***. */
EP_INTERNAL void ep_push_masked(lua_State *L, EpSlice url);

/* [-0, +1] Pushes the text in double quotes and returns it: control bytes,
 * bytes from 0x7F on, quotes and backslashes as \xHH, at most 40 bytes in all
 * between the quotes, "..." at the end where more was cut off. */
EP_INTERNAL const char *ep_quote(lua_State *L, EpSlice text);

/* [-0, +1] The same of a text that may hold a URL, masked. */
EP_INTERNAL const char *ep_quote_url(lua_State *L, EpSlice text);

/* [-0, +1] The same of the string at a stack index. */
EP_INTERNAL const char *ep_quote_at(lua_State *L, int index);

/* The name of a value's type as messages say it: a null is "null". */
EP_INTERNAL const char *ep_type_name(lua_State *L, int index);

/* Raises: endpoint: <what> <name>: expected <expected>, got <type>. The name is a
 * quoted text, the type that of the value at an absolute stack index. */
EP_INTERNAL int ep_type_error(lua_State *L, const char *what, const char *name,
                              const char *expected, int index);

#endif
