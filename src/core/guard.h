/* SPDX-License-Identifier: MIT */
/* Judges a URL by its text: its start, its authority and its path. Who wrote what is asked only
 * where something is wrong. Knows nothing of Lua. */
#ifndef EP_GUARD_H
#define EP_GUARD_H

#include "template.h"

/* Where in the expansion the text of a varspec stands, with the separator that its expression
 * writes before it, as the "/" of {/x}, but without the "," between variables. */
typedef struct EpNote {
  size_t begin, end;
} EpNote;

/* A URL that ends with the expansion of a template. */
typedef struct EpUrl {
  const EpTemplate *t;
  const EpNote *notes; /* one for each varspec */
  EpSlice text;
  size_t begin;       /* offset of the expansion in the URL */
  size_t base_origin; /* bytes of the baseUrl's scheme://authority; 0 without one */
} EpUrl;

typedef enum {
  EP_SOUND,
  EP_NOT_THERE,  /* the varspec wrote nothing that counts, but must */
  EP_DOTS,       /* a segment is "." or ".." */
  EP_NO_HOST,    /* the varspec wrote what cannot be a part of a host, or nothing */
  EP_BAD_PORT,   /* the varspec completed a port that is not digits, or is above 65535 */
  EP_NAMES_HOST, /* a URL without scheme and host begins with "//" */
  EP_SCHEME      /* values complete a scheme, or put "//" after it */
} EpFault;

enum { EP_BY_TEMPLATE = -1 }; /* in place of a varspec: the template itself is to blame */

typedef struct EpVerdict {
  EpFault fault;
  int culprit;                 /* the varspec to blame, or EP_BY_TEMPLATE */
  EpSlice dots;                /* for EP_DOTS: what of the URL makes the segment one of dots */
  size_t path_begin, path_end; /* of a sound URL: offsets of its path */
} EpVerdict;

/* Of a path it judges:
 * - No segment is "." or "..".
 * - Each varspec that needs it has a byte that counts: one that parts no segments, is neither blank
 *   nor control character, and comes before the first ";" after the last raw "/". */
EP_INTERNAL EpVerdict ep_guard_judge(const EpUrl *url);

#endif
