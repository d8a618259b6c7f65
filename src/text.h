/* SPDX-License-Identifier: MIT */
/* Texts: strings on the Lua stack, texts that grow, and those of error messages. */
#ifndef EP_TEXT_H
#define EP_TEXT_H

#include "compat.h"
#include "core/bytes.h"

/* --- values on the Lua stack ------------------------------------------------------ */

/* Is it null, the light userdata NULL? */
static inline bool ep_is_null(lua_State *L, int index) {
  return lua_islightuserdata(L, index) && lua_touserdata(L, index) == NULL;
}

/* Is it null or nil? */
static inline bool ep_is_absent(lua_State *L, int index) {
  int type = lua_type(L, index);
  return type == LUA_TNIL || (type == LUA_TLIGHTUSERDATA && lua_touserdata(L, index) == NULL);
}

/* The bytes of a string; NULL for any other value. They are valid as long as the string is on
 * the stack. The value must not be a number: Lua would replace it by a string. */
static inline EpSlice ep_to_slice(lua_State *L, int index) {
  EpSlice text = {NULL, 0};
  text.bytes = lua_tolstring(L, index, &text.size);
  return text;
}

/* [-0, +1] Pushes the text as a string. */
static inline void ep_push_slice(lua_State *L, EpSlice text) {
  lua_pushlstring(L, text.bytes, text.size);
}

/* --- a text that grows ------------------------------------------------------------- */

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

/* [-0, +0] Makes room for at least `size` more bytes. Raises when memory runs out and when size_t
 * cannot hold the length, for which a size of (size_t)-1 stands, too. Takes two free stack
 * slots meanwhile. */
EP_INTERNAL void ep_buffer_grow(lua_State *L, EpBuffer *b, size_t size);

/* Makes sure that there is room for `size` more bytes, and returns where it is. Raises as
 * ep_buffer_grow does. */
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

/* Inserts a byte at an offset. */
EP_INTERNAL void ep_buffer_insert(lua_State *L, EpBuffer *b, size_t at, char byte);

/* The bytes, until more are added: then they may move. */
static inline EpSlice ep_buffer_slice(const EpBuffer *b) {
  return ep_slice(b->bytes, b->size);
}

/* [-0, +1] Pushes the bytes as a string. */
static inline void ep_buffer_push(lua_State *L, const EpBuffer *b) {
  ep_push_slice(L, ep_buffer_slice(b));
}

/* [-0, +1] Pushes the text with its ASCII letters in lower or upper case. */
EP_INTERNAL void ep_push_lower(lua_State *L, EpSlice text);
EP_INTERNAL void ep_push_upper(lua_State *L, EpSlice text);

/* --- error messages -------------------------------------------------------------- */

/* [-0, +1] Pushes the text in double quotes and returns it. Control bytes, bytes from 0x7F
 * on, quotes and backslashes become \xHH. Between the quotes are at most 40 bytes; the
 * last are "..." if the text was longer. */
EP_INTERNAL const char *ep_quote(lua_State *L, EpSlice text);

/* [-0, +1] The same for what may hold a secret: a URL, route, template, method or value. What
 * follows its first "?", plain or encoded, is shown as "...", and what stands before its last "@",
 * behind the first "//" if that comes before it, as ***. */
EP_INTERNAL const char *ep_quote_masked(lua_State *L, EpSlice text);

/* [-0, +1] The same as ep_quote, without the quotes. */
EP_INTERNAL const char *ep_escape(lua_State *L, EpSlice text);

/* The name of a value's type for messages; that of null is "null". */
EP_INTERNAL const char *ep_type_name(lua_State *L, int index);

/* Raises "endpoint: <what> <name>: expected <expected>, got <type>", with the type of the
 * value at an absolute index. The name is quoted already. */
EP_INTERNAL int ep_type_error(lua_State *L, const char *what, const char *name,
                              const char *expected, int index);

/* Raises "endpoint: parameter <name>: <message>". */
EP_INTERNAL int ep_parameter_error(lua_State *L, EpSlice parameter, const char *message);

#endif
