/* SPDX-License-Identifier: MIT */
/* Byte classes, ASCII case and percent-encoding (RFC 3986 section 2). Knows nothing of Lua. */
#ifndef EP_BYTES_H
#define EP_BYTES_H

#include "slice.h"

/* Classes of bytes; a set of them is combined with |. */
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

extern EP_HIDDEN const unsigned char ep_byte_class[256];

/* Is the byte in one of the classes? */
#define ep_is(byte, classes) ((ep_byte_class[(unsigned char)(byte)] & (classes)) != 0)

/* Space, TAB, LF, VT, FF and CR. */
static inline bool ep_is_space(char byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* An ASCII letter in lower or upper case; any other byte unchanged. */
static inline char ep_lower_byte(char byte) {
  return byte >= 'A' && byte <= 'Z' ? (char)(byte ^ 0x20) : byte;
}

static inline char ep_upper_byte(char byte) {
  return byte >= 'a' && byte <= 'z' ? (char)(byte ^ 0x20) : byte;
}

/* Are the texts equal when the case of ASCII letters is ignored? */
EP_INTERNAL bool ep_equals_ignoring_case(EpSlice a, EpSlice b);

/* The value of a hexadecimal digit. The low four bits of a letter are 1 to 6, so 9 is added to
 * them. */
static inline unsigned ep_hex_value(char digit) {
  return ((unsigned char)digit & 15u) + 9u * ((unsigned char)digit >> 6);
}

/* Does a triplet, "%" and two hexadecimal digits, begin at text? */
static inline bool ep_percent_triplet(const char *text, const char *end) {
  return end - text >= 3 && text[0] == '%' && ep_is(text[1], EP_HEX) && ep_is(text[2], EP_HEX);
}

/* The byte that the triplet at text encodes. */
static inline unsigned ep_percent_value(const char *text) {
  return 16 * ep_hex_value(text[1]) + ep_hex_value(text[2]);
}

/* Skips bytes from "!" to "z", eight at a time. More of them may follow where it stopped. */
EP_INTERNAL const char *ep_skip_visible(const char *at, const char *end);

/* Skips unreserved bytes. Returns the first other byte, or the end. */
static inline const char *ep_skip_unreserved(const char *at, const char *end) {
  while (at < end && ep_is(*at, EP_UNRESERVED))
    at++;
  return at;
}

/* ep_percent_encode may write three bytes after its result. Callers add two separators at most. */
enum { EP_PERCENT_OVERRUN = 3 + 2 };

/* The room in bytes that ep_percent_encode needs for a text of this size, with the separators
 * around it. It is (size_t)-1 if size_t cannot hold the number. */
static inline size_t ep_percent_room(size_t size) {
  /* GCOVR_EXCL_BR_START: no test can have a string of a quarter of the address space */
  return size < (size_t)-1 / 4 ? 3 * size + EP_PERCENT_OVERRUN : (size_t)-1;
  /* GCOVR_EXCL_BR_STOP */
}

/* Writes the text to `to` with its triplets decoded. Returns the size of the result in bytes. `to`
 * may be the start of the text itself. */
EP_INTERNAL size_t ep_percent_decode(char *to, EpSlice text);

/* Percent-encodes the text to `to`, and returns the end of the result. Unreserved bytes stay. Other
 * bytes become triplets in upper case. With EP_RESERVED in `allow`, reserved bytes and triplets
 * stay, too. Writes at most ep_percent_room(text.size) bytes. */
EP_INTERNAL char *ep_percent_encode(char *to, EpSlice text, unsigned allow);

/* The size in bytes of the text's first `length` characters (RFC 6570 section 2.4.1). A character
 * is a UTF-8 code point or a byte that does not begin one. With EP_RESERVED in `allow`, a triplet
 * is a character, too. */
EP_INTERNAL size_t ep_percent_prefix(EpSlice text, unsigned length, unsigned allow);

#endif
