/* SPDX-License-Identifier: MIT */
/* The parts of a URL that matter to safety (RFC 3986), and the segments of a path as servers read
 * them: they decode a path before they split it, drop what follows ";" and remove dot segments, and
 * proxies before them do so once more. Knows nothing of Lua. */
#ifndef EP_URL_H
#define EP_URL_H

#include "bytes.h"

/* Does the byte end a path (RFC 3986 section 3.3)? */
static inline bool ep_url_ends_path(char byte) {
  return byte == '?' || byte == '#';
}

/* The bytes of "scheme:" at the start (RFC 3986 section 3.1), 0 if there is none. */
EP_INTERNAL size_t ep_url_scheme(EpSlice url);

/* Does the URL begin with http:, https:, ws:, wss: or ftp:? Clients look for a host in
 * such a URL however many slashes follow (the WHATWG's URL standard, section 4.4). */
EP_INTERNAL bool ep_url_is_special(EpSlice url);

/* The bytes of "scheme://" at the start, 0 if the URL is not absolute. */
EP_INTERNAL size_t ep_url_absolute(EpSlice url);

/* The parts of "scheme://userinfo@host:port" at the start of a URL, and the bytes of them all, 0 if
 * it is not absolute: the scheme with its ":", userinfo with its "@", a host as it is, "[::1]". */
typedef struct EpOrigin {
  size_t size;
  EpSlice scheme, userinfo, host, port;
} EpOrigin;

EP_INTERNAL EpOrigin ep_url_read_origin(EpSlice url);

enum { EP_URL_GREATEST_PORT = 65535 };

/* The port; if none is written, the scheme's default or -1; above 65535 if malformed. */
EP_INTERNAL int ep_url_port(const EpOrigin *o);

/* Have both URLs, whose authorities are right if they are absolute, the same origin (RFC 6454
 * section 5)? Case does not count; the scheme's default port is the same as none. */
EP_INTERNAL bool ep_url_has_same_origin(EpSlice url, EpSlice home);

/* Have they, and has the first one no userinfo or the same? */
EP_INTERNAL bool ep_url_is_at(EpSlice url, EpSlice home);

/* The authority of an absolute URL: what stands between "://" and the path. */
static inline EpSlice ep_url_authority(const EpOrigin *o) {
  return ep_slice(o->userinfo.bytes, o->size - o->scheme.size - 2);
}

/* What is wrong with an authority, a static text, and at which offset; NULL if it is right. The one
 * rule of authorities, for templates, base addresses and results. A userinfo before the only "@"
 * holds unreserved bytes, sub-delims, ":" and triplets (RFC 3986 section 3.2.1); the host is a name
 * of unreserved bytes and sub-delims, or an address in brackets (section 3.2.2); the port is
 * digits, 65535 at most, or nothing. Text in braces is an expression of a template, which may stand
 * in all of them but the address: what it writes is judged on the result, by the same function. */
EP_INTERNAL const char *ep_url_authority_fault(EpSlice authority, bool needs_host, size_t *offset);

/* Reads a base address. Returns what is wrong with it, a static text, and at which byte, from 1 on;
 * NULL if it is right: empty, a path that begins with a single "/", or scheme://host..., without
 * "{}?#", control characters and dot segments. Sets the bytes of its scheme://authority, or 0. */
EP_INTERNAL const char *ep_url_base_fault(EpSlice base, size_t *origin, size_t *byte);

/* What a byte, or a triplet that encodes it, means in a path. */
typedef enum {
  EP_MARK_TEXT = 't',
  EP_MARK_DOT = '.',
  EP_MARK_SEPARATOR = '/', /* and "\": separate segments */
  EP_MARK_SEMICOLON = ';', /* ends the part of a segment that counts */
  EP_MARK_DELIMITER =
      '?', /* an encoded "?" or "#": ends what counts as dots, for some servers cut there */
  EP_MARK_BLANK = 'b',   /* 0x00 to 0x20 and 0x7F: does not count, and ends what counts as dots */
  EP_MARK_DELETED = 'd', /* TAB, LF, CR: a blank, but ignored in front of dots */
  EP_MARK_PERCENT = '%', /* of a triplet: perhaps another one begins with what it encodes */
  EP_MARK_PATH_END = 'e' /* "?" or "#" itself */
} EpMark;

/* What each byte means where a triplet encodes it. */
extern EP_HIDDEN const char ep_marks[];

/* What the triplet at `at` means by itself. */
static inline EpMark ep_mark_of(const char *at) {
  return (EpMark)ep_marks[ep_percent_value(at)];
}

/* The part of ep_mark_read for a "%" that begins no triplet, or one that encodes "%". */
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

#endif
