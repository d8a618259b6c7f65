/* SPDX-License-Identifier: MIT */
/* Routes ("<METHOD> <URL>", or only a URL), what each method sends, and the names of options. Knows
 * nothing of Lua. */
#ifndef EP_ROUTE_H
#define EP_ROUTE_H

#include "slice.h"

typedef struct EpRoute {
  EpSlice method; /* its bytes are NULL if the route names no method */
  EpSlice url;    /* empty if the route has no URL */
} EpRoute;

/* Splits a route at its first run of white space, without the white space around the route. */
EP_INTERNAL EpRoute ep_route_split(EpSlice text);

/* Finds a mistake in a route, as in "POST POST /x" or "GET/x". Returns the standard method in upper
 * case at the start of the URL if white space or "/" follows it. Otherwise the slice is empty. */
EP_INTERNAL EpSlice ep_route_misplaced_method(EpSlice url);

/* Is the text a token (RFC 9110 section 5.6.2)? */
EP_INTERNAL bool ep_route_is_token(EpSlice text);

/* What a method sends besides the URL. */
typedef enum {
  EP_SENDS_QUERY,     /* left-over parameters as query; no body */
  EP_SENDS_BODY,      /* left-over parameters or data as body */
  EP_SENDS_DATA_ONLY, /* data as body; no left-over parameters */
  EP_SENDS_NOTHING    /* no body and no left-over parameters */
} EpSends;

typedef struct EpMethod {
  const char *name;
  EpSends sends;
} EpMethod;

/* The standard methods. The last row has no name and is for all other methods. */
enum { EP_METHODS = 10 };
extern EP_HIDDEN const EpMethod ep_methods[EP_METHODS + 1];

/* Returns the index of the method's row in ep_methods. The case of letters is ignored. */
EP_INTERNAL int ep_route_method(EpSlice method);

/* The options of a call and their names, in the order of their stack slots (see ep_call_slot in
 * call.h). */
/* clang-format off */
#define EP_OPTIONS(X) \
  X(EP_METHOD, "method") \
  X(EP_URL, "url") \
  X(EP_BASE_URL, "baseUrl") \
  X(EP_HEADERS, "headers") \
  X(EP_MEDIA_TYPE, "mediaType") \
  X(EP_DATA, "data") \
  X(EP_REQUEST, "request")
/* clang-format on */

#define EP_OPTION_OF(option, name) option,
typedef enum { EP_OPTIONS(EP_OPTION_OF) EP_OPTION_COUNT } EpOption;

/* The bit of an option in a set of options. */
#define EP_BIT(option) (1u << (option))

/* Each ends with a NUL. */
extern EP_HIDDEN const EpSlice ep_option_names[EP_OPTION_COUNT];

/* The option of that name; EP_OPTION_COUNT if there is none. */
EP_INTERNAL EpOption ep_option_find(EpSlice name);

/* Is the key the option's name when case, "-" and "_" are ignored? */
EP_INTERNAL bool ep_option_resembles(EpOption option, EpSlice key);

#endif
