/* Lua values by number, from 0 on. A few lie on the Lua stack, more in one table. */
#ifndef EP_ARRAY_H
#define EP_ARRAY_H

#include "compat.h"

enum { EP_ARRAY_ON_STACK = 64 }; /* the most values that lie on the stack */

typedef struct EpArray {
  int at; /* absolute stack index of the first value, or of the table */
  bool is_table;
} EpArray;

/* Makes an array of nils at an absolute index. The stack ends behind it. */
static inline void ep_array_make(lua_State *L, EpArray *a, int at, int count) {
  a->at = at;
  a->is_table = count > EP_ARRAY_ON_STACK;
  lua_settop(L, a->is_table ? at - 1 : at + count - 1);
  if (a->is_table)
    lua_createtable(L, count, 0);
}

/* [-0, +1] Pushes a value. */
static inline void ep_array_push(lua_State *L, const EpArray *a, int i) {
  if (a->is_table)
    lua_rawgeti(L, a->at, i + 1);
  else
    lua_pushvalue(L, a->at + i);
}

/* [-0, +0 or +1] The absolute index of a value, which is pushed if it is not on the stack. */
static inline int ep_array_at(lua_State *L, const EpArray *a, int i) {
  if (!a->is_table)
    return a->at + i;
  lua_rawgeti(L, a->at, i + 1);
  return lua_gettop(L);
}

/* [-0 or -1, +0] Pops what ep_array_at has pushed. */
static inline void ep_array_done(lua_State *L, const EpArray *a) {
  if (a->is_table)
    lua_pop(L, 1);
}

/* [-1, +0] Replaces a value by the one on top. */
static inline void ep_array_set(lua_State *L, const EpArray *a, int i) {
  if (a->is_table)
    lua_rawseti(L, a->at, i + 1);
  else
    lua_replace(L, a->at + i);
}

#endif
