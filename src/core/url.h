/* SPDX-License-Identifier: MIT */
/* The parts of a URL that matter for safety (RFC 3986), and the segments of a path as servers read
 * them. Servers decode a path before they split it, drop what follows ";", and remove dot segments.
 * A proxy before the server may do the same once more. Knows nothing of Lua. */
#ifndef EP_URL_H
#define EP_URL_H

#include "bytes.h"

/* Does the byte end a path (RFC 3986 section 3.3)? */
static inline bool ep_url_ends_path(char byte) {
  return byte == '?' || byte == '#';
}

/* The size of "scheme:" at the start, in bytes (RFC 3986 section 3.1); 0 if there is no scheme. */
EP_INTERNAL size_t ep_url_scheme(EpSlice url);

/* Does the URL begin with http:, https:, ws:, wss: or ftp:? After these schemes clients look for a
 * host, however many slashes follow (the WHATWG's URL standard, section 4.4). */
EP_INTERNAL bool ep_url_is_special(EpSlice url);

/* The size of "scheme://" at the start, in bytes; 0 if the URL is not absolute. */
EP_INTERNAL size_t ep_url_absolute(EpSlice url);

/* The parts of "scheme://userinfo@host:port" at the start of a URL. `size` is the size of the whole
 * in bytes; 0 if the URL is not absolute. The scheme includes its ":", the userinfo includes its
 * "@", and an address includes its brackets, as in "[::1]". */
typedef struct EpOrigin {
  size_t size;
  EpSlice scheme, userinfo, host, port;
} EpOrigin;

EP_INTERNAL EpOrigin ep_url_read_origin(EpSlice url);

enum { EP_URL_GREATEST_PORT = 65535 };

/* The port. Without one, the scheme's default; -1 if the scheme has no default. The result is above
 * 65535 if the port is malformed. */
EP_INTERNAL int ep_url_port(const EpOrigin *o);

/* Returns NULL if `url` has the origin of `home` (RFC 6454 section 5) and no userinfo other than
 * that of `home`. Otherwise returns what differs: "scheme", "host", "port" or "userinfo". The case
 * of letters is ignored, except in the userinfo. No port means the scheme's default port. The
 * authority of an absolute URL must have been checked before. */
EP_INTERNAL const char *ep_url_difference(EpSlice url, EpSlice home);

/* The authority of an absolute URL: the text between "://" and the path. */
static inline EpSlice ep_url_authority(const EpOrigin *o) {
  return ep_slice(o->userinfo.bytes, o->size - o->scheme.size - 2);
}

/* Checks an authority. Returns what is wrong as a static text, and sets *offset to the place of the
 * wrong byte. Returns NULL if the authority is right. Templates, base addresses and results are all
 * checked by this function.
 * - The userinfo is before the only "@". It has unreserved bytes, sub-delims, ":" and triplets (RFC
 *   3986 section 3.2.1).
 * - The host is a name of unreserved bytes and sub-delims, or an IPv6 address in brackets (section
 *   3.2.2). No client sends an IPvFuture. It may be empty unless needs_host is true.
 * - The port is digits, at most 65535, or nothing.
 * Text in braces is an expression of a template. It may be anywhere but in an address in brackets.
 * What it writes is checked in the result. */
EP_INTERNAL const char *ep_url_authority_fault(EpSlice authority, bool needs_host, size_t *offset);

/* Checks a base address. Returns what is wrong as a static text, and sets *byte to the position of
 * the wrong byte; the first byte is 1. Returns NULL if the base address is right: it is empty, a
 * path that begins with a single "/", or scheme://host..., and it has no "{", "}", "?" or "#", no
 * control characters and no dot segments. Sets *origin to the size of its scheme://authority in
 * bytes, or to 0. */
EP_INTERNAL const char *ep_url_base_fault(EpSlice base, size_t *origin, size_t *byte);

/* What a byte, or a triplet that encodes it, means in a path. */
typedef enum {
  EP_MARK_TEXT = 't',
  EP_MARK_DOT = '.',
  EP_MARK_SEPARATOR = '/', /* and "\": separate segments */
  EP_MARK_SEMICOLON = ';', /* ends the part of a segment that counts */
  EP_MARK_DELIMITER =
      '?',             /* an encoded "?" or "#": ends a dot segment, since some servers cut there */
  EP_MARK_BLANK = 'b', /* 0x00 to 0x20 and 0x7F: does not count, and ends a dot segment */
  EP_MARK_DELETED = 'd', /* TAB, LF, CR: a blank that is ignored before dots */
  EP_MARK_PERCENT = '%', /* an encoded "%": perhaps the start of another triplet */
  EP_MARK_PATH_END = 'e' /* "?" or "#" itself */
} EpMark;

/* What each byte means where a triplet encodes it. */
extern EP_HIDDEN const char ep_marks[];

/* What the triplet at `at` means by itself. */
static inline EpMark ep_mark_of(const char *at) {
  return (EpMark)ep_marks[ep_percent_value(at)];
}

/* The part of ep_mark_read for a "%" that does not begin a triplet, and for a triplet that encodes
 * "%". */
EP_INTERNAL EpMark ep_mark_encoded(const char *at, const char *end, const char **next);

/* Reads the mark at `at`, which is before the end, and sets *next to the place after it. Triplets
 * are decoded until nothing changes, eight times at most. */
static inline EpMark ep_mark_read(const char *at, const char *end, const char **next) {
  EpMark mark;
  *next = at + 1;
  if (*at != '%')
    return *at == '?' || *at == '#' ? EP_MARK_PATH_END : (EpMark)ep_marks[(unsigned char)*at];
  if (!ep_percent_triplet(at, end))
    return ep_mark_encoded(at, end, next);
  *next = at + 3;
  mark = ep_mark_of(at);
  return mark == EP_MARK_PERCENT ? ep_mark_encoded(at, end, next) : mark;
}

/* The number of bytes that make the segment at `at` "." or ".."; 0 if it is neither. */
EP_INTERNAL size_t ep_segment_dots(const char *at, const char *end);

/* Checks the path of a request that came in, which begins with "/". Returns what is wrong as a
 * static text, NULL if nothing is: a dot segment, an empty segment, a "%" without two digits, a
 * byte that no path has; and unless has_slashes is true, a triplet that encodes a "/", a "\" or a
 * control character. Triplets are decoded as in ep_mark_read. */
EP_INTERNAL const char *ep_segments_fault(EpSlice path, bool has_slashes);

#endif
