/* The module: a callable userdata, its members, and how they find their
 * endpoint. What an endpoint knows is in its userdata and in its state, the
 * table associated with it. addon/library/endpoint.lua says what the members
 * take, return and raise. */
#include <stdbool.h>

#include "cache.h"
#include "compat.h"
#include "defaults.h"
#include "error.h"
#include "merge.h"
#include "parse.h"
#include "stack.h"
#include "state.h"
#include "url.h"
#include "variables.h"
#include "version.h"
#include "view.h"

#define SELF lua_upvalueindex(EP_UPVALUE_SELF)

static void push_endpoint(lua_State *L, const EpEndpoint *e);

/* --- the calls ---------------------------------------------------------------- */

/* Leaves the endpoint and two arguments. Raises if there are more. */
static void settle_stack(lua_State *L) {
  for (int i = lua_gettop(L); i > EP_ARG_OPTIONS; i--)
    if (!lua_isnil(L, i))
      ep_error(L, "endpoint: argument %d: expected nothing after the options, got %s",
               i - EP_VIEW_SELF, ep_type_name(L, i));
  lua_settop(L, EP_ARG_OPTIONS);
}

static int call_parse(lua_State *L, EpPurpose purpose) {
  EpView v;
  ep_view_read(L, &v, purpose);
  ep_parse_push(L, &v);
  return 1;
}

static int call_merge(lua_State *L, EpPurpose purpose) {
  EpView v;
  ep_view_read(L, &v, purpose);
  ep_merge_push(L, &v);
  return 1;
}

static int call_defaults(lua_State *L) {
  EpEndpoint e;
  call_merge(L, EP_FOR_DEFAULTS);
  ep_defaults_push(L, EP_VIEW_STATE, &e);
  push_endpoint(L, &e);
  return 1;
}

/* endpoint(route[, options]), endpoint(options) */
static int endpoint_call(lua_State *L) {
  settle_stack(L);
  ep_getuservalue(L, EP_VIEW_SELF);
  return call_parse(L, EP_FOR_CALL);
}

/* --- the members -------------------------------------------------------------- */

/* Is the value at an absolute index an endpoint of this load, as the one at EP_VIEW_SELF? */
static bool is_endpoint(lua_State *L, int index) {
  const int top = lua_gettop(L);
  bool same = false;
  if (lua_type(L, index) == LUA_TUSERDATA && lua_getmetatable(L, index)) {
    ep_getuservalue(L, EP_VIEW_SELF);
    lua_rawgeti(L, -1, EP_STATE_CLASS);
    same = lua_rawequal(L, -1, top + 1);
  }
  lua_settop(L, top);
  return same;
}

/* Members are bound: called with a colon they get their own endpoint once
 * more. Leaves the endpoint, two arguments and the state. */
static void enter_member(lua_State *L) {
  if (!lua_rawequal(L, EP_VIEW_SELF, SELF)) {
    lua_pushvalue(L, SELF);
    lua_insert(L, EP_VIEW_SELF);
  }
  if (is_endpoint(L, EP_ARG_ROUTE))
    ep_error(L, "endpoint: argument 1: expected a route or options, got another endpoint (a "
                "member belongs to the endpoint it was read from)");
  settle_stack(L);
  ep_getuservalue(L, EP_VIEW_SELF);
}

/* endpoint.merge(route[, options]), endpoint.merge([options]) */
static int member_merge(lua_State *L) {
  enter_member(L);
  return call_merge(L, EP_FOR_MERGE);
}

/* endpoint.parse(merged), which knows no defaults */
static int member_parse(lua_State *L) {
  enter_member(L);
  return call_parse(L, EP_FOR_PARSE);
}

/* endpoint.defaults([options]) */
static int member_defaults(lua_State *L) {
  enter_member(L);
  return call_defaults(L);
}

/* endpoint.variables(route): compiles the template and reads no values. */
static int member_variables(lua_State *L) {
  EpView v;
  enter_member(L);
  if (!lua_isnil(L, EP_ARG_ROUTE) && !lua_isnil(L, EP_ARG_OPTIONS))
    ep_error(L, "endpoint: argument 2: expected nothing after the route, got %s",
             ep_type_name(L, EP_ARG_OPTIONS));
  ep_view_open(L, &v, EP_FOR_CALL);
  ep_variables_push(L, v.c->t);
  return 1;
}

/* --- the object --------------------------------------------------------------- */

