/* Joins the base address and the expanded template. */
#ifndef EP_ADDRESS_H
#define EP_ADDRESS_H

#include <stdbool.h>

#include "buffer.h"
#include "symbols.h"
#include "view.h"

/* [-0, +1] Pushes the base address at an absolute index, a string, percent-encoded. Raises if
 * it is malformed, without quoting it. */
EP_INTERNAL void ep_address_push_base(lua_State *L, int base);

/* [-0, +0] Writes the URL of the view: the expanded template, behind the baseUrl if it is not
 * absolute. Returns whether the URL holds a "?" or "#". Raises as ep_expand does, without a
 * baseUrl that is needed, and if values would change the host. */
EP_INTERNAL bool ep_address_build(lua_State *L, EpBuffer *out, const EpView *v);

#endif
