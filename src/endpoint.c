/* SPDX-License-Identifier: MIT */
/* The module: a callable userdata and its members. An endpoint's defaults are in its userdata and
 * in its state, a table that the userdata keeps (see call.h). src/addon/library/endpoint.lua says
 * what the members take, return and raise. */
#include "endpoint.h"

#include "core/url.h"
#include "defaults.h"
#include "home.h"
#include "merge.h"
#include "parse.h"
#include "value.h"

#ifndef ENDPOINT_BASE_URL
#define ENDPOINT_BASE_URL "https://api.service.example"
#endif

/* --- what the members do with a call --------------------------------------------- */

/* [-0, +1] Pushes a table that describes a variable by its first varspec. */
static void push_variable(lua_State *L, const EpTemplate *t, EpPartKind kind, const EpVarspec *v) {
  lua_createtable(L, 0, 5);
  ep_push_slice(L, t->variables[v->variable].text);
  lua_setfield(L, -2, "name");
  lua_pushlstring(L, &ep_operators[kind].symbol, ep_operators[kind].symbol != 0);
  lua_setfield(L, -2, "operator");
  lua_pushboolean(L, v->explode);
  lua_setfield(L, -2, "explode");
  if (v->prefix > 0) {
    lua_pushinteger(L, v->prefix);
    lua_setfield(L, -2, "prefix");
  }
  lua_pushboolean(L, v->is_required);
  lua_setfield(L, -2, "required");
}

/* [-0, +1] Pushes a new list of the template's variables, each once, in the order of the template.
 * Each has the fields name, operator, explode and prefix, all of its first varspec, and required.
 */
static void push_variables(lua_State *L, EpCall *c) {
  const EpTemplate *t = c->compiled->t;
  int count = 0;
  lua_createtable(L, t->variable_count, 0);
  for (size_t i = 0; i < t->part_count; i++) {
    const EpPart *part = &t->parts[i];
    for (size_t v = part->begin; part->kind != EP_LITERAL && v < part->end; v++)
      if (t->variables[t->varspecs[v].variable].index == (int)v) {
        push_variable(L, t, part->kind, &t->varspecs[v]);
        lua_rawseti(L, -2, ++count);
      }
  }
}

enum { FOR_CALL, FOR_PARSE, FOR_MERGE, FOR_DEFAULTS, FOR_READING_DEFAULTS, FOR_VARIABLES };

/* The rows are in the order of the FOR_ constants. */
static const EpPurpose purposes[] = {
    /* clang-format off */
    /* options_alone,            needs    compiles needs  fills  has       stays  push_result
     *                           options  url      url    vars.  defaults  home */
    {NULL,                       false,   true,    true,  true,  true,     true,  ep_parse_push},
    {"a table of merged options", true,   true,    true,  true,  false,    false, ep_parse_push},
    {NULL,                       false,   true,    false, false, true,     true,  ep_merge_push},
    {"only options (table)",     false,   false,   false, false, true,     false, ep_defaults_push},
    {"only options (table)",     false,   false,   false, false, true,     false, ep_merge_push},
    {NULL,                       false,   true,    true,  true,  true,     false, push_variables},
    /* clang-format on */
};

/* Reads a call for a purpose, and pushes its result. */
static int call(lua_State *L, int purpose) {
  EpCall c;
  ep_call_read(L, &c, &purposes[purpose]);
  if (c.purpose->stays_home && ep_home_may_be_left(&c))
    ep_home_check(L, &c);
  c.purpose->push_result(L, &c);
  return 1;
}

/* endpoint(route[, options]), endpoint(options) */
static int endpoint_call(lua_State *L) {
  return call(L, FOR_CALL);
}

/* --- the members -------------------------------------------------------------- */

/* Puts the member's own endpoint first. A call with a colon has passed it already; a call with a
 * dot has not. Raises if the next argument is another endpoint of this load of the module. */
static void normalize_self(lua_State *L) {
  const int self = lua_upvalueindex(EP_UPVALUE_SELF);
  if (!lua_rawequal(L, EP_CALL_SELF, self)) {
    lua_pushvalue(L, self);
    lua_insert(L, EP_CALL_SELF);
  }
  if (lua_type(L, EP_ARG_ROUTE) == LUA_TUSERDATA && lua_getmetatable(L, EP_ARG_ROUTE)) {
    lua_getmetatable(L, EP_CALL_SELF);
    if (lua_rawequal(L, -1, -2))
      ep_error(L, "endpoint: argument 1: expected a route or options, got another endpoint (a "
                  "member belongs to the endpoint it was read from)");
    lua_pop(L, 2);
  }
}

/* endpoint.merge(route[, options]), endpoint.merge([options]) */
static int member_merge(lua_State *L) {
  normalize_self(L);
  return call(L, FOR_MERGE);
}

/* endpoint.parse(merged): uses no defaults. */
static int member_parse(lua_State *L) {
  normalize_self(L);
  return call(L, FOR_PARSE);
}

/* endpoint.defaults([options]) */
static int member_defaults(lua_State *L) {
  normalize_self(L);
  return call(L, FOR_DEFAULTS);
}

/* endpoint.variables(route): compiles the template, and does not read values. */
static int member_variables(lua_State *L) {
  normalize_self(L);
  if (!lua_isnoneornil(L, EP_ARG_ROUTE) && !lua_isnoneornil(L, EP_ARG_OPTIONS))
    ep_error(L, "endpoint: argument 2: expected nothing after the route, got %s",
             ep_type_name(L, EP_ARG_OPTIONS));
  return call(L, FOR_VARIABLES);
}

/* --- the object --------------------------------------------------------------- */

