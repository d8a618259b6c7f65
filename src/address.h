/* SPDX-License-Identifier: MIT */
/* The URL of a call: base path | expansion | query | fragment. */
#ifndef EP_ADDRESS_H
#define EP_ADDRESS_H

#include "call.h"

/* [-0, +1] Pushes the base address at an absolute index, a string, percent-encoded, and sets the
 * bytes of its scheme://authority, 0 without one. Raises if it is malformed, without quoting it. */
EP_INTERNAL void ep_address_push_base(lua_State *L, int base, size_t *origin);

/* [-0, +1] Pushes the URL: the expanded template, after the baseUrl if it is not absolute; and
 * with the left-over parameters as query if that is where the method sends them. Raises as
 * ep_expand does, without a baseUrl that is needed, and if the guard finds a fault. */
EP_INTERNAL void ep_address_push(lua_State *L, EpCall *c, bool sends_query);

#endif
