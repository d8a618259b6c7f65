/* SPDX-License-Identifier: MIT */
/* Errors: how they quote, and those that several files raise. */
#ifndef EP_ERRORS_H
#define EP_ERRORS_H

#include "compat.h"
#include "core/slice.h"

/* [-0, +1] Pushes the text in double quotes and returns it. Control bytes, bytes from 0x7F
 * on, quotes and backslashes become \xHH. Between the quotes are at most 40 bytes; the
 * last are "..." if the text was longer. */
EP_INTERNAL const char *ep_quote(lua_State *L, EpSlice text);

/* [-0, +1] The same for what may hold a secret: a URL, route, template, method or value. What
 * follows its first "?", plain or encoded, is shown as "...". What comes before its last "@" is
 * shown as ***, but for the start up to a "//" before the first "@". */
EP_INTERNAL const char *ep_quote_masked(lua_State *L, EpSlice text);

/* [-0, +1] The same as ep_quote, without the quotes. */
EP_INTERNAL const char *ep_escape(lua_State *L, EpSlice text);

/* Raises "endpoint: parameter <name>: <message>". */
EP_INTERNAL int ep_parameter_error(lua_State *L, EpSlice parameter, const char *message);

/* Raises that the method is not a token (RFC 9110 sections 5.6.2 and 9.1). */
EP_INTERNAL int ep_method_error(lua_State *L, EpSlice method);

#endif
