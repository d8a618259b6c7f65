/* Request options, step by step as a request is made of them. */
#include "parse.h"

#include <stdbool.h>

#include "accept.h"
#include "address.h"
#include "buffer.h"
#include "error.h"
#include "headers.h"
#include "query.h"
#include "route.h"
#include "stack.h"
#include "value.h"

enum { DATA = EP_VIEW_OPTIONS + EP_DATA };

/* The result while it is made. */
typedef struct Request {
  EpView *v;
  int result; /* absolute index of its table */
  EpSends sends;
  bool is_json; /* is the body to be encoded as JSON? */
} Request;

/* [-0, +1] Pushes a key of results, or what else is the same for all. */
static void push_constant(lua_State *L, EpUpvalue constant) {
  lua_pushvalue(L, lua_upvalueindex((int)constant));
}

/* [-0, +0] What the method sends. */
static EpSends find_sends(lua_State *L, const EpView *v) {
  EpSends sends;
  if (v->c->method.bytes)
    return v->c->sends;
  ep_view_push_method(L, v);
  sends = ep_route_sends(ep_to_slice(L, -1));
  lua_pop(L, 1);
  return sends;
}

static bool has_data(lua_State *L, const EpView *v) {
  return (v->given & EP_BIT(EP_DATA)) && !ep_is_absent(L, DATA);
}

/* Makes the body of the left-over parameters if they go there: they are still on top.
 * Returns whether they do. */
static bool move_parameters(lua_State *L, Request *r) {
  if (r->sends != EP_SENDS_BODY || r->v->rest.count == 0 || has_data(L, r->v))
    return false;
  lua_createtable(L, 0, r->v->rest.count);
  lua_replace(L, EP_VIEW_MOVED);
  ep_pairs_move(L, &r->v->rest, EP_VIEW_MOVED);
  return true;
}

static void enter_method(lua_State *L, const Request *r) {
  const EpCompiled *c = r->v->c;
  push_constant(L, EP_KEY_METHOD);
  if (c->method.bytes) {
    ep_push_slice(L, c->method);
  } else {
    ep_view_push_method(L, r->v);
    ep_push_lower(L, ep_to_slice(L, -1));
    lua_replace(L, -2);
  }
  lua_rawset(L, r->result);
}

/* The URL has the left-over parameters if they go there. */
static void enter_url(lua_State *L, const Request *r) {
  EpBuffer url;
  push_constant(L, EP_KEY_URL);
  ep_buffer_init(&url, EP_VIEW_BUFFER);
  ep_address_build(L, &url, r->v);
  if (r->sends == EP_SENDS_QUERY)
    ep_query_append(L, &url, r->v);
  ep_buffer_push(L, &url);
  lua_rawset(L, r->result);
}

/* Raises if a parameter that is not null is left over: the first by name. */
static void check_nothing_left(lua_State *L, EpView *v, EpSends sends) {
  const char *expected = sends == EP_SENDS_DATA
                             ? "expected a place in the url or in data, for this method sends "
                               "parameters neither as query nor as body"
                             : "expected a place in the url, for this method sends parameters "
                               "neither as query nor as body";
  const EpName *names = ep_pairs_sort(L, &v->rest, EP_VIEW_NAMES);
  for (int i = 0; i < v->rest.count; i++) {
    const EpName *name = &names[i];
    if (!ep_is_null(L, ep_pairs_value(L, &v->rest, name->index)))
      ep_parameter_error(L, name->text, expected);
    ep_pairs_drop(L, &v->rest);
  }
}

/* The method is quoted as it was written. */
static void raise_no_body(lua_State *L, const Request *r) {
  const char *method;
  if (r->v->c->method.bytes) {
    method = ep_quote(L, ep_route_split(ep_to_slice(L, EP_ARG_ROUTE)).method);
  } else {
    ep_view_push_option(L, r->v, EP_METHOD);
    method = lua_isnil(L, -1) ? "\"GET\"" : ep_quote_at(L, lua_gettop(L));
  }
  ep_error(L, "endpoint: option \"data\": method %s takes no body", method);
}

/* A string is the caller's own text, and a function, say, streams what it likes. */
static bool is_json(int type) {
  return type == LUA_TTABLE || type == LUA_TNUMBER || type == LUA_TBOOLEAN;
}

static void enter_data(lua_State *L, Request *r) {
  if (r->sends == EP_SENDS_QUERY || r->sends == EP_SENDS_NOTHING)
    raise_no_body(L, r);
  push_constant(L, EP_KEY_BODY);
  lua_pushvalue(L, DATA);
  lua_rawset(L, r->result);
  r->is_json = is_json(lua_type(L, DATA));
}

static void enter_parameters(lua_State *L, Request *r) {
  push_constant(L, EP_KEY_BODY);
  lua_pushvalue(L, EP_VIEW_MOVED);
  lua_rawset(L, r->result);
  r->is_json = true;
}

/* Data, or the left-over parameters. */
static void enter_body(lua_State *L, Request *r, bool parameters) {
  r->is_json = false;
  if (parameters)
    enter_parameters(L, r);
  else if (has_data(L, r->v))
    enter_data(L, r);
  else if (r->sends != EP_SENDS_QUERY)
    check_nothing_left(L, r->v, r->sends);
}

/* Labels a body as JSON, unless a header says otherwise. */
static void label_body(lua_State *L, int headers) {
  push_constant(L, EP_KEY_CONTENT_TYPE);
  lua_rawget(L, headers);
  if (lua_isnil(L, -1)) {
    push_constant(L, EP_KEY_CONTENT_TYPE);
    push_constant(L, EP_JSON);
    lua_rawset(L, headers);
  }
  lua_pop(L, 1);
}

static void enter_headers(lua_State *L, const Request *r) {
  const int headers = r->result + 2, format = headers + 1, previews = format + 1;
  push_constant(L, EP_KEY_HEADERS);
  ep_headers_push(L, r->v, r->is_json);
  if (ep_view_has(r->v, EP_MEDIA_TYPE)) {
    ep_accept_push_media_type(L, r->v);
    ep_accept_compose(L, headers, format, previews);
    lua_settop(L, headers);
  }
  if (r->is_json)
    label_body(L, headers);
  lua_rawset(L, r->result);
}

static void enter_request(lua_State *L, const Request *r) {
  ep_view_push_option(L, r->v, EP_REQUEST);
  lua_setfield(L, r->result, "request");
}

/* How many fields the result has beside method, url and headers. A few too
 * many at worst: null may cancel one. */
static int optional_fields(const EpView *v, bool parameters) {
  bool data = (v->given & EP_BIT(EP_DATA)) != 0;
  return (data || parameters) + ep_view_has(v, EP_REQUEST);
}

void ep_parse_push(lua_State *L, EpView *v) {
  Request r;
  bool parameters;
  r.v = v;
  r.sends = find_sends(L, v);
  parameters = move_parameters(L, &r);
  r.result = lua_gettop(L) + 1;
  lua_createtable(L, 0, 3 + optional_fields(v, parameters));
  enter_method(L, &r);
  enter_url(L, &r);
  enter_body(L, &r, parameters);
  enter_headers(L, &r);
  if (ep_view_has(v, EP_REQUEST))
    enter_request(L, &r);
}
