/* Credentials of the defaults go home alone: to the origin of the default baseUrl. */
#ifndef EP_CREDENTIALS_H
#define EP_CREDENTIALS_H

#include <stdbool.h>

#include "call.h"
#include "compat.h"
#include "core/slice.h"
#include "core/symbols.h"

/* Is a header or parameter of this name a credential? Case, "-" and "_" do not count. */
EP_INTERNAL bool ep_credentials_is(EpSlice name);

/* Must ep_credentials_check be called? Not if the template is known to be relative and the
 * call gives no baseUrl. */
EP_INTERNAL bool ep_credentials_asked(const EpCall *c);

/* [-0, +0] Raises if the request leaves home while a default header or parameter is a
 * credential that the call does not give itself. The call's headers are given as sorted names,
 * NULL if null cancels those of the defaults. Names the first such header, else the first such
 * parameter, in bytewise order. */
EP_INTERNAL void ep_credentials_check(lua_State *L, const EpCall *c, const EpName *given,
                                      int given_count, bool has_default_headers);

#endif
