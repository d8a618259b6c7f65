/* Request options: the method, the body, the URL and the headers. */
#include "parse.h"

#include <stdbool.h>

#include "accept.h"
#include "address.h"
#include "buffer.h"
#include "error.h"
#include "headers.h"
#include "route.h"
#include "stack.h"
#include "value.h"

enum { DATA = EP_VIEW_OPTIONS + (int)EP_DATA };

/* A request while it is made. */
typedef struct Request {
  EpView *v;
  EpSends sends;
  int body;   /* absolute index of what the result gets */
  int anchor; /* absolute index of the anchor of the URL's buffer */
  int result; /* absolute index */
  bool has_body;
  bool is_json; /* is the body to be encoded as JSON? */
} Request;

static EpSends find_sends(lua_State *L, const EpView *v) {
  EpSends sends = v->c->sends;
  if (!v->c->method.bytes) {
    ep_view_push_method(L, v);
    sends = ep_route_sends(ep_to_slice(L, -1));
    lua_pop(L, 1);
  }
  return sends;
}

/* --- the body ------------------------------------------------------------------- */

/* Quotes the method as the caller wrote it. */
static void raise_no_body(lua_State *L, const EpView *v) {
  const char *method;
  if (v->c->method.bytes) {
    method = ep_quote(L, ep_route_split(ep_to_slice(L, EP_ARG_ROUTE)).method);
  } else {
    ep_view_push_method(L, v);
    method = ep_quote_at(L, -1);
  }
  ep_error(L, "endpoint: option \"data\": method %s takes no body", method);
}

/* Raises if a parameter that is not null is left over. Names the first in bytewise order. */
static void check_nothing_left(lua_State *L, EpView *v, EpSends sends) {
  const char *expected = sends == EP_SENDS_DATA
                             ? "expected a place in the url or in data, for this method sends "
                               "parameters neither as query nor as body"
                             : "expected a place in the url, for this method sends parameters "
                               "neither as query nor as body";
  const EpName *names = ep_pairs_sort(L, &v->leftovers);
  for (int i = 0; i < v->leftovers.count; i++) {
    ep_pairs_push_value(L, &v->leftovers, names[i].index);
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
  EpView *v = r->v;
  const bool has_data = ep_view_has(v, EP_DATA) && !ep_is_absent(L, DATA);
  r->has_body = has_data || (r->sends == EP_SENDS_BODY && v->leftovers.count > 0);
  if (has_data && (r->sends == EP_SENDS_QUERY || r->sends == EP_SENDS_NOTHING))
    raise_no_body(L, v);
  if (r->has_body)
    ep_view_copy_defaults(L, v);
  else if (r->sends != EP_SENDS_QUERY)
    check_nothing_left(L, v, r->sends);
  if (has_data)
    lua_pushvalue(L, DATA);
  else if (r->has_body)
    ep_pairs_to_table(L, &v->leftovers);
  else
    lua_pushnil(L);
  r->body = lua_gettop(L);
  r->is_json = r->has_body && is_json(lua_type(L, r->body));
}

/* --- the result's fields ------------------------------------------------------------ */

static void set_method(lua_State *L, const Request *r) {
  const EpSlice known = r->v->c->method;
  ep_push_option_name(L, EP_METHOD);
  if (known.bytes) {
    ep_push_slice(L, known);
  } else {
    ep_view_push_method(L, r->v);
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
  ep_address_write(L, &url, r->v, r->sends == EP_SENDS_QUERY);
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
  ep_headers_push(L, r->v, r->is_json);
  if (ep_view_has(r->v, EP_MEDIA_TYPE))
    ep_accept_change(L, r->v, headers);
  if (r->is_json)
    label_body(L, headers);
  lua_rawset(L, r->result);
}

static void set_request(lua_State *L, const Request *r) {
  ep_push_option_name(L, EP_REQUEST);
  ep_view_push_option(L, r->v, EP_REQUEST);
  lua_rawset(L, r->result);
}

void ep_parse_push(lua_State *L, EpView *v) {
  Request r;
  r.v = v;
  r.sends = find_sends(L, v);
  push_body(L, &r);
  r.anchor = r.body + 1;
  r.result = r.anchor + 1;
  lua_pushnil(L);
  lua_createtable(L, 0, 3 + r.has_body + ep_view_has(v, EP_REQUEST));
  set_method(L, &r);
  set_url(L, &r);
  if (r.has_body)
    set_body(L, &r);
  set_headers(L, &r);
  if (ep_view_has(v, EP_REQUEST))
    set_request(L, &r);
}
