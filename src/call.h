/* SPDX-License-Identifier: MIT */
/* The options of one call, over the defaults of its endpoint. All of them are read once: each
 * option and each variable of the template gets its stack slot, and all other parameters become
 * pairs. parse, merge and defaults use this. If a call has two errors, parse and merge may report
 * different ones. */
#ifndef EP_CALL_H
#define EP_CALL_H

#include "compile.h"
#include "pairs.h"
#include "value.h"

/* Every endpoint points here, and no other userdata does. */
extern EP_HIDDEN const char ep_endpoint_mark;

/* The default parameters' names follow this struct, see ep_endpoint_names. */
typedef struct EpEndpoint {
  const char *mark;   /* &ep_endpoint_mark */
  unsigned defaulted; /* the options that have a default, as EP_BITs */
  EpSlice base;       /* the default baseUrl percent-encoded, a string of the state */
  size_t base_origin; /* bytes of its scheme://authority, 0 without one */
  bool is_bound;      /* has it a home and an origin-bound default? See home.h. */
  int headers;        /* number of default headers */
  int parameters;     /* number of default parameters */
} EpEndpoint;

EP_ALIGNS(EpEndpoint, EpName);

/* The default parameters' names, sorted. The state keeps their bytes. */
static inline EpName *ep_endpoint_names(const EpEndpoint *e) {
  return (EpName *)(e + 1);
}

/* The integer keys of an endpoint's state, a table that only this module can reach. Its string keys
 * are members that were read. */
enum {
  EP_STATE_OPTION = 1, /* the default options, each at EP_STATE_OPTION + option */
  EP_STATE_BASE = EP_STATE_OPTION + EP_OPTION_COUNT, /* the default baseUrl, encoded */
  EP_STATE_METATABLES, /* of the tables in the defaults, see merge.h; nil without any */
  EP_STATE_HEADERS     /* the default headers, sorted: name, value, name, value ... */
  /* The default parameters follow in the same way. */
};

/* The key of a default parameter's name in the state. Its value has the next key. */
static inline int ep_state_parameter(const EpEndpoint *e, int parameter) {
  return EP_STATE_HEADERS + 2 * (e->headers + parameter);
}

/* The upvalues of every function that endpoint.c makes. */
enum {
  EP_UPVALUE_SELF = 1, /* the endpoint that a member belongs to; otherwise nil */
  EP_UPVALUE_ROUTES,   /* the compiled templates of routes */
  EP_UPVALUE_URLS,     /* the compiled templates of URLs */
  /* Strings that exist already. To make them again takes 3 to 5 % more instructions a call. */
  EP_UPVALUE_OPTION, /* the options' names, each at EP_UPVALUE_OPTION + option */
  EP_UPVALUE_BODY = EP_UPVALUE_OPTION + (int)EP_OPTION_COUNT, /* "body" */
  EP_UPVALUE_CONTENT_TYPE,                                    /* "content-type" */
  EP_UPVALUE_JSON,   /* its value for a body that is to be encoded as JSON */
  EP_UPVALUE_METHOD, /* the standard methods in lower case, each at EP_UPVALUE_METHOD + row */
  EP_UPVALUE_LAST = EP_UPVALUE_METHOD + EP_METHODS - 1
};

/* [-0, +1] Pushes the name of an option. Only for functions that have these upvalues. */
static inline void ep_push_option_name(lua_State *L, EpOption option) {
  lua_pushvalue(L, lua_upvalueindex(EP_UPVALUE_OPTION + (int)option));
}

/* The stack while a call is in use. */
enum {
  EP_CALL_SELF = 1, /* the endpoint */
  EP_ARG_ROUTE,     /* the route or nil */
  EP_ARG_OPTIONS,   /* the caller's table or nil */
  EP_CALL_STATE,    /* the endpoint's state */
  EP_CALL_URL,      /* the url option or its default; nil if there is a route or no url, or null */
  EP_CALL_TEMPLATE, /* the userdata that keeps the compiled template, or nil */
  EP_CALL_SCRATCH,  /* keeps a temporary userdata */
  EP_CALL_OPTIONS,  /* what the call gives the options, see ep_call_slot */
  EP_CALL_VALUES = EP_CALL_OPTIONS + EP_OPTION_COUNT
  /* The values of the variables follow; nil if a variable has none. The left-over parameters follow
   * them. */
};

/* The stack index of what the call gives an option. */
static inline int ep_call_slot(EpOption option) {
  return EP_CALL_OPTIONS + (int)option;
}

/* [-0, +0] Returns the endpoint at EP_CALL_SELF. Raises if another value is there: the debug
 * library hands out metamethods, and changes the upvalues of members. */
EP_INTERNAL const EpEndpoint *ep_call_self(lua_State *L);

typedef struct EpCall EpCall;

