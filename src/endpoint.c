/* The module: a callable userdata, its members, and how they find their
 * endpoint. What an endpoint knows is in its userdata and in its state, the
 * table associated with it. Comments that begin with three stars are what
 * `make docs` makes the reference of. */
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

/***
 * REST routes and parameters become request options for any HTTP client.
 *
 *     local endpoint = require "endpoint"
 *     local api = endpoint.defaults { baseUrl = "https://api.github.com" }
 *     local r = api("GET /orgs/:org/repos", { org = "lua", per_page = 100 })
 *
 * What `require` returns is an endpoint: a callable userdata that never
 * changes, with the members below. They work with a dot, with a colon and as
 * plain functions. nil is the same as absent, and no table that is passed in is
 * ever changed.
 *
 * All raise a string with the position of the caller's line that starts with
 * `endpoint: ` and names the option, parameter or header, what was expected and
 * what came. Values of headers and bodies are never quoted.
 *
 * Where the rules come from: URI templates, RFC 6570, level 4; characters of
 * URLs, RFC 3986, sections 2 and 3; methods and header names, RFC 9110,
 * sections 5.6.2 and 9.1; formats and previews, RFC 6838, section 4.2.
 *
 * @module endpoint
 */

/***
 * Options of a call. Every other key is a parameter: it fills the template's
 * variable of that name; what the template does not use goes into the query
 * (GET, HEAD) or into the body (POST, PUT, PATCH, DELETE, QUERY), and raises with
 * any other method. `endpoint.null` for an option is the same as not given, and
 * cancels its default.
 *
 * A parameter is a string, a finite number, a boolean, null, a list (keys
 * 1..n) or a map (string keys) of those; in a body, anything. In a query a list is one
 * value, but if the name ends in `[]`, and in a map that is exploded under `?` or `&`,
 * each element is sent by itself.
 *
 * @table Options
 * @tfield[opt] string method an RFC 9110 token (section 5.6.2) in any case; GET
 * unless given
 * @tfield[opt] string url an RFC 6570 template, relative to `baseUrl` or absolute;
 * `:name` in its path is `{name}`; must be here or in the route
 * @tfield[opt] string baseUrl `scheme://host` and perhaps a path; a path alone,
 * as nginx's internal locations have; or empty. It may end in a query, which
 * stands first in the URL's
 * @tfield[opt] table headers name to string, finite number, boolean or list of
 * strings, without CR, LF and NUL; names are RFC 9110 tokens, in any case; null
 * removes a default
 * @tfield[opt] table mediaType rewrites the vendor parts of `accept`: `format`, a
 * string, and `previews`, a list of strings, both RFC 6838 names
 * @field[opt] data the body, whatever it is; left-over parameters are not sent
 * then, and GET, HEAD, TRACE and CONNECT raise
 * @field[opt] request handed through to the result, never looked at or copied
 */

/***
 * Request options, the result of a call; a new table each time.
 *
 * @table Request
 * @tfield string method in lower case; most servers want upper case
 * @tfield string url absolute, or a path if `baseUrl` was one; only the bytes
 * 0x21 to 0x7E, and every `%` begins a triplet (RFC 3986, section 2.1)
 * @tfield table headers lower-case name to value, as it was given; a body that is
 * a table, a number or a boolean has a content-type, JSON unless given
 * @field[opt] body only if there is one: a new table of parameters, or `data`
 * itself; not encoded
 * @field[opt] request the option of that name
 */

/***
 * Merged options: `method` (upper case), `baseUrl`, `url` (the template) and
 * `headers` (lower-case names), and every other option and parameter that was
 * given or has a default. The template is not resolved.
 *
 * @table Merged
 */

/***
 * A variable of a template, as `variables` lists it; all but `required` as in the first
 * expression that names it.
 *
 * @table Variable
 * @tfield string name
 * @tfield string operator `""`, `+`, `#`, `.`, `/`, `;`, `?` or `&`
 * @tfield boolean explode is it followed by `*`?
 * @tfield[opt] number prefix the characters of `{name:3}`
 * @tfield boolean required does a call raise without it, when every other variable has
 * some harmless text? False where a call raises whatever the values are.
 */

