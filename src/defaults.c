/* SPDX-License-Identifier: MIT */
#include "defaults.h"

#include "accept.h"
#include "address.h"
#include "errors.h"
#include "headers.h"
#include "home.h"
#include "value.h"

/* --- deep copies -------------------------------------------------------------------- */

/* Copies tables, keys too; other values and metatables go by reference. All tables that are reached
 * are noted first and filled later, the nearest first. So no cycle and no depth costs C's stack,
 * shared references keep their shape, and how deep a table lies does not depend on the order in
 * which Lua walks. */
typedef struct Copier {
  int memo;  /* absolute index of a table with the copy of each table, the i-th table at i, and the
                number of its default at -i; nil before the first */
  int count; /* of tables */
} Copier;

/* [-0, +0] Replaces the value on top, if it is a table, by its copy, which is filled later. */
static void copy_value(lua_State *L, Copier *c, int owner) {
  const int from = lua_gettop(L);
  if (!lua_istable(L, from))
    return;
  if (c->count == 0) {
    lua_newtable(L);
    lua_replace(L, c->memo);
  }
  lua_pushvalue(L, from);
  lua_rawget(L, c->memo);
  if (lua_isnil(L, -1)) {
    lua_pushvalue(L, from);
    lua_rawseti(L, c->memo, ++c->count);
    lua_pushinteger(L, owner);
    lua_rawseti(L, c->memo, -c->count);
    lua_newtable(L);
    lua_pushvalue(L, from);
    lua_pushvalue(L, -2);
    lua_rawset(L, c->memo);
    lua_replace(L, -2);
  }
  lua_replace(L, from);
}

/* [-0, +0] Fills the copy of the table on top. */
static void fill_copy(lua_State *L, Copier *c, int owner) {
  const int from = lua_gettop(L), to = from + 1;
  lua_pushvalue(L, from);
  lua_rawget(L, c->memo);
  if (lua_getmetatable(L, from))
    lua_setmetatable(L, to);
  lua_pushnil(L);
  while (lua_next(L, from)) {
    lua_pushvalue(L, -2);
    copy_value(L, c, owner);
    lua_insert(L, -2);
    copy_value(L, c, owner);
    lua_rawset(L, to);
  }
  lua_settop(L, from);
}

/* [-1, +0] Fills the copies and ends the copier, which is on top. Returns the number of a default
 * that is too deep, else -1. */
static int finish_copies(lua_State *L, Copier *c) {
  enum { DEEPEST = 100 };
  int depth = 1, end = c->count, too_deep = -1;
  for (int i = 1; i <= c->count && too_deep < 0; i++, lua_settop(L, c->memo)) {
    if (i > end) {
      depth++;
      end = c->count;
    }
    lua_rawgeti(L, c->memo, -i);
    lua_rawgeti(L, c->memo, i);
    if (depth > DEEPEST)
      too_deep = (int)lua_tointeger(L, -2);
    else
      fill_copy(L, c, (int)lua_tointeger(L, -2));
  }
  lua_pop(L, 1);
  return too_deep;
}

/* A default was not too deep when it was copied in. */
void ep_defaults_copy_out(lua_State *L, const EpCall *c) {
  Copier copier = {lua_gettop(L) + 1, 0};
  if (c->given_leftovers == c->leftovers.count && !(c->defaulted & EP_BIT(EP_DATA)))
    return;
  lua_pushnil(L);
  for (int i = c->given_leftovers; i < c->leftovers.count; i++) {
    const int value = ep_pairs_value(&c->leftovers, i);
    lua_pushvalue(L, value);
    copy_value(L, &copier, 0);
    lua_replace(L, value);
  }
  if (c->defaulted & ~c->given & EP_BIT(EP_DATA)) {
    ep_call_push_default(L, c, EP_DATA);
    copy_value(L, &copier, 0);
    lua_replace(L, ep_call_slot(EP_DATA));
  }
  finish_copies(L, &copier);
}

/* --- merged options ----------------------------------------------------------------- */

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

/* The fields that nearly all merged options have: method, headers, url and baseUrl. */
enum { USUAL_FIELDS = 4 };

