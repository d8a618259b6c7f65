/* A piece of text. Knows nothing of Lua. */
#ifndef EP_SLICE_H
#define EP_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Bytes that belong to somebody else; any byte may be among them, NUL too. */
typedef struct EpSlice {
  const char *bytes;
  size_t size;
} EpSlice;

static inline EpSlice ep_slice(const char *bytes, size_t size) {
  EpSlice slice = {bytes, size};
  return slice;
}

/* The slice of a C string literal. */
#define EP_SLICE(literal) ep_slice(literal, sizeof literal - 1)

/* The slice without its first `size` bytes; it has at least that many. */
static inline EpSlice ep_slice_from(EpSlice text, size_t size) {
  return ep_slice(text.bytes + size, text.size - size);
}

static inline const char *ep_slice_end(EpSlice text) {
  return text.bytes + text.size;
}

static inline bool ep_slice_equals(EpSlice a, EpSlice b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

static inline bool ep_slice_begins_with(EpSlice text, EpSlice start) {
  return text.size >= start.size && memcmp(text.bytes, start.bytes, start.size) == 0;
}

static inline bool ep_slice_ends_with(EpSlice text, EpSlice end) {
  return text.size >= end.size && memcmp(ep_slice_end(text) - end.size, end.bytes, end.size) == 0;
}

#endif
