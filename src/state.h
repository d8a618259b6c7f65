/* What an endpoint knows: a few facts in its userdata, and the fields of its
 * state, a table that only this module sees. And what its functions know. */
#ifndef EP_STATE_H
#define EP_STATE_H

#include "compat.h"
#include "core/options.h"
#include "core/route.h"
#include "core/slice.h"
#include "core/url.h"

typedef struct EpEndpoint {
  unsigned defaulted;   /* the options that have a default, as EP_BITs */
  EpSlice base;         /* the default baseUrl percent-encoded, a string of the state */
  EpUrlBase base_parts; /* of that text */
  int headers;          /* number of default headers */
  int parameters;       /* number of default parameters, data among them */
  bool has_credentials; /* is one of these a credential, and has the baseUrl an origin? */
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
enum {
  EP_UPVALUE_SELF = 1, /* the endpoint that a member belongs to, else nil */
  EP_UPVALUE_ROUTES,   /* the compiled templates of routes */
  EP_UPVALUE_URLS,     /* the compiled templates of URLs */
  /* Strings that are ready, so that no call makes them of their bytes: */
  EP_UPVALUE_OPTION, /* the options' names, each at EP_UPVALUE_OPTION + option */
  EP_UPVALUE_BODY = EP_UPVALUE_OPTION + (int)EP_OPTION_COUNT, /* "body" */
  EP_UPVALUE_CONTENT_TYPE,                                    /* "content-type" */
  EP_UPVALUE_JSON,   /* its value for a body to be encoded */
  EP_UPVALUE_METHOD, /* the standard methods in lower case, each at EP_UPVALUE_METHOD + row */
  EP_UPVALUE_LAST = EP_UPVALUE_METHOD + EP_METHODS - 1
};

/* [-0, +1] Pushes the name of an option. For functions with these upvalues. */
static inline void ep_push_option_name(lua_State *L, EpOption option) {
  lua_pushvalue(L, lua_upvalueindex(EP_UPVALUE_OPTION + (int)option));
}

#endif
