/* SPDX-License-Identifier: MIT */
/* The value of accept: media types, vendor names and previews (RFC 9110 section 12.5.1, RFC
 * 6838 section 4.2). Knows nothing of Lua. Every scan takes linear time. */
#ifndef EP_MEDIA_TYPE_H
#define EP_MEDIA_TYPE_H

#include "slice.h"

enum { EP_MEDIA_NAME_LONGEST = 127 }; /* characters, RFC 6838 section 4.2 */

/* Is it a restricted-name of RFC 6838: 1 to 127 characters, a letter or digit first? */
EP_INTERNAL bool ep_media_is_name(EpSlice text);

/* Does accept hold application/octet-stream, in any case? */
EP_INTERNAL bool ep_media_has_octet_stream(EpSlice accept);

/* NAME, letters, digits and "_", of the first "application/vnd.NAME" that is followed by ".", "+",
 * ";", ",", white space or the end; "service" if there is none. */
EP_INTERNAL EpSlice ep_media_vendor(EpSlice accept);

/* Returns where a new format goes in a part of accept between commas, and sets *end to where the
 * old one ends, if the part is application/vnd.NAME[.vN][.X][+json] with white space around it.
 * Returns 0 for another part. */
EP_INTERNAL size_t ep_media_format(EpSlice part, size_t *end);

/* Finds the next preview in the rest of accept: the longest run of letters, digits, "_" and
 * "-" before "-preview". Shortens the rest to what follows. */
EP_INTERNAL bool ep_media_next_preview(EpSlice *rest, EpSlice *preview);

/* The name without any "-preview" at its end. */
EP_INTERNAL EpSlice ep_media_preview(EpSlice name);

#endif