/***
 * This endpoint's defaults as a `Merged` table, a fresh deep copy at each read.
 *
 * @class field
 * @name DEFAULTS
 */

/***
 * The null value: the light userdata NULL, equal to `cjson.null` and
 * `ngx.null`. It cancels a default, is skipped in a list or map, and is JSON's
 * null in a body.
 *
 * @class field
 * @name null
 */

/***
 * The version, a string such as `1.0.0` (semver.org).
 *
 * @class field
 * @name _VERSION
 */

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

/***
 * Makes request options; also called as `endpoint(options)`, with `url` among
 * them. Equal to `endpoint.parse(endpoint.merge(...))`.
 *
 * A path segment with a variable that comes out empty, as `.` or as `..` raises,
 * for the request would reach another resource (RFC 3986, section 5.2.4); encoded
 * slashes part segments here as plain ones do. An optional segment is written
 * `{/name}`. A value that would change the host raises as well, and so does a call
 * that would take a credential of the defaults to another origin than that of the
 * default baseUrl.
 *
 * @function endpoint
 * @tparam string route `"<METHOD> <URL>"`, or a URL alone
 * @tparam[opt] Options options what the route names must not stand here as well
 * @treturn Request
 * @raise on arguments and option values of a wrong type, any argument but nil
 * behind the options, another endpoint as argument, a malformed template (with the
 * byte, counted from 1), a variable that is named like an option other than `data`,
 * a value that a URL cannot hold, a path segment without text, a URL that is not
 * absolute without `baseUrl`, a map left for the query, a parameter left over under a
 * method with no rule for it, `data` under GET, HEAD, TRACE or CONNECT, and with
 * `mediaType` an `accept` that is no string
 */
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

/***
 * Merges options over the defaults and leaves the template as it is; also called
 * as `endpoint.merge([options])`. Headers are merged name by name, `mediaType`
 * key by key, anything else is replaced whole.
 *
 * @function merge
 * @tparam string route `"<METHOD> <URL>"`, or a URL alone
 * @tparam[opt] Options options
 * @treturn Merged with values as given, by reference
 * @raise on arguments and option values of a wrong type, a method that is no
 * token, a header's name or value that cannot be sent, a name given twice, and a
 * credential of the defaults that would go to another origin
 */
static int member_merge(lua_State *L) {
  enter_member(L);
  return call_merge(L, EP_FOR_MERGE);
}

/***
 * Makes request options of merged options. No default is applied: `method` is
 * GET and `headers` are empty if they are absent.
 *
 * @function parse
 * @tparam Merged merged with a `url`
 * @treturn Request
 * @raise as a call does, and without `url`
 */
static int member_parse(lua_State *L) {
  enter_member(L);
  return call_parse(L, EP_FOR_PARSE);
}

/***
 * Makes a new endpoint with these defaults on top of this one's. Tables are
 * copied, except `request`; metatables in them are kept by reference. null
 * removes a default parameter or header.
 *
 * @function defaults
 * @tparam[opt] Options options
 * @return the new endpoint
 * @raise as `merge` does, and on a table with a cycle or more than 100 levels
 */
static int member_defaults(lua_State *L) {
  enter_member(L);
  return call_defaults(L);
}

/***
 * What the template of a route asks for, for checking routes, for wrappers that refuse
 * unknown parameters, and for descriptions of tools. A call's values and the default
 * parameters play no part.
 *
 *     for _, v in ipairs(endpoint.variables "GET /repos/{owner}/{repo}{?page}") do
 *       print(v.name, v.operator, v.required) --> owner "" true, repo "" true, page "?" false
 *     end
 *
 * @function variables
 * @tparam[opt] string|Options route `"<METHOD> <URL>"`, a URL, or a table with `url`; a
 * default url unless given
 * @treturn {Variable,...} in the template's order, each once; a new table each time
 * @raise on any other argument, without url, and on a malformed template
 */
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
