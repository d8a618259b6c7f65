/* SPDX-License-Identifier: MIT */
/* Pieces of text. Knows nothing of Lua. Files that include it have bool, size_t, memcpy and
 * EP_INTERNAL, too. */
#ifndef EP_SLICE_H
#define EP_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* EP_INTERNAL marks functions that several files use but that the module must not export. EP_HIDDEN
 * marks constants of that kind. With them, a plain `cc -shared` exports only the module's entry
 * points. A program that links these files statically sees only names that begin with ep_. Where
 * all sources are compiled as one file, EP_INTERNAL is defined as static. */
#if defined(__GNUC__) && !defined(_WIN32) && !defined(__CYGWIN__)
#define EP_HIDDEN __attribute__((visibility("hidden")))
#else
#define EP_HIDDEN
#endif

#ifndef EP_INTERNAL
#define EP_INTERNAL EP_HIDDEN
#endif

/* Stops the compiler if an array of Element cannot begin right after a Struct. This can happen on
 * 32-bit machines, where a 64-bit number may need a wider alignment than the Struct has. */
#define EP_ALIGNS(Struct, Element)                                                                 \
  struct Struct##Before##Element {                                                                 \
    char byte;                                                                                     \
    Element element;                                                                               \
  };                                                                                               \
  typedef char Struct##Aligns##Element                                                             \
      [sizeof(Struct) % offsetof(struct Struct##Before##Element, element) == 0 ? 1 : -1]

/* Bytes that belong to something else. NUL is a byte like any other. */
typedef struct EpSlice {
  const char *bytes;
  size_t size;
} EpSlice;

static inline EpSlice ep_slice(const char *bytes, size_t size) {
  EpSlice slice = {bytes, size};
  return slice;
}

/* A C string literal as a slice; and as the initial value of a constant. */
#define EP_SLICE(literal) ep_slice(literal, sizeof literal - 1)
/* clang-format off */
#define EP_SLICE_OF(literal) {literal, sizeof literal - 1}
/* clang-format on */

/* The slice without its first `size` bytes. It must have at least that many. */
static inline EpSlice ep_slice_from(EpSlice text, size_t size) {
  return ep_slice(text.bytes + size, text.size - size);
}

static inline const char *ep_slice_end(EpSlice text) {
  return text.bytes + text.size;
}

/* The first byte is compared before the others, since most texts differ in size or there. */
static inline bool ep_slice_equals(EpSlice a, EpSlice b) {
  return a.size == b.size &&
         (a.size == 0 || /* GCOVR_EXCL_BR_LINE: no caller compares two empty texts */
          (*a.bytes == *b.bytes && memcmp(a.bytes, b.bytes, a.size) == 0));
}

/* Returns less than 0 if a comes before b in bytewise order, 0 if they are equal, else more than 0.
 * The first byte is compared before the others, since most texts differ there. */
static inline int ep_slice_compare(EpSlice a, EpSlice b) {
  size_t shared = a.size < b.size ? a.size : b.size;
  int order = shared > 0 ? (unsigned char)a.bytes[0] - (unsigned char)b.bytes[0] : 0;
  if (order == 0 && shared > 0)
    order = memcmp(a.bytes, b.bytes, shared);
  return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static inline bool ep_slice_begins_with(EpSlice text, EpSlice start) {
  return text.size >= start.size && memcmp(text.bytes, start.bytes, start.size) == 0;
}

static inline bool ep_slice_ends_with(EpSlice text, EpSlice end) {
  return text.size >= end.size && memcmp(ep_slice_end(text) - end.size, end.bytes, end.size) == 0;
}

#endif
