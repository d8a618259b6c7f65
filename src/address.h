/* Joins the base address and the expanded template. */
#ifndef EP_ADDRESS_H
#define EP_ADDRESS_H

#include <stdbool.h>

#include "buffer.h"
#include "call.h"
#include "core/symbols.h"
#include "core/url.h"

/* [-0, +1] Pushes the base address at an absolute index, a string, percent-encoded, and returns
 * its parts. Raises if it is malformed, without quoting it. */
EP_INTERNAL EpUrlBase ep_address_push_base(lua_State *L, int base);

/* [-0, +0] Writes the URL of the call: the expanded template, behind the baseUrl if it is not
 * absolute; and with the left-over parameters as query if that is where the method sends them.
 * Raises as ep_expand does, without a baseUrl that is needed, and if the guard finds a fault. */
EP_INTERNAL void ep_address_write(lua_State *L, EpBuffer *out, EpCall *c, bool sends_query);

#endif
