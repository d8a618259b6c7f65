/* SPDX-License-Identifier: MIT */
/* Byte strings that grow. */
#ifndef EP_BUFFER_H
#define EP_BUFFER_H

#include "compat.h"
#include "core/bytes.h"

/* A buffer is on the C stack while it is short. Later it is in a userdata, which a slot of the Lua
 * stack keeps alive. */
enum { EP_BUFFER_INITIAL = 2048 };

typedef struct EpBuffer {
  char *bytes;
  size_t size;     /* bytes in use */
  size_t capacity; /* bytes */
  int slot;        /* absolute stack index that keeps the userdata */
  char initial[EP_BUFFER_INITIAL];
} EpBuffer;

/* Makes the buffer empty. When it grows, it replaces the value in the slot. */
static inline void ep_buffer_init(EpBuffer *b, int slot) {
  b->bytes = b->initial;
  b->size = 0;
  b->capacity = sizeof b->initial;
  b->slot = slot;
}

/* [-0, +0] Makes room for at least `size` more bytes. Needs two free stack slots. Raises if size_t
 * cannot hold the new length (a size of (size_t)-1 means this, too), and if there is no memory. */
EP_INTERNAL void ep_buffer_grow(lua_State *L, EpBuffer *b, size_t size);

/* Makes room for `size` more bytes, and returns where they go. Raises as ep_buffer_grow does. */
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

/* The bytes of the buffer. The slice is valid until more bytes are added, since they may move then.
 */
static inline EpSlice ep_buffer_slice(const EpBuffer *b) {
  return ep_slice(b->bytes, b->size);
}

/* [-0, +1] Pushes the bytes as a string. */
static inline void ep_buffer_push(lua_State *L, const EpBuffer *b) {
  lua_pushlstring(L, b->bytes, b->size);
}

#endif
