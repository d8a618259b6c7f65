/* Defaults: built in, and on top of others. */
#include "defaults.h"

#include <string.h>

#include "address.h"
#include "cache.h"
#include "copy.h"
#include "credentials.h"
#include "options.h"
#include "stack.h"
#include "url.h"
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
  int merged, state, memo; /* absolute indexes */
  int field;               /* the next of the state's headers and parameters */
  EpEndpoint *e;
} Maker;

/* Copies the field of a state that every endpoint shares. */
static void share(lua_State *L, int from, int to, int field) {
  lua_rawgeti(L, from, field);
  lua_rawseti(L, to, field);
}

/* [-0, +2] Pushes the new state and the memo. */
static Maker push_state(lua_State *L, int from, EpEndpoint *e) {
  const int merged = lua_gettop(L);
  Maker m = {merged, merged + 1, merged + 2, EP_STATE_HEADERS, e};
  lua_createtable(L, EP_STATE_HEADERS, 0);
  share(L, from, m.state, EP_STATE_CACHE);
  share(L, from, m.state, EP_STATE_CLASS);
  lua_newtable(L);
  return m;
}

/* [-1, +0] Enters the value on top and its name, the key below it. */
static void enter_field(lua_State *L, Maker *m) {
  lua_pushvalue(L, -2);
  lua_rawseti(L, m->state, m->field++);
  lua_rawseti(L, m->state, m->field++);
}

/* [-1, +0] Enters the parameter on top, whose key is below it; null removes it.
 * data is among them, for it may fill a variable too. */
static void enter_parameter(lua_State *L, Maker *m) {
  if (ep_is_null(L, -1)) {
    lua_pop(L, 1);
    return;
  }
  m->e->parameters++;
  enter_field(L, m);
}

/* [-1, +0] Enters the merged value on top, whose key is below it. All but
 * request are copied, so that they are the endpoint's own. */
static void enter(lua_State *L, Maker *m) {
  const EpSlice parameter = ep_to_slice(L, -2);
  const EpOption option = ep_option_find(parameter);
  if (option != EP_REQUEST)
    ep_copy(L, m->memo, parameter);
  if (option == EP_OPTION_COUNT || option == EP_DATA) {
    enter_parameter(L, m);
  } else {
    m->e->defaulted |= EP_BIT(option);
    lua_rawseti(L, m->state, EP_STATE_OPTION + (int)option);
  }
}

static void enter_headers(lua_State *L, Maker *m) {
  const int headers = lua_gettop(L) + 1;
  lua_getfield(L, m->merged, ep_option_names[EP_HEADERS]);
  lua_pushnil(L);
  while (lua_next(L, headers)) {
    if (ep_credentials_is(ep_to_slice(L, -2)))
      m->e->has_credentials = true;
    if (lua_istable(L, -1))
      m->e->header_lists = true;
    m->e->headers++;
    enter_field(L, m);
  }
  lua_pop(L, 1);
}

static void enter_base(lua_State *L, const Maker *m) {
  lua_getfield(L, m->merged, ep_option_names[EP_BASE_URL]);
  if (!lua_isnil(L, -1)) {
    ep_address_push_base(L, lua_gettop(L));
    m->e->base = ep_to_slice(L, -1);
    m->e->base_path = ep_url_path_size(m->e->base);
    lua_rawseti(L, m->state, EP_STATE_BASE);
  }
  if (ep_url_origin_size(m->e->base) == 0)
    m->e->has_credentials = false;
  lua_pop(L, 1);
}

void ep_defaults_push(lua_State *L, int from, EpEndpoint *e) {
  Maker m;
  memset(e, 0, sizeof *e);
  m = push_state(L, from, e);
  enter_headers(L, &m);
  lua_pushnil(L);
  while (lua_next(L, m.merged))
    enter(L, &m);
  enter_base(L, &m);
  lua_settop(L, m.state);
  lua_replace(L, m.merged);
}

void ep_defaults_push_object(lua_State *L, int state, const EpEndpoint *e) {
  const size_t size = sizeof *e + (size_t)e->parameters * sizeof(EpName);
  EpEndpoint *own = (EpEndpoint *)ep_newobject(L, size);
  EpName *names = (EpName *)(own + 1);
  *own = *e;
  own->names = names;
  for (int i = 0; i < e->parameters; i++) {
    lua_rawgeti(L, state, ep_state_parameter(e, i));
    names[i].text = ep_to_slice(L, -1);
    names[i].index = i;
    lua_pop(L, 1);
  }
}
