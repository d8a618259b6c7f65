/* The headers of a call over those of the defaults (RFC 9110 section 5). */
#ifndef EP_HEADERS_H
#define EP_HEADERS_H

#include "call.h"

/* The headers of a call, by number: its own, then the default ones. */
typedef struct EpHeaders {
  EpPairs given;       /* its own, with their names in lower case; null among them */
  const EpName *names; /* their names in order */
  int count;           /* of all headers, those included that do not count, see ep_header_push */
} EpHeaders;

/* [-0, +n] Reads the headers in the table at an absolute index, with their names in lower case,
 * lists copied. Null among them stays. Returns whether a name had an upper-case letter: otherwise
 * no two names can differ only in case. Raises as ep_headers_read does, but not on such names. */
EP_INTERNAL bool ep_headers_read_table(lua_State *L, EpPairs *headers, int table);

/* Raises if two of the names, which are in order, are equal. */
EP_INTERNAL void ep_headers_check_once(lua_State *L, const EpName *names, int count);

/* [-0, +n] Reads the headers of a call. Raises on a name that is no token; on names that
 * differ only in case; on a value that is neither string, finite number, boolean nor list
 * of strings, or that holds CR, LF or NUL; and as ep_credentials_check does. */
EP_INTERNAL void ep_headers_read(lua_State *L, const EpCall *c, EpHeaders *h);

/* [-0, +2] Pushes a header's name and its value, of a list a copy. Pushes nothing and returns
 * false for null, and for a default that the call replaces or removes. */
EP_INTERNAL bool ep_header_push(lua_State *L, const EpHeaders *h, int number);

/* [-0, +1] Pushes a new table of the call's headers, with room for `more`. Raises as
 * ep_headers_read does. */
EP_INTERNAL void ep_headers_push(lua_State *L, const EpCall *c, int more);

#endif
