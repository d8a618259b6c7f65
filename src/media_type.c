/* The scanners of an accept value. */
#include "media_type.h"

#include <string.h>

#include "percent.h"

static const char vendor_prefix[] = "application/vnd.";
static const char preview_suffix[] = "-preview";

enum { VENDOR_PREFIX = sizeof vendor_prefix - 1, PREVIEW_SUFFIX = sizeof preview_suffix - 1 };

bool ep_media_is_name(const char *text, size_t size) {
  if (size == 0 || size > EP_MEDIA_NAME_LONGEST || !ep_is(text[0], EP_WORD) || text[0] == '_')
    return false;
  for (size_t i = 1; i < size; i++)
    if (!ep_is(text[i], EP_MEDIA_NAME))
      return false;
  return true;
}

static bool begins_with(const char *at, const char *end, const char *text, size_t size) {
  return (size_t)(end - at) >= size && memcmp(at, text, size) == 0;
}

bool ep_media_has_octet_stream(EpSpan accept) {
  static const char name[] = "application/octet-stream";
  const size_t size = sizeof name - 1;
  for (const char *at = accept.begin; (size_t)(accept.end - at) >= size; at++) {
    size_t i = 0;
    while (i < size && ep_lower_byte(at[i]) == name[i])
      i++;
    if (i == size)
      return true;
  }
  return false;
}

static const char *skip_word(const char *at, const char *end) {
  while (at < end && ep_is(*at, EP_WORD))
    at++;
  return at;
}

EpSpan ep_media_vendor(EpSpan accept) {
  EpSpan name = {accept.end, accept.end};
  for (const char *at = accept.begin; at < accept.end; at++) {
    if (begins_with(at, accept.end, vendor_prefix, VENDOR_PREFIX)) {
      name.begin = at + VENDOR_PREFIX;
      name.end = skip_word(name.begin, accept.end);
      break;
    }
  }
  return name;
}

static bool is_space(char byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* The end of ".vN" if it stands at `at`, else `at` itself. */
static const char *skip_version(const char *at, const char *end) {
  const char *digit = at + 2;
  if (!begins_with(at, end, ".v", 2))
    return at;
  while (digit < end && ep_is(*digit, EP_DIGIT))
    digit++;
  return digit == at + 2 || (digit < end && ep_is(*digit, EP_WORD)) ? at : digit;
}

bool ep_media_is_vendor_part(EpSpan part, EpSpan *keep, EpSpan *rest) {
  const char *at = part.begin, *end = part.end, *word;
  while (at < end && is_space(*at))
    at++;
  while (at < end && is_space(end[-1]))
    end--;
  keep->begin = part.begin;
  rest->begin = end;
  rest->end = part.end;
  if (!begins_with(at, end, vendor_prefix, VENDOR_PREFIX))
    return false;
  at += VENDOR_PREFIX;
  word = skip_word(at, end);
  if (word == at)
    return false;
  at = keep->end = skip_version(word, end);
  if (at < end && *at == '.') {
    word = skip_word(at + 1, end);
    if (word == at + 1)
      return false;
    at = word;
  }
  return at == end || (end - at == 5 && memcmp(at, "+json", 5) == 0);
}

bool ep_media_next_preview(EpSpan accept, const char **at, EpSpan *preview) {
  while (*at < accept.end) {
    const char *begin = *at, *end = begin;
    while (end < accept.end && (ep_is(*end, EP_WORD) || *end == '-'))
      end++;
    *at = end < accept.end ? end + 1 : end;
    for (end -= end - begin < PREVIEW_SUFFIX ? end - begin : PREVIEW_SUFFIX; end > begin; end--) {
      if (memcmp(end, preview_suffix, PREVIEW_SUFFIX) == 0) {
        preview->begin = begin;
        preview->end = end;
        return true;
      }
    }
  }
  return false;
}

size_t ep_media_preview_size(const char *name, size_t size) {
  while (size >= PREVIEW_SUFFIX &&
         memcmp(name + size - PREVIEW_SUFFIX, preview_suffix, PREVIEW_SUFFIX) == 0)
    size -= PREVIEW_SUFFIX;
  return size;
}
