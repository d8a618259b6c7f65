/* The parts of a URL that matter to safety (RFC 3986). Knows nothing of Lua. */
#ifndef EP_URL_H
#define EP_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "symbols.h"

/* The bytes of "scheme:" at the start (RFC 3986 section 3.1), 0 if there is none. */
EP_INTERNAL size_t ep_url_scheme(const char *url, size_t size);

/* Is the scheme, a URL's first bytes with the ":", one whose URLs have a host
 * however many slashes follow (the special schemes of the WHATWG's URL standard)? */
EP_INTERNAL bool ep_url_is_special(const char *scheme, size_t size);

/* The bytes of "scheme://" at the start, 0 if the URL is not absolute. */
EP_INTERNAL size_t ep_url_absolute(const char *url, size_t size);

/* What is wrong with a base address, as a static text with the 1-based
 * byte where it is wrong, or NULL. It is empty, or begins with a single "/",
 * or is scheme://host..., without "{", "}", "?", "#" and control characters. */
EP_INTERNAL const char *ep_url_base_fault(const char *base, size_t size, size_t *byte);

/* Is the path segment that begins at text "." or "..", "%2e" being a "."? It ends
 * at "/", "?", "#" and, as servers read it, at ";". */
EP_INTERNAL bool ep_url_is_dots(const char *text, const char *end);

/* The bytes before the last "@" between the first "://", or else "//", and the
 * next "/"; 0 if there are none. For hiding them, so any text that holds a URL
 * will do, and rather too many bytes than too few. */
EP_INTERNAL size_t ep_url_userinfo(const char *url, size_t size, size_t *begin);

#endif
