/* Judges a URL by its text: its start, its authority and its path. Who wrote what is asked only
 * where something is wrong. The rules about values stand here and nowhere else. Knows nothing of
 * Lua. */
#ifndef EP_GUARD_H
#define EP_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "slice.h"
#include "symbols.h"
#include "template.h"

/* Where in the expansion a varspec has written, its separator included. */
typedef struct EpNote {
  size_t begin, end;
} EpNote;

/* A URL that ends with an expansion. */
typedef struct EpExpansion {
  const EpTemplate *t;
  const EpNote *notes; /* one for each varspec */
  EpSlice url;
  size_t begin;       /* offset of the expansion in the URL */
  size_t base_origin; /* bytes of the baseUrl's scheme://authority; 0 without one */
  bool is_alone;      /* is the template relative and the baseUrl empty? */
} EpExpansion;

typedef enum {
  EP_SOUND,
  EP_VANISHED,         /* a segment keeps no byte that counts */
  EP_DOTS,             /* a segment is "." or ".." */
  EP_NO_HOST_PART,     /* the varspec wrote what cannot be a part of a host, or nothing */
  EP_NO_HOST,          /* the varspec wrote no host */
  EP_LONGER_AUTHORITY, /* text follows the authority as if it belonged to it */
  EP_NAMES_HOST,       /* a URL without scheme and host begins with "//" */
  EP_SCHEME,           /* values complete a scheme, or put "//" behind it */
  EP_HOSTLESS          /* the whole URL that a value gives has no host */
} EpFault;

enum { EP_BY_TEMPLATE = -1 }; /* stands for a varspec where the template itself is to blame */

typedef struct EpVerdict {
  EpFault fault;
  int culprit;                 /* the varspec to blame, or EP_BY_TEMPLATE */
  size_t place;                /* for EP_DOTS: offset of the segment in the URL */
  size_t path_begin, path_end; /* of a sound URL: offsets of its path */
} EpVerdict;

EP_INTERNAL EpVerdict ep_guard_judge(const EpExpansion *x);

#endif
