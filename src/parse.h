/* A view -> request options. */
#ifndef EP_PARSE_H
#define EP_PARSE_H

#include "compat.h"
#include "symbols.h"
#include "view.h"

/* The upvalues of every function that endpoint.c makes: its endpoint, if it has
 * one of its own, and the keys of results. */
typedef enum {
  EP_UPVALUE_SELF = 1,
  EP_KEY_METHOD,
  EP_KEY_URL,
  EP_KEY_HEADERS,
  EP_KEY_BODY,
  EP_UPVALUE_LAST = EP_KEY_BODY
} EpUpvalue;

/* [-1, +1] Pushes the function, with the endpoint on top (or nil) as its own. */
EP_INTERNAL void ep_push_function(lua_State *L, lua_CFunction function);

/* [-0, +1] Pushes a new table of request options: method, url, headers, body
 * and request. For such functions alone. */
EP_INTERNAL void ep_parse_push(lua_State *L, const EpView *v);

#endif
