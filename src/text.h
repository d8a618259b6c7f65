/* SPDX-License-Identifier: MIT */
/* The differences between the Lua versions, strings on the Lua stack, texts that grow, and those of
 * error messages. */
#ifndef EP_TEXT_H
#define EP_TEXT_H

#include <lauxlib.h>
#include <lua.h>

#include "core/bytes.h"

/* --- the differences between the Lua versions, all of them ------------------------- */

/* The functions of endpoint.h are exported, unless -DENDPOINT_API= says otherwise. */
#if defined(ENDPOINT_API)
#elif defined(_WIN32) || defined(__CYGWIN__)
#define ENDPOINT_API __declspec(dllexport)
#elif defined(__GNUC__)
#define ENDPOINT_API __attribute__((visibility("default")))
#endif

/* The one table of a userdata: a user value from 5.2 on, the environment before.
 * ep_setuservalue pops it. */
#if LUA_VERSION_NUM >= 502
#define ep_getuservalue(L, index) ((void)lua_getuservalue(L, index))
#define ep_setuservalue(L, index) ((void)lua_setuservalue(L, index))
#define ep_rawlen(L, index)       ((size_t)lua_rawlen(L, index))
#else
#define ep_getuservalue(L, index) lua_getfenv(L, index)
#define ep_setuservalue(L, index) ((void)lua_setfenv(L, index))
#define ep_rawlen(L, index)       lua_objlen(L, index)
#endif

/* A userdata without such a table. */
#if LUA_VERSION_NUM >= 504
#define ep_newuserdata(L, size) lua_newuserdatauv(L, size, 0)
#else
#define ep_newuserdata(L, size) lua_newuserdata(L, size)
#endif

/* Integers are a subtype of numbers from 5.3 on. */
#if LUA_VERSION_NUM >= 503
#define ep_isinteger(L, index) lua_isinteger(L, index)
#else
#define ep_isinteger(L, index) ((void)(L), (void)(index), 0)
#endif

/* luaL_error and luaL_checkstack. When there is no memory for the message, those of
 * Lua 5.5 raise what lies below it on the stack, which may be a header's value. */
#if LUA_VERSION_NUM >= 505
#define ep_error(L, ...)                                                                           \
  (lua_pushfstring(L, __VA_ARGS__), luaL_where(L, 1), lua_insert(L, -2), lua_concat(L, 2),         \
   lua_error(L))
#define ep_checkstack(L, size, message)                                                            \
  ((void)(lua_checkstack(L, size) || ep_error(L, "stack overflow (%s)", message)))
#else
#define ep_error      luaL_error
#define ep_checkstack luaL_checkstack
#endif

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
