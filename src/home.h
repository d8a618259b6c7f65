/* SPDX-License-Identifier: MIT */
/* Defaults stay at home, which is the origin of the default baseUrl; of a bare path it is this
 * server. A guest is a default that must not leave it: any parameter, data, and any header but
 * content-type, user-agent and those whose names begin with accept. */
#ifndef EP_HOME_H
#define EP_HOME_H

#include "call.h"

/* Is a default header of this name a guest? */
EP_INTERNAL bool ep_home_is_guest(EpSlice name);

/* May the call leave home? Only then ep_home_check must be called. */
static inline bool ep_home_is_asked(const EpCall *c) {
  if (!c->e->has_guests || c->purpose == EP_FOR_DEFAULTS || c->purpose == EP_FOR_PARSE)
    return false;
  return (c->given & EP_BIT(EP_BASE_URL)) || (c->compiled && c->compiled->t->absolute > 0);
}

/* Raises if the request leaves home while there is a guest that the call does not give itself. The
 * call's headers are given as sorted names; null as a whole cancels those of the defaults. Names
 * the first such header, else the first such parameter, in bytewise order. */
EP_INTERNAL void ep_home_check(lua_State *L, const EpCall *c, const EpName *given, int given_count);

#endif
