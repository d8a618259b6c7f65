#include "media_type.h"

#include "percent.h"

static const EpSlice vendor_prefix = {"application/vnd.", 16};
static const EpSlice preview_suffix = {"-preview", 8};

bool ep_media_is_name(EpSlice text) {
  if (text.size == 0 || text.size > EP_MEDIA_NAME_LONGEST)
    return false;
  for (size_t i = 0; i < text.size; i++)
    if (!ep_is(text.bytes[i], EP_MEDIA_NAME))
      return false;
  return ep_is(text.bytes[0], EP_WORD) && text.bytes[0] != '_';
}

/* Many types begin with application/, so the "o" behind it is compared first. */
bool ep_media_has_octet_stream(EpSlice accept) {
  const EpSlice name = EP_SLICE("application/octet-stream");
  for (; accept.size >= name.size; accept = ep_slice_from(accept, 1))
    if (ep_lower_byte(accept.bytes[12]) == name.bytes[12] &&
        ep_equals_ignoring_case(ep_slice(accept.bytes, name.size), name))
      return true;
  return false;
}

/* The number of letters, digits and "_" at the start. */
static size_t word_size(EpSlice text) {
  size_t size = 0;
  while (size < text.size && ep_is(text.bytes[size], EP_WORD))
    size++;
  return size;
}

/* May the text follow a vendor's name? */
static bool ends_vendor(EpSlice rest) {
  return rest.size == 0 || ep_is_space(*rest.bytes) || memchr(".+;,", *rest.bytes, 4) != NULL;
}

EpSlice ep_media_vendor(EpSlice accept) {
  for (; accept.size > 0; accept = ep_slice_from(accept, 1)) {
    EpSlice name;
    if (!ep_slice_begins_with(accept, vendor_prefix))
      continue;
    name = ep_slice_from(accept, vendor_prefix.size);
    name.size = word_size(name);
    if (name.size > 0 && ends_vendor(ep_slice_from(accept, vendor_prefix.size + name.size)))
      return name;
  }
  return accept;
}

/* The bytes of ".X" at the start, 0 if it is not there. */
static size_t group_size(EpSlice text) {
  size_t size = 0;
  if (text.size > 0 && text.bytes[0] == '.')
    size = word_size(ep_slice_from(text, 1));
  return size > 0 ? 1 + size : 0;
}

/* Is it ".vN"? */
static bool is_version(EpSlice group) {
  for (size_t i = 2; i < group.size; i++)
    if (!ep_is(group.bytes[i], EP_DIGIT))
      return false;
  return group.size > 2 && group.bytes[1] == 'v';
}

bool ep_media_is_vendor_part(EpSlice part, EpSlice *keep, EpSlice *rest) {
  size_t at = 0, end = part.size, name, group;
  while (at < end && ep_is_space(part.bytes[at]))
    at++;
  while (at < end && ep_is_space(part.bytes[end - 1]))
    end--;
  *rest = ep_slice_from(part, end);
  part.size = end;
  if (!ep_slice_begins_with(ep_slice_from(part, at), vendor_prefix))
    return false;
  at += vendor_prefix.size;
  name = word_size(ep_slice_from(part, at));
  at += name;
  group = group_size(ep_slice_from(part, at));
  if (is_version(ep_slice(part.bytes + at, group))) {
    at += group;
    group = group_size(ep_slice_from(part, at));
  }
  *keep = ep_slice(part.bytes, at);
  part = ep_slice_from(part, at + group);
  return name > 0 && (part.size == 0 || ep_slice_equals(part, EP_SLICE("+json")));
}

static bool is_in_run(char byte) {
  return byte == '-' || ep_is(byte, EP_WORD);
}

/* Most values hold no "-" at all. */
bool ep_media_next_preview(EpSlice *rest, EpSlice *preview) {
  const char *dash;
  while ((dash = (const char *)memchr(rest->bytes, '-', rest->size)) != NULL) {
    const char *begin = dash, *end = dash;
    while (begin > rest->bytes && is_in_run(begin[-1]))
      begin--;
    while (end < ep_slice_end(*rest) && is_in_run(*end))
      end++;
    *rest = ep_slice(end, (size_t)(ep_slice_end(*rest) - end));
    for (; end - begin > (ptrdiff_t)preview_suffix.size; end--) {
      *preview = ep_slice(begin, (size_t)(end - begin));
      if (ep_slice_ends_with(*preview, preview_suffix)) {
        preview->size -= preview_suffix.size;
        return true;
      }
    }
  }
  return false;
}

EpSlice ep_media_preview(EpSlice name) {
  while (ep_slice_ends_with(name, preview_suffix))
    name.size -= preview_suffix.size;
  return name;
}
