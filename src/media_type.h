/* The accept value: media types, vendor names and previews (RFC 9110 section
 * 12.5.1, RFC 6838 section 4.2). Knows nothing of Lua. Every scan is linear. */
#ifndef EP_MEDIA_TYPE_H
#define EP_MEDIA_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "symbols.h"

/* A run of bytes inside a text. */
typedef struct EpSpan {
  const char *begin, *end;
} EpSpan;

enum { EP_MEDIA_NAME_LONGEST = 127 }; /* characters, RFC 6838 section 4.2 */

/* Is it a restricted-name of RFC 6838: 1 to 127 characters, a letter or digit first? */
EP_INTERNAL bool ep_media_is_name(const char *text, size_t size);

/* Does the accept value name application/octet-stream, in any case? */
EP_INTERNAL bool ep_media_has_octet_stream(EpSpan accept);

/* What follows the first "application/vnd.", letters, digits and "_"; an
 * empty span if there is none. */
EP_INTERNAL EpSpan ep_media_vendor(EpSpan accept);

/* Is the part, a piece of accept between commas, a vendor part, that is
 * application/vnd.NAME[.vN][.X][+json] with white space around it?
 * Then *keep is what stays before a new format, and *rest the white space behind it. */
EP_INTERNAL bool ep_media_is_vendor_part(EpSpan part, EpSpan *keep, EpSpan *rest);

/* Finds the next preview name from *at on: the longest run of letters, digits,
 * "_" and "-" that stands before "-preview". Moves *at behind it. */
EP_INTERNAL bool ep_media_next_preview(EpSpan accept, const char **at, EpSpan *preview);

/* A preview name without its trailing "-preview", however often that stands. */
EP_INTERNAL size_t ep_media_preview_size(const char *name, size_t size);

#endif