/* endpoint.DEFAULTS: what merge makes of no options at all. */
static int index_defaults(lua_State *L) {
  lua_settop(L, EP_VIEW_SELF);
  lua_settop(L, EP_ARG_OPTIONS);
  ep_getuservalue(L, EP_VIEW_SELF);
  return call_merge(L, EP_FOR_DEFAULTS);
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
  return ep_error(L, "endpoint: an endpoint does not change: expected "
                     "endpoint.defaults{...}, which makes a new one");
}

/* The class and the baseUrl, userinfo masked: never its query or a header. */
static int endpoint_tostring(lua_State *L) {
  EpSlice base;
  lua_settop(L, 1);
  ep_getuservalue(L, 1);
  lua_rawgeti(L, 2, EP_STATE_BASE);
  base = ep_to_slice(L, 3);
  if (base.bytes) {
    base.size = ep_url_path_size(base);
    ep_push_masked(L, base);
    lua_pushfstring(L, "endpoint (%s)", lua_tostring(L, 4));
  } else {
    lua_pushliteral(L, "endpoint (no baseUrl)");
  }
  return 1;
}

/* [-1, +1] Pushes the function, with the endpoint on top (or nil) as its own and
 * the cache at an absolute index. */
static void push_function(lua_State *L, lua_CFunction function, int cache) {
  lua_pushvalue(L, cache);
  lua_pushliteral(L, "method");
  lua_pushliteral(L, "url");
  lua_pushliteral(L, "headers");
  lua_pushliteral(L, "body");
  lua_pushliteral(L, "content-type");
  lua_pushliteral(L, "application/json; charset=utf-8");
  lua_pushcclosure(L, function, EP_UPVALUE_LAST);
}

/* [-0, +1] Pushes the metatable that all endpoints of this load share. */
static void push_class(lua_State *L, int cache) {
  static const luaL_Reg methods[] = {{"__call", endpoint_call},
                                     {"__index", endpoint_index},
                                     {"__newindex", endpoint_newindex},
                                     {"__tostring", endpoint_tostring}};
  lua_createtable(L, 0, 6);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    lua_pushnil(L);
    push_function(L, methods[i].func, cache);
    lua_setfield(L, -2, methods[i].name);
  }
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pushliteral(L, "endpoint");
  lua_setfield(L, -2, "__name");
}

/* [-0, +1] Pushes the members of the endpoint at an absolute index. */
static void push_members(lua_State *L, int self, int cache) {
  static const luaL_Reg members[] = {{"merge", member_merge},
                                     {"parse", member_parse},
                                     {"defaults", member_defaults},
                                     {"variables", member_variables}};
  lua_createtable(L, 0, 6);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    lua_pushvalue(L, self);
    push_function(L, members[i].func, cache);
    lua_setfield(L, -2, members[i].name);
  }
  lua_pushlightuserdata(L, NULL);
  lua_setfield(L, -2, "null");
  lua_pushliteral(L, ENDPOINT_VERSION);
  lua_setfield(L, -2, "_VERSION");
}

/* [-1, +1] Replaces the state on top by its endpoint. */
static void push_endpoint(lua_State *L, const EpEndpoint *e) {
  const int state = lua_gettop(L), self = state + 1, cache = self + 1;
  ep_defaults_push_object(L, state, e);
  lua_rawgeti(L, state, EP_STATE_CACHE);
  push_members(L, self, cache);
  lua_rawseti(L, state, EP_STATE_MEMBERS);
  lua_settop(L, self);
  lua_pushvalue(L, state);
  ep_setuservalue(L, self);
  lua_rawgeti(L, state, EP_STATE_CLASS);
  lua_setmetatable(L, self);
  lua_replace(L, state);
}

EP_MODULE int luaopen_endpoint(lua_State *L);

/* The built-in defaults are merged over none, as those of a caller are. */
EP_MODULE int luaopen_endpoint(lua_State *L) {
  const EpEndpoint none = {0, {NULL, 0}, 0, 0, false, false, 0, NULL};
  lua_settop(L, 0);
  ep_cache_push(L);
  push_class(L, lua_gettop(L));
  ep_defaults_push_empty(L);
  push_endpoint(L, &none);
  lua_replace(L, EP_VIEW_SELF);
  lua_settop(L, EP_VIEW_SELF);
  lua_pushnil(L);
  ep_defaults_push_built_in(L);
  ep_getuservalue(L, EP_VIEW_SELF);
  return call_defaults(L);
}
