/* SPDX-License-Identifier: MIT */
/* Errors: how they quote text, and the errors that several files raise. */
#ifndef EP_ERRORS_H
#define EP_ERRORS_H

#include "compat.h"
#include "core/slice.h"

/* Marks functions that raise whenever they are called. */
#if defined(__GNUC__)
#define EP_NORETURN __attribute__((noreturn))
#elif defined(_MSC_VER)
#define EP_NORETURN __declspec(noreturn)
#else
#define EP_NORETURN
#endif

/* Raises a string after the position of the caller's line, as luaL_error does. If there is no
 * memory for the message, luaL_error and luaL_checkstack of Lua 5.5 raise the value below it on the
 * stack. That may be a header's value, which no error may show. So this makes the message first. */
EP_INTERNAL EP_NORETURN void ep_error(lua_State *L, const char *format, ...);

/* Makes room for so many values on Lua's stack. Raises if there is none. */
static inline void ep_checkstack(lua_State *L, int size, const char *message) {
  if (!lua_checkstack(L, size))
    ep_error(L, "stack overflow (%s)", message);
}

/* [-0, +1] Pushes the text in double quotes and returns it. Control bytes, bytes from 0x7F on,
 * quotes and backslashes become \xHH. At most 40 bytes are between the quotes. If the text was
 * longer, the last three are "...". */
EP_INTERNAL const char *ep_quote(lua_State *L, EpSlice text);

/* [-0, +1] Like ep_quote, for text that may hold a secret: a URL, route, template, method or value.
 * What follows its first "?", plain or encoded, is shown as "...". What comes before its last "@"
 * is shown as "***". Only the start of it is shown, up to a "//" that is before the first "@". */
EP_INTERNAL const char *ep_quote_masked(lua_State *L, EpSlice text);

/* [-0, +1] Like ep_quote, but without the quotes. */
EP_INTERNAL const char *ep_escape(lua_State *L, EpSlice text);

/* Raises "endpoint: parameter <name>: <message>". */
EP_INTERNAL EP_NORETURN void ep_parameter_error(lua_State *L, EpSlice parameter,
                                                const char *message);

/* Raises that the method is not a token (RFC 9110 sections 5.6.2 and 9.1). */
EP_INTERNAL EP_NORETURN void ep_method_error(lua_State *L, EpSlice method);

#endif
