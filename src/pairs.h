/* Keys with their values, copied out of a table so that no finalizer can take
 * them away, and put in order. A few stay on the Lua stack; many move into a
 * table of their own. */
#ifndef EP_PAIRS_H
#define EP_PAIRS_H

#include <stddef.h>

#include "compat.h"
#include "symbols.h"

enum {
  EP_PAIRS_ON_STACK = 32,                      /* so many stay on the stack */
  EP_PAIRS_SLOTS = 2 * EP_PAIRS_ON_STACK + 10, /* stack slots to check for before */
  EP_NAMES_ON_STACK = 32
};

typedef struct EpPairs {
  int slot;  /* absolute stack index of the table, once there is one */
  int base;  /* absolute stack index of the first pair, while there is none */
  int count; /* of pairs */
} EpPairs;

/* No pairs yet. The next ones are appended at the top of the stack; the slot
 * holds nil. */
EP_INTERNAL void ep_pairs_init(lua_State *L, EpPairs *pairs, int slot);

/* [-2, +1] Appends the key and value on top (both not nil) and leaves the key,
 * for lua_next. Nothing else may be put on the stack between the pairs. */
EP_INTERNAL void ep_pairs_append(lua_State *L, EpPairs *pairs);

/* [-0, +n] Reads the pairs of the table at an absolute index whose keys are
 * strings and whose values are not null. */
EP_INTERNAL void ep_pairs_read(lua_State *L, int table, EpPairs *pairs);

/* [-0, +0|1] The absolute index of the key or the value of the pair at index,
 * counted from 0. It is pushed if it lies in a table. */
EP_INTERNAL int ep_pairs_key(lua_State *L, const EpPairs *pairs, int index);
EP_INTERNAL int ep_pairs_value(lua_State *L, const EpPairs *pairs, int index);

/* [-0, +0] Enters the pairs into the table at an absolute index. */
EP_INTERNAL void ep_pairs_enter(lua_State *L, const EpPairs *pairs, int table);

/* A string key, where its bytes are and which pair it belongs to. */
typedef struct EpName {
  const char *text;
  size_t size; /* bytes */
  int index;   /* of the pair */
} EpName;

/* The string keys of pairs in bytewise order. */
typedef struct EpNames {
  const EpName *sorted;
  EpName few[EP_NAMES_ON_STACK];
} EpNames;

/* [-0, +1] Sorts the pairs' keys, which are strings, in n log n steps. Pushes a
 * value that anchors the result. */
EP_INTERNAL void ep_names_sort(lua_State *L, EpNames *names, const EpPairs *pairs);

#endif
