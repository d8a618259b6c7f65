/* The parts of a URL that matter to safety (RFC 3986). Knows nothing of Lua. */
#ifndef EP_URL_H
#define EP_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "percent.h"
#include "slice.h"
#include "symbols.h"

/* Does the byte end a path, or an authority (RFC 3986 sections 3.2 and 3.3)? */
static inline bool ep_url_ends_path(char byte) {
  return byte == '?' || byte == '#';
}

static inline bool ep_url_ends_authority(char byte) {
  return byte == '/' || ep_url_ends_path(byte);
}

/* The bytes before the first "/", "?" or "#". */
static inline size_t ep_url_authority_size(EpSlice text) {
  size_t size = 0;
  while (size < text.size && !ep_url_ends_authority(text.bytes[size]))
    size++;
  return size;
}

/* The bytes of the "/" or "\" that begins at text, in any spelling; 0 if there is none.
 * Servers decode before they remove dot segments, and some take "\" for "/". */
static inline size_t ep_url_separator(const char *text, const char *end) {
  if (*text != '%')
    return *text == '/';
  return ep_percent_is(text, end, '2', 'f') || ep_percent_is(text, end, '5', 'c') ? 3 : 0;
}

/* The bytes of "scheme:" at the start (RFC 3986 section 3.1), 0 if there is none. */
EP_INTERNAL size_t ep_url_scheme(EpSlice url);

/* Does the URL begin with http:, https:, ws:, wss: or ftp:? Clients look for a host in such
 * a URL however many slashes follow (the WHATWG's URL standard, section 4.4). */
EP_INTERNAL bool ep_url_is_special(EpSlice url);

/* Has the URL one of these schemes, and no host in it, userinfo and port aside? */
EP_INTERNAL bool ep_url_lacks_host(EpSlice url);

/* The bytes of "scheme://" at the start, 0 if the URL is not absolute. */
EP_INTERNAL size_t ep_url_absolute(EpSlice url);

/* The bytes of "scheme://authority" at the start, 0 if the URL is not absolute. */
EP_INTERNAL size_t ep_url_origin_size(EpSlice url);

/* Have two URLs the same origin (RFC 6454 section 5): scheme and host in any case, and
 * port, a default port being none? One that is not absolute has no origin. */
EP_INTERNAL bool ep_url_same_origin(EpSlice a, EpSlice b);

/* What is wrong with a base address, as a static text with the 1-based
 * byte where it is wrong, or NULL. It is empty, or begins with a single "/",
 * or is scheme://host..., without "{", "}", "#" and control characters. */
EP_INTERNAL const char *ep_url_base_fault(EpSlice base, size_t *byte);

/* The bytes of a URL before its query and fragment. */
EP_INTERNAL size_t ep_url_path_size(EpSlice url);

/* The bytes of userinfo that begin at *begin, 0 if there is none. For hiding them in any
 * text that may hold a URL, however malformed: rather too many bytes than too few. */
EP_INTERNAL size_t ep_url_userinfo(EpSlice text, size_t *begin);

#endif
