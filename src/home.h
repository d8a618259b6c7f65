/* SPDX-License-Identifier: MIT */
/* Defaults stay at home, which is the origin of the default baseUrl; if that is a bare path, home
 * is this server. A default is origin-bound if it must not leave home: any parameter, data, and any
 * header but content-type, user-agent and those whose names begin with accept. */
#ifndef EP_HOME_H
#define EP_HOME_H

#include "call.h"

/* Is a default header of this name origin-bound? Is the default of this option? */
EP_INTERNAL bool ep_home_binds_header(EpSlice name);
EP_INTERNAL bool ep_home_binds_option(EpOption option);

/* May the call leave home with a default? Only then ep_home_check must be called. */
static inline bool ep_home_may_be_left(const EpCall *c) {
  return c->e->is_bound &&
         ((c->given & EP_BIT(EP_BASE_URL)) || (c->compiled && c->compiled->t->absolute > 0));
}

/* [-0, +0] Raises if the request leaves home while there is an origin-bound default that the call
 * does not give itself; null as the call's headers cancels all default headers. Names the first
 * such header, else the first such parameter, in bytewise order. Replaces the call's headers by a
 * checked copy, so that nothing changes them between this check and their use. Raises as
 * ep_headers_read does. */
EP_INTERNAL void ep_home_check(lua_State *L, EpCall *c);

#endif
