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
#include "value.h"

/* The result while it is made. */
typedef struct Request {
  const EpView *v;
  int result; /* absolute index of its table */
  EpSends sends;
  bool is_json; /* is the body the caller's JSON? */
} Request;

/* [-0, +1] Pushes a key of the result: Lua need not look its text up at each call. */
static void push_key(lua_State *L, EpUpvalue key) {
  lua_pushvalue(L, lua_upvalueindex((int)key));
}

/* [-0, +0] Finds out what the method sends. */
static void enter_method(lua_State *L, Request *r) {
  push_key(L, EP_KEY_METHOD);
  if (r->v->c->has_method) {
    r->sends = r->v->c->sends;
    lua_rawgeti(L, EP_VIEW_COMPILED, EP_COMPILED_METHOD);
  } else {
    size_t size;
    const char *method;
    ep_view_push_method(L, r->v);
    method = lua_tolstring(L, -1, &size);
    r->sends = ep_route_sends(method, size);
    ep_push_lower(L, method, size);
    lua_replace(L, -2);
  }
  lua_rawset(L, r->result);
}

/* The URL has the left-over parameters if they go there. */
static void enter_url(lua_State *L, const Request *r) {
  EpBuffer url;
  push_key(L, EP_KEY_URL);
  ep_buffer_init(&url, EP_VIEW_BUFFER);
  ep_address_build(L, &url, r->v);
  if (r->sends == EP_SENDS_QUERY)
    ep_query_append(L, &url, &r->v->rest);
  ep_buffer_push(L, &url);
  lua_rawset(L, r->result);
}

/* Raises if a parameter that is not null is left over: the first by name. */
static void check_nothing_left(lua_State *L, const EpView *v) {
  const int top = lua_gettop(L) + 1; /* the names' anchor */
  EpNames names;
  ep_names_sort(L, &names, &v->rest);
  for (int i = 0; i < v->rest.count; i++) {
    const EpName *name = &names.sorted[i];
    EpParameter parameter = {name->text, name->size};
    if (!ep_is_null(L, ep_pairs_value(L, &v->rest, name->index)))
      ep_parameter_error(L, parameter,
                         "expected a place in the url or in data, for this method sends "
                         "parameters neither as query nor as body");
    lua_settop(L, top);
  }
}

static void raise_no_body(lua_State *L, const Request *r) {
  lua_getfield(L, r->result, "method");
  ep_error(L, "endpoint: option \"data\": method %s takes no body", ep_quote_at(L, lua_gettop(L)));
}

/* [-0, +1] Pushes data, or the table of the left-over parameters, or nil. */
static void push_body(lua_State *L, const Request *r) {
  const EpView *v = r->v;
  const int data = ep_view_slot(L, v, EP_DATA);
  if ((v->given & EP_BIT(EP_DATA)) && !ep_is_absent(L, data)) {
    if (r->sends == EP_SENDS_QUERY || r->sends == EP_SENDS_NOTHING)
      raise_no_body(L, r);
    lua_pushvalue(L, data);
  } else if (r->sends == EP_SENDS_BODY && v->rest.count > 0) {
    lua_createtable(L, 0, v->rest.count);
    ep_pairs_enter(L, &v->rest, lua_gettop(L));
  } else {
    if (r->sends != EP_SENDS_QUERY)
      check_nothing_left(L, v);
    lua_pushnil(L);
  }
}

static void enter_body(lua_State *L, Request *r) {
  r->is_json = false;
  if (r->sends == EP_SENDS_QUERY && !(r->v->given & EP_BIT(EP_DATA)))
    return;
  push_key(L, EP_KEY_BODY);
  push_body(L, r);
  r->is_json = !lua_isnil(L, -1) && lua_type(L, -1) != LUA_TSTRING;
  if (!lua_isnil(L, -1))
    lua_rawset(L, r->result);
  lua_settop(L, r->result);
}

/* A body that is not a string is the caller's JSON (RFC 8259 section 11). */
static void label_body(lua_State *L, int headers) {
  lua_getfield(L, headers, "content-type");
  if (lua_isnil(L, -1)) {
    lua_pushliteral(L, "application/json; charset=utf-8");
    lua_setfield(L, headers, "content-type");
  }
  lua_pop(L, 1);
}

static void enter_headers(lua_State *L, const Request *r) {
  const int headers = r->result + 2, format = headers + 1, previews = format + 1;
  push_key(L, EP_KEY_HEADERS);
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
static int optional_fields(const EpView *v, bool sends_body) {
  bool data = (v->given & EP_BIT(EP_DATA)) != 0;
  return (data || (sends_body && v->rest.count > 0)) + ep_view_has(v, EP_REQUEST);
}

void ep_push_function(lua_State *L, lua_CFunction function) {
  lua_pushliteral(L, "method");
  lua_pushliteral(L, "url");
  lua_pushliteral(L, "headers");
  lua_pushliteral(L, "body");
  lua_pushcclosure(L, function, EP_UPVALUE_LAST);
}

void ep_parse_push(lua_State *L, const EpView *v) {
  Request r;
  r.v = v;
  r.result = lua_gettop(L) + 1;
  lua_createtable(L, 0, 3 + optional_fields(v, !v->c->has_method || v->c->sends == EP_SENDS_BODY));
  enter_method(L, &r);
  enter_url(L, &r);
  enter_body(L, &r);
  enter_headers(L, &r);
  if (ep_view_has(v, EP_REQUEST))
    enter_request(L, &r);
}
