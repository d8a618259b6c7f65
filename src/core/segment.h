/* SPDX-License-Identifier: MIT */
/* Segments of a path as servers read them: they decode a path before they split it, drop what
 * stands behind ";" and remove dot segments, and proxies before them do so once more. Knows
 * nothing of Lua. */
#ifndef EP_SEGMENT_H
#define EP_SEGMENT_H

#include "bytes.h"

/* What a byte or a triplet means in a path. A triplet's "%" may be written "%25" any number of
 * times, and its digits behind that as triplets again. */
typedef enum {
  EP_MARK_TEXT,
  EP_MARK_DOT,
  EP_MARK_SEPARATOR, /* "/" and "\": part segments */
  EP_MARK_SEMICOLON, /* ends what counts of a segment */
  EP_MARK_DELIMITER, /* an encoded "?" or "#": ends what counts as dots, for some servers cut there
                      */
  EP_MARK_BLANK,     /* 0x00 to 0x20 and 0x7F: is no text, and ends what counts as dots */
  EP_MARK_PATH_END   /* "?" or "#" itself */
} EpMark;

/* What a decoded byte means; of "?" and "#" it is EP_MARK_DELIMITER. */
static inline EpMark ep_mark_of(unsigned char byte) {
  switch (byte) {
  case '/':
  case '\\':
    return EP_MARK_SEPARATOR;
  case '.':
    return EP_MARK_DOT;
  case ';':
    return EP_MARK_SEMICOLON;
  case '?':
  case '#':
    return EP_MARK_DELIMITER;
  default:
    return byte <= ' ' || byte == 0x7F ? EP_MARK_BLANK : EP_MARK_TEXT;
  }
}

/* Reads what the "%" at `at` begins. */
EP_INTERNAL EpMark ep_mark_triplet(const char *at, const char *end, const char **next);

/* Reads what stands at `at`, which is before the end, and sets *next behind it. */
static inline EpMark ep_mark_read(const char *at, const char *end, const char **next) {
  *next = at + 1;
  if (*at == '%')
    return ep_mark_triplet(at, end, next);
  return *at == '?' || *at == '#' ? EP_MARK_PATH_END : ep_mark_of((unsigned char)*at);
}

/* Does the segment that begins at `at` begin with "." or "..", and nothing else that counts? */
EP_INTERNAL bool ep_segment_is_dots(const char *at, const char *end);

/* The next segment behind the one that begins at `at`; NULL if that is the path's last. */
EP_INTERNAL const char *ep_segment_next(const char *at, const char *end);

#endif
