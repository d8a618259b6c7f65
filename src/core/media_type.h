/* SPDX-License-Identifier: MIT */
/* The value of accept: media types, vendor names and previews (RFC 9110 section 12.5.1, RFC
 * 6838 section 4.2). Knows nothing of Lua. Every scan takes linear time. */
#ifndef EP_MEDIA_TYPE_H
#define EP_MEDIA_TYPE_H

#include "slice.h"

enum { EP_MEDIA_NAME_LONGEST = 127 }; /* characters, RFC 6838 section 4.2 */

/* Is the text a restricted-name (RFC 6838 section 4.2)? It has 1 to 127 characters, and the first
 * one is a letter or digit. */
EP_INTERNAL bool ep_media_is_name(EpSlice text);

/* Does accept contain application/octet-stream? The case of letters is ignored. */
EP_INTERNAL bool ep_media_has_octet_stream(EpSlice accept);

/* Returns the NAME of the first "application/vnd.NAME" in accept. NAME is letters, digits and "_".
 * It is followed by ".", "+", ";", ",", white space or the end. Returns "service" if there is no
 * NAME. */
EP_INTERNAL EpSlice ep_media_vendor(EpSlice accept);

/* Finds the format in one part of accept, which is the text between two commas. The part must be
 * application/vnd.NAME[.vN][.X][+json], with or without white space around it. Returns the offset
 * where a new format begins, and sets *end to the offset where the old one ends. Returns 0 for any
 * other part. */
EP_INTERNAL size_t ep_media_format(EpSlice part, size_t *end);

/* Finds the next preview in the rest of accept: the longest run of letters, digits, "_" and "-"
 * before "-preview". Sets *rest to what follows. Returns false if there is no preview. */
EP_INTERNAL bool ep_media_next_preview(EpSlice *rest, EpSlice *preview);

/* The name without any "-preview" at its end. */
EP_INTERNAL EpSlice ep_media_preview(EpSlice name);

#endif
