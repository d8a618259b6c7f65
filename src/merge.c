/* SPDX-License-Identifier: MIT */
#include "merge.h"

#include "accept.h"
#include "errors.h"
#include "headers.h"
#include "value.h"

void ep_copy_begin(lua_State *L, EpCopier *c) {
  c->copies = lua_gettop(L) + 1;
  c->queue = c->copies + 1;
  c->kept = c->copies + 2;
  c->taken = c->copies + 3;
  c->count = 0;
  c->name.bytes = NULL;
  lua_settop(L, c->queue);
  lua_rawgeti(L, EP_CALL_STATE, EP_STATE_METATABLES);
  lua_pushnil(L);
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

/* [-0, +1] Pushes the metatable of the table at an absolute index, and returns true. [-0, +0] If
 * the table has none, returns false. */
static bool push_metatable(lua_State *L, const EpCopier *c, int table) {
  if (lua_istable(L, c->kept)) {
    lua_pushvalue(L, table);
    lua_rawget(L, c->kept);
    if (!lua_isnil(L, -1))
      return true;
    lua_pop(L, 1);
  }
  return lua_getmetatable(L, table) != 0;
}

/* Raises if the metatable on top has one of these fields: each copy would be finalized, or emptied,
 * by itself. */
static void check_metatable(lua_State *L, const EpCopier *c) {
  static const char *const fields[] = {"__gc", "__mode"};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++, lua_pop(L, 1)) {
    lua_pushstring(L, fields[i]);
    lua_rawget(L, -2);
    if (!lua_isnil(L, -1))
      ep_error(L,
               "endpoint: default %s: expected tables without %s in their metatables, since a "
               "default is copied",
               ep_quote(L, c->name), fields[i]);
  }
}

/* [-1, +0] Gives a copy, at an absolute index, the metatable on top. */
static void set_metatable(lua_State *L, EpCopier *c, int copy) {
  if (!c->name.bytes) {
    lua_setmetatable(L, copy);
    return;
  }
  check_metatable(L, c);
  if (lua_isnil(L, c->taken)) {
    lua_newtable(L);
    lua_replace(L, c->taken);
  }
  lua_pushvalue(L, copy);
  lua_insert(L, -2);
  lua_rawset(L, c->taken);
}

/* [-0, +0] Fills the copy of a table. `table` is its index in the queue. */
static void fill_copy(lua_State *L, EpCopier *c, int table) {
  const int from = lua_gettop(L) + 1, to = from + 1;
  lua_rawgeti(L, c->queue, table);
  lua_pushvalue(L, from);
  lua_rawget(L, c->copies);
  if (push_metatable(L, c, from))
    set_metatable(L, c, to);
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

void ep_merge_push_option(lua_State *L, EpCall *c, EpOption option) {
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
