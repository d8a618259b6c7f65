/* Credentials of the defaults stay at home: they go to the origin of the default baseUrl
 * alone. */
#ifndef EP_CREDENTIALS_H
#define EP_CREDENTIALS_H

#include <stdbool.h>

#include "compat.h"
#include "slice.h"
#include "symbols.h"
#include "view.h"

/* Is the header of that lower-case name a credential? */
EP_INTERNAL bool ep_credentials_is(EpSlice name);

/* Must ep_credentials_check be asked? Not if the template is relative and the call gives no
 * baseUrl. For merge it must, since merge compiles no template. */
EP_INTERNAL bool ep_credentials_asked(const EpView *v);

/* [-0, +0] Raises if a default header is a credential that the call does not give, and
 * the request has another origin than the default baseUrl, or none. Names the first of them
 * in bytewise order. The names of the headers that the call gives are in order, too. */
EP_INTERNAL void ep_credentials_check(lua_State *L, const EpView *v, const EpName *given,
                                      int given_count);

#endif
