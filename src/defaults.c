/* SPDX-License-Identifier: MIT */
#include "defaults.h"

#include "accept.h"
#include "address.h"
#include "errors.h"
#include "headers.h"
#include "home.h"
#include "merge.h"
#include "value.h"

/* An endpoint while it is made. */
typedef struct Maker {
  EpEndpoint *e;
  int self, state; /* absolute indexes of the userdata and its state */
} Maker;

/* [-0, +2] Pushes an endpoint without defaults, and its state. The state has room for these numbers
 * of headers and parameters. */
static Maker push_endpoint(lua_State *L, int headers, int parameters) {
  const size_t size = sizeof(EpEndpoint) + (size_t)parameters * sizeof(EpName);
  const int self = lua_gettop(L) + 1;
  Maker m = {NULL, self, self + 1};
  m.e = (EpEndpoint *)lua_newuserdata(L, size);
  memset(m.e, 0, size);
  m.e->mark = &ep_endpoint_mark;
  lua_createtable(L, EP_STATE_HEADERS - 1 + 2 * (headers + parameters), 0);
  return m;
}

/* [-2, +0] Gives the endpoint the metatable on top and the state below that, and removes both from
 * the stack. */
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

/* [-2, +0] Appends the name and the value on top to the state. */
static void append_field(lua_State *L, const Maker *m) {
  const int field = ep_state_parameter(m->e, m->e->parameters);
  lua_rawseti(L, m->state, field + 1);
  lua_rawseti(L, m->state, field);
}

/* Sets the default headers in the order of their names. The call's header replaces that of its
 * endpoint. null removes a header. */
static void set_default_headers(lua_State *L, const Maker *m, EpPairs *headers) {
  const EpName *names = ep_pairs_sort(L, headers);
  for (int i = 0; i < headers->count; i++) {
    const int value = ep_pairs_value(headers, names[i].index);
    const bool is_replaced = i > 0 && ep_slice_equals(names[i - 1].text, names[i].text);
    if (is_replaced || ep_is_null(L, value))
      continue;
    m->e->is_bound = m->e->is_bound || ep_home_binds_header(names[i].text);
    lua_pushvalue(L, ep_pairs_key(headers, names[i].index));
    lua_pushvalue(L, value);
    append_field(L, m);
    m->e->headers++;
  }
}

/* Raises if a parameter has a name like that of an option, such as baseURL: it can only be a
 * mistake. Only a table can be meant as mediaType. */
static void check_parameter(lua_State *L, EpSlice name, int value) {
  const bool names_table = lua_istable(L, value) && ep_option_resembles(EP_MEDIA_TYPE, name);
  const EpOption option = names_table ? EP_MEDIA_TYPE : EP_BASE_URL;
  if (ep_option_resembles(option, name))
    ep_error(L,
             "endpoint: default %s: expected the option \"%s\", got a parameter of every request",
             ep_quote(L, name), ep_option_names[option].bytes);
}

/* [-1, +0] Sets the default of an option to the value on top. nil sets nothing. */
static void set_default(lua_State *L, const Maker *m, EpOption option) {
  if (!lua_isnil(L, -1)) {
    m->e->defaulted |= EP_BIT(option);
    m->e->is_bound = m->e->is_bound || option == EP_DATA;
  }
  lua_rawseti(L, m->state, EP_STATE_OPTION + (int)option);
}

/* [-0, +0] Replaces the value on top by a copy, so that its tables are the endpoint's own. */
static void copy_default(lua_State *L, EpCopier *copier, EpSlice name) {
  enum { DEEPEST = 100 };
  copier->name = name;
  if (ep_copy_value(L, copier) > DEEPEST)
    ep_error(L, "endpoint: default %s: expected tables at most 100 deep, got a deeper one",
             ep_quote(L, name));
}

/* Sets the default parameters in the order of their names. null removes a parameter. */
static void set_default_parameters(lua_State *L, const Maker *m, EpPairs *parameters,
                                   EpCopier *copier) {
  const EpName *names = ep_pairs_sort(L, parameters);
  for (int i = 0; i < parameters->count; i++) {
    const int value = ep_pairs_value(parameters, names[i].index);
    check_parameter(L, names[i].text, value);
    if (ep_is_null(L, value))
      continue;
    lua_pushvalue(L, ep_pairs_key(parameters, names[i].index));
    lua_pushvalue(L, value);
    copy_default(L, copier, names[i].text);
    append_field(L, m);
    ep_endpoint_names(m->e)[m->e->parameters++].text = names[i].text;
  }
}

/* Sets the defaults of all options except headers. */
static void set_default_options(lua_State *L, const Maker *m, EpCall *c, EpCopier *copier) {
  for (int option = 0; option < EP_OPTION_COUNT; option++) {
    if (option == EP_HEADERS)
      continue;
    ep_merge_push_option(L, c, (EpOption)option);
    if (option == EP_DATA)
      copy_default(L, copier, ep_option_names[option]);
    set_default(L, m, (EpOption)option);
  }
  if (m->e->defaulted & EP_BIT(EP_BASE_URL)) {
    lua_rawgeti(L, m->state, EP_STATE_OPTION + (int)EP_BASE_URL);
    ep_address_push_base(L, lua_gettop(L), &m->e->base_origin);
    m->e->base = ep_to_slice(L, -1);
    lua_rawseti(L, m->state, EP_STATE_BASE);
    lua_pop(L, 1);
  }
}

void ep_defaults_push(lua_State *L, EpCall *c) {
  const int place = lua_gettop(L) + 1;
  EpCopier copier;
  EpPairs *headers = ep_headers_read_all(L, c);
  const Maker m = push_endpoint(L, headers->count, c->leftovers.count);
  m.e->defaulted = EP_BIT(EP_HEADERS);
  set_default_headers(L, &m, headers);
  lua_settop(L, m.state);
  ep_copy_begin(L, &copier);
  set_default_parameters(L, &m, &c->leftovers, &copier);
  set_default_options(L, &m, c, &copier);
  if (lua_istable(L, copier.taken)) {
    lua_pushvalue(L, copier.taken);
    lua_rawseti(L, m.state, EP_STATE_METATABLES);
  }
  lua_settop(L, m.state);
  m.e->is_bound = m.e->base.size > 0 && (m.e->is_bound || m.e->parameters > 0);
  lua_getmetatable(L, EP_CALL_SELF);
  finish_endpoint(L, &m);
  lua_insert(L, place);
  lua_settop(L, place);
}
