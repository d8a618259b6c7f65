/* The module: a callable userdata, its members, and how they find their
 * endpoint. An endpoint is an empty userdata; what it knows is its state, the
 * table associated with it. */
#include <stdbool.h>

#include "compat.h"
#include "defaults.h"
#include "error.h"
#include "merge.h"
#include "parse.h"
#include "state.h"
#include "version.h"
#include "view.h"

#define SELF lua_upvalueindex(EP_UPVALUE_SELF)

static void push_endpoint(lua_State *L, const EpEndpoint *e);

/* --- the calls ---------------------------------------------------------------- */

static int call_parse(lua_State *L, EpPurpose purpose) {
  EpView v;
  ep_view_read(L, &v, purpose);
  ep_parse_push(L, &v);
  return 1;
}

static int call_merge(lua_State *L) {
  EpView v;
  ep_view_read(L, &v, EP_FOR_MERGE);
  ep_merge_push(L, &v);
  return 1;
}

static int call_defaults(lua_State *L) {
  EpEndpoint e;
  call_merge(L);
  ep_defaults_push(L, EP_VIEW_STATE, &e);
  push_endpoint(L, &e);
  return 1;
}

/* endpoint(route [, options]), endpoint(options) */
static int endpoint_call(lua_State *L) {
  lua_settop(L, EP_ARG_OPTIONS);
  ep_getuservalue(L, EP_VIEW_SELF);
  return call_parse(L, EP_FOR_CALL);
}

/* --- the members -------------------------------------------------------------- */

static bool is_endpoint(lua_State *L, int index, int state) {
  bool same = false;
  if (lua_type(L, index) == LUA_TUSERDATA && lua_getmetatable(L, index)) {
    lua_rawgeti(L, state, EP_STATE_CLASS);
    same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
  }
  return same;
}

/* Members are bound: called with a colon they get their own endpoint once
 * more. Leaves the endpoint, two arguments and the state. */
static void enter_member(lua_State *L) {
  if (!lua_rawequal(L, EP_VIEW_SELF, SELF)) {
    lua_pushvalue(L, SELF);
    lua_insert(L, EP_VIEW_SELF);
  }
  lua_settop(L, EP_ARG_OPTIONS);
  ep_getuservalue(L, EP_VIEW_SELF);
  if (is_endpoint(L, EP_ARG_ROUTE, EP_VIEW_STATE))
    luaL_error(L, "endpoint: argument 1: expected a route or options, got another endpoint (a "
                  "member belongs to the endpoint it was read from)");
}

/* endpoint.merge(route [, options]), endpoint.merge([options]) */
static int member_merge(lua_State *L) {
  enter_member(L);
  return call_merge(L);
}

/* endpoint.parse(merged) */
static int member_parse(lua_State *L) {
  enter_member(L);
  return call_parse(L, EP_FOR_PARSE);
}

/* endpoint.defaults([options]) */
static int member_defaults(lua_State *L) {
  enter_member(L);
  return call_defaults(L);
}

/* --- the object --------------------------------------------------------------- */

/* endpoint.DEFAULTS: what merge makes of no options at all. */
static int index_defaults(lua_State *L) {
  lua_settop(L, EP_VIEW_SELF);
  lua_settop(L, EP_ARG_OPTIONS);
  ep_getuservalue(L, EP_VIEW_SELF);
  return call_merge(L);
}

/* endpoint.name */
static int endpoint_index(lua_State *L) {
  lua_settop(L, 2);
  lua_pushliteral(L, "DEFAULTS");
  if (lua_rawequal(L, 2, 3))
    return index_defaults(L);
  ep_getuservalue(L, 1);
  lua_rawgeti(L, -1, EP_STATE_MEMBERS);
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  return 1;
}

static int endpoint_newindex(lua_State *L) {
  return luaL_error(L, "endpoint: an endpoint does not change: expected "
                       "endpoint.defaults{...}, which makes a new one");
}

/* The class and the baseUrl, userinfo masked: never a header. */
static int endpoint_tostring(lua_State *L) {
  size_t size;
  const char *base;
  lua_settop(L, 1);
  ep_getuservalue(L, 1);
  lua_rawgeti(L, 2, EP_STATE_BASE);
  base = lua_tolstring(L, 3, &size);
  if (base) {
    ep_push_masked(L, base, size);
    lua_pushfstring(L, "endpoint (%s)", lua_tostring(L, 4));
  } else {
    lua_pushliteral(L, "endpoint (no baseUrl)");
  }
  return 1;
}

/* [-0, +1] Pushes the metatable that all endpoints of this load share. */
static void push_class(lua_State *L) {
  static const luaL_Reg methods[] = {{"__call", endpoint_call},
                                     {"__index", endpoint_index},
                                     {"__newindex", endpoint_newindex},
                                     {"__tostring", endpoint_tostring}};
  lua_createtable(L, 0, 6);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    lua_pushnil(L);
    ep_push_function(L, methods[i].func);
    lua_setfield(L, -2, methods[i].name);
  }
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pushliteral(L, "endpoint");
  lua_setfield(L, -2, "__name");
}

/* [-0, +1] Pushes the members of the endpoint at an absolute index. */
static void push_members(lua_State *L, int self) {
  static const luaL_Reg members[] = {
      {"merge", member_merge}, {"parse", member_parse}, {"defaults", member_defaults}};
  lua_createtable(L, 0, 5);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    lua_pushvalue(L, self);
    ep_push_function(L, members[i].func);
    lua_setfield(L, -2, members[i].name);
  }
  lua_pushlightuserdata(L, NULL);
  lua_setfield(L, -2, "null");
  lua_pushliteral(L, ENDPOINT_VERSION);
  lua_setfield(L, -2, "_VERSION");
}

/* [-1, +1] Replaces the state on top by its endpoint. */
static void push_endpoint(lua_State *L, const EpEndpoint *e) {
  const int state = lua_gettop(L), self = state + 1;
  EpEndpoint *own = (EpEndpoint *)ep_newobject(L, sizeof *own);
  *own = *e;
  push_members(L, self);
  lua_rawseti(L, state, EP_STATE_MEMBERS);
  lua_pushvalue(L, state);
  ep_setuservalue(L, self);
  lua_rawgeti(L, state, EP_STATE_CLASS);
  lua_setmetatable(L, self);
  lua_replace(L, state);
}

EP_MODULE int luaopen_endpoint(lua_State *L);

/* The built-in defaults are merged over none, as those of a caller are. */
EP_MODULE int luaopen_endpoint(lua_State *L) {
  const EpEndpoint none = {0, 0, false};
  lua_settop(L, 0);
  push_class(L);
  ep_defaults_push_empty(L);
  push_endpoint(L, &none);
  lua_replace(L, EP_VIEW_SELF);
  lua_pushnil(L);
  ep_defaults_push_built_in(L);
  ep_getuservalue(L, EP_VIEW_SELF);
  return call_defaults(L);
}
