#include "percent.h"

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

/* For each byte a unit of four: what is written for it, and how many bytes of that count.
 * S: the byte stays. C: it is encoded. H: 16 bytes are. RES: it is reserved. */
/* clang-format off */
#define S(byte) #byte "  \1"
#define C(hex) "%" hex "\3"
#define H(x) C(x "0") C(x "1") C(x "2") C(x "3") C(x "4") C(x "5") C(x "6") C(x "7") C(x "8") \
  C(x "9") C(x "A") C(x "B") C(x "C") C(x "D") C(x "E") C(x "F")
#define UNITS(RES) H("0") H("1") \
  C("20") RES("!", "21") C("22") RES("#", "23") RES("$", "24") C("25") RES("&", "26") \
  RES("'", "27") RES("(", "28") RES(")", "29") RES("*", "2A") RES("+", "2B") RES(",", "2C") \
  S(-) S(.) RES("/", "2F") S(0) S(1) S(2) S(3) S(4) S(5) S(6) S(7) S(8) S(9) RES(":", "3A") \
  RES(";", "3B") C("3C") RES("=", "3D") C("3E") RES("?", "3F") RES("@", "40") \
  S(A) S(B) S(C) S(D) S(E) S(F) S(G) S(H) S(I) S(J) S(K) S(L) S(M) S(N) S(O) S(P) S(Q) S(R) \
  S(S) S(T) S(U) S(V) S(W) S(X) S(Y) S(Z) RES("[", "5B") C("5C") RES("]", "5D") C("5E") S(_) \
  C("60") S(a) S(b) S(c) S(d) S(e) S(f) S(g) S(h) S(i) S(j) S(k) S(l) S(m) S(n) S(o) S(p) S(q) \
  S(r) S(s) S(t) S(u) S(v) S(w) S(x) S(y) S(z) C("7B") C("7C") C("7D") S(~) C("7F") \
  H("8") H("9") H("A") H("B") H("C") H("D") H("E") H("F")
#define STAYS(byte, hex) byte "  \1"
#define ENCODED(byte, hex) C(hex)
static const char units[] = UNITS(ENCODED), units_with_reserved[] = UNITS(STAYS);
#undef S
#undef C
#undef H
/* clang-format on */

/* Writes the units of the bytes from `at` to `stop`. No branch depends on them, but for the
 * one that keeps triplets. */
static inline char *write_units(char *to, const char *at, const char *stop, const char *end,
                                bool keeps_reserved) {
  const char *table = keeps_reserved ? units_with_reserved : units;
  for (; at < stop; at++) {
    const char *unit = table + 4 * (size_t)(unsigned char)*at;
    if (keeps_reserved && *at == '%' && ep_percent_triplet(at, end)) {
      *to++ = '%';
      continue;
    }
    memcpy(to, unit, 4);
    to += unit[3];
  }
  return to;
}

/* Both tables have a loop of their own. */
static char *encode_bytes(char *to, const char *at, const char *stop, const char *end,
                          unsigned allow) {
  if (allow & EP_RESERVED)
    return write_units(to, at, stop, end, true);
  return write_units(to, at, stop, end, false);
}

/* Bytes that are tested at once, in words of eight bytes in any byte order. Compilers use
 * vector instructions for them. */
enum { BLOCK = 32 };
#define EP_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Sets the high bit of each byte from `first` to `last`. All bytes must be below 0x80. */
static uint64_t in_range(uint64_t word, unsigned first, unsigned last) {
  return (word + EP_EACH(0x80 - first)) & ~(word + EP_EACH(0x7F - last));
}

/* Are all bytes of the block letters, digits, "-", "." or "_"? "~", which is unreserved, too,
 * is rare. */
static inline bool is_unreserved(const char *block) {
  uint64_t found = EP_EACH(0x80), word;
  for (size_t i = 0; i < BLOCK; i += sizeof word) {
    memcpy(&word, block + i, sizeof word);
    found &= ~word & (in_range(word | EP_EACH(0x20), 'a', 'z') | in_range(word, '0', '9') |
                      in_range(word, '-', '.') | in_range(word, '_', '_'));
  }
  return found == EP_EACH(0x80);
}

char *ep_percent_encode(char *to, EpSlice text, unsigned allow) {
  const char *at = text.bytes, *end = ep_slice_end(text);
  for (; end - at >= BLOCK; at += BLOCK) {
    if (is_unreserved(at)) {
      memcpy(to, at, BLOCK);
      to += BLOCK;
    } else {
      to = encode_bytes(to, at, at + BLOCK, end, allow);
    }
  }
  return encode_bytes(to, at, end, end, allow);
}

int ep_percent_compare(EpSlice encoded, EpSlice text) {
  for (size_t i = 0; i < text.size; i++) {
    const char *unit = units + 4 * (size_t)(unsigned char)text.bytes[i];
    const size_t size = (size_t)unit[3], rest = encoded.size < size ? encoded.size : size;
    const int order = ep_slice_compare(ep_slice(encoded.bytes, rest), ep_slice(unit, size));
    if (order != 0)
      return order;
    encoded = ep_slice_from(encoded, size);
  }
  return encoded.size > 0;
}

/* The bytes of the code point at s, 1 if it is malformed (RFC 3629 section 4). */
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
