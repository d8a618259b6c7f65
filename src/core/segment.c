/* One scan over the bytes that part segments, end them or make dots. */
#include "segment.h"

#include "percent.h"

/* What a byte or triplet means in a segment. */
typedef enum {
  TEXT,
  DOT,
  SEPARATOR,
  SEMICOLON, /* ends what counts */
  DELIMITER, /* an encoded "?" or "#": ends what counts as dots */
  PATH_END   /* "?" or "#" itself */
} Mark;

static Mark mark_of(char byte) {
  switch (byte) {
  case '.':
    return DOT;
  case '/':
  case '\\':
    return SEPARATOR;
  case ';':
    return SEMICOLON;
  case '?':
  case '#':
    return PATH_END;
  default:
    return TEXT;
  }
}

static int digit_value(char digit) {
  return ep_is(digit, EP_DIGIT) ? digit - '0' : ep_lower_byte(digit) - 'a' + 10;
}

/* Skips what encodes a "%" again, any number of times. */
static const char *skip_encoded_percents(const char *at, const char *end) {
  while (end - at >= 2 && at[0] == '2' && at[1] == '5')
    at += 2;
  return at;
}

/* Reads a hexadecimal digit. It may be a triplet, too: a second decoder reads what the first one
 * has made. Returns NULL if there is none. */
static const char *read_digit(const char *at, const char *end, int *value) {
  char digit;
  if (at < end && ep_is(*at, EP_HEX)) {
    *value = 16 * *value + digit_value(*at);
    return at + 1;
  }
  if (at == end || *at != '%')
    return NULL;
  at = skip_encoded_percents(at + 1, end);
  if (end - at < 2 || !ep_is(at[0], EP_HEX) || !ep_is(at[1], EP_HEX))
    return NULL;
  digit = (char)(unsigned char)(16 * digit_value(at[0]) + digit_value(at[1]));
  if (!ep_is(digit, EP_HEX))
    return NULL;
  *value = 16 * *value + digit_value(digit);
  return at + 2;
}

/* Reads what a "%" begins, and sets *next behind it. No byte is read more than three times. */
static Mark read_triplet(const char *at, const char *end, const char **next) {
  const char *digits = skip_encoded_percents(at + 1, end), *behind;
  int value = 0;
  Mark mark;
  *next = digits;
  behind = read_digit(digits, end, &value);
  if (behind)
    behind = read_digit(behind, end, &value);
  if (!behind)
    return TEXT;
  *next = behind;
  mark = mark_of((char)(unsigned char)value);
  return mark == PATH_END ? DELIMITER : mark;
}

static inline Mark read_mark(const char *at, const char *end, const char **next) {
  *next = at + 1;
  return *at == '%' ? read_triplet(at, end, next) : mark_of(*at);
}

size_t ep_segment_separator(const char *at, const char *end) {
  const char *next;
  return read_mark(at, end, &next) == SEPARATOR ? (size_t)(next - at) : 0;
}

/* Goes to the next byte that may be a mark. Behind the dots at the start, dots are text. */
static const char *skip_text(const char *at, const char *end) {
  while (at < end && ep_is(*at, EP_UNRESERVED))
    at++;
  return at;
}

bool ep_segment_is_dots(const char *at, const char *end) {
  const char *next;
  Mark mark = PATH_END;
  int dots = 0;
  for (; at < end && (mark = read_mark(at, end, &next)) == DOT && dots <= 2; at = next)
    dots++;
  return (dots == 1 || dots == 2) && (at == end || mark != TEXT);
}

EpSegment ep_segment_read(const char *at, const char *end) {
  EpSegment s = {NULL, end, end, false};
  if (at < end && (*at == '.' || *at == '%'))
    s.is_dots = ep_segment_is_dots(at, end);
  while ((at = skip_text(at, end)) < end) {
    const char *next;
    const Mark mark = read_mark(at, end, &next);
    if (mark == SEMICOLON && !s.counted)
      s.counted = at;
    if (mark == SEPARATOR || mark == PATH_END) {
      s.end = at;
      s.next = mark == SEPARATOR ? next : at;
      break;
    }
    at = next;
  }
  if (!s.counted)
    s.counted = s.end;
  return s;
}
