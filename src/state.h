/* What an endpoint knows: a few facts in its userdata, and the fields of its
 * state, a table that only this module sees. */
#ifndef EP_STATE_H
#define EP_STATE_H

#include <stdbool.h>

#include "options.h"

typedef struct EpEndpoint {
  unsigned defaulted; /* the options that have a default, as EP_BITs */
  int headers;        /* number of default headers */
  bool header_lists;  /* is the value of one a list? */
} EpEndpoint;

enum {
  /* From 1 on the default options by their slots: EP_STATE_OPTION + option. */
  EP_STATE_OPTION = 1,
  EP_STATE_PARAMETERS = EP_STATE_OPTION + EP_OPTION_COUNT, /* table, data among them */
  EP_STATE_BASE,    /* string, the default baseUrl percent-encoded */
  EP_STATE_HEADERS, /* list of the default headers: name, value, name, value ... */
  EP_STATE_CACHE,   /* the compiled templates */
  EP_STATE_MEMBERS, /* what can be read from the endpoint */
  EP_STATE_CLASS,   /* the metatable of endpoints */
  EP_STATE_LAST = EP_STATE_CLASS
};

#endif
