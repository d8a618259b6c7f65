/* SPDX-License-Identifier: MIT */
/* The URL of a call: baseUrl, expanded template, query and fragment, in this order. */
#ifndef EP_ADDRESS_H
#define EP_ADDRESS_H

#include "call.h"

/* [-0, +1] Pushes the percent-encoded form of the base address, a string at the absolute index
 * `base`. Sets *origin to the size of its scheme://authority in bytes; 0 if it has none. Raises if
 * the base address is malformed. The error does not quote it, since it may hold a password. */
EP_INTERNAL void ep_address_push_base(lua_State *L, int base, size_t *origin);

/* [-0, +1] Pushes the URL of a call. The expanded template follows the baseUrl unless it is
 * absolute. The left-over parameters become a query if sends_query is true. Raises as ep_expand
 * does, if the baseUrl is missing where it is needed, and if ep_guard_check finds a fault. */
EP_INTERNAL void ep_address_push(lua_State *L, EpCall *c, bool sends_query);

#endif
