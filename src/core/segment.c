/* SPDX-License-Identifier: MIT */
#include "segment.h"

const char ep_marks[] =
    /* clang-format off */
    "bbbbbbbbbbbbbbbb"
    "bbbbbbbbbbbbbbbb"
    "btt?t%tttttttt./"
    "ttttttttttt;ttt?"
    "tttttttttttttttt"
    "tttttttttttt/ttt"
    "tttttttttttttttt"
    "tttttttttttttttb"
    "tttttttttttttttt"
    "tttttttttttttttt"
    "tttttttttttttttt"
    "tttttttttttttttt"
    "tttttttttttttttt"
    "tttttttttttttttt"
    "tttttttttttttttt"
    "tttttttttttttttt";
/* clang-format on */

/* Skips what encodes a "%" again, any number of times. */
static const char *skip_encoded_percents(const char *at, const char *end) {
  while (end - at >= 2 && at[0] == '2' && at[1] == '5')
    at += 2;
  return at;
}

/* Reads a hexadecimal digit. It may be a triplet, too: a second decoder reads what the first one
 * has made. Returns NULL if there is none. */
static const char *read_digit(const char *at, const char *end, unsigned *value) {
  char digit;
  if (at < end && ep_is(*at, EP_HEX)) {
    *value = 16 * *value + ep_hex_value(*at);
    return at + 1;
  }
  if (at == end || *at != '%')
    return NULL;
  at = skip_encoded_percents(at + 1, end);
  if (end - at < 2 || !ep_is(at[0], EP_HEX) || !ep_is(at[1], EP_HEX))
    return NULL;
  digit = (char)(16 * ep_hex_value(at[0]) + ep_hex_value(at[1]));
  if (!ep_is(digit, EP_HEX))
    return NULL;
  *value = 16 * *value + ep_hex_value(digit);
  return at + 2;
}

/* No byte is read more than three times. */
EpMark ep_mark_encoded(const char *at, const char *end, const char **next) {
  const char *digits = skip_encoded_percents(at + 1, end), *behind;
  unsigned value = 0;
  *next = digits;
  behind = read_digit(digits, end, &value);
  if (behind)
    behind = read_digit(behind, end, &value);
  if (!behind)
    return EP_MARK_TEXT;
  *next = behind;
  return (EpMark)ep_marks[value];
}

bool ep_segment_is_dots(const char *at, const char *end) {
  const char *next;
  EpMark mark = EP_MARK_PATH_END;
  int dots = 0;
  for (; at < end && dots <= 2 && (mark = ep_mark_read(at, end, &next)) == EP_MARK_DOT; at = next)
    dots++;
  return (dots == 1 || dots == 2) && (at == end || mark != EP_MARK_TEXT);
}

const char *ep_segment_next(const char *at, const char *end) {
  while ((at = ep_skip_unreserved(at, end)) < end) {
    const char *next;
    const EpMark mark = ep_mark_read(at, end, &next);
    if (mark == EP_MARK_SEPARATOR)
      return next;
    at = next;
  }
  return NULL;
}
