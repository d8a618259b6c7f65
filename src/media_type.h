/* The accept value: media types, vendor names and previews (RFC 9110 section
 * 12.5.1, RFC 6838 section 4.2). Knows nothing of Lua. Every scan is linear. */
#ifndef EP_MEDIA_TYPE_H
#define EP_MEDIA_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "slice.h"
#include "symbols.h"

enum { EP_MEDIA_NAME_LONGEST = 127 }; /* characters, RFC 6838 section 4.2 */

/* Is it a restricted-name of RFC 6838: 1 to 127 characters, a letter or digit first? */
EP_INTERNAL bool ep_media_is_name(EpSlice text);

/* Does the accept value name application/octet-stream, in any case? */
EP_INTERNAL bool ep_media_has_octet_stream(EpSlice accept);

/* What follows the first "application/vnd.", letters, digits and "_"; an
 * empty slice if there is none. */
EP_INTERNAL EpSlice ep_media_vendor(EpSlice accept);

/* Is the part, a piece of accept between commas, a vendor part, that is
 * application/vnd.NAME[.vN][.X][+json] with white space around it?
 * Then *keep is what stays before a new format, and *rest the white space behind it. */
EP_INTERNAL bool ep_media_is_vendor_part(EpSlice part, EpSlice *keep, EpSlice *rest);

/* Finds the next preview name in the rest of an accept value: the longest run of letters,
 * digits, "_" and "-" that stands before "-preview". Takes it off the rest. */
EP_INTERNAL bool ep_media_next_preview(EpSlice *rest, EpSlice *preview);

/* A preview name without its trailing "-preview", however often that stands. */
EP_INTERNAL EpSlice ep_media_preview(EpSlice name);

#endif
