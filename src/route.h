/* A route, "<METHOD> <URL>" or a URL alone, and what a method means for the
 * request. Knows nothing of Lua. */
#ifndef EP_ROUTE_H
#define EP_ROUTE_H

#include <stdbool.h>

#include "slice.h"
#include "symbols.h"

typedef struct EpRoute {
  EpSlice method; /* its bytes are NULL if the route names none */
  EpSlice url;    /* empty if the route has none */
} EpRoute;

/* Splits a route: surrounding white space is trimmed, the first run of white
 * space ends the method. */
EP_INTERNAL EpRoute ep_route_split(EpSlice text);

/* A token of RFC 9110 section 5.6.2? */
EP_INTERNAL bool ep_route_is_token(EpSlice text);

/* What a method sends besides the URL. */
typedef enum {
  EP_SENDS_QUERY,  /* left-over parameters in the query, no body */
  EP_SENDS_BODY,   /* left-over parameters as body, or data */
  EP_SENDS_DATA,   /* data as body; no left-over parameters */
  EP_SENDS_NOTHING /* neither */
} EpSends;

/* What a method, in any case of letters, sends. */
EP_INTERNAL EpSends ep_route_sends(EpSlice method);

#endif
