/* Defaults: built in, and on top of others. */
#include "defaults.h"

#include <string.h>

#include "address.h"
#include "cache.h"
#include "copy.h"
#include "options.h"
#include "value.h"
#include "version.h"

#ifndef ENDPOINT_BASE_URL
#define ENDPOINT_BASE_URL "https://api.service.example"
#endif

void ep_defaults_push_built_in(lua_State *L) {
  lua_createtable(L, 0, 3);
  lua_pushliteral(L, "GET");
  lua_setfield(L, -2, "method");
  lua_pushliteral(L, ENDPOINT_BASE_URL);
  lua_setfield(L, -2, "baseUrl");
  lua_createtable(L, 0, 2);
  lua_pushliteral(L, "application/vnd.service.v3+json");
  lua_setfield(L, -2, "accept");
  lua_pushliteral(L, "service-endpoint.js/" ENDPOINT_VERSION);
  lua_setfield(L, -2, "user-agent");
  lua_setfield(L, -2, "headers");
}

void ep_defaults_push_empty(lua_State *L) {
  const int class_index = lua_gettop(L), cache = class_index - 1, state = class_index + 1;
  lua_createtable(L, EP_STATE_HEADERS, 0);
  lua_pushvalue(L, cache);
  lua_rawseti(L, state, EP_STATE_CACHE);
  lua_pushvalue(L, class_index);
  lua_rawseti(L, state, EP_STATE_CLASS);
}

/* The stack while a state is made of merged options. */
typedef struct Maker {
  int merged, state, parameters, memo; /* absolute indexes */
  EpEndpoint *e;
} Maker;

/* Copies the field of a state that every endpoint shares. */
static void share(lua_State *L, int from, int to, int field) {
  lua_rawgeti(L, from, field);
  lua_rawseti(L, to, field);
}

/* [-0, +3] Pushes the new state, its parameters and the memo. */
static Maker push_state(lua_State *L, int from, EpEndpoint *e) {
  const int merged = lua_gettop(L);
  Maker m = {merged, merged + 1, merged + 2, merged + 3, e};
  lua_createtable(L, EP_STATE_HEADERS, 0);
  share(L, from, m.state, EP_STATE_CACHE);
  share(L, from, m.state, EP_STATE_CLASS);
  lua_newtable(L);
  lua_newtable(L);
  return m;
}

/* [-1, +0] Enters the parameter on top, whose key is below it; null removes it.
 * data is among them, for it may fill a variable too. */
static void enter_parameter(lua_State *L, Maker *m) {
  if (ep_is_null(L, -1)) {
    lua_pop(L, 1);
    return;
  }
  m->e->defaulted |= EP_BIT(EP_PARAMETERS);
  lua_pushvalue(L, -2);
  lua_insert(L, -2);
  lua_rawset(L, m->parameters);
}

/* [-1, +0] Enters the merged value on top, whose key is below it. All but
 * request are copied, so that they are the endpoint's own. */
static void enter(lua_State *L, Maker *m) {
  EpParameter parameter;
  EpOption option;
  parameter.name = lua_tolstring(L, -2, &parameter.size);
  option = ep_option_find(parameter.name, parameter.size);
  if (option != EP_REQUEST)
    ep_copy(L, m->memo, parameter);
  if (option == EP_OPTION_COUNT || option == EP_DATA) {
    enter_parameter(L, m);
  } else {
    m->e->defaulted |= EP_BIT(option);
    lua_rawseti(L, m->state, EP_STATE_OPTION + (int)option);
  }
}

static void enter_headers(lua_State *L, const Maker *m) {
  const int headers = lua_gettop(L) + 1;
  int field = EP_STATE_HEADERS;
  lua_getfield(L, m->merged, ep_option_names[EP_HEADERS]);
  lua_pushnil(L);
  while (lua_next(L, headers)) {
    if (lua_istable(L, -1))
      m->e->header_lists = true;
    m->e->headers++;
    lua_pushvalue(L, -2);
    lua_rawseti(L, m->state, field++);
    lua_rawseti(L, m->state, field++);
  }
  lua_pop(L, 1);
}

static void enter_base(lua_State *L, const Maker *m) {
  lua_getfield(L, m->merged, ep_option_names[EP_BASE_URL]);
  if (!lua_isnil(L, -1)) {
    ep_address_push_base(L, lua_gettop(L));
    m->e->base = lua_tolstring(L, -1, &m->e->base_size);
    lua_rawseti(L, m->state, EP_STATE_BASE);
  }
  lua_pop(L, 1);
}

void ep_defaults_push(lua_State *L, int from, EpEndpoint *e) {
  Maker m;
  memset(e, 0, sizeof *e);
  m = push_state(L, from, e);
  lua_pushnil(L);
  while (lua_next(L, m.merged))
    enter(L, &m);
  enter_base(L, &m);
  enter_headers(L, &m);
  lua_settop(L, m.parameters);
  lua_rawseti(L, m.state, EP_STATE_PARAMETERS);
  lua_replace(L, m.merged);
}
