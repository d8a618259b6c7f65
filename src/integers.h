/* SPDX-License-Identifier: MIT */
/* Great numbers, which encoders of JSON may write with fewer digits. */
#ifndef EP_INTEGERS_H
#define EP_INTEGERS_H

#include "compat.h"
#include "core/slice.h"

/* has_great_number(value, least) returns a boolean: is the value, or one that it has at any depth,
 * a number that is not between -least and least? Keys count, too, and so does a value that is
 * nested too deep to look at. The value must not hold itself. Runs no metamethod, and raises
 * nothing. */
EP_INTERNAL int ep_integers_has_great_number(lua_State *L);

#endif
