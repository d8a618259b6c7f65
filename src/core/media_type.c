/* SPDX-License-Identifier: MIT */
#include "media_type.h"

#include "bytes.h"

static const EpSlice vendor_start = EP_SLICE_OF("application/vnd.");
static const EpSlice preview_end = EP_SLICE_OF("-preview");

/* Each of these four functions skips what begins at an offset, and returns the offset after it. If
 * it does not begin there, the function returns `at`. */
static size_t skip_space(EpSlice text, size_t at) {
  while (at < text.size && ep_is_space(text.bytes[at]))
    at++;
  return at;
}

static size_t skip_bytes(EpSlice text, size_t at, unsigned classes) {
  while (at < text.size && ep_is(text.bytes[at], classes))
    at++;
  return at;
}

/* Skips `start` and the word after it. */
static inline size_t skip_word(EpSlice text, size_t at, EpSlice start) {
  const bool begins = ep_slice_begins_with(ep_slice_from(text, at), start);
  const size_t end = begins ? skip_bytes(text, at + start.size, EP_WORD) : at;
  return end > at + start.size ? end : at;
}

/* Skips ".vN", where N is digits. */
static size_t skip_version(EpSlice text, size_t at) {
  const size_t end = skip_word(text, at, EP_SLICE(".v"));
  return skip_bytes(text, at + 2, EP_DIGIT) == end ? end : at;
}

bool ep_media_is_name(EpSlice text) {
  return text.size > 0 && text.size <= EP_MEDIA_NAME_LONGEST && *text.bytes != '_' &&
         ep_is(*text.bytes, EP_WORD) && skip_bytes(text, 1, EP_MEDIA_NAME) == text.size;
}

/* Many types begin with application/, so the "o" after it is compared first. */
bool ep_media_has_octet_stream(EpSlice accept) {
  const EpSlice name = EP_SLICE("application/octet-stream");
  for (; accept.size >= name.size; accept = ep_slice_from(accept, 1))
    if (ep_lower_byte(accept.bytes[12]) == 'o' &&
        ep_equals_ignoring_case(ep_slice(accept.bytes, name.size), name))
      return true;
  return false;
}

EpSlice ep_media_vendor(EpSlice accept) {
  for (size_t at = 0; at < accept.size; at++) {
    const size_t end = skip_word(accept, at, vendor_start), name = at + vendor_start.size;
    if (end > at && (end == accept.size || ep_is_space(accept.bytes[end]) ||
                     memchr(".+;,", accept.bytes[end], 4)))
      return ep_slice(accept.bytes + name, end - name);
  }
  return EP_SLICE("service");
}

size_t ep_media_format(EpSlice part, size_t *end) {
  const EpSlice json = EP_SLICE("+json");
  const size_t begin = skip_space(part, 0), name = skip_word(part, begin, vendor_start);
  const size_t format = skip_version(part, name);
  *end = skip_word(part, format, EP_SLICE("."));
  if (ep_slice_begins_with(ep_slice_from(part, *end), json))
    *end += json.size;
  return name > begin && skip_space(part, *end) == part.size ? format : 0;
}

bool ep_media_next_preview(EpSlice *rest, EpSlice *preview) {
  size_t run = 0, at = 0;
  *preview = ep_slice(rest->bytes, 0);
  for (; at < rest->size; at++) {
    const bool ends_run = rest->bytes[at] != '-' && !ep_is(rest->bytes[at], EP_WORD);
    if (ends_run && preview->size > 0)
      break;
    if (ends_run)
      run = at + 1;
    else if (ep_slice_begins_with(ep_slice_from(*rest, at), preview_end))
      *preview = ep_slice(rest->bytes + run, at - run);
  }
  *rest = ep_slice_from(*rest, at);
  return preview->size > 0;
}

EpSlice ep_media_preview(EpSlice name) {
  while (ep_slice_ends_with(name, preview_end))
    name.size -= preview_end.size;
  return name;
}
