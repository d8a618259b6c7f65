/* SPDX-License-Identifier: MIT */
/* Values on the Lua stack: null, strings, and the kinds of values in RFC 6570 section 2.3. */
#ifndef EP_VALUE_H
#define EP_VALUE_H

#include "core/number.h"
#include "errors.h"

/* Is the value null, the light userdata NULL? */
static inline bool ep_is_null(lua_State *L, int index) {
  return lua_islightuserdata(L, index) && lua_touserdata(L, index) == NULL;
}

/* Is the value null or nil? */
static inline bool ep_is_absent(lua_State *L, int index) {
  int type = lua_type(L, index);
  return type == LUA_TNIL || (type == LUA_TLIGHTUSERDATA && lua_touserdata(L, index) == NULL);
}

/* The name of a value's type for messages. The name for null is "null". */
EP_INTERNAL const char *ep_type_name(lua_State *L, int index);

/* Raises "endpoint: <what> <name>: expected <expected>, got <type>". The type is that of the value
 * at the absolute index. The name must be quoted already. */
EP_INTERNAL EP_NORETURN void ep_type_error(lua_State *L, const char *what, const char *name,
                                           const char *expected, int index);

/* The bytes of a string; NULL for any other value. They are valid as long as the string is on the
 * stack. The value must not be a number, since Lua would replace it by a string. */
static inline EpSlice ep_to_slice(lua_State *L, int index) {
  EpSlice text = {NULL, 0};
  text.bytes = lua_tolstring(L, index, &text.size);
  return text;
}

/* [-0, +1] Pushes the text as a string. */
static inline void ep_push_slice(lua_State *L, EpSlice text) {
  lua_pushlstring(L, text.bytes, text.size);
}

/* [-0, +1] Pushes the text with its ASCII letters in lower or upper case. */
EP_INTERNAL void ep_push_lower(lua_State *L, EpSlice text);
EP_INTERNAL void ep_push_upper(lua_State *L, EpSlice text);

typedef enum { EP_UNDEFINED, EP_TEXT, EP_LIST, EP_MAP } EpKind;

/* A string, number or boolean as text. */
typedef struct EpText {
  EpSlice slice; /* bytes of the string on the stack, of `number`, or of a static text */
  char number[EP_NUMBER_SIZE];
} EpText;

/* The part of ep_value_read for all values but strings. */
EP_INTERNAL EpKind ep_value_read_other(lua_State *L, int index, EpSlice parameter, EpText *text);

/* [-0, +0] Returns the kind of the value at the absolute index `index`, and sets *text if it is
 * EP_TEXT. The value must stay there while the text is used. An empty table is undefined, and so is
 * a table whose values are all null. Raises on a mixed or sparse table, on a number that cannot be
 * written exactly, and on another type. The error names the parameter. Elements of tables are not
 * read. */
static inline EpKind ep_value_read(lua_State *L, int index, EpSlice parameter, EpText *text) {
  if (lua_type(L, index) != LUA_TSTRING)
    return ep_value_read_other(L, index, parameter, text);
  text->slice = ep_to_slice(L, index);
  return EP_TEXT;
}

/* [-0, +0] Reads an element of a list or map, and sets *text. Returns false for nil and null.
 * Raises as ep_value_read does, and on a table. */
EP_INTERNAL bool ep_value_read_element(lua_State *L, int index, EpSlice parameter, EpText *text);

/* Returns why the number at an index cannot be written exactly, as a static text; NULL if it can.
 */
EP_INTERNAL const char *ep_value_number_fault(lua_State *L, int index);

/* Are the keys of the table at an absolute index exactly 1..n? */
EP_INTERNAL bool ep_value_is_list(lua_State *L, int index);

#endif
