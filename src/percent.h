/* Byte classes and percent-encoding (RFC 3986 section 2). Knows nothing of Lua. */
#ifndef EP_PERCENT_H
#define EP_PERCENT_H

#include <stdbool.h>
#include <stddef.h>

#include "slice.h"
#include "symbols.h"

/* Classes of bytes, to be combined with |. */
enum {
  EP_UNRESERVED = 1, /* RFC 3986 section 2.3 */
  EP_RESERVED = 2,   /* RFC 3986 section 2.2 */
  EP_TOKEN = 4,      /* RFC 9110 section 5.6.2, tchar */
  EP_MEDIA_NAME = 8, /* RFC 6838 section 4.2, restricted-name-chars */
  EP_WORD = 16,      /* letters, digits, "_" */
  EP_HEX = 32,       /* hexadecimal digits, either case */
  EP_DIGIT = 64,     /* 0-9 */
  EP_CONTROL = 128   /* 0x00-0x1F and 0x7F */
};

extern EP_INTERNAL const unsigned char ep_byte_class[256];

/* Is the byte in one of the classes? */
#define ep_is(byte, classes) ((ep_byte_class[(unsigned char)(byte)] & (classes)) != 0)

/* White space as C's isspace has it in the "C" locale. */
static inline bool ep_is_space(char byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* The ASCII letter in lower or upper case; any other byte as it is. */
static inline char ep_lower_byte(char byte) {
  return byte >= 'A' && byte <= 'Z' ? (char)(byte ^ 0x20) : byte;
}

static inline char ep_upper_byte(char byte) {
  return byte >= 'a' && byte <= 'z' ? (char)(byte ^ 0x20) : byte;
}

/* Writes the text with its ASCII letters in lower case. */
EP_INTERNAL void ep_lower(char *to, EpSlice text);

/* Are the texts equal but for the case of ASCII letters? */
EP_INTERNAL bool ep_equals_ignoring_case(EpSlice a, EpSlice b);

/* Does a percent triplet ("%" and two hexadecimal digits) begin at text? */
EP_INTERNAL bool ep_percent_triplet(const char *text, const char *end);

/* Is that triplet %XY, in either case? The digits are given in lower case. */
static inline bool ep_percent_is(const char *text, const char *end, char high, char low) {
  return end - text >= 3 && text[0] == '%' && text[1] == high && (text[2] | 0x20) == (low | 0x20);
}

enum { EP_PERCENT_OVERRUN = 3 };

/* Encodes the text, each byte as itself if it is in one of the classes of allow, else as
 * an upper-case triplet. With EP_RESERVED in allow, triplets stay as they are. Writes at
 * to, and may write EP_PERCENT_OVERRUN bytes behind the result, which takes at most
 * 3 * text.size: 3 * text.size + 1 bytes of room are enough. Returns the end of the result. */
EP_INTERNAL char *ep_percent_encode(char *to, EpSlice text, unsigned allow);

/* How many bytes the first `length` characters of the text take (RFC 6570
 * section 2.4.1). A character is a UTF-8 code point or a byte that begins
 * none; with EP_RESERVED in allow a triplet counts as one too. */
EP_INTERNAL size_t ep_percent_prefix(EpSlice text, unsigned length, unsigned allow);

#endif
