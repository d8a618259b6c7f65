/* SPDX-License-Identifier: MIT */
/* Merged options of a call, and deep copies of default tables. A caller gets only the copies, so
 * that it cannot change the defaults. */
#ifndef EP_MERGE_H
#define EP_MERGE_H

#include "call.h"

/* [-0, +1] Pushes a new table of merged options. Raises as ep_merge_push_option does. */
EP_INTERNAL void ep_merge_push(lua_State *L, EpCall *c);

/* [-0, +1] Pushes a merged option; nil if it is not set. Raises as ep_headers_push and
 * ep_accept_push_media_type do. Only for functions that have the upvalues of call.h, and so is
 * ep_merge_push. */
EP_INTERNAL void ep_merge_push_option(lua_State *L, EpCall *c, EpOption option);

/* Copies tables, and the tables that are their keys. Other values and the metatables are not copied
 * but shared. If several copied values share a table, their copies share one, too.
 *
 * The tables that an endpoint takes have no metatable themselves: the caller may set __mode or __gc
 * in it later, and an endpoint does not change. Their metatables are in a table of its state, by
 * table. The copies that a caller gets have them. */
typedef struct EpCopier {
  int copies;   /* absolute index of a table from each table to its copy; nil before the first */
  int queue;    /* absolute index of a list of the tables in the order of their depth */
  int kept;     /* absolute index of the metatables of the endpoint's tables; nil without any */
  int taken;    /* absolute index of those that a new endpoint takes; nil before the first */
  int count;    /* number of tables in the list */
  EpSlice name; /* of the default that a new endpoint takes; its bytes are NULL for a caller */
} EpCopier;

/* [-0, +4] Begins to copy for a caller. The values that are pushed must stay as long as the copier
 * is used. */
EP_INTERNAL void ep_copy_begin(lua_State *L, EpCopier *c);

/* [-0, +0] Replaces the value on top by its copy if it is a table. Returns how deep its tables are,
 * without those that an earlier value contained: 1 if no table is in it, 0 if it is not a new
 * table. Raises if a new endpoint takes a table whose metatable has __gc or __mode. */
EP_INTERNAL int ep_copy_value(lua_State *L, EpCopier *c);

/* [-0, +0] Replaces the defaults among the left-over parameters by copies, and puts a copy of the
 * default data into the slot of data. */
EP_INTERNAL void ep_copy_defaults(lua_State *L, EpCall *c);

#endif
