/* SPDX-License-Identifier: MIT */
/* Deep copies of default tables: when an endpoint takes them, and when it hands them out. */
#ifndef EP_COPY_H
#define EP_COPY_H

#include "call.h"

/* Copies tables, keys too; other values and metatables go by reference. What several values that it
 * copies share, their copies share, too. */
typedef struct EpCopier {
  int copies; /* absolute index of a table with the copy of each table; nil before the first */
  int queue;  /* absolute index of a list of the tables as they were reached, the nearest first */
  int count;  /* of tables */
} EpCopier;

/* [-0, +2] Begins to copy. What is pushed must stay while it copies. */
EP_INTERNAL void ep_copy_begin(lua_State *L, EpCopier *c);

/* [-0, +0] Replaces the value on top, if it is a table, by its copy. Returns how deep tables lie in
 * it that no earlier value had, 1 for itself, and 0 for none. */
EP_INTERNAL int ep_copy_value(lua_State *L, EpCopier *c);

/* [-0, +0] Replaces the defaults among the left-over parameters and a default data by copies. */
EP_INTERNAL void ep_copy_defaults(lua_State *L, const EpCall *c);

#endif