/* [-0, +1] Pushes a function that belongs to the endpoint, with the upvalues of call.h. */
static void push_bound(lua_State *L, lua_CFunction function) {
  ep_checkstack(L, EP_UPVALUE_LAST + LUA_MINSTACK, "endpoint: no room for a member");
  lua_pushvalue(L, EP_CALL_SELF);
  for (int i = EP_UPVALUE_SELF + 1; i <= EP_UPVALUE_LAST; i++)
    lua_pushvalue(L, lua_upvalueindex(i));
  lua_pushcclosure(L, function, EP_UPVALUE_LAST);
}

/* [-0, +1] Pushes the member of that name, other than DEFAULTS; nil if there is none. */
static void push_member(lua_State *L, EpSlice name) {
  static const luaL_Reg members[] = {{"merge", member_merge},
                                     {"parse", member_parse},
                                     {"defaults", member_defaults},
                                     {"variables", member_variables}};
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (ep_slice_equals(name, ep_slice(members[i].name, strlen(members[i].name)))) {
      push_bound(L, members[i].func);
      return;
    }
  if (ep_slice_equals(name, EP_SLICE("null")))
    lua_pushlightuserdata(L, NULL);
  else if (ep_slice_equals(name, EP_SLICE("_VERSION")))
    lua_pushliteral(L, ENDPOINT_VERSION);
  else
    lua_pushnil(L);
}

/* endpoint.name: a member is made when it is first read. The state keeps it, so that each read
 * gives the same function. */
static int endpoint_index(lua_State *L) {
  enum { NAME = EP_CALL_SELF + 1, STATE, MEMBER };
  ep_call_self(L);
  lua_settop(L, NAME);
  if (lua_type(L, NAME) != LUA_TSTRING)
    return 0;
  ep_getuservalue(L, EP_CALL_SELF);
  lua_pushvalue(L, NAME);
  lua_rawget(L, STATE);
  if (!lua_isnil(L, MEMBER))
    return 1;
  if (ep_slice_equals(ep_to_slice(L, NAME), EP_SLICE("DEFAULTS"))) {
    lua_settop(L, EP_CALL_SELF);
    return call(L, FOR_READING_DEFAULTS);
  }
  push_member(L, ep_to_slice(L, NAME));
  if (!lua_isnil(L, -1)) {
    lua_pushvalue(L, NAME);
    lua_pushvalue(L, -2);
    lua_rawset(L, STATE);
  }
  return 1;
}

static int endpoint_newindex(lua_State *L) {
  ep_error(L, "endpoint: an endpoint does not change: expected "
              "endpoint.defaults{...}, which makes a new one");
}

/* Shows the class and the baseUrl, with *** for its userinfo. The baseUrl contains no NUL. */
static int endpoint_tostring(lua_State *L) {
  const EpEndpoint *e = ep_call_self(L);
  const char *base = e->base.bytes, *at;
  if (!base) {
    lua_pushliteral(L, "endpoint (no baseUrl)");
    return 1;
  }
  at = (const char *)memchr(base, '@', e->base_origin);
  lua_pushlstring(L, base, at ? ep_url_absolute(e->base) : 0);
  lua_pushfstring(L, "endpoint (%s%s%s)", lua_tostring(L, -1), at ? "***" : "", at ? at : base);
  return 1;
}

/* --- the module ----------------------------------------------------------------- */

/* [-0, +n] Pushes the upvalues of call.h, for functions that do not belong to an endpoint. */
static void push_upvalues(lua_State *L) {
  lua_pushnil(L);
  ep_compile_push_cache(L);
  ep_compile_push_cache(L);
  for (int option = 0; option < EP_OPTION_COUNT; option++)
    ep_push_slice(L, ep_option_names[option]);
  lua_pushliteral(L, "body");
  lua_pushliteral(L, "content-type");
  lua_pushliteral(L, "application/json; charset=utf-8"); /* RFC 8259 section 11 */
  for (int method = 0; method < EP_METHODS; method++)
    ep_push_lower(L, ep_slice(ep_methods[method].name, strlen(ep_methods[method].name)));
}

/* [-0, +1] Pushes the metatable of all endpoints of this load of the module. The upvalues are on
 * the stack from index 1 on. */
static void push_class(lua_State *L) {
  static const luaL_Reg methods[] = {{"__call", endpoint_call},
                                     {"__index", endpoint_index},
                                     {"__newindex", endpoint_newindex},
                                     {"__tostring", endpoint_tostring}};
  lua_createtable(L, 0, 6);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    for (int upvalue = 1; upvalue <= EP_UPVALUE_LAST; upvalue++)
      lua_pushvalue(L, upvalue);
    lua_pushcclosure(L, methods[i].func, EP_UPVALUE_LAST);
    lua_setfield(L, -2, methods[i].name);
  }
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pushliteral(L, "endpoint");
  lua_setfield(L, -2, "__name");
}

/* [-0, +1] Pushes a table of the built-in options. */
static void push_built_in(lua_State *L) {
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

/* The module is an endpoint, and is made as callers make one: the built-in options become the
 * defaults of an endpoint that had none. */
ENDPOINT_API int luaopen_endpoint(lua_State *L) {
  ep_checkversion(L);
  lua_settop(L, 0);
  ep_checkstack(L, 2 * EP_UPVALUE_LAST + LUA_MINSTACK, "endpoint: no room for the module");
  push_upvalues(L);
  push_class(L);
  ep_defaults_push_root(L);
  lua_replace(L, EP_CALL_SELF);
  lua_settop(L, EP_CALL_SELF);
  push_built_in(L);
  return call(L, FOR_DEFAULTS);
}
