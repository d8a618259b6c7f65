/* Keys with their values, copied out of a table so that no finalizer can take
 * them away, and put in order. */
#ifndef EP_PAIRS_H
#define EP_PAIRS_H

#include "array.h"
#include "core/names.h"

enum {
  EP_PAIRS_ON_STACK = EP_ARRAY_ON_STACK / 2,
  EP_PAIRS_SLOTS = EP_ARRAY_ON_STACK + LUA_MINSTACK /* stack slots that appending needs at most */
};

typedef struct EpPairs {
  EpArray fields;                           /* key, value, key, value ... */
  int count;                                /* of pairs */
  EpName names_on_stack[EP_PAIRS_ON_STACK]; /* the keys, while they lie on the stack */
} EpPairs;

/* Begins a list of pairs on top of the stack. Nothing else may be pushed between them. */
EP_INTERNAL void ep_pairs_init(lua_State *L, EpPairs *pairs);

/* [-2, +n] Appends the key below the top, a string with these bytes, and the value on
 * top. Leaves the key on top, for lua_next. */
EP_INTERNAL void ep_pairs_append(lua_State *L, EpPairs *pairs, EpSlice key);

/* [-0, +n] Reads the pairs of the table at an absolute index whose keys are
 * strings and whose values are not null. */
EP_INTERNAL void ep_pairs_read(lua_State *L, int table, EpPairs *pairs);

/* [-0, +1] Pushes the key or the value of a pair, counted from 0. */
static inline void ep_pairs_push_key(lua_State *L, const EpPairs *pairs, int pair) {
  ep_array_push(L, &pairs->fields, 2 * pair);
}

static inline void ep_pairs_push_value(lua_State *L, const EpPairs *pairs, int pair) {
  ep_array_push(L, &pairs->fields, 2 * pair + 1);
}

/* [-1, +0] Replaces the value of a pair by the one on top. */
static inline void ep_pairs_set_value(lua_State *L, const EpPairs *pairs, int pair) {
  ep_array_set(L, &pairs->fields, 2 * pair + 1);
}

/* [-1, +0] Replaces the key of the last pair, which is below the top, by the string on top. */
EP_INTERNAL void ep_pairs_set_last_key(lua_State *L, EpPairs *pairs);

/* [-0, +1] Pushes a new table of the pairs, with room for `more` fields. */
EP_INTERNAL void ep_pairs_push_table(lua_State *L, const EpPairs *pairs, int more);

/* [-n, +1] Moves the pairs, which end on top, into a new table, and leaves none. */
EP_INTERNAL void ep_pairs_to_table(lua_State *L, EpPairs *pairs);

/* The keys in bytewise order, each with the number of its pair. They stay valid as long
 * as the pairs are on the stack. */
EP_INTERNAL const EpName *ep_pairs_sort(lua_State *L, EpPairs *pairs);

#endif
