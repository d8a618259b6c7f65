/* SPDX-License-Identifier: MIT */
/* The numbers of JSON. Decoders of old give every number as a float, of which endpoint.request
 * makes integers where Lua has them, since 5.3. Encoders may write a great number with fewer
 * digits. */
#ifndef EP_INTEGERS_H
#define EP_INTEGERS_H

#include "compat.h"
#include "core/slice.h"

/* marked(text) looks for numbers of JSON that are not written as integers but may have an integer's
 * value, such as 1.0 and 1e2. It returns the text with 0.5, as long as they are, in their places;
 * nil if there are none. Raises if text is not a string. */
EP_INTERNAL int ep_integers_marked(lua_State *L);

/* restore(value, guide) puts integers into a decoded table in the place of floats that have their
 * values, at any depth; those of 2^53 and more may have lost digits, and stay. guide: the same
 * table, or that of the marked text, whose floats say which do not become integers. Runs no
 * metamethod. Returns the value. */
EP_INTERNAL int ep_integers_restore(lua_State *L);

/* has_great_number(value, least) returns a boolean: is the value, or one that it has at any depth,
 * a number that is not between -least and least? Keys count, too, and so does a value that is
 * nested too deep to look at. The value must not hold itself. Runs no metamethod, and raises
 * nothing. */
EP_INTERNAL int ep_integers_has_great_number(lua_State *L);

#endif
