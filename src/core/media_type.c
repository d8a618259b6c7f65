/* SPDX-License-Identifier: MIT */
#include "media_type.h"

#include "bytes.h"

static const EpSlice vendor_start = {"application/vnd.", 16};
static const EpSlice preview_end = {"-preview", 8};

/* What stands before the rest of a text. */
static EpSlice before_rest(EpSlice text, EpSlice rest) {
  return ep_slice(text.bytes, text.size - rest.size);
}

static EpSlice skip_space(EpSlice text) {
  while (text.size > 0 && ep_is_space(*text.bytes))
    text = ep_slice_from(text, 1);
  return text;
}

static EpSlice skip_bytes(EpSlice text, unsigned classes) {
  while (text.size > 0 && ep_is(*text.bytes, classes))
    text = ep_slice_from(text, 1);
  return text;
}

/* What follows the start and a word behind it; the whole text if it does not begin so. */
static inline EpSlice skip_word(EpSlice text, EpSlice start) {
  EpSlice word = text, rest = text;
  if (ep_slice_begins_with(text, start)) {
    word = ep_slice_from(text, start.size);
    rest = skip_bytes(word, EP_WORD);
  }
  return rest.size < word.size ? rest : text;
}

/* What follows ".vN"; the whole text if it does not begin so. */
static EpSlice skip_version(EpSlice text) {
  const EpSlice start = EP_SLICE(".v"), rest = skip_word(text, start);
  const bool is_version = rest.size < text.size &&
                          skip_bytes(ep_slice_from(text, start.size), EP_DIGIT).size == rest.size;
  return is_version ? rest : text;
}

bool ep_media_is_name(EpSlice text) {
  return text.size > 0 && text.size <= EP_MEDIA_NAME_LONGEST && *text.bytes != '_' &&
         ep_is(*text.bytes, EP_WORD) && skip_bytes(text, EP_MEDIA_NAME).size == 0;
}

/* Many types begin with application/, so the "o" behind it is compared first. */
bool ep_media_has_octet_stream(EpSlice accept) {
  const EpSlice name = EP_SLICE("application/octet-stream");
  for (; accept.size >= name.size; accept = ep_slice_from(accept, 1))
    if (ep_lower_byte(accept.bytes[12]) == 'o' &&
        ep_equals_ignoring_case(ep_slice(accept.bytes, name.size), name))
      return true;
  return false;
}

EpSlice ep_media_vendor(EpSlice accept) {
  for (; accept.size > 0; accept = ep_slice_from(accept, 1)) {
    const EpSlice rest = skip_word(accept, vendor_start);
    if (rest.size < accept.size &&
        (rest.size == 0 || ep_is_space(*rest.bytes) || memchr(".+;,", *rest.bytes, 4)))
      return ep_slice_from(before_rest(accept, rest), vendor_start.size);
  }
  return EP_SLICE("service");
}

/* Reads the vendor part at the start of a text: sets *format to where a new format goes, *end to
 * what follows. */
static bool read_vendor_part(EpSlice text, EpSlice *format, EpSlice *end) {
  const EpSlice vendor = skip_space(text), json = EP_SLICE("+json");
  EpSlice next = skip_word(vendor, vendor_start);
  const bool is_vendor = next.size < vendor.size;
  *format = skip_version(next);
  *end = skip_word(*format, EP_SLICE("."));
  if (ep_slice_begins_with(*end, json))
    *end = ep_slice_from(*end, json.size);
  next = skip_space(*end);
  return is_vendor && (next.size == 0 || *next.bytes == ',');
}

bool ep_media_next_vendor_part(EpSlice *rest, EpSlice *before) {
  EpSlice part = *rest, format, end;
  while (!read_vendor_part(part, &format, &end)) {
    const char *comma = (const char *)memchr(part.bytes, ',', part.size);
    if (!comma)
      return false;
    part = ep_slice_from(part, (size_t)(comma - part.bytes) + 1);
  }
  *before = before_rest(*rest, format);
  *rest = end;
  return true;
}

/* The first byte behind a run ends it, and is passed with it. */
bool ep_media_next_preview(EpSlice *rest, EpSlice *preview) {
  EpSlice at = *rest;
  *preview = EP_SLICE("");
  while (at.size > 0 && preview->size == 0) {
    const EpSlice run = at;
    for (; at.size > 0 && (*at.bytes == '-' || ep_is(*at.bytes, EP_WORD));
         at = ep_slice_from(at, 1))
      if (ep_slice_begins_with(at, preview_end))
        *preview = before_rest(run, at);
    at = ep_slice_from(at, at.size > 0);
  }
  *rest = at;
  return preview->size > 0;
}

EpSlice ep_media_preview(EpSlice name) {
  while (ep_slice_ends_with(name, preview_end))
    name.size -= preview_end.size;
  return name;
}
