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
  EP_MARK_TEXT = 't',
  EP_MARK_DOT = '.',
  EP_MARK_SEPARATOR = '/', /* and "\": part segments */
  EP_MARK_SEMICOLON = ';', /* ends what counts of a segment */
  EP_MARK_DELIMITER =
      '?',               /* an encoded "?" or "#": ends what counts as dots, for some servers cut */
  EP_MARK_BLANK = 'b',   /* 0x00 to 0x20 and 0x7F: is no text, and ends what counts as dots */
  EP_MARK_PERCENT = '%', /* what a triplet encodes is encoded again */
  EP_MARK_PATH_END = 'e' /* "?" or "#" itself */
} EpMark;

/* What each byte means where a triplet encodes it. */
extern EP_HIDDEN const char ep_marks[];

/* What the triplet at `at` means by itself. */
static inline EpMark ep_mark_of(const char *at) {
  return (EpMark)ep_marks[16 * ep_hex_value(at[1]) + ep_hex_value(at[2])];
}

/* Reads a triplet whose "%" or digits are triplets again, or what is none. */
EP_INTERNAL EpMark ep_mark_encoded(const char *at, const char *end, const char **next);

/* Reads what stands at `at`, which is before the end, and sets *next behind it. */
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

/* Does the segment that begins at `at` begin with "." or "..", and nothing else that counts? */
EP_INTERNAL bool ep_segment_is_dots(const char *at, const char *end);

/* The next segment behind the one that begins at `at`; NULL if that is the last. The text is a path
 * alone, without a query or fragment. */
EP_INTERNAL const char *ep_segment_next(const char *at, const char *end);

#endif
