/* SPDX-License-Identifier: MIT */
#include "parse.h"

#include "accept.h"
#include "address.h"
#include "errors.h"
#include "headers.h"
#include "merge.h"
#include "value.h"

/* A request while it is made. */
typedef struct Request {
  EpCall *c;
  int method; /* index of its row in ep_methods */
  EpSends sends;
  bool has_data, is_json; /* has_data: is data sent? is_json: is the body to be encoded as JSON? */
  int result;             /* absolute index */
} Request;

/* Does the call or a default give data? Raises if the method takes no body. */
static bool check_data(lua_State *L, const EpCall *c, EpSends sends) {
  if (!ep_call_has(c, EP_DATA))
    return false;
  ep_call_push_option(L, c, EP_DATA);
  const bool has_data = !lua_isnil(L, -1);
  lua_pop(L, 1);
  if (has_data && (sends == EP_SENDS_QUERY || sends == EP_SENDS_NOTHING)) {
    ep_call_push_method(L, c);
    ep_error(L, "endpoint: option \"data\": method %s takes no body",
             ep_quote_masked(L, ep_to_slice(L, -1)));
  }
  return has_data;
}

/* Raises if a parameter is left over and not null. The error names the first one in bytewise order.
 */
static void check_nothing_left(lua_State *L, EpCall *c, EpSends sends) {
  const EpName *names = ep_pairs_sort(L, &c->leftovers);
  for (int i = 0; i < c->leftovers.count; i++)
    if (!ep_is_null(L, ep_pairs_value(&c->leftovers, names[i].index)))
      ep_error(L,
               "endpoint: parameter %s: expected a place in the url%s, since this method sends "
               "parameters neither as query nor as body",
               ep_quote(L, names[i].text), sends == EP_SENDS_DATA_ONLY ? " or in data" : "");
  if (names != c->leftovers.few)
    lua_pop(L, 1);
}

static void set_method(lua_State *L, const Request *r) {
  ep_push_option_name(L, EP_METHOD);
  if (r->method < EP_METHODS) {
    lua_pushvalue(L, lua_upvalueindex(EP_UPVALUE_METHOD + r->method));
  } else {
    ep_call_push_method(L, r->c);
    ep_push_lower(L, ep_to_slice(L, -1));
    lua_replace(L, -2);
  }
  lua_rawset(L, r->result);
}

/* Sets an option that stays as it is in the result. */
static void set_option(lua_State *L, const Request *r, EpOption option) {
  ep_push_option_name(L, option);
  ep_call_push_option(L, r->c, option);
  lua_rawset(L, r->result);
}

/* Sets the body: data, or a table of the left-over parameters if the method sends them as body. */
static void set_body(lua_State *L, Request *r) {
  if (!r->has_data && r->sends != EP_SENDS_BODY) {
    check_nothing_left(L, r->c, r->sends);
    return;
  }
  lua_pushvalue(L, lua_upvalueindex(EP_UPVALUE_BODY));
  if (r->has_data)
    ep_call_push_option(L, r->c, EP_DATA);
  else
    ep_pairs_push_table(L, &r->c->leftovers, 0);
  /* A string is sent as it is, and a function may stream anything. */
  const int type = lua_type(L, -1);
  r->is_json = type == LUA_TTABLE || type == LUA_TNUMBER || type == LUA_TBOOLEAN;
  lua_rawset(L, r->result);
}

static void set_headers(lua_State *L, const Request *r) {
  ep_push_option_name(L, EP_HEADERS);
  ep_headers_push(L, r->c, r->is_json);
  if (ep_call_has(r->c, EP_MEDIA_TYPE))
    ep_accept_change(L, r->c, lua_gettop(L));
  lua_rawset(L, r->result);
}

/* Most errors are in the URL, so it is made first. */
void ep_parse_push(lua_State *L, EpCall *c) {
  const int method = ep_call_method(L, c);
  const EpSends sends = ep_methods[method].sends;
  Request r = {c, method, sends, check_data(L, c, sends), false, lua_gettop(L) + 1};
  const bool may_have_body = r.has_data || (sends != EP_SENDS_QUERY && c->leftovers.count > 0);
  ep_push_option_name(L, EP_URL);
  ep_address_push(L, c, sends == EP_SENDS_QUERY);
  lua_createtable(L, 0, 3 + may_have_body + ep_call_has(c, EP_REQUEST));
  lua_insert(L, r.result);
  lua_rawset(L, r.result);
  set_method(L, &r);
  if (may_have_body) {
    ep_copy_defaults(L, c);
    set_body(L, &r);
  }
  set_headers(L, &r);
  if (ep_call_has(c, EP_REQUEST))
    set_option(L, &r, EP_REQUEST);
}
