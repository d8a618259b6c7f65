/* The headers of a call over those of the defaults (RFC 9110 section 5). */
#ifndef EP_HEADERS_H
#define EP_HEADERS_H

#include "call.h"

/* Headers while they are read: those of the call, then the other default ones. */
typedef struct EpHeaders {
  EpPairs given;       /* the call's, with their names in lower case; null among them */
  const EpName *names; /* their names in order */
  int next;            /* the next of them */
  int field, end;      /* the state's field of the next default header, and the end */
  int most;            /* how many there are at most */
} EpHeaders;

/* [-0, +n] Reads the headers of a call. Raises on a name that is no token; on names that
 * differ only in case; on a value that is neither string, finite number, boolean nor list
 * of strings, or that holds CR, LF or NUL; and as ep_credentials_check does. */
EP_INTERNAL void ep_headers_read(lua_State *L, const EpCall *c, EpHeaders *h);

/* [-0, +2] Pushes the next header's name and its value, of a list a copy. Pushes nothing
 * and returns false at the end. null removes a default. */
EP_INTERNAL bool ep_headers_push_next(lua_State *L, EpHeaders *h);

/* [-0, +1] Pushes a new table of the call's headers, with room for `more`. Raises as
 * ep_headers_read does. */
EP_INTERNAL void ep_headers_push(lua_State *L, const EpCall *c, int more);

#endif
