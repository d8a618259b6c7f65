/* SPDX-License-Identifier: MIT */
/* Merged options of a call, and deep copies of default tables, so that no caller gets those. */
#ifndef EP_MERGE_H
#define EP_MERGE_H

#include "call.h"

/* [-0, +1] Pushes a new table of merged options. Raises as ep_merge_push_option does. */
EP_INTERNAL void ep_merge_push(lua_State *L, EpCall *c);

/* [-0, +1] Pushes a merged option; nil if it is not set. Raises on headers and mediaType that are
 * wrong. For functions with the upvalues of call.h, as ep_merge_push. */
EP_INTERNAL void ep_merge_push_option(lua_State *L, const EpCall *c, EpOption option);

/* Copies tables, keys too; other values and metatables go by reference. What several values that it
 * copies share, their copies share, too. */
typedef struct EpCopier {
  int copies; /* absolute index of a table with the copy of each table; nil before the first */
  int queue;  /* absolute index of a list of the tables as they were reached, the nearest first */
  int count;  /* of tables */
} EpCopier;

/* [-0, +2] Begins to copy. What is pushed must stay while it copies. */
EP_INTERNAL void ep_copy_begin(lua_State *L, EpCopier *c);

/* [-0, +0] Replaces the value on top, if it is a table, by its copy. Returns the depth of the
 * tables in it that no earlier value held: 1 for the value alone, 0 if it is not a new table. */
EP_INTERNAL int ep_copy_value(lua_State *L, EpCopier *c);

/* The options whose defaults are copied, when they are taken and whenever they are handed out: all
 * but the strings, which come before headers; headers and mediaType, of which merging makes new
 * tables; and request, which is the same value everywhere. */
#define EP_COPIED_OPTIONS                                                                          \
  (~(EP_BIT(EP_HEADERS) - 1) & ~(EP_BIT(EP_HEADERS) | EP_BIT(EP_MEDIA_TYPE) | EP_BIT(EP_REQUEST)))

/* Has the call a default among its options that must be copied before it is handed out? */
static inline bool ep_call_copies_option(const EpCall *c) {
  return (c->defaulted & ~c->given & EP_COPIED_OPTIONS) != 0;
}

/* [-0, +0] Replaces the defaults among the left-over parameters, and those of these options, by
 * copies. */
EP_INTERNAL void ep_copy_defaults(lua_State *L, const EpCall *c);

#endif