/* What a member of an endpoint does with a call. endpoint.c has a row for each. */
typedef struct EpPurpose {
  const char *options_alone; /* what an error expects instead of a route; NULL if one is allowed */
  bool needs_options;        /* must the options be given? */
  bool compiles_url;         /* is the url a template? */
  bool needs_url;            /* must there be a url? */
  bool fills_variables; /* do the variables get values? If not, all parameters are left over. */
  bool has_defaults;    /* do the endpoint's defaults apply? */
  bool stays_home;      /* must origin-bound defaults not leave home? See home.h. */
  void (*push_result)(lua_State *L, EpCall *c); /* [-0, +1] */
} EpPurpose;

/* The names of defaults that an error lists at most. */
enum { EP_KEPT = 8 };

struct EpCall {
  const EpEndpoint *e;
  const EpCompiled *compiled; /* NULL if there is no url, and if it is not compiled */
  const EpPurpose *purpose;
  unsigned given;     /* the options that the call gives, as EP_BITs; null is given, too */
  unsigned defaulted; /* the options that have a default */
  bool has_route, has_options;
  bool has_default_url; /* is the url the default one? */
  int value_count;      /* number of the variables' values; 0 if all parameters are left over */
  EpPairs leftovers;    /* the parameters that are neither variable nor option */
  int given_leftovers;  /* number of those that the call gives; defaults follow them */
  EpPairs headers; /* the call's headers, see ep_headers_given; -1 of them before they are read */
  EpSlice kept[EP_KEPT]; /* of data and the default parameters that the call does not give: the
                            first in their order, data before or after the others */
  int kept_count;
};

/* Reads the arguments of a call. The stack must hold the endpoint and the arguments, and nothing
 * else. Finds the template, and reads the options and the defaults. The left-over parameters are on
 * top of the stack afterwards. Raises if an argument or an option is wrong, and if a url is needed
 * and missing. Only for functions that have the upvalues above. */
EP_INTERNAL void ep_call_read(lua_State *L, EpCall *c, const EpPurpose *purpose);

/* Does the call or a default set the option? Its value may be null. */
static inline bool ep_call_has(const EpCall *c, EpOption option) {
  return ((c->given | c->defaulted) & EP_BIT(option)) != 0;
}

/* Of the options, only data has a default that must not leave home (see home.h), and that is copied
 * when an endpoint takes it and before a caller gets it. The others are strings; headers and
 * mediaType, which are merged into new tables; and request, which is the same value everywhere.
 * Refuses to compile when there is one more option, until both is decided of it. */
typedef char EpOptionsThatAreDecided[EP_OPTION_COUNT == 7 ? 1 : -1];

/* Is there a default of the option, and no value of the call? */
static inline bool ep_call_has_default(const EpCall *c, EpOption option) {
  return (c->defaulted & ~c->given & EP_BIT(option)) != 0;
}

/* [-0, +1] Pushes an option: the call's value, otherwise the default. Pushes nil if there is
 * neither, or if the call cancels the default with null. For headers and mediaType it pushes only
 * the call's value if there is one; the default is not merged in. */
EP_INTERNAL void ep_call_push_option(lua_State *L, const EpCall *c, EpOption option);

/* Is there a default of the option, and does the call not cancel it with null? */
static inline bool ep_call_keeps_default(lua_State *L, const EpCall *c, EpOption option) {
  const bool is_cancelled = (c->given & EP_BIT(option)) && ep_is_null(L, ep_call_slot(option));
  return (c->defaulted & EP_BIT(option)) && !is_cancelled;
}

/* [-0, +1] Pushes the default of an option; nil if there is none or the call cancels it. */
EP_INTERNAL void ep_call_push_default(lua_State *L, const EpCall *c, EpOption option);

/* [-0, +2] Pushes the name and the value of the next default header, in bytewise order of the
 * names. *at must be 0 before the first one. [-0, +0] Returns false after the last one, and if the
 * call cancels all default headers. */
static inline bool ep_call_next_header(lua_State *L, const EpCall *c, int *at) {
  if (*at == c->e->headers || (*at == 0 && !ep_call_keeps_default(L, c, EP_HEADERS)))
    return false;
  lua_rawgeti(L, EP_CALL_STATE, EP_STATE_HEADERS + 2 * *at);
  lua_rawgeti(L, EP_CALL_STATE, EP_STATE_HEADERS + 2 * *at + 1);
  ++*at;
  return true;
}

/* [-0, +1] Pushes the method as it was written: the route's, otherwise the option, otherwise the
 * default, otherwise GET. Raises if it is not a token (RFC 9110 section 9.1). */
EP_INTERNAL void ep_call_push_method(lua_State *L, const EpCall *c);

/* [-0, +0] Returns the index of the method's row in ep_methods. Raises if the method is not a
 * token. */
EP_INTERNAL int ep_call_method(lua_State *L, const EpCall *c);

#endif
