/* Names in order, and a name among them. Knows nothing of Lua. */
#ifndef EP_NAMES_H
#define EP_NAMES_H

#include <stdint.h>

#include "slice.h"
#include "symbols.h"

/* A name, where its bytes are and what it belongs to. */
typedef struct EpName {
  EpSlice text;
  int index;      /* the caller's */
  uint64_t start; /* the first bytes as a number, set by ep_names_sort */
} EpName;

/* Puts the names in bytewise order, equal ones by their index, in n log n steps. */
EP_INTERNAL void ep_names_sort(EpName *names, int count);

/* The place of a name among names in order; -1 if it is not there. */
EP_INTERNAL int ep_names_find(const EpName *sorted, int count, EpSlice name);

#endif
