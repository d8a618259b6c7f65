/* What an endpoint knows: a few facts in its userdata, and the fields of its
 * state, a table that only this module sees. And what its functions know. */
#ifndef EP_STATE_H
#define EP_STATE_H

#include <stdbool.h>

#include "options.h"
#include "slice.h"

typedef struct EpEndpoint {
  unsigned defaulted;   /* the options that have a default, as EP_BITs */
  EpSlice base;         /* the default baseUrl percent-encoded, a string of the state */
  size_t base_path;     /* bytes of it before its query */
  int headers;          /* number of default headers */
  bool has_credentials; /* is one a credential, and has the default baseUrl an origin? */
  int parameters;       /* number of default parameters, data among them */
  EpSlice *names;       /* their names, behind this struct; the bytes are the state's */
} EpEndpoint;

/* The state's fields. Its string keys are the members that have been read. */
enum {
  EP_STATE_OPTION = 1, /* the default options, each at EP_STATE_OPTION + option */
  EP_STATE_BASE = EP_STATE_OPTION + EP_OPTION_COUNT, /* the default baseUrl, encoded */
  EP_STATE_HEADERS /* the default headers: name, value, name, value ... */
  /* The default parameters follow in the same way. */
};

/* The field of a default parameter's name; its value is in the next. */
static inline int ep_state_parameter(const EpEndpoint *e, int parameter) {
  return EP_STATE_HEADERS + 2 * (e->headers + parameter);
}

/* The upvalues of every function that endpoint.c makes. */
typedef enum {
  EP_UPVALUE_SELF = 1, /* the endpoint that a member belongs to, else nil */
  EP_UPVALUE_ROUTES,   /* the compiled templates of routes */
  EP_UPVALUE_URLS,     /* the compiled templates of URLs */
  EP_KEY_METHOD,       /* the keys of results: Lua need not look their texts up at each call */
  EP_KEY_URL,
  EP_KEY_HEADERS,
  EP_KEY_BODY,
  EP_KEY_CONTENT_TYPE, /* the header of a body that is the caller's JSON ... */
  EP_JSON,             /* ... and its value (RFC 8259 section 11) */
  EP_UPVALUE_LAST = EP_JSON
} EpUpvalue;

#endif