static void set_merged_option(lua_State *L, int merged, const EpCall *c, EpOption option) {
  if (!ep_call_has(c, option))
    return;
  ep_push_option_name(L, option);
  ep_call_push_option(L, c, option);
  lua_rawset(L, merged);
}

static void set_merged_url(lua_State *L, int merged, const EpCall *c) {
  if (!c->has_route) {
    set_merged_option(L, merged, c, EP_URL);
    return;
  }
  ep_push_option_name(L, EP_URL);
  ep_push_slice(L, c->compiled->t->text);
  lua_rawset(L, merged);
}

void ep_merge_push(lua_State *L, EpCall *c) {
  const int merged = lua_gettop(L) + 1;
  ep_defaults_copy_out(L, c);
  ep_pairs_push_table(L, &c->leftovers, USUAL_FIELDS);
  ep_push_option_name(L, EP_METHOD);
  push_merged_method(L, c);
  lua_rawset(L, merged);
  ep_push_option_name(L, EP_HEADERS);
  ep_headers_push(L, c, 0);
  lua_rawset(L, merged);
  if (ep_call_has(c, EP_MEDIA_TYPE)) {
    ep_push_option_name(L, EP_MEDIA_TYPE);
    ep_accept_push_media_type(L, c);
    lua_rawset(L, merged);
  }
  set_merged_url(L, merged, c);
  set_merged_option(L, merged, c, EP_BASE_URL);
  set_merged_option(L, merged, c, EP_DATA);
  set_merged_option(L, merged, c, EP_REQUEST);
}

/* --- a new endpoint ----------------------------------------------------------------- */

/* An endpoint while it is made. */
typedef struct Maker {
  EpEndpoint *e;
  int self, state; /* absolute indexes of the userdata and its state */
} Maker;

/* [-0, +2] Pushes an endpoint without defaults, and its state with room for that many headers and
 * parameters in all. */
static Maker push_endpoint(lua_State *L, int headers, int parameters) {
  const size_t size = sizeof(EpEndpoint) + (size_t)parameters * sizeof(EpName);
  const int self = lua_gettop(L) + 1;
  Maker m = {NULL, self, self + 1};
  m.e = (EpEndpoint *)lua_newuserdata(L, size);
  memset(m.e, 0, size);
  m.e->names = (EpName *)(m.e + 1);
  lua_createtable(L, EP_STATE_HEADERS - 1 + 2 * (headers + parameters), 0);
  return m;
}

/* [-2, +0] Leaves the endpoint on top, with its state and the metatable that is on top. */
static void finish_endpoint(lua_State *L, const Maker *m) {
  lua_setmetatable(L, m->self);
  ep_setuservalue(L, m->self);
}

void ep_defaults_push_root(lua_State *L) {
  const Maker m = push_endpoint(L, 0, 0);
  lua_pushvalue(L, m.self - 1);
  finish_endpoint(L, &m);
  lua_replace(L, -2);
}

/* [-2, +0] Puts the name and the value on top behind the headers and parameters so far. */
static void append_field(lua_State *L, const Maker *m) {
  const int field = ep_state_parameter(m->e, m->e->parameters);
  lua_rawseti(L, m->state, field + 1);
  lua_rawseti(L, m->state, field);
}

/* Sets the headers of a table at an index, in the order of their names. */
static void set_default_headers(lua_State *L, const Maker *m, EpPairs *headers) {
  const EpName *names = ep_pairs_sort(L, headers);
  for (int i = 0; i < headers->count; i++) {
    m->e->has_guests = m->e->has_guests || ep_home_is_guest(names[i].text);
    lua_pushvalue(L, ep_pairs_key(headers, names[i].index));
    lua_pushvalue(L, ep_pairs_value(headers, names[i].index));
    append_field(L, m);
    m->e->headers++;
  }
}

/* A parameter with the name of an option in another spelling, as baseURL, can only be a slip.
 * mediaType names a table. */
