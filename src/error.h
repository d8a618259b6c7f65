/* Quoting in error messages. Values of headers, data and bodies are never quoted. */
#ifndef EP_ERROR_H
#define EP_ERROR_H

#include "compat.h"

/* [-0, +1] Pushes a URL with its userinfo replaced by ***. */
EP_INTERNAL void ep_push_masked(lua_State *L, EpSlice url);

/* [-0, +1] Pushes the text in double quotes and returns it. Control bytes, bytes from 0x7F
 * on, quotes and backslashes become \xHH. Between the quotes are at most 40 bytes; the
 * last are "..." if the text was longer. */
EP_INTERNAL const char *ep_quote(lua_State *L, EpSlice text);

/* [-0, +1] The same for a URL, route, template or path: all userinfo in it is shown as ***, and
 * what follows its first "?", plain or encoded, as "...", for it may be secret. */
EP_INTERNAL const char *ep_quote_url(lua_State *L, EpSlice text);

/* [-0, +1] The same for any other value. Without ":" and "/" it is no URL and has no userinfo. */
EP_INTERNAL const char *ep_quote_value(lua_State *L, EpSlice text);

/* [-0, +1] Quotes the string at a stack index, a name, whole. */
EP_INTERNAL const char *ep_quote_at(lua_State *L, int index);

/* The name of a value's type for messages; that of null is "null". */
EP_INTERNAL const char *ep_type_name(lua_State *L, int index);

/* Raises "endpoint: <what> <name>: expected <expected>, got <type>", with the type of the
 * value at an absolute index. The name is quoted already. */
EP_INTERNAL int ep_type_error(lua_State *L, const char *what, const char *name,
                              const char *expected, int index);

#endif
