/* Finds the faults of an expanded path: segments that vanish, and dot segments to which an
 * expression contributes. It is told each piece of the URL in order and which variable wrote
 * it, and keeps the first fault, but no pointer to a piece. Knows nothing of Lua. */
#ifndef EP_SEGMENTS_H
#define EP_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "symbols.h"
#include "template.h"

typedef enum {
  EP_SOUND, /* no fault */
  /* A segment with a plain or "+" expression vanished: */
  EP_VANISHED,           /* it has no text */
  EP_VANISHED_SLASHES,   /* its text is slashes alone */
  EP_VANISHED_DELIMITER, /* its text begins with "?" or "#" */
  /* A segment is "." or "..": */
  EP_DOTS,     /* the culprit wrote a part of it or a separator beside it */
  EP_DOTS_LEFT /* the culprit stands in it or directly before it, and wrote nothing */
} EpFault;

/* Where in the URL the next piece is. */
typedef enum { EP_IN_AUTHORITY, EP_IN_PATH, EP_BEHIND_PATH } EpZone;

/* The text of a segment of the template: none, slashes, slashes before a "?" or "#", text
 * that begins with "?" or "#", or other text. */
typedef enum { EP_NOTHING, EP_SLASHES, EP_SLASHES_ENDED, EP_DELIMITER, EP_FILLED } EpFill;

/* Stands for a varspec where the template itself wrote. */
enum { EP_BY_TEMPLATE = -1 };

/* A segment of the template ends at "/", {/x} or {;x}, a segment of the URL at any separator.
 * The first three fields are the result, the others are private. */
typedef struct EpSegments {
  EpFault fault;
  int culprit;  /* the varspec that errors name */
  size_t place; /* for EP_DOTS and EP_DOTS_LEFT: the offset of the segment in the URL */

  size_t size;     /* bytes told so far */
  size_t scheme;   /* bytes of "scheme://" that are not told yet */
  EpPartKind kind; /* of the current part */
  EpZone zone;

  /* The current segment of the template. */
  EpFill fill;
  bool asked;   /* must the current expression write text? */
  bool is_free; /* may it begin with slashes, "?" or "#"? It begins the template then */
  int blank;    /* the first varspec that had to write text and did not, or EP_BY_TEMPLATE */
  int filler;   /* the varspec that wrote the slashes or delimiter, or EP_BY_TEMPLATE */

  /* The current segment of the URL. The first varspec of each sort, or EP_BY_TEMPLATE. */
  size_t begin;  /* offset in the URL */
  int dots;      /* number of dots; more than two if there is any other text */
  bool is_cut;   /* has a ";" come? What follows it does not count */
  int separator; /* wrote the separator before the segment */
  int writer;    /* wrote text of the segment */
  int inside;    /* stands directly before the segment or in it */
  int behind;    /* stands directly behind its text; is inside if more text comes */
  bool is_blank; /* has `inside` written nothing? */
} EpSegments;

/* Begins a URL, with the template's bytes of "scheme://", 0 if it is not absolute, and
 * whether it begins with a "+" expression. */
EP_INTERNAL void ep_segments_init(EpSegments *s, size_t authority, bool begins_with_plus);

/* Begins an expression, with its kind, whether it stands in the template's path, and its
 * first varspec. One that begins in the authority is not asked for text here: that is up to
 * the rules of hosts. */
EP_INTERNAL void ep_segments_expression(EpSegments *s, EpPartKind kind, bool in_path, int varspec);

/* Adds what a variable of the expression wrote, its separator included; perhaps nothing.
 * `may_part` is false if the text holds no separator, "?" or "#". Then its size does not
 * matter to the time that this takes. */
EP_INTERNAL void ep_segments_variable(EpSegments *s, EpSlice text, int varspec, bool may_part);

/* Adds a literal. */
EP_INTERNAL void ep_segments_literal(EpSegments *s, EpSlice text, const EpSlashes *slashes);

/* Is the next piece in the authority (RFC 3986 section 3.2)? */
static inline bool ep_segments_in_authority(const EpSegments *s) {
  return s->zone == EP_IN_AUTHORITY;
}

/* Has a "?" or "#" ended the path? */
static inline bool ep_segments_behind_path(const EpSegments *s) {
  return s->zone == EP_BEHIND_PATH;
}

/* Ends the URL. Returns the first fault. */
EP_INTERNAL EpFault ep_segments_end(EpSegments *s);

#endif
