/* SPDX-License-Identifier: MIT */
/* Some defaults, such as a token, must not be sent to another server. Home is the origin of the
 * default baseUrl. If that is only a path, home is this server. A default is origin-bound if it
 * must not leave home. These are origin-bound: each parameter, data, and each header except
 * content-type, user-agent and those whose names begin with accept. */
#ifndef EP_HOME_H
#define EP_HOME_H

#include "call.h"

/* Is a default header of this name origin-bound? */
EP_INTERNAL bool ep_home_binds_header(EpSlice name);

/* May the call take a default away from home? Only then ep_home_check must be called. */
static inline bool ep_home_may_be_left(const EpCall *c) {
  return c->e->is_bound &&
         ((c->given & EP_BIT(EP_BASE_URL)) || (c->compiled && c->compiled->t->absolute > 0));
}

/* [-0, +n] Raises if the request leaves home with an origin-bound default. A default does not count
 * if the call gives the same header or parameter itself. If the call's headers are null, no default
 * header counts. The error names the first such header in bytewise order, otherwise the first such
 * parameter. What is pushed are the call's headers, which are read here: nothing changes them
 * between this check and their use. Raises as ep_headers_read does, too. */
EP_INTERNAL void ep_home_check(lua_State *L, EpCall *c);

#endif
