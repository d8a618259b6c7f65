/* One call's options over an endpoint's defaults, read in one walk: every option
 * and every variable of the template in its place, the other parameters as pairs.
 * parse and merge consume it, so that their results agree. Of a call with two faults
 * they may name different ones. */
#ifndef EP_CALL_H
#define EP_CALL_H

#include <stdbool.h>

#include "array.h"
#include "cache.h"
#include "compat.h"
#include "core/options.h"
#include "core/route.h"
#include "core/symbols.h"
#include "pairs.h"
#include "state.h"

/* The stack while a call is in use. */
enum {
  EP_CALL_SELF = 1, /* the endpoint */
  EP_ARG_ROUTE,     /* the route or nil */
  EP_ARG_OPTIONS,   /* the caller's table or nil */
  EP_CALL_STATE,    /* the endpoint's state, see state.h */
  EP_CALL_TEMPLATE, /* the userdata that anchors the compiled template; nil until merge needs it */
  EP_CALL_OPTIONS,  /* the options' values, see ep_call_slot */
  EP_CALL_VARIABLES = EP_CALL_OPTIONS + EP_OPTION_COUNT
  /* The left-over parameters follow. */
};

/* The stack index of an option's value while a call is in use. */
static inline int ep_call_slot(EpOption option) {
  return EP_CALL_OPTIONS + (int)option;
}

/* What becomes of the call. */
typedef enum {
  EP_FOR_CALL,    /* request options: template compiled, defaults applied */
  EP_FOR_PARSE,   /* the same without defaults */
  EP_FOR_MERGE,   /* merged options: template untouched */
  EP_FOR_DEFAULTS /* the defaults of an endpoint: as for merge, credentials unchecked */
} EpPurpose;

typedef struct EpCall {
  const EpEndpoint *e;
  const EpCompiled *compiled; /* NULL for merge */
  EpPurpose purpose;
  unsigned given;     /* the options that the call gives, as EP_BITs; null counts */
  unsigned defaulted; /* the options that have a default */
  bool has_route, has_options;
  EpRoute route;       /* the route's parts, if the call has a route */
  EpArray variables;   /* their values, numbered as in the template; nil for none */
  EpPairs leftovers;   /* the parameters that are neither variable nor option */
  int given_leftovers; /* number of those that the call gives; defaults follow them */
} EpCall;

/* [-n, +m] Reads the arguments, of which the stack holds no more than the endpoint besides, finds
 * the template, and reads the options and the defaults. The left-over parameters end on top.
 * Raises on arguments, routes, templates and options that are wrong, and without a url. To find a
 * template takes the upvalues of state.h. */
EP_INTERNAL void ep_call_read(lua_State *L, EpCall *c, EpPurpose purpose);

/* [-0, +0] The call's template, which is compiled here for merge. NULL if it is malformed, which
 * parse refuses. */
EP_INTERNAL const EpTemplate *ep_call_template(lua_State *L, const EpCall *c);

/* [-0, +0] Does the call give the parameter that is the endpoint's default of this number? */
EP_INTERNAL bool ep_call_gives_parameter(lua_State *L, const EpCall *c, int parameter);

/* [-0, +0] Replaces default tables among the left-over parameters and data by deep copies,
 * before they are handed out. */
EP_INTERNAL void ep_call_copy_defaults(lua_State *L, const EpCall *c);

/* Does the call or a default set the option? Its value may be null. */
static inline bool ep_call_has(const EpCall *c, EpOption option) {
  return ((c->given | c->defaulted) & EP_BIT(option)) != 0;
}

/* [-0, +1] Pushes an option: the call's value, else the default; nil if there
 * is none or the call cancels it with null. */
EP_INTERNAL void ep_call_push_option(lua_State *L, const EpCall *c, EpOption option);

/* [-0, +1] Pushes the default of an option; nil if there is none or the call cancels it.
 * For headers and mediaType, whose values are merged with their defaults. */
EP_INTERNAL void ep_call_push_default(lua_State *L, const EpCall *c, EpOption option);

/* [-0, +1] Pushes the method of a route that names none: the option as it was written, else
 * the default, else GET. Raises if it is no token. */
EP_INTERNAL void ep_call_push_method(lua_State *L, const EpCall *c);

#endif
