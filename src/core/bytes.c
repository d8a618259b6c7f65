/* SPDX-License-Identifier: MIT */
#include "bytes.h"

#include <stdint.h>

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

bool ep_equals_ignoring_case(EpSlice a, EpSlice b) {
  size_t i = 0;
  if (a.size != b.size)
    return false;
  while (i < a.size &&
         (a.bytes[i] == b.bytes[i] || ep_lower_byte(a.bytes[i]) == ep_lower_byte(b.bytes[i])))
    i++;
  return i == a.size;
}

/* Without this table, prose takes 25 % more instructions. Four characters for each byte: what is
 * written for it, filled up with spaces to three characters, and the number of characters that
 * count. */
static const char units[] =
    /* clang-format off */
    "%003%013%023%033%043%053%063%073%083%093%0A3%0B3%0C3%0D3%0E3%0F3"
    "%103%113%123%133%143%153%163%173%183%193%1A3%1B3%1C3%1D3%1E3%1F3"
    "%203%213%223%233%243%253%263%273%283%293%2A3%2B3%2C3-  1.  1%2F3"
    "0  11  12  13  14  15  16  17  18  19  1%3A3%3B3%3C3%3D3%3E3%3F3"
    "%403A  1B  1C  1D  1E  1F  1G  1H  1I  1J  1K  1L  1M  1N  1O  1"
    "P  1Q  1R  1S  1T  1U  1V  1W  1X  1Y  1Z  1%5B3%5C3%5D3%5E3_  1"
    "%603a  1b  1c  1d  1e  1f  1g  1h  1i  1j  1k  1l  1m  1n  1o  1"
    "p  1q  1r  1s  1t  1u  1v  1w  1x  1y  1z  1%7B3%7C3%7D3~  1%7F3"
    "%803%813%823%833%843%853%863%873%883%893%8A3%8B3%8C3%8D3%8E3%8F3"
    "%903%913%923%933%943%953%963%973%983%993%9A3%9B3%9C3%9D3%9E3%9F3"
    "%A03%A13%A23%A33%A43%A53%A63%A73%A83%A93%AA3%AB3%AC3%AD3%AE3%AF3"
    "%B03%B13%B23%B33%B43%B53%B63%B73%B83%B93%BA3%BB3%BC3%BD3%BE3%BF3"
    "%C03%C13%C23%C33%C43%C53%C63%C73%C83%C93%CA3%CB3%CC3%CD3%CE3%CF3"
    "%D03%D13%D23%D33%D43%D53%D63%D73%D83%D93%DA3%DB3%DC3%DD3%DE3%DF3"
    "%E03%E13%E23%E33%E43%E53%E63%E73%E83%E93%EA3%EB3%EC3%ED3%EE3%EF3"
    "%F03%F13%F23%F33%F43%F53%F63%F73%F83%F93%FA3%FB3%FC3%FD3%FE3%FF3";
/* clang-format on */

/* Always writes four bytes, and returns the end of those that count. There is no branch that
 * depends on the byte, since bytes to encode and others may alternate. */
static inline char *write_unit(char *to, char byte) {
  const char *unit = units + 4 * (size_t)(unsigned char)byte;
  memcpy(to, unit, 4);
  return to + (unit[3] - '0');
}

/* Both encode the bytes from `at` to `stop`. encode_unreserved does not change reserved bytes and
 * triplets. */
static char *encode_bytes(char *to, const char *at, const char *stop) {
  for (; at < stop; at++)
    to = write_unit(to, *at);
  return to;
}

static char *encode_unreserved(char *to, const char *at, const char *stop, const char *end) {
  for (; at < stop; at++)
    if (ep_is(*at, EP_UNRESERVED | EP_RESERVED) || ep_percent_triplet(at, end))
      *to++ = *at;
    else
      to = write_unit(to, *at);
  return to;
}

/* Number of bytes that are tested together, as words in any byte order. Compilers use vector
 * instructions for them. */
enum { BLOCK = 32 };
#define EP_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Sets the high bit of each byte from `first` to `last`. All bytes must be below 0x80. */
static uint64_t in_range(uint64_t word, unsigned first, unsigned last) {
  return (word + EP_EACH(0x80 - first)) & ~(word + EP_EACH(0x7F - last));
}

/* Are all bytes of the block unreserved? The answer is no if there is a "~", which is rare. */
static inline bool is_unreserved(const char *block) {
  uint64_t found = EP_EACH(0x80), word;
  for (size_t i = 0; i < BLOCK; i += sizeof word) {
    memcpy(&word, block + i, sizeof word);
    found &= ~word & (in_range(word | EP_EACH(0x20), 'a', 'z') | in_range(word, '0', '9') |
                      in_range(word, '-', '.') | in_range(word, '_', '_'));
  }
  return found == EP_EACH(0x80);
}

const char *ep_skip_visible(const char *at, const char *end) {
  for (uint64_t word; end - at >= (ptrdiff_t)sizeof word; at += sizeof word) {
    memcpy(&word, at, sizeof word);
    if ((~word & in_range(word, '!', 'z') & EP_EACH(0x80)) != EP_EACH(0x80))
      break;
  }
  return at;
}

char *ep_percent_encode(char *to, EpSlice text, unsigned allow) {
  const char *at = text.bytes, *end = ep_slice_end(text), *stop;
  for (; end - at >= BLOCK; at = stop) {
    stop = at + BLOCK;
    if (is_unreserved(at))
      to = (char *)memcpy(to, at, BLOCK) + BLOCK;
    else if (allow & EP_RESERVED)
      to = encode_unreserved(to, at, stop, end);
    else
      to = encode_bytes(to, at, stop);
  }
  return allow & EP_RESERVED ? encode_unreserved(to, at, end, end) : encode_bytes(to, at, end);
}

size_t ep_percent_decode(char *to, EpSlice text) {
  const char *at = text.bytes, *end = ep_slice_end(text);
  char *const begin = to;
  while (at < end) {
    const bool is_triplet = ep_percent_triplet(at, end);
    *to++ = is_triplet ? (char)ep_percent_value(at) : *at;
    at += is_triplet ? 3 : 1;
  }
  return (size_t)(to - begin);
}

/* The size of the code point at s in bytes; 1 if it is malformed (RFC 3629 section 4). */
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
