/* Questions that every room asks of a value on the Lua stack. */
#ifndef EP_STACK_H
#define EP_STACK_H

#include <stdbool.h>

#include "compat.h"
#include "slice.h"

/* Is it null, the light userdata NULL? */
static inline bool ep_is_null(lua_State *L, int index) {
  return lua_islightuserdata(L, index) && lua_touserdata(L, index) == NULL;
}

/* Is it null or nil? */
static inline bool ep_is_absent(lua_State *L, int index) {
  int type = lua_type(L, index);
  return type == LUA_TNIL || (type == LUA_TLIGHTUSERDATA && lua_touserdata(L, index) == NULL);
}

/* The bytes of a string, valid while it stays on the stack. Never of a number, which Lua
 * would turn into a string in its place. NULL bytes if it is no string. */
static inline EpSlice ep_to_slice(lua_State *L, int index) {
  EpSlice text = {NULL, 0};
  text.bytes = lua_tolstring(L, index, &text.size);
  return text;
}

/* [-0, +1] Pushes the bytes as a string. */
static inline void ep_push_slice(lua_State *L, EpSlice text) {
  lua_pushlstring(L, text.bytes, text.size);
}

#endif
