/* SPDX-License-Identifier: MIT */
/* Expands a compiled template (RFC 6570 section 3): Lua values as section 2.3 sees them, undefined,
 * text, lists and maps, become text. What may not come of it is the matter of guard.h. */
#ifndef EP_EXPAND_H
#define EP_EXPAND_H

#include "core/guard.h"
#include "core/number.h"
#include "text.h"

typedef enum { EP_UNDEFINED, EP_TEXT, EP_LIST, EP_MAP } EpKind;

/* The text of a value. */
typedef struct EpText {
  EpSlice slice; /* of the string on the stack, of `number` or of a static text */
  char number[EP_NUMBER_SIZE];
} EpText;

/* The same as ep_value_read, of which it is a part, for all values but strings. */
EP_INTERNAL EpKind ep_value_read_other(lua_State *L, int index, EpSlice parameter, EpText *text);

/* [-0, +0] Returns the kind of the value at an absolute index, and sets *text if it is
 * EP_TEXT. The value must stay there while the text is used. An empty table and one that holds
 * nothing but null are undefined. Raises on a mixed or sparse table, and on types that have no
 * kind, and names the parameter. Elements of tables are not read. */
static inline EpKind ep_value_read(lua_State *L, int index, EpSlice parameter, EpText *text) {
  if (lua_type(L, index) != LUA_TSTRING)
    return ep_value_read_other(L, index, parameter, text);
  text->slice = ep_to_slice(L, index);
  return EP_TEXT;
}

/* [-0, +0] Reads an element of a list or map as ep_value_read does. Returns false for null and
 * nil, raises on a table. */
EP_INTERNAL bool ep_value_read_element(lua_State *L, int index, EpSlice parameter, EpText *text);

/* Are the keys of the table at an absolute index exactly 1..n? */
EP_INTERNAL bool ep_value_is_list(lua_State *L, int index);

/* [-0, +0] Appends the expansion of a template, and notes where each varspec has written. The
 * values of its variables lie on the stack from `variables` on. Raises if one has no text. */
EP_INTERNAL void ep_expand(lua_State *L, EpBuffer *out, const EpTemplate *t, int variables,
                           EpNote *notes);

#endif
