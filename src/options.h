/* The option names, and the two that a route can carry: method and url. */
#ifndef EP_OPTIONS_H
#define EP_OPTIONS_H

#include "compat.h"
#include "route.h"
#include "slice.h"
#include "symbols.h"

/* The options in the order of their slots. */
typedef enum {
  EP_METHOD,
  EP_URL,
  EP_BASE_URL,
  EP_HEADERS,
  EP_MEDIA_TYPE,
  EP_DATA,
  EP_REQUEST,
  EP_OPTION_COUNT
} EpOption;

/* A set of options: the bits of those in it. */
#define EP_BIT(option) (1u << (option))

EP_INTERNAL extern const char *const ep_option_names[EP_OPTION_COUNT];

/* The option of that name; EP_OPTION_COUNT if there is none. */
EP_INTERNAL EpOption ep_option_find(EpSlice name);

/* Splits the route at an absolute index, a string. Raises on one without URL and on
 * a method that is no token. */
EP_INTERNAL EpRoute ep_read_route(lua_State *L, int route);

/* [-0, +1] Pushes the method at an absolute index, a string, in upper case.
 * Raises if it is no token (RFC 9110 sections 5.6.2 and 9.1). */
EP_INTERNAL void ep_push_method(lua_State *L, int method);

#endif
