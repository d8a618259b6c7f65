/* SPDX-License-Identifier: MIT */
/* Checks the text of a URL: its start, its authority and its path. A varspec is one variable in an
 * expression (see template.h). The varspec that wrote the wrong text is looked for only if
 * something is wrong. Knows nothing of Lua. */
#ifndef EP_GUARD_H
#define EP_GUARD_H

#include "template.h"

/* The place of a varspec's text in the expansion, as offsets in bytes. It includes the separator
 * that the expression writes before the varspec, such as the "/" of {/x}. It does not include the
 * "," between variables. */
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
  EP_NOT_THERE,    /* the varspec must write a byte that counts, and did not */
  EP_DOTS,         /* a segment is "." or ".." */
  EP_BAD_USERINFO, /* the varspec wrote nothing into it, or a byte that is not unreserved */
  EP_BAD_HOST,     /* the same */
  EP_BAD_PORT,   /* the varspec wrote nothing, or completed a port that is not digits up to 65535 */
  EP_NAMES_HOST, /* a URL without scheme and host begins with "//" */
  EP_SCHEME      /* values complete a scheme, or put "//" after it */
} EpFault;

enum { EP_BY_TEMPLATE = -1 }; /* in place of a varspec: the template's own text is wrong */

typedef struct EpCheck {
  EpFault fault;
  int varspec;                 /* the one that made the fault, or EP_BY_TEMPLATE */
  EpSlice dots;                /* for EP_DOTS: the bytes that make the segment "." or ".." */
  size_t path_begin, path_end; /* of a sound URL: offsets of its path */
} EpCheck;

/* Checks a URL. These are the rules for its path:
 * - No segment is "." or "..".
 * - Each varspec whose need is EP_NEEDS_COUNTED wrote a byte that counts. A byte that separates
 *   segments, a blank and a control character do not count. Nor does a byte that has a ";" between
 *   it and the last raw "/" before it. */
EP_INTERNAL EpCheck ep_guard_check(const EpUrl *url);

#endif
