/* SPDX-License-Identifier: MIT */
/* Pairs of a table, put in order, on the Lua stack, where no finalizer takes them away. */
#ifndef EP_PAIRS_H
#define EP_PAIRS_H

#include "compat.h"
#include "core/names.h"

/* Room on Lua's stack is made for a few pairs at a time: a stack that has grown large Lua shrinks
 * again after an error, so that each call would pay for its growth. */
enum {
  EP_PAIRS_STEP = 16,
  EP_PAIRS_SLOTS = 2 * EP_PAIRS_STEP + LUA_MINSTACK, /* stack slots that so many pairs take */
  EP_PAIRS_FEW = 32                                  /* pairs whose keys need no memory */
};

typedef struct EpPairs {
  EpSlice parameter; /* the one that gives the pairs; its bytes are NULL if many do */
  int first;         /* absolute index of the first key; its value and the other pairs follow */
  int count;
  EpName few[EP_PAIRS_FEW]; /* the keys, as long as they are few */
} EpPairs;

/* Begins a list of pairs on top of the stack. Nothing else may be pushed between them. */
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

/* Appends the key below the top, a string with these bytes, and the value on top. Both stay there.
 * Raises if Lua's stack holds no more pairs. */
EP_INTERNAL void ep_pairs_append(lua_State *L, EpPairs *pairs, EpSlice key);

/* [-1, +0] Replaces the key of the last pair by the string on top. Below it is the key for
 * lua_next. */
EP_INTERNAL void ep_pairs_set_last_key(lua_State *L, EpPairs *pairs);

/* [-0, +n] Reads the pairs of the table at an absolute index, which a parameter gives, whose keys
 * are strings and whose values are not null. */
EP_INTERNAL void ep_pairs_read(lua_State *L, int table, EpPairs *pairs, EpSlice parameter);

/* [-0, +1] Pushes a new table of the pairs, with room for `more` fields. */
EP_INTERNAL void ep_pairs_push_table(lua_State *L, const EpPairs *pairs, int more);

/* [-0, +0 or +1] The keys in bytewise order, each with the number of its pair. Pushes what keeps
 * them if they are many. They stay valid as long as all this is on the stack. */
EP_INTERNAL const EpName *ep_pairs_sort(lua_State *L, EpPairs *pairs);

#endif
