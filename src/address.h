/* Base address and expanded template -> URL. */
#ifndef EP_ADDRESS_H
#define EP_ADDRESS_H

#include <stdbool.h>

#include "buffer.h"
#include "symbols.h"
#include "view.h"

/* [-0, +1] Pushes the base address at an absolute index, a string,
 * percent-encoded. Raises if it is none; its text is never quoted. */
EP_INTERNAL void ep_address_push_base(lua_State *L, int base);

/* [-0, +0] Writes the URL of the view: the expanded template, behind the
 * baseUrl if it is not absolute. Returns whether it holds a "?" or "#". Raises as
 * ep_expand does, if there is no baseUrl, and if values would make the URL point to
 * another host. */
EP_INTERNAL bool ep_address_build(lua_State *L, EpBuffer *out, const EpView *v);

#endif
