/* Credentials stay at home: those of the default headers go to the origin of the default
 * baseUrl alone. */
#ifndef EP_CREDENTIALS_H
#define EP_CREDENTIALS_H

#include <stdbool.h>

#include "compat.h"
#include "slice.h"
#include "symbols.h"
#include "view.h"

/* Is a header a credential? The name is in lower case. */
EP_INTERNAL bool ep_credentials_is(EpSlice name);

/* Must ep_credentials_check be called? Not if the template is known to be relative and the
 * call gives no baseUrl. */
EP_INTERNAL bool ep_credentials_asked(const EpView *v);

/* [-0, +0] Raises if the request has another origin than the default baseUrl, or none, and a
 * default header is a credential that the call's headers, whose names are given in order, do
 * not replace. Names the first such header in bytewise order. */
EP_INTERNAL void ep_credentials_check(lua_State *L, const EpView *v, const EpName *given,
                                      int given_count);

#endif
