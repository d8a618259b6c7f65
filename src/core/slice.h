/* SPDX-License-Identifier: MIT */
/* Pieces of text. Knows nothing of Lua. Brings bool, size_t, memcpy and EP_INTERNAL. */
#ifndef EP_SLICE_H
#define EP_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* EP_INTERNAL marks functions that several files share but the module must not export, and
 * EP_HIDDEN constants of that kind: a plain `cc -shared` then shows its entry points alone, and a
 * program that links these files statically sees only names that begin with ep_. Where all sources
 * are one file, EP_INTERNAL is static. */
#if defined(__GNUC__) && !defined(_WIN32) && !defined(__CYGWIN__)
#define EP_HIDDEN __attribute__((visibility("hidden")))
#else
#define EP_HIDDEN
#endif

#ifndef EP_INTERNAL
#define EP_INTERNAL EP_HIDDEN
#endif

/* Refuses to compile where an array of Element cannot begin right after a Struct: on machines of 32
 * bits, numbers of 64 may have a wider alignment than all of the Struct. */
#define EP_ALIGNS(Struct, Element)                                                                 \
  struct Struct##Before##Element {                                                                 \
    char byte;                                                                                     \
    Element element;                                                                               \
  };                                                                                               \
  typedef char Struct##Aligns##Element                                                             \
      [sizeof(Struct) % offsetof(struct Struct##Before##Element, element) == 0 ? 1 : -1]

/* Bytes that something else owns. NUL is a byte as any other. */
typedef struct EpSlice {
  const char *bytes;
  size_t size;
} EpSlice;

static inline EpSlice ep_slice(const char *bytes, size_t size) {
  EpSlice slice = {bytes, size};
  return slice;
}

/* A C string literal as a slice. */
#define EP_SLICE(literal) ep_slice(literal, sizeof literal - 1)

/* The slice without its first `size` bytes. It must have as many. */
static inline EpSlice ep_slice_from(EpSlice text, size_t size) {
  return ep_slice(text.bytes + size, text.size - size);
}

static inline const char *ep_slice_end(EpSlice text) {
  return text.bytes + text.size;
}

/* Most texts differ in their size or first byte. */
static inline bool ep_slice_equals(EpSlice a, EpSlice b) {
  return a.size == b.size &&
         (a.size == 0 || /* GCOVR_EXCL_BR_LINE: no caller compares two empty texts */
          (*a.bytes == *b.bytes && memcmp(a.bytes, b.bytes, a.size) == 0));
}

/* Less than 0 if a sorts before b bytewise, 0 if they are equal. Most differ at once. */
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
