/* Lua values as RFC 6570 section 2.3 sees them: undefined, text, lists and maps. */
#ifndef EP_VALUE_H
#define EP_VALUE_H

#include "compat.h"
#include "core/number.h"

typedef enum { EP_UNDEFINED, EP_TEXT, EP_LIST, EP_MAP } EpKind;

/* The text of a value. */
typedef struct EpText {
  EpSlice slice; /* of the string on the stack, of `number` or of a static text */
  char number[EP_NUMBER_SIZE];
} EpText;

/* [-0, +0] Returns the kind of the value at an absolute index, and sets *text if it is
 * EP_TEXT. The value must stay there while the text is used. An empty table and one that holds
 * nothing but null are undefined. Raises on a mixed or sparse table, and on types that have no
 * kind, and names the parameter. Elements of tables are not read. */
EP_INTERNAL EpKind ep_value_read(lua_State *L, int index, EpSlice parameter, EpText *text);

/* Are the keys of the table at an absolute index exactly 1..n? */
EP_INTERNAL bool ep_value_is_list(lua_State *L, int index);

/* [-0, +0] Reads an element of a list or map as ep_value_read does. Returns false for null and
 * nil, raises on a table. */
EP_INTERNAL bool ep_value_read_element(lua_State *L, int index, EpSlice parameter, EpText *text);

/* Raises: endpoint: parameter "<name>": <message>. */
EP_INTERNAL int ep_parameter_error(lua_State *L, EpSlice parameter, const char *message);

#endif
