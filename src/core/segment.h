/* Segments of a path as servers read them: they decode a path before they split it, drop what
 * stands behind ";" and remove dot segments, and proxies before them do so once more. Knows
 * nothing of Lua. */
#ifndef EP_SEGMENT_H
#define EP_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "symbols.h"

typedef struct EpSegment {
  const char *counted; /* only what stands before counts: the first ";" or the end */
  const char *end;     /* the separator, "?" or "#" behind the segment, or the text's end */
  const char *next;    /* behind the separator; `end` without one */
  bool is_dots;        /* is it "." or ".."? */
} EpSegment;

#define EP_DOTS_REASON "a path segment must not be \".\" or \"..\""

/* Does the segment that begins at `at` begin with "." or "..", and nothing else that counts? */
EP_INTERNAL bool ep_segment_is_dots(const char *at, const char *end);

/* Reads the segment that begins at `at`. Its bytes may be written as triplets, their "%" as
 * "%25" any number of times, and their digits behind that as triplets again. */
EP_INTERNAL EpSegment ep_segment_read(const char *at, const char *end);

/* The bytes of the separator that begins at `at`: "/", "\", or a triplet of one of them; 0 if
 * there is none. `at` must be before the end. */
EP_INTERNAL size_t ep_segment_separator(const char *at, const char *end);

#endif
