/* Arrays of names: sorting and searching. Knows nothing of Lua. */
#ifndef EP_NAMES_H
#define EP_NAMES_H

#include <stdint.h>

#include "slice.h"

typedef struct EpName {
  EpSlice text;
  int owner;      /* for the caller: what the name belongs to */
  uint64_t start; /* of the sorting: the first bytes as a number */
} EpName;

/* Sorts the names bytewise, and equal ones by owner. Takes n log n steps on any input. */
EP_INTERNAL void ep_names_sort(EpName *names, int count);

/* Sorts the names by owner, and of equal ones leaves the first alone. Returns how many are left.
 * Takes n log n steps on any input. */
EP_INTERNAL int ep_names_unique(EpName *names, int count);

/* The place of the name in a sorted array; -1 if it is not there. */
EP_INTERNAL int ep_names_find(const EpName *sorted, int count, EpSlice name);

#endif
