/* What the path of an expanded template must not do: let a segment vanish, or hold a
 * dot segment to which an expression contributes. It is told piece by piece what was
 * written and by which variable, in the order of the URL, and keeps the first fault.
 * It keeps no pointer to the pieces. Knows nothing of Lua. */
#ifndef EP_SEGMENTS_H
#define EP_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "symbols.h"
#include "template.h"

typedef enum {
  EP_SOUND,
  /* The segment of a plain or "+" expression vanished: */
  EP_VANISHED,           /* nothing was written in it */
  EP_VANISHED_SLASHES,   /* slashes alone were written in it */
  EP_VANISHED_DELIMITER, /* what was written in it begins with "?" or "#" */
  /* A segment is "." or "..": */
  EP_DOTS,     /* the culprit wrote in it, a separator beside it, or what ends it */
  EP_DOTS_LEFT /* the culprit stands in it or before it and wrote nothing */
} EpFault;

/* Where the URL is. */
typedef enum { EP_IN_AUTHORITY, EP_IN_PATH, EP_BEHIND_PATH } EpZone;

/* What a segment of the template holds: nothing, slashes, slashes before a "?" or "#", text
 * that begins with "?" or "#", or other text. */
typedef enum { EP_NOTHING, EP_SLASHES, EP_SLASHES_ENDED, EP_DELIMITER, EP_FILLED } EpFill;

/* The writer of a piece that no variable wrote. */
enum { EP_BY_TEMPLATE = -1 };

/* The first three fields are the answer, the others are private. */
typedef struct EpSegments {
  EpFault fault; /* the first */
  int culprit;   /* the varspec to name for it */
  size_t place;  /* of a dot segment: the bytes before it */

  size_t size;     /* bytes told so far */
  size_t scheme;   /* bytes of "scheme://" that are still to be told */
  EpPartKind kind; /* of the expression that is being told */
  EpZone zone;

  /* The template's segment, for what vanishes. */
  EpFill fill;
  bool asked;   /* must the expression that is being told write text? */
  bool is_free; /* may slashes, "?" and "#" begin it, as they may begin a template? */
  int blank;    /* its first plain or "+" variable without text, or EP_BY_TEMPLATE */
  int filler;   /* the "+" variable that made `fill` what it is, or EP_BY_TEMPLATE */

  /* The URL's segment, for dots. Each variable is the first one, or EP_BY_TEMPLATE. */
  size_t begin;  /* the bytes before it */
  int dots;      /* its number of dots, more than two for anything else */
  bool is_cut;   /* has a ";" come? What stands behind it is not looked at */
  int separator; /* wrote the separator before it */
  int writer;    /* wrote in it */
  int inside;    /* of the expressions directly before it and in it */
  int behind;    /* of those directly behind that do not count unless more text comes */
  bool is_blank; /* has `inside` written nothing? */
} EpSegments;

/* Begins a URL. A template that is absolute has `authority` bytes of "scheme://", any
 * other has 0. Does it begin with a "+" expression? */
EP_INTERNAL void ep_segments_init(EpSegments *s, size_t authority, bool begins_with_plus);

/* Tells that an expression begins: its kind, whether it stands in the template's path,
 * and its first varspec. Whether one that begins in the authority may be without text is
 * asked by the rules of hosts, not here. */
EP_INTERNAL void ep_segments_expression(EpSegments *s, EpPartKind kind, bool in_path, int varspec);

/* Tells what a variable of that expression wrote, its separator included: perhaps
 * nothing. May it hold what parts segments or ends the path? If not, the time that this
 * takes does not depend on its size. */
EP_INTERNAL void ep_segments_variable(EpSegments *s, EpSlice text, int varspec, bool may_part);

/* Tells a literal. */
EP_INTERNAL void ep_segments_literal(EpSegments *s, EpSlice text, const EpSlashes *slashes);

/* Does what is told next still belong to the authority (RFC 3986 section 3.2)? */
static inline bool ep_segments_in_authority(const EpSegments *s) {
  return s->zone == EP_IN_AUTHORITY;
}

/* Has a "?" or "#" ended the path? */
static inline bool ep_segments_behind_path(const EpSegments *s) {
  return s->zone == EP_BEHIND_PATH;
}

/* Tells that the URL ends. Returns the first fault. */
EP_INTERNAL EpFault ep_segments_end(EpSegments *s);

#endif
