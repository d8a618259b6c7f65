/* SPDX-License-Identifier: MIT */
/* JSON (RFC 8259) as values of Lua with its integers, which lua-cjson of old gives as floats. */
#ifndef EP_JSON_H
#define EP_JSON_H

#include "compat.h"
#include "core/slice.h"

/* json(text, depth, mark) returns the value that a text of JSON has: as lua-cjson, but integers
 * below 2^53 are integers of Lua. depth: the most levels of lists and objects. mark: a metatable
 * for all lists, or nil. Returns nothing if the text is not JSON, is nested deeper, or holds a NUL,
 * and where Lua has no integers: then lua-cjson says what it is. Runs no metamethod. */
EP_INTERNAL int ep_json_read(lua_State *L);

/* has_twice(text, value) returns a boolean: has an object in a JSON text a name twice? value: what
 * a decoder has made of the text, which keeps one of the two fields. True, too, if the value is too
 * deep for Lua's stack. Runs no metamethod. */
EP_INTERNAL int ep_json_has_twice(lua_State *L);

#endif
