/* SPDX-License-Identifier: MIT */
#include "copy.h"

void ep_copy_begin(lua_State *L, EpCopier *c) {
  c->copies = lua_gettop(L) + 1;
  c->queue = c->copies + 1;
  c->count = 0;
  lua_settop(L, c->queue);
}

/* [-0, +0] Replaces the value on top, if it is a table, by its copy, which is filled later. So no
 * cycle and no depth costs C's stack. */
static void replace_table(lua_State *L, EpCopier *c) {
  const int from = lua_gettop(L);
  if (!lua_istable(L, from))
    return;
  lua_pushvalue(L, from);
  lua_rawget(L, c->copies);
  if (lua_isnil(L, -1)) {
    lua_pushvalue(L, from);
    lua_rawseti(L, c->queue, ++c->count);
    lua_newtable(L);
    lua_replace(L, -2);
    lua_pushvalue(L, from);
    lua_pushvalue(L, -2);
    lua_rawset(L, c->copies);
  }
  lua_replace(L, from);
}

/* [-0, +0] Fills the copy of a table of the queue. */
static void fill_copy(lua_State *L, EpCopier *c, int table) {
  const int from = lua_gettop(L) + 1, to = from + 1;
  lua_rawgeti(L, c->queue, table);
  lua_pushvalue(L, from);
  lua_rawget(L, c->copies);
  if (lua_getmetatable(L, from))
    lua_setmetatable(L, to);
  lua_pushnil(L);
  while (lua_next(L, from)) {
    lua_pushvalue(L, -2);
    replace_table(L, c);
    lua_insert(L, -2);
    replace_table(L, c);
    lua_rawset(L, to);
  }
  lua_settop(L, from - 1);
}

int ep_copy_value(lua_State *L, EpCopier *c) {
  int depth = 0, at = c->count;
  if (!lua_istable(L, -1))
    return 0;
  if (c->count == 0) {
    lua_newtable(L);
    lua_replace(L, c->copies);
    lua_newtable(L);
    lua_replace(L, c->queue);
  }
  replace_table(L, c);
  for (; at < c->count; depth++)
    for (const int end = c->count; at < end;)
      fill_copy(L, c, ++at);
  return depth;
}

void ep_copy_defaults(lua_State *L, const EpCall *c) {
  EpCopier copier;
  if (c->given_leftovers == c->leftovers.count && !(c->defaulted & EP_BIT(EP_DATA)))
    return;
  ep_copy_begin(L, &copier);
  for (int i = c->given_leftovers; i < c->leftovers.count; i++) {
    const int value = ep_pairs_value(&c->leftovers, i);
    lua_pushvalue(L, value);
    ep_copy_value(L, &copier);
    lua_replace(L, value);
  }
  if (c->defaulted & ~c->given & EP_BIT(EP_DATA)) {
    ep_call_push_default(L, c, EP_DATA);
    ep_copy_value(L, &copier);
    lua_replace(L, ep_call_slot(EP_DATA));
  }
  lua_settop(L, copier.copies - 1);
}
