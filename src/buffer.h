/* SPDX-License-Identifier: MIT */
/* Texts that grow. */
#ifndef EP_BUFFER_H
#define EP_BUFFER_H

#include "compat.h"
#include "core/bytes.h"

/* While it is short it lies on the C stack, then in a userdata in a slot of the Lua stack. */
enum { EP_BUFFER_INITIAL = 2048 };

typedef struct EpBuffer {
  char *bytes;
  size_t size;     /* bytes in use */
  size_t capacity; /* bytes */
  int slot;        /* absolute stack index that keeps the userdata */
  char initial[EP_BUFFER_INITIAL];
} EpBuffer;

/* Makes the buffer empty. From now on it may replace the value in the slot. */
static inline void ep_buffer_init(EpBuffer *b, int slot) {
  b->bytes = b->initial;
  b->size = 0;
  b->capacity = sizeof b->initial;
  b->slot = slot;
}

/* [-0, +0] Makes room for at least `size` more bytes, with two free stack slots. Raises if size_t
 * cannot hold the length, as a size of (size_t)-1 says, too, and if there is no memory. */
EP_INTERNAL void ep_buffer_grow(lua_State *L, EpBuffer *b, size_t size);

/* Returns where there is room for `size` more bytes. Raises as ep_buffer_grow does. */
static inline char *ep_buffer_reserve(lua_State *L, EpBuffer *b, size_t size) {
  if (b->capacity - b->size < size)
    ep_buffer_grow(L, b, size);
  return b->bytes + b->size;
}

/* Appends a text or a byte. Raises as ep_buffer_grow does. */
static inline void ep_buffer_add(lua_State *L, EpBuffer *b, EpSlice text) {
  memcpy(ep_buffer_reserve(L, b, text.size), text.bytes, text.size);
  b->size += text.size;
}

static inline void ep_buffer_add_byte(lua_State *L, EpBuffer *b, char byte) {
  *ep_buffer_reserve(L, b, 1) = byte;
  b->size++;
}

/* Appends the text percent-encoded, as ep_percent_encode does. */
static inline void ep_buffer_add_encoded(lua_State *L, EpBuffer *b, EpSlice text, unsigned allow) {
  char *to = ep_buffer_reserve(L, b, ep_percent_room(text.size));
  b->size = (size_t)(ep_percent_encode(to, text, allow) - b->bytes);
}

/* Inserts a byte at an offset, or removes the one that is there. */
EP_INTERNAL void ep_buffer_insert(lua_State *L, EpBuffer *b, size_t at, char byte);
EP_INTERNAL void ep_buffer_remove(EpBuffer *b, size_t at);

/* The bytes, until more are added: then they may move. */
static inline EpSlice ep_buffer_slice(const EpBuffer *b) {
  return ep_slice(b->bytes, b->size);
}

/* [-0, +1] Pushes the bytes as a string. */
static inline void ep_buffer_push(lua_State *L, const EpBuffer *b) {
  lua_pushlstring(L, b->bytes, b->size);
}

#endif
