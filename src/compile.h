/* Reads routes, URLs and methods, and raises on malformed ones. */
#ifndef EP_COMPILE_H
#define EP_COMPILE_H

#include <stdbool.h>

#include "compat.h"
#include "core/route.h"
#include "core/slice.h"
#include "core/symbols.h"
#include "core/template.h"

/* A template and what is known of a call by its route alone. */
typedef struct EpCompiled {
  const EpTemplate *t;
  EpSlice method; /* in lower case; its bytes are NULL if the route names none */
  int known;      /* the row of that method, see route.h */
} EpCompiled;

/* Splits the route at an absolute index, a string. Raises on one without URL, on a method that
 * is no token, and on a URL that begins with a method. */
EP_INTERNAL EpRoute ep_read_route(lua_State *L, int route);

/* Raises if the method is no token (RFC 9110 sections 5.6.2 and 9.1). */
EP_INTERNAL void ep_check_method(lua_State *L, EpSlice method);

/* [-0, +1] Compiles the route or URL at an absolute index, a string, and pushes the
 * EpCompiled, a userdata. Raises on a malformed template, with the reason and the byte,
 * and as ep_read_route does. */
EP_INTERNAL void ep_compile_push(lua_State *L, bool is_route, int text);

#endif
