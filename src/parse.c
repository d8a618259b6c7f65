/* Request options: the method, the body, the URL and the headers. */
#include "parse.h"

#include <stdbool.h>

#include "accept.h"
#include "address.h"
#include "buffer.h"
#include "core/route.h"
#include "error.h"
#include "headers.h"
#include "stack.h"
#include "value.h"

/* A request while it is made. */
typedef struct Request {
  EpCall *c;
  int method; /* its row in ep_methods */
  EpSends sends;
  int body;   /* absolute index of what the result gets */
  int anchor; /* absolute index of the anchor of the URL's buffer */
  int result; /* absolute index */
  bool has_body;
  bool is_json; /* is the body to be encoded as JSON? */
} Request;

static int find_method(lua_State *L, const EpCall *c) {
  int known = c->compiled->known;
  if (!c->compiled->method.bytes) {
    ep_call_push_method(L, c);
    known = ep_route_method(ep_to_slice(L, -1));
    lua_pop(L, 1);
  }
  return known;
}

/* --- the body ------------------------------------------------------------------- */

/* Quotes the method as the caller wrote it. */
static void raise_no_body(lua_State *L, const EpCall *c) {
  const char *method;
  if (c->compiled->method.bytes) {
    method = ep_quote(L, ep_route_split(ep_to_slice(L, EP_ARG_ROUTE)).method);
  } else {
    ep_call_push_method(L, c);
    method = ep_quote_at(L, -1);
  }
  ep_error(L, "endpoint: option \"data\": method %s takes no body", method);
}

/* Raises if a parameter that is not null is left over. Names the first in bytewise order. */
static void check_nothing_left(lua_State *L, EpCall *c, EpSends sends) {
  const char *expected = sends == EP_SENDS_DATA_ONLY
                             ? "expected a place in the url or in data, for this method sends "
                               "parameters neither as query nor as body"
                             : "expected a place in the url, for this method sends parameters "
                               "neither as query nor as body";
  const EpName *names = ep_pairs_sort(L, &c->leftovers);
  for (int i = 0; i < c->leftovers.count; i++) {
    ep_pairs_push_value(L, &c->leftovers, names[i].owner);
    if (!ep_is_null(L, -1))
      ep_parameter_error(L, names[i].text, expected);
    lua_pop(L, 1);
  }
}

/* A string is the caller's own text, and a function may stream any text. */
static bool is_json(int type) {
  return type == LUA_TTABLE || type == LUA_TNUMBER || type == LUA_TBOOLEAN;
}

/* [-n, +1] Pushes the body: data, else a table of the left-over parameters, which are taken off
 * the stack then, if the method sends them so, else nil. Raises if the method does not send what
 * there is. */
static void push_body(lua_State *L, Request *r) {
  EpCall *c = r->c;
  const bool has_data = ep_call_has(c, EP_DATA) && !ep_is_absent(L, ep_call_slot(EP_DATA));
  r->has_body = has_data || (r->sends == EP_SENDS_BODY && c->leftovers.count > 0);
  if (has_data && (r->sends == EP_SENDS_QUERY || r->sends == EP_SENDS_NOTHING))
    raise_no_body(L, c);
  if (r->has_body)
    ep_call_copy_defaults(L, c);
  else if (r->sends != EP_SENDS_QUERY)
    check_nothing_left(L, c, r->sends);
  if (has_data)
    lua_pushvalue(L, ep_call_slot(EP_DATA));
  else if (r->has_body)
    ep_pairs_to_table(L, &c->leftovers);
  else
    lua_pushnil(L);
  r->body = lua_gettop(L);
  r->is_json = r->has_body && is_json(lua_type(L, r->body));
}

/* --- the result's fields ------------------------------------------------------------ */

static void set_method(lua_State *L, const Request *r) {
  ep_push_option_name(L, EP_METHOD);
  if (r->method < EP_METHODS) {
    lua_pushvalue(L, lua_upvalueindex(EP_UPVALUE_METHOD + r->method));
  } else if (r->c->compiled->method.bytes) {
    ep_push_slice(L, r->c->compiled->method);
  } else {
    ep_call_push_method(L, r->c);
    ep_push_lower(L, ep_to_slice(L, -1));
    lua_replace(L, -2);
  }
  lua_rawset(L, r->result);
}

static void set_body(lua_State *L, const Request *r) {
  lua_pushvalue(L, lua_upvalueindex(EP_UPVALUE_BODY));
  lua_pushvalue(L, r->body);
  lua_rawset(L, r->result);
}

/* Sets the URL, with the left-over parameters if the method sends them there. */
static void set_url(lua_State *L, const Request *r) {
  EpBuffer url;
  ep_push_option_name(L, EP_URL);
  ep_buffer_init(&url, r->anchor);
  ep_address_write(L, &url, r->c, r->sends == EP_SENDS_QUERY);
  ep_buffer_push(L, &url);
  lua_rawset(L, r->result);
}

/* Labels the body as JSON, unless a header says otherwise. */
static void label_body(lua_State *L, int headers) {
  lua_pushvalue(L, lua_upvalueindex(EP_UPVALUE_CONTENT_TYPE));
  lua_rawget(L, headers);
  if (lua_isnil(L, -1)) {
    lua_pushvalue(L, lua_upvalueindex(EP_UPVALUE_CONTENT_TYPE));
    lua_pushvalue(L, lua_upvalueindex(EP_UPVALUE_JSON));
    lua_rawset(L, headers);
  }
  lua_pop(L, 1);
}

static void set_headers(lua_State *L, const Request *r) {
  const int headers = r->result + 2;
  ep_push_option_name(L, EP_HEADERS);
  ep_headers_push(L, r->c, r->is_json);
  if (ep_call_has(r->c, EP_MEDIA_TYPE))
    ep_accept_change(L, r->c, headers);
  if (r->is_json)
    label_body(L, headers);
  lua_rawset(L, r->result);
}

static void set_request(lua_State *L, const Request *r) {
  ep_push_option_name(L, EP_REQUEST);
  ep_call_push_option(L, r->c, EP_REQUEST);
  lua_rawset(L, r->result);
}

void ep_parse_push(lua_State *L, EpCall *c) {
  Request r;
  r.c = c;
  r.method = find_method(L, c);
  r.sends = ep_methods[r.method].sends;
  push_body(L, &r);
  r.anchor = r.body + 1;
  r.result = r.anchor + 1;
  lua_pushnil(L);
  lua_createtable(L, 0, 3 + r.has_body + ep_call_has(c, EP_REQUEST));
  set_method(L, &r);
  set_url(L, &r);
  if (r.has_body)
    set_body(L, &r);
  set_headers(L, &r);
  if (ep_call_has(c, EP_REQUEST))
    set_request(L, &r);
}
