/* SPDX-License-Identifier: MIT */
/* The pairs of a table on the Lua stack, so that they can be sorted. A finalizer may change the
 * table, but not the stack. */
#ifndef EP_PAIRS_H
#define EP_PAIRS_H

#include "compat.h"
#include "core/names.h"

/* Room on Lua's stack is made for a few pairs at a time. After an error, Lua shrinks a stack that
 * has become large, so each such call would pay for the growth. */
enum {
  EP_PAIRS_STEP = 16,
  EP_PAIRS_SLOTS = 2 * EP_PAIRS_STEP + LUA_MINSTACK, /* stack slots for so many pairs */
  EP_PAIRS_FEW = 32 /* up to this number of pairs, the keys need no more memory */
};

typedef struct EpPairs {
  EpSlice parameter; /* whose value the table is; its bytes are NULL for another table */
  int first;         /* absolute index of the first key; its value and the other pairs follow */
  int count;
  EpName few[EP_PAIRS_FEW]; /* the keys if there are at most EP_PAIRS_FEW */
} EpPairs;

/* Begins a list of pairs on top of the stack. Nothing else may be pushed between the pairs. */
static inline void ep_pairs_begin(lua_State *L, EpPairs *pairs) {
  pairs->parameter.bytes = NULL;
  pairs->first = lua_gettop(L) + 1;
  pairs->count = 0;
}

/* The absolute index of a pair's key, and that of its value. */
static inline int ep_pairs_key(const EpPairs *pairs, int pair) {
  return pairs->first + 2 * pair;
}

static inline int ep_pairs_value(const EpPairs *pairs, int pair) {
  return ep_pairs_key(pairs, pair) + 1;
}

/* Appends a pair. The key is below the top, a string with the bytes of `key`, and the value is on
 * top. Both stay there. In a loop with lua_next, the caller pushes the key once more. Raises if
 * Lua's stack cannot hold more pairs. */
EP_INTERNAL void ep_pairs_append(lua_State *L, EpPairs *pairs, EpSlice key);

/* [-1, +0] Replaces the key of the last pair by the string on top. The value below the top is the
 * key for lua_next, and stays. */
EP_INTERNAL void ep_pairs_set_last_key(lua_State *L, EpPairs *pairs);

/* [-0, +n] Reads the pairs of the table at the absolute index `table`, the value of a parameter.
 * Skips keys that are not strings, and values that are null. Raises as ep_pairs_append does. */
EP_INTERNAL void ep_pairs_read(lua_State *L, int table, EpPairs *pairs, EpSlice parameter);

/* [-0, +1] Pushes a new table of the pairs, with room for `more` other fields. */
EP_INTERNAL void ep_pairs_push_table(lua_State *L, const EpPairs *pairs, int more);

/* [-0, +0 or +1] Returns the keys in bytewise order, each with the number of its pair. If there are
 * many, pushes a userdata that keeps them. They are valid as long as the pairs and this are on the
 * stack. */
EP_INTERNAL const EpName *ep_pairs_sort(lua_State *L, EpPairs *pairs);

#endif
