/* Small questions about values on the Lua stack. */
#ifndef EP_STACK_H
#define EP_STACK_H

#include "compat.h"

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

#endif
