/* One call's options over an endpoint's defaults, read in one walk: every option
 * and every variable of the template in its place, the other parameters as pairs.
 * parse and merge consume it, so that their results agree. Of a call with two faults
 * they may name different ones. */
#ifndef EP_VIEW_H
#define EP_VIEW_H

#include <stdbool.h>

#include "array.h"
#include "cache.h"
#include "compat.h"
#include "options.h"
#include "pairs.h"
#include "route.h"
#include "state.h"
#include "symbols.h"

/* The stack while a view is in use. */
enum {
  EP_VIEW_SELF = 1, /* the endpoint */
  EP_ARG_ROUTE,     /* the route or nil */
  EP_ARG_OPTIONS,   /* the caller's table or nil */
  EP_VIEW_STATE,    /* the endpoint's state, see state.h */
  EP_VIEW_TEMPLATE, /* the userdata that anchors the compiled template; nil until merge needs it */
  EP_VIEW_OPTIONS,  /* the options' values, each at EP_VIEW_OPTIONS + option */
  EP_VIEW_VARIABLES = EP_VIEW_OPTIONS + EP_OPTION_COUNT
  /* The left-over parameters follow. */
};

/* What becomes of the call. */
typedef enum {
  EP_FOR_CALL,    /* request options: template compiled, defaults applied */
  EP_FOR_PARSE,   /* the same without defaults */
  EP_FOR_MERGE,   /* merged options: template untouched */
  EP_FOR_DEFAULTS /* the defaults of an endpoint: as for merge, credentials unchecked */
} EpPurpose;

typedef struct EpView {
  const EpEndpoint *e;
  const EpCompiled *c; /* NULL for merge */
  EpPurpose purpose;
  unsigned given;     /* the options that the call gives, as EP_BITs; null counts */
  unsigned defaulted; /* the options that have a default */
  bool has_route, has_options;
  EpRoute route;       /* the route's parts, if the call has a route */
  EpArray variables;   /* their values, numbered as in the template; nil for none */
  EpPairs leftovers;   /* the parameters that are neither variable nor option */
  int given_leftovers; /* number of those that the call gives; defaults follow them */
} EpView;

/* [-n, +m] Reads the arguments and finds the template: v->c is set. The stack holds the
 * endpoint and the arguments alone, and ends at EP_VIEW_TEMPLATE then. Raises on arguments, routes
 * and templates that are wrong, and without a url. To find a template takes the upvalues of
 * state.h. */
EP_INTERNAL void ep_view_open(lua_State *L, EpView *v, EpPurpose purpose);

/* [-n, +m] Opens the view and reads the options and the defaults. The left-over parameters
 * end on top. Raises on options of a wrong type, too. */
EP_INTERNAL void ep_view_read(lua_State *L, EpView *v, EpPurpose purpose);

/* [-0, +0] The call's template, which is compiled here for merge. NULL if it is malformed, which
 * parse refuses. */
EP_INTERNAL const EpTemplate *ep_view_template(lua_State *L, const EpView *v);

/* [-0, +0] Does the call give the parameter that is the endpoint's default of this number? */
EP_INTERNAL bool ep_view_gives_parameter(lua_State *L, const EpView *v, int parameter);

/* [-0, +0] Replaces default tables among the left-over parameters and data by deep copies,
 * before they are handed out. */
EP_INTERNAL void ep_view_copy_defaults(lua_State *L, const EpView *v);

/* Does the call or a default set the option? Its value may be null. */
static inline bool ep_view_has(const EpView *v, EpOption option) {
  return ((v->given | v->defaulted) & EP_BIT(option)) != 0;
}

/* [-0, +1] Pushes an option: the call's value, else the default; nil if there
 * is none or the call cancels it with null. */
EP_INTERNAL void ep_view_push_option(lua_State *L, const EpView *v, EpOption option);

/* [-0, +1] Pushes the default of an option; nil if there is none or the call cancels it.
 * For headers and mediaType, whose values are merged with their defaults. */
EP_INTERNAL void ep_view_push_default(lua_State *L, const EpView *v, EpOption option);

/* [-0, +1] Pushes the method of a route that names none: the option as it was written, else
 * the default, else GET. Raises if it is no token. */
EP_INTERNAL void ep_view_push_method(lua_State *L, const EpView *v);

#endif
