/* What an endpoint knows: a few facts in its userdata, and the fields of its
 * state, a table that only this module sees. And what its functions know. */
#ifndef EP_STATE_H
#define EP_STATE_H

#include <stdbool.h>

#include "names.h"
#include "options.h"

typedef struct EpEndpoint {
  unsigned defaulted;   /* the options that have a default, as EP_BITs */
  EpSlice base;         /* the default baseUrl percent-encoded: its state's string */
  size_t base_path;     /* bytes before its query */
  int headers;          /* number of default headers */
  bool header_lists;    /* is the value of one a list? */
  bool has_credentials; /* is one a credential, and has the default baseUrl an origin? */
  int parameters;       /* number of default parameters, data among them */
  const EpName *names;  /* theirs, behind this: the texts are its state's strings */
} EpEndpoint;

enum {
  /* From 1 on the default options by their slots: EP_STATE_OPTION + option. */
  EP_STATE_OPTION = 1,
  EP_STATE_BASE = EP_STATE_OPTION + EP_OPTION_COUNT, /* string, the default baseUrl encoded */
  EP_STATE_CACHE,                                    /* the compiled templates */
  EP_STATE_MEMBERS,                                  /* what can be read from the endpoint */
  EP_STATE_CLASS,                                    /* the metatable of endpoints */
  EP_STATE_HEADERS /* from here on the default headers: name, value, name, value ... */
  /* Behind them the default parameters likewise. */
};

/* The field of a default parameter's name; its value is in the next. */
static inline int ep_state_parameter(const EpEndpoint *e, int parameter) {
  return EP_STATE_HEADERS + 2 * (e->headers + parameter);
}

/* The upvalues of every function that endpoint.c makes. */
typedef enum {
  EP_UPVALUE_SELF = 1, /* its endpoint, if it has one of its own, else nil */
  EP_UPVALUE_CACHE,    /* the compiled templates */
  EP_KEY_METHOD,       /* the keys of results: Lua need not look their texts up at each call */
  EP_KEY_URL,
  EP_KEY_HEADERS,
  EP_KEY_BODY,
  EP_KEY_CONTENT_TYPE, /* the header of a body that is the caller's JSON ... */
  EP_JSON,             /* ... and its value (RFC 8259 section 11) */
  EP_UPVALUE_LAST = EP_JSON
} EpUpvalue;

#endif
