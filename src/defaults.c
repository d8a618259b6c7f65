#include "defaults.h"

#include "accept.h"
#include "address.h"
#include "copy.h"
#include "core/url.h"
#include "credentials.h"
#include "endpoint.h"
#include "error.h"
#include "headers.h"
#include "merge.h"
#include "stack.h"

#ifndef ENDPOINT_BASE_URL
#define ENDPOINT_BASE_URL "https://api.service.example"
#endif

void ep_defaults_push_built_in(lua_State *L) {
  lua_createtable(L, 0, 2);
  lua_pushliteral(L, ENDPOINT_BASE_URL);
  lua_setfield(L, -2, "baseUrl");
  lua_createtable(L, 0, 2);
  lua_pushliteral(L, "application/vnd.service.v3+json");
  lua_setfield(L, -2, "accept");
  lua_pushliteral(L, "service-endpoint.js/" ENDPOINT_VERSION);
  lua_setfield(L, -2, "user-agent");
  lua_setfield(L, -2, "headers");
}

/* An endpoint while it is made. */
typedef struct Maker {
  EpEndpoint *e;
  int self, state; /* absolute indexes of the userdata and its state */
  int memo;        /* absolute index, see copy.h */
} Maker;

/* [-0, +3] Pushes an endpoint without defaults, its state with room for that many headers
 * and parameters in all, and an empty memo. */
static Maker push_endpoint(lua_State *L, int headers, int parameters) {
  const size_t size = sizeof(EpEndpoint) + (size_t)parameters * sizeof(EpSlice);
  const int self = lua_gettop(L) + 1;
  Maker m = {NULL, self, self + 1, self + 2};
  m.e = (EpEndpoint *)lua_newuserdata(L, size);
  memset(m.e, 0, size);
  m.e->names = (EpSlice *)(m.e + 1);
  lua_createtable(L, EP_STATE_HEADERS - 1 + 2 * (headers + parameters), 0);
  lua_pushnil(L);
  return m;
}

/* [-3, +0] Leaves the endpoint on top, with its state and the metatable that is on top. */
static void finish_endpoint(lua_State *L, const Maker *m) {
  lua_setmetatable(L, m->self);
  lua_settop(L, m->state);
  ep_setuservalue(L, m->self);
}

void ep_defaults_push_root(lua_State *L) {
  const int class_index = lua_gettop(L);
  const Maker m = push_endpoint(L, 0, 0);
  lua_pushvalue(L, class_index);
  finish_endpoint(L, &m);
  lua_replace(L, class_index);
}

/* [-2, +0] Puts the name and the value on top behind the headers and parameters so far. */
static void append_field(lua_State *L, const Maker *m) {
  const int field = ep_state_parameter(m->e, m->e->parameters);
  lua_rawseti(L, m->state, field + 1);
  lua_rawseti(L, m->state, field);
}

static void set_default_headers(lua_State *L, const Maker *m, const EpHeaders *headers) {
  for (int i = 0; i < headers->count; i++)
    if (ep_header_push(L, headers, i)) {
      m->e->has_credentials = m->e->has_credentials || ep_credentials_is(ep_to_slice(L, -2));
      append_field(L, m);
      m->e->headers++;
    }
}

/* A parameter with the name of an option in another spelling, as baseURL, can only be a slip.
 * mediaType names a table. */
static void check_parameter(lua_State *L, EpSlice name, int value) {
  EpOption option = EP_OPTION_COUNT;
  if (ep_option_resembles(EP_BASE_URL, name))
    option = EP_BASE_URL;
  else if (lua_istable(L, value) && ep_option_resembles(EP_MEDIA_TYPE, name))
    option = EP_MEDIA_TYPE;
  if (option != EP_OPTION_COUNT)
    ep_error(L,
             "endpoint: default %s: expected the option \"%s\", got a parameter of every request",
             ep_quote(L, name), ep_option_names[option]);
}

/* null removes a parameter. Tables are copied, so that they are the endpoint's own. */
static void set_default_parameters(lua_State *L, const Maker *m, const EpPairs *parameters) {
  for (int i = 0; i < parameters->count; i++) {
    EpSlice *name = &m->e->names[m->e->parameters];
    ep_pairs_push_key(L, parameters, i);
    *name = ep_to_slice(L, -1);
    ep_pairs_push_value(L, parameters, i);
    check_parameter(L, *name, lua_gettop(L));
    if (ep_is_null(L, -1)) {
      lua_pop(L, 2);
    } else {
      m->e->has_credentials = m->e->has_credentials || ep_credentials_is(*name);
      ep_copy(L, m->memo, *name);
      append_field(L, m);
      m->e->parameters++;
    }
  }
}

/* [-0, +n] Appends data to the left-over parameters: as a default it is one of them, for it
 * may fill a variable too. Returns whether there is any. */
static bool append_data(lua_State *L, EpCall *c) {
  bool has_data;
  lua_pushstring(L, ep_option_names[EP_DATA]);
  ep_call_push_option(L, c, EP_DATA);
  has_data = !lua_isnil(L, -1);
  if (has_data)
    ep_pairs_append(L, &c->leftovers, ep_to_slice(L, -2));
  else
    lua_pop(L, 1);
  lua_pop(L, 1);
  return has_data;
}

/* [-1, +0] Sets the default of an option to the value on top, unless that is nil. */
static void set_default(lua_State *L, const Maker *m, EpOption option) {
  if (!lua_isnil(L, -1))
    m->e->defaulted |= EP_BIT(option);
  lua_rawseti(L, m->state, EP_STATE_OPTION + (int)option);
}

static void set_default_option(lua_State *L, const Maker *m, const EpCall *c, EpOption option) {
  if (ep_call_has(c, option)) {
    ep_call_push_option(L, c, option);
    set_default(L, m, option);
  }
}

static void set_default_base(lua_State *L, const Maker *m, const EpCall *c) {
  const int base = lua_gettop(L) + 1;
  ep_call_push_option(L, c, EP_BASE_URL);
  if (!lua_isnil(L, base)) {
    m->e->base_parts = ep_address_push_base(L, base);
    m->e->base = ep_to_slice(L, -1);
    lua_rawseti(L, m->state, EP_STATE_BASE);
  }
  set_default(L, m, EP_BASE_URL);
  m->e->has_credentials = m->e->has_credentials && m->e->base_parts.origin > 0;
}

void ep_defaults_push(lua_State *L, EpCall *c) {
  EpHeaders headers;
  Maker m;
  const int place = c->leftovers.fields.at;
  const bool has_data = append_data(L, c);
  ep_headers_read(L, c, &headers);
  m = push_endpoint(L, headers.count, c->leftovers.count);
  m.e->defaulted = EP_BIT(EP_HEADERS) | (has_data ? EP_BIT(EP_DATA) : 0);
  ep_merge_push_method(L, c);
  set_default(L, &m, EP_METHOD);
  set_default_option(L, &m, c, EP_URL);
  set_default_option(L, &m, c, EP_REQUEST);
  if (ep_call_has(c, EP_MEDIA_TYPE)) {
    ep_accept_push_media_type(L, c);
    set_default(L, &m, EP_MEDIA_TYPE);
  }
  set_default_headers(L, &m, &headers);
  set_default_parameters(L, &m, &c->leftovers);
  set_default_base(L, &m, c);
  lua_getmetatable(L, EP_CALL_SELF);
  finish_endpoint(L, &m);
  if (m.self > place) {
    lua_replace(L, place);
    lua_settop(L, place);
  }
}
