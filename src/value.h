/* One Lua value as RFC 6570 sees it: undefined, a text, a list or a map
 * (RFC 6570 section 2.3). */
#ifndef EP_VALUE_H
#define EP_VALUE_H

#include <stdbool.h>

#include "compat.h"
#include "number.h"
#include "slice.h"
#include "symbols.h"

typedef enum { EP_UNDEFINED, EP_TEXT, EP_LIST, EP_MAP } EpKind;

/* The text of a value. The bytes belong to the string in the stack, or lie in
 * `number`. */
typedef struct EpText {
  EpSlice slice;
  char number[EP_NUMBER_SIZE];
} EpText;

/* Reads the value at an absolute index, a slot of the caller's own that keeps it
 * while the text is used. Returns its kind, and its text if it has one; a
 * 64-bit integer of LuaJIT's FFI is replaced by its digits. Empty tables and such
 * that hold only nulls are undefined. Raises on a mixed or sparse table, on keys
 * that are neither strings nor 1..n, and on anything else that RFC 6570 does not
 * know, naming the parameter. Does not look at the elements of a table:
 * ep_value_read_element does. */
EP_INTERNAL EpKind ep_value_read(lua_State *L, int index, EpSlice parameter, EpText *text);

/* Are the keys of the table at an absolute index exactly 1..n? */
EP_INTERNAL bool ep_value_is_list(lua_State *L, int index);

/* Reads an element of a list or map as ep_value_read does. False if it is null or nil;
 * raises on a table. */
EP_INTERNAL bool ep_value_read_element(lua_State *L, int index, EpSlice parameter, EpText *text);

/* Raises: endpoint: parameter "<name>": <message>. */
EP_INTERNAL int ep_parameter_error(lua_State *L, EpSlice parameter, const char *message);

#endif