static void check_parameter(lua_State *L, EpSlice name, int value) {
  const bool names_table = lua_istable(L, value) && ep_option_resembles(EP_MEDIA_TYPE, name);
  const EpOption option = names_table ? EP_MEDIA_TYPE : EP_BASE_URL;
  if (ep_option_resembles(option, name))
    ep_error(L,
             "endpoint: default %s: expected the option \"%s\", got a parameter of every request",
             ep_quote(L, name), ep_option_names[option]);
}

/* [-1, +0] Sets the default of an option to the value on top, unless that is nil. */
static void set_default(lua_State *L, const Maker *m, EpOption option) {
  if (!lua_isnil(L, -1))
    m->e->defaulted |= EP_BIT(option);
  lua_rawseti(L, m->state, EP_STATE_OPTION + (int)option);
}

/* Sets the parameters in the order of their names. null removes one. Tables are copied, so that
 * they are the endpoint's own. data is copied with them, and counts as the parameter behind the
 * last one. */
static void set_default_parameters(lua_State *L, const Maker *m, EpCall *c) {
  EpPairs *parameters = &c->leftovers;
  const EpName *names = ep_pairs_sort(L, parameters);
  Copier copier = {lua_gettop(L) + 1, 0};
  int too_deep;
  lua_pushnil(L);
  for (int i = 0; i < parameters->count; i++) {
    const int value = ep_pairs_value(parameters, names[i].index);
    check_parameter(L, names[i].text, value);
    if (ep_is_null(L, value))
      continue;
    lua_pushvalue(L, ep_pairs_key(parameters, names[i].index));
    lua_pushvalue(L, value);
    copy_value(L, &copier, m->e->parameters);
    append_field(L, m);
    m->e->names[m->e->parameters++].text = names[i].text;
  }
  ep_call_push_option(L, c, EP_DATA);
  copy_value(L, &copier, m->e->parameters);
  set_default(L, m, EP_DATA);
  too_deep = finish_copies(L, &copier);
  if (too_deep >= 0)
    ep_error(
        L, "endpoint: default %s: expected tables at most 100 deep, got a deeper one",
        ep_quote(L, too_deep < m->e->parameters ? m->e->names[too_deep].text : EP_SLICE("data")));
}

/* Sets the other options, which are not copied. */
static void set_default_options(lua_State *L, const Maker *m, const EpCall *c) {
  const int value = lua_gettop(L) + 1;
  push_merged_method(L, c);
  set_default(L, m, EP_METHOD);
  ep_call_push_option(L, c, EP_URL);
  set_default(L, m, EP_URL);
  ep_call_push_option(L, c, EP_REQUEST);
  set_default(L, m, EP_REQUEST);
  ep_call_push_option(L, c, EP_BASE_URL);
  if (!lua_isnil(L, value)) {
    ep_address_push_base(L, value, &m->e->base_origin);
    m->e->base = ep_to_slice(L, -1);
    lua_rawseti(L, m->state, EP_STATE_BASE);
  }
  set_default(L, m, EP_BASE_URL);
  if (ep_call_has(c, EP_MEDIA_TYPE)) {
    ep_accept_push_media_type(L, c);
    set_default(L, m, EP_MEDIA_TYPE);
  }
}

void ep_defaults_push(lua_State *L, EpCall *c) {
  const int place = lua_gettop(L) + 1;
  EpPairs headers;
  Maker m;
  ep_headers_push(L, c, 0);
  ep_pairs_read(L, place, &headers, ep_slice(NULL, 0));
  m = push_endpoint(L, headers.count, c->leftovers.count);
  m.e->defaulted = EP_BIT(EP_HEADERS);
  set_default_headers(L, &m, &headers);
  lua_settop(L, m.state);
  set_default_parameters(L, &m, c);
  lua_settop(L, m.state);
  set_default_options(L, &m, c);
  m.e->has_guests = m.e->base.size > 0 &&
                    (m.e->has_guests || m.e->parameters > 0 || (m.e->defaulted & EP_BIT(EP_DATA)));
  lua_getmetatable(L, EP_CALL_SELF);
  finish_endpoint(L, &m);
  lua_replace(L, place);
  lua_settop(L, place);
}
