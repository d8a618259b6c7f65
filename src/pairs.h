/* Keys with their values, copied out of a table so that no finalizer can take
 * them away, and put in order. A few stay on the Lua stack; many move into a
 * table of their own. */
#ifndef EP_PAIRS_H
#define EP_PAIRS_H

#include "compat.h"
#include "names.h"
#include "symbols.h"

enum {
  EP_PAIRS_ON_STACK = 32,                     /* so many stay on the stack */
  EP_PAIRS_SLOTS = 2 * EP_PAIRS_ON_STACK + 10 /* stack slots to check for before */
};

typedef struct EpPairs {
  int slot;                      /* absolute stack index of the table, once there is one */
  int base;                      /* absolute stack index of the first pair, while there is none */
  int count;                     /* of pairs */
  EpName few[EP_PAIRS_ON_STACK]; /* the keys' texts, while there is no table */
} EpPairs;

/* No pairs yet. The first will lie at the absolute index base, which is where
 * the stack ends now; the slot holds nil. */
EP_INTERNAL void ep_pairs_init(EpPairs *pairs, int slot, int base);

/* [-2, +1] Appends the key, a string whose text is given, and the value on top (not
 * nil) and leaves the key, for lua_next. Nothing else may be put on the stack
 * between the pairs. */
EP_INTERNAL void ep_pairs_append(lua_State *L, EpPairs *pairs, EpSlice text);

/* [-0, +n] Reads the pairs of the table at an absolute index whose keys are
 * strings and whose values are not null. */
EP_INTERNAL void ep_pairs_read(lua_State *L, int table, EpPairs *pairs);

/* [-0, +0|1] The absolute index of the key or the value of the pair at index,
 * counted from 0. It is pushed if it lies in a table. */
EP_INTERNAL int ep_pairs_key(lua_State *L, const EpPairs *pairs, int index);
EP_INTERNAL int ep_pairs_value(lua_State *L, const EpPairs *pairs, int index);

/* [-0|1, +0] Drops what ep_pairs_key or ep_pairs_value has pushed. */
EP_INTERNAL void ep_pairs_drop(lua_State *L, const EpPairs *pairs);

/* [-n, +0] Moves the pairs, the last of which is on top, into the table at an absolute
 * index. */
EP_INTERNAL void ep_pairs_move(lua_State *L, EpPairs *pairs, int table);

/* [-0, +0] The keys in bytewise order, each with its pair's index. Many are anchored
 * in the slot, an absolute index. */
EP_INTERNAL const EpName *ep_pairs_sort(lua_State *L, EpPairs *pairs, int slot);

#endif
