/* One call's options over an endpoint's defaults, read in one walk: every
 * option and every variable of the template in its place, the other parameters
 * as pairs. parse and merge consume it, so that their results agree; of a call with
 * two faults they may name different ones. */
#ifndef EP_VIEW_H
#define EP_VIEW_H

#include <stdbool.h>

#include "cache.h"
#include "compat.h"
#include "options.h"
#include "pairs.h"
#include "state.h"
#include "symbols.h"

/* The stack while a view is in use. */
enum {
  EP_VIEW_SELF = 1,   /* the endpoint */
  EP_ARG_ROUTE,       /* the route; without one the url once it is known, or nil */
  EP_ARG_OPTIONS,     /* the caller's table or nil */
  EP_VIEW_STATE,      /* the endpoint's state, see state.h */
  EP_VIEW_GENERATION, /* where the template was found, for merge nil */
  EP_VIEW_TEMPLATE,   /* its userdata, for merge nil */
  EP_VIEW_MEMO,       /* of the copies of default tables, once there are any */
  EP_VIEW_BUFFER,     /* the anchor of buffers */
  EP_VIEW_REST,       /* the table of the left-over parameters, if they are many */
  EP_VIEW_NAMES,      /* the anchor of their names in order, if they are many */
  EP_VIEW_MOVED,      /* the table that they have moved into: a body or merged options */
  EP_VIEW_VARIABLES,  /* the table of the variables' values, if they are many */
  EP_VIEW_OPTIONS,    /* the options' values */
  EP_VIEW_FEW = EP_VIEW_OPTIONS + EP_OPTION_COUNT /* the variables' if they are few */
};

/* What becomes of the call. */
typedef enum {
  EP_FOR_CALL,    /* request options: template compiled, defaults applied */
  EP_FOR_PARSE,   /* the same without defaults */
  EP_FOR_MERGE,   /* merged options: template untouched */
  EP_FOR_DEFAULTS /* merged options that become an endpoint's, or show them */
} EpPurpose;

typedef struct EpView {
  const EpEndpoint *e;
  const EpCompiled *c; /* NULL for merge */
  EpPurpose purpose;
  unsigned given;     /* the options that the call gives, as EP_BITs; null counts, and a
                       * default data too */
  unsigned defaulted; /* the options that have a default */
  bool has_route, has_options, many_variables;
  int variables; /* their number */
  EpPairs rest;  /* left-over parameters */
} EpView;

/* Reads the arguments and finds the template, as ep_view_read does first: after it v->c is
 * what was found. Leaves the stack up to EP_VIEW_TEMPLATE. */
EP_INTERNAL void ep_view_open(lua_State *L, EpView *v, EpPurpose purpose);

/* Reads the call: the endpoint, the two arguments and the state are all of the
 * stack. For functions with the upvalues of state.h alone; merge does without.
 * Leaves the last of the left-over parameters on top. Raises on whatever is wrong
 * with the arguments, the route and the types of options. */
EP_INTERNAL void ep_view_read(lua_State *L, EpView *v, EpPurpose purpose);

/* [-0, +0|1] The absolute index of the value of a variable, counted as the
 * template does; nil if it has none. It is pushed if it lies in a table. */
EP_INTERNAL int ep_view_variable(lua_State *L, const EpView *v, int variable);

/* Is there an option, of the call's or by default? It may be null. */
EP_INTERNAL bool ep_view_has(const EpView *v, EpOption option);

/* [-0, +1] Pushes an option: the call's value, else the default; nil if there
 * is none or the call cancels it with null. */
EP_INTERNAL void ep_view_push_option(lua_State *L, const EpView *v, EpOption option);

/* [-0, +1] Pushes the default of an option; nil if there is none or the call
 * cancels it. For the two options that are merged with theirs. */
EP_INTERNAL void ep_view_push_default(lua_State *L, const EpView *v, EpOption option);

/* [-0, +1] Pushes the method in upper case: the call's, else the default,
 * else GET. Raises if it is no token. */
EP_INTERNAL void ep_view_push_method(lua_State *L, const EpView *v);

#endif
