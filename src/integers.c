/* SPDX-License-Identifier: MIT */
#include "integers.h"
#include "core/bytes.h"
#include "errors.h"

/* Is the value at an index a number that is not between -least and least? */
static bool is_great(lua_State *L, int index, lua_Number least) {
  if (lua_type(L, index) != LUA_TNUMBER)
    return false;
  const lua_Number number = lua_tonumber(L, index);
  return !(number > -least && number < least);
}

/* A table that is walked has two slots: itself and the key that was read last. */
int ep_integers_has_great_number(lua_State *L) {
  const lua_Number least = lua_tonumber(L, 2);
  lua_settop(L, 1);
  bool has_one = is_great(L, 1, least);
  if (lua_istable(L, 1))
    lua_pushnil(L);
  while (lua_gettop(L) > 1 && !has_one) {
    if (!lua_next(L, -2)) {
      lua_pop(L, 1); /* the table, whose key is below it */
      continue;
    }
    has_one = is_great(L, -2, least) || is_great(L, -1, least);
    if (!lua_istable(L, -1))
      lua_pop(L, 1);
    else if (lua_checkstack(L, LUA_MINSTACK))
      lua_pushnil(L);
    else
      has_one = true;
  }
  lua_pushboolean(L, has_one);
  return 1;
}
