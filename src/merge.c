/* SPDX-License-Identifier: MIT */
#include "merge.h"

#include "accept.h"
#include "headers.h"
#include "value.h"

void ep_copy_begin(lua_State *L, EpCopier *c) {
  c->copies = lua_gettop(L) + 1;
  c->queue = c->copies + 1;
  c->count = 0;
  lua_settop(L, c->queue);
}

/* [-0, +0] Replaces the value on top by its copy if it is a table. The copy is filled later. So
 * cycles and deep tables take no space on the C stack. */
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

/* [-0, +0] Fills the copy of a table. `table` is its index in the queue. */
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

static void copy_default_option(lua_State *L, EpCall *c, EpCopier *copier, EpOption option) {
  if (!ep_call_has_default(c, option))
    return;
  ep_call_push_default(L, c, option);
  ep_copy_value(L, copier);
  lua_replace(L, ep_call_slot(option));
}

void ep_copy_defaults(lua_State *L, EpCall *c) {
  EpCopier copier;
  if (c->given_leftovers == c->leftovers.count && !ep_call_has_default(c, EP_DATA))
    return;
  ep_copy_begin(L, &copier);
  for (int i = c->given_leftovers; i < c->leftovers.count; i++) {
    const int value = ep_pairs_value(&c->leftovers, i);
    lua_pushvalue(L, value);
    ep_copy_value(L, &copier);
    lua_replace(L, value);
  }
  copy_default_option(L, c, &copier, EP_DATA);
  lua_settop(L, copier.copies - 1);
}

/* [-0, +1] Pushes the method in upper case. */
static void push_merged_method(lua_State *L, const EpCall *c) {
  const int method = c->has_route ? c->compiled->method : EP_NO_METHOD;
  if (method != EP_NO_METHOD && method < EP_METHODS) {
    lua_pushstring(L, ep_methods[method].name);
    return;
  }
  ep_call_push_method(L, c);
  ep_push_upper(L, ep_to_slice(L, -1));
  lua_replace(L, -2);
}

void ep_merge_push_option(lua_State *L, const EpCall *c, EpOption option) {
  if (option == EP_METHOD)
    push_merged_method(L, c);
  else if (option == EP_HEADERS)
    ep_headers_push(L, c, false);
  else if (option == EP_URL && c->has_route)
    ep_push_slice(L, c->compiled->t->text);
  else if (option == EP_MEDIA_TYPE && ep_call_has(c, option))
    ep_accept_push_media_type(L, c);
  else
    ep_call_push_option(L, c, option);
}

void ep_merge_push(lua_State *L, EpCall *c) {
  enum { USUAL_FIELDS = 4 }; /* method, url, baseUrl and headers */
  const unsigned always =
      EP_BIT(EP_METHOD) | EP_BIT(EP_HEADERS) | (c->has_route ? EP_BIT(EP_URL) : 0);
  ep_copy_defaults(L, c);
  ep_pairs_push_table(L, &c->leftovers, USUAL_FIELDS);
  for (int option = 0; option < EP_OPTION_COUNT; option++)
    if ((c->given | c->defaulted | always) & EP_BIT(option)) {
      ep_push_option_name(L, (EpOption)option);
      ep_merge_push_option(L, c, (EpOption)option);
      lua_rawset(L, -3);
    }
}
