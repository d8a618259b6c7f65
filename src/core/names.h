/* SPDX-License-Identifier: MIT */
/* Arrays of names: sorting and searching. Knows nothing of Lua. */
#ifndef EP_NAMES_H
#define EP_NAMES_H

#include <stdint.h>

#include "slice.h"

typedef struct EpName {
  EpSlice text;
  int index;     /* its place before the sorting: the number of its pair, varspec or element */
  uint64_t rank; /* what the sorting compares first */
} EpName;

/* Sorts the names bytewise, and equal ones by index. Takes n log n steps on any input. */
EP_INTERNAL void ep_names_sort(EpName *names, int count);

/* Removes repeated names. The first of equal names stays, and so does the order. Returns the number
 * of names that are left. Takes n log n steps. */
EP_INTERNAL int ep_names_unique(EpName *names, int count);

/* The index of the name in a sorted array; -1 if it is not there. Most arrays are short, so a few
 * names are compared one by one. */
static inline int ep_names_find(const EpName *sorted, int count, EpSlice name) {
  enum { FEW = 4 };
  int at = 0, end = count;
  while (end - at > FEW) {
    const int middle = at + (end - at) / 2;
    if (ep_slice_compare(name, sorted[middle].text) < 0)
      end = middle;
    else
      at = middle;
  }
  while (at < end && !ep_slice_equals(sorted[at].text, name))
    at++;
  return at < end ? at : -1;
}

#endif
