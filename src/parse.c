/* SPDX-License-Identifier: MIT */
#include "parse.h"

#include "accept.h"
#include "address.h"
#include "defaults.h"
#include "headers.h"

/* A request while it is made. */
typedef struct Request {
  EpCall *c;
  int method; /* its row in ep_methods */
  EpSends sends;
  int result; /* absolute index */
  bool may_have_body;
  bool is_json; /* is there a body, to be encoded as JSON? */
} Request;

/* --- the body ------------------------------------------------------------------- */

/* Raises if a parameter that is not null is left over. Names the first in bytewise order. */
static void check_nothing_left(lua_State *L, EpCall *c, EpSends sends) {
  const char *expected = sends == EP_SENDS_DATA_ONLY
                             ? "expected a place in the url or in data, for this method sends "
                               "parameters neither as query nor as body"
                             : "expected a place in the url, for this method sends parameters "
                               "neither as query nor as body";
  const EpName *names = ep_pairs_sort(L, &c->leftovers);
  for (int i = 0; i < c->leftovers.count; i++)
    if (!ep_is_null(L, ep_pairs_value(&c->leftovers, names[i].owner)))
      ep_parameter_error(L, names[i].text, expected);
  if (names != c->leftovers.few)
    lua_pop(L, 1);
}

/* A string is the caller's own text, and a function may stream any text. */
static bool is_json(int type) {
  return type == LUA_TTABLE || type == LUA_TNUMBER || type == LUA_TBOOLEAN;
}

/* [-0, +0 or +1] Pushes data if there is any. Raises if the method takes none. */
static bool push_data(lua_State *L, const EpCall *c, EpSends sends) {
  ep_call_push_option(L, c, EP_DATA);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    return false;
  }
  if (sends == EP_SENDS_QUERY || sends == EP_SENDS_NOTHING) {
    ep_call_push_method(L, c);
    ep_error(L, "endpoint: option \"data\": method %s takes no body",
             ep_quote_masked(L, ep_to_slice(L, -1)));
  }
  return true;
}

/* [-0, +0 or +1] Pushes a table of the left-over parameters if the method sends them so. Raises if
 * it sends none of them. */
static bool push_left_over(lua_State *L, EpCall *c, EpSends sends) {
  if (sends == EP_SENDS_BODY && c->leftovers.count > 0) {
    ep_pairs_push_table(L, &c->leftovers, 0);
    return true;
  }
  if (sends != EP_SENDS_QUERY)
    check_nothing_left(L, c, sends);
  return false;
}

/* --- the result's fields ------------------------------------------------------------ */

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

static void set_body(lua_State *L, Request *r) {
  const bool has_data = ep_call_has(r->c, EP_DATA);
  ep_defaults_copy_out(L, r->c);
  lua_pushvalue(L, lua_upvalueindex(EP_UPVALUE_BODY));
  if ((has_data && push_data(L, r->c, r->sends)) || push_left_over(L, r->c, r->sends)) {
    r->is_json = is_json(lua_type(L, -1));
    lua_rawset(L, r->result);
  } else {
    lua_pop(L, 1);
  }
}

/* Labels the body as JSON in the headers on top, unless a header says otherwise. */
static void label_body(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(EP_UPVALUE_CONTENT_TYPE));
  lua_rawget(L, -2);
  if (lua_isnil(L, -1)) {
    lua_pushvalue(L, lua_upvalueindex(EP_UPVALUE_CONTENT_TYPE));
    lua_pushvalue(L, lua_upvalueindex(EP_UPVALUE_JSON));
    lua_rawset(L, -4);
  }
  lua_pop(L, 1);
}

static void set_headers(lua_State *L, const Request *r) {
  ep_push_option_name(L, EP_HEADERS);
  ep_headers_push(L, r->c, r->is_json);
  if (ep_call_has(r->c, EP_MEDIA_TYPE))
    ep_accept_change(L, r->c, lua_gettop(L));
  if (r->is_json)
    label_body(L);
  lua_rawset(L, r->result);
}

static void set_request(lua_State *L, const Request *r) {
  ep_push_option_name(L, EP_REQUEST);
  ep_call_push_option(L, r->c, EP_REQUEST);
  lua_rawset(L, r->result);
}

/* What is wrong is mostly the URL, so it is made first. */
void ep_parse_push(lua_State *L, EpCall *c) {
  Request r = {c, 0, EP_SENDS_NOTHING, lua_gettop(L) + 1, false, false};
  r.method = ep_call_method(L, c);
  r.sends = ep_methods[r.method].sends;
  r.may_have_body =
      ep_call_has(c, EP_DATA) || (r.sends != EP_SENDS_QUERY && c->leftovers.count > 0);
  if (ep_call_has(c, EP_DATA) && push_data(L, c, r.sends))
    lua_pop(L, 1);
  ep_push_option_name(L, EP_URL);
  ep_address_push(L, c, r.sends == EP_SENDS_QUERY);
  lua_createtable(L, 0, 3 + r.may_have_body + ep_call_has(c, EP_REQUEST));
  lua_insert(L, r.result);
  lua_rawset(L, r.result);
  set_method(L, &r);
  if (r.may_have_body)
    set_body(L, &r);
  set_headers(L, &r);
  if (ep_call_has(c, EP_REQUEST))
    set_request(L, &r);
}
