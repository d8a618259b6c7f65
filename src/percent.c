/* Byte classes and percent-encoding (RFC 3986 section 2). Knows nothing of Lua. */
#include "percent.h"

#include <stdint.h>
#include <string.h>

/* Bytes from 0x80 on belong to no class. */
const unsigned char ep_byte_class[256] = {
    /* clang-format off */
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    0x00, 0x0e, 0x00, 0x0e, 0x0e, 0x04, 0x0e, 0x06, 0x02, 0x02, 0x06, 0x0e, 0x02, 0x0d, 0x0d, 0x02,
    0x7d, 0x7d, 0x7d, 0x7d, 0x7d, 0x7d, 0x7d, 0x7d, 0x7d, 0x7d, 0x02, 0x02, 0x00, 0x02, 0x00, 0x02,
    0x02, 0x3d, 0x3d, 0x3d, 0x3d, 0x3d, 0x3d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d,
    0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x02, 0x00, 0x02, 0x0c, 0x1d,
    0x04, 0x3d, 0x3d, 0x3d, 0x3d, 0x3d, 0x3d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d,
    0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x00, 0x04, 0x00, 0x05, 0x80,
    /* clang-format on */
};

void ep_lower(char *to, EpSlice text) {
  for (size_t i = 0; i < text.size; i++)
    to[i] = ep_lower_byte(text.bytes[i]);
}

bool ep_equals_ignoring_case(EpSlice a, EpSlice b) {
  size_t i = 0;
  while (i < a.size && i < b.size && ep_lower_byte(a.bytes[i]) == ep_lower_byte(b.bytes[i]))
    i++;
  return i == a.size && i == b.size;
}

bool ep_percent_triplet(const char *text, const char *end) {
  return end - text >= 3 && text[0] == '%' && ep_is(text[1], EP_HEX) && ep_is(text[2], EP_HEX);
}

/* Every byte's triplet, four bytes apart, so that one store writes it. */
#define EP_ROW(high)                                                                               \
  "%" high "0 %" high "1 %" high "2 %" high "3 %" high "4 %" high "5 %" high "6 %" high "7 "       \
  "%" high "8 %" high "9 %" high "A %" high "B %" high "C %" high "D %" high "E %" high "F "
static const char triplets[] = EP_ROW("0") EP_ROW("1") EP_ROW("2") EP_ROW("3") EP_ROW("4")
    EP_ROW("5") EP_ROW("6") EP_ROW("7") EP_ROW("8") EP_ROW("9") EP_ROW("A") EP_ROW("B") EP_ROW("C")
        EP_ROW("D") EP_ROW("E") EP_ROW("F");

/* Eight bytes at a time, in one word, whatever its byte order; of long texts four
 * words, which compilers turn into the machine's vectors. */
enum { WORD = 8, BLOCK = 4 * WORD };
#define EP_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The high bit of each byte that is from first to last, for bytes below 0x80. */
static uint64_t in_range(uint64_t word, unsigned first, unsigned last) {
  return (word + EP_EACH(0x80 - first)) & ~(word + EP_EACH(0x7F - last));
}

/* Are the next bytes, WORD or BLOCK of them, letters, digits, "-", "." and "_"? "~",
 * the rest of the unreserved, is rare. */
static inline bool is_unreserved(const char *text, size_t size) {
  uint64_t found = EP_EACH(0x80);
  for (size_t i = 0; i < size; i += WORD) {
    uint64_t word;
    memcpy(&word, text + i, sizeof word);
    found &= ~word & (in_range(word | EP_EACH(0x20), 'a', 'z') | in_range(word, '0', '9') |
                      in_range(word, '-', '.') | in_range(word, '_', '_'));
  }
  return found == EP_EACH(0x80);
}

/* Copies bytes as long as they are in one of the classes of allow. Moves *to
 * behind the copy and returns where it stopped. */
static const char *copy_allowed(char **to, const char *text, const char *end, unsigned allow) {
  char *out = *to;
  for (; end - text >= BLOCK && is_unreserved(text, BLOCK); text += BLOCK, out += BLOCK)
    memcpy(out, text, BLOCK);
  for (; end - text >= WORD && is_unreserved(text, WORD); text += WORD, out += WORD)
    memcpy(out, text, WORD);
  while (text < end && ep_is(*text, allow))
    *out++ = *text++;
  *to = out;
  return text;
}

/* Writes four bytes, of which the last is not counted. */
static inline void put_triplet(char *to, char byte) {
  memcpy(to, triplets + 4 * (unsigned char)byte, 4);
}

/* Are the next WORD bytes all from 0x80 on, as in many a language's UTF-8? */
static inline bool is_high(const char *text) {
  uint64_t word;
  memcpy(&word, text, sizeof word);
  return (word & EP_EACH(0x80)) == EP_EACH(0x80);
}

char *ep_percent_encode(char *to, EpSlice from, unsigned allow) {
  const char *text = from.bytes, *end = ep_slice_end(from);
  while (text < end) {
    text = copy_allowed(&to, text, end, allow);
    for (; end - text >= WORD && is_high(text); text += WORD, to += 3 * WORD)
      for (int i = 0; i < WORD; i++)
        put_triplet(to + 3 * i, text[i]);
    while (text < end && !ep_is(*text, allow)) {
      if ((allow & EP_RESERVED) && ep_percent_triplet(text, end)) {
        memcpy(to, text, 3);
        text += 3;
      } else {
        put_triplet(to, *text++);
      }
      to += 3;
    }
  }
  return to;
}

/* The well-formed byte sequences of RFC 3629 section 4. */
static size_t utf8_size(const unsigned char *s, size_t size) {
  size_t length = s[0] < 0xC2 ? 1 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 1;
  unsigned char low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
  unsigned char high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
  if (length > size)
    return 1;
  if (length > 1 && (s[1] < low || s[1] > high))
    return 1;
  for (size_t i = 2; i < length; i++)
    if (s[i] < 0x80 || s[i] > 0xBF)
      return 1;
  return length;
}

size_t ep_percent_prefix(EpSlice text, unsigned length, unsigned allow) {
  const char *at = text.bytes, *end = ep_slice_end(text);
  while (at < end && length-- > 0) {
    if ((allow & EP_RESERVED) && ep_percent_triplet(at, end))
      at += 3;
    else
      at += utf8_size((const unsigned char *)at, (size_t)(end - at));
  }
  return (size_t)(at - text.bytes);
}
