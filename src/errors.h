/* SPDX-License-Identifier: MIT */
/* Errors: how they quote text, and the errors that several files raise. */
#ifndef EP_ERRORS_H
#define EP_ERRORS_H

#include "compat.h"
#include "core/slice.h"

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
EP_INTERNAL int ep_parameter_error(lua_State *L, EpSlice parameter, const char *message);

/* Raises that the method is not a token (RFC 9110 sections 5.6.2 and 9.1). */
EP_INTERNAL int ep_method_error(lua_State *L, EpSlice method);

#endif
