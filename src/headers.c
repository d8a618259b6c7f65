/* Header tables. */
#include "headers.h"

#include <stdbool.h>
#include <string.h>

#include "buffer.h"
#include "credentials.h"
#include "error.h"
#include "number.h"
#include "percent.h"
#include "route.h"
#include "stack.h"
#include "value.h"
#include "view.h"

static void header_name_error(lua_State *L, EpSlice name) {
  ep_push_lower(L, name);
  ep_error(L, "endpoint: header %s: expected a token as name (RFC 9110 section 5.6.2)",
           ep_quote_at(L, lua_gettop(L)));
}

/* [-0, +1] Pushes the lower-case form of the name at an absolute index. */
static void push_header_name(lua_State *L, int index) {
  size_t i = 0;
  EpSlice name;
  if (lua_type(L, index) != LUA_TSTRING)
    ep_error(L, "endpoint: headers: expected strings as names, got a %s key",
             luaL_typename(L, index));
  name = ep_to_slice(L, index);
  if (!ep_route_is_token(name))
    header_name_error(L, name);
  while (i < name.size && ep_lower_byte(name.bytes[i]) == name.bytes[i])
    i++;
  if (i == name.size)
    lua_pushvalue(L, index);
  else
    ep_push_lower(L, name);
}

static void header_value_error(lua_State *L, int name, const char *expected, int value) {
  ep_type_error(L, "header", ep_quote_at(L, name), expected, value);
}

/* CR, LF and NUL are "invalid and dangerous" (RFC 9110 section 5.5). */
static void check_header_text(lua_State *L, int name, int value) {
  const EpSlice text = ep_to_slice(L, value);
  if (memchr(text.bytes, '\r', text.size) || memchr(text.bytes, '\n', text.size) ||
      memchr(text.bytes, 0, text.size))
    ep_error(L, "endpoint: header %s: expected a value without CR, LF and NUL",
             ep_quote_at(L, name));
}

/* [-0, +1] Pushes a copy of a list of strings. */
static void push_header_list(lua_State *L, int name, int list) {
  const int copy = lua_gettop(L) + 1, size = (int)ep_rawlen(L, list);
  if (!ep_value_is_list(L, list))
    header_value_error(L, name, "a string or a list of strings with the keys 1..n", list);
  lua_createtable(L, size, 0);
  for (int i = 1; i <= size; i++) {
    lua_rawgeti(L, list, i);
    if (lua_type(L, -1) != LUA_TSTRING)
      header_value_error(L, name, "strings as elements of the list", lua_gettop(L));
    check_header_text(L, name, lua_gettop(L));
    lua_rawseti(L, copy, i);
  }
}

/* [-0, +1] Pushes the value at an absolute index, of a list a copy. */
static void push_header_value(lua_State *L, int name, int value) {
  int type = lua_type(L, value);
  if (type == LUA_TTABLE) {
    push_header_list(L, name, value);
    return;
  }
  if (type == LUA_TSTRING)
    check_header_text(L, name, value);
  else if (type == LUA_TNUMBER && !ep_number_is_finite((double)lua_tonumber(L, value)))
    ep_error(L, "endpoint: header %s: expected a finite number, got NaN or infinity",
             ep_quote_at(L, name));
  else if (type != LUA_TNUMBER && type != LUA_TBOOLEAN && !ep_is_null(L, value))
    header_value_error(L, name, "a string, finite number, boolean or list of strings", value);
  lua_pushvalue(L, value);
}

/* [-0, +0] Sets the headers that the call gives, null among them. Returns whether one is
 * null. */
static bool set_given_headers(lua_State *L, int given, int headers) {
  const int key = headers + 1, value = key + 1, name = value + 1;
  bool nulls = false;
  lua_pushnil(L);
  while (lua_next(L, given)) {
    push_header_name(L, key);
    lua_pushvalue(L, name);
    lua_rawget(L, headers);
    if (!lua_isnil(L, -1))
      ep_error(L, "endpoint: header %s: expected one name, got two that differ only in case",
               ep_quote_at(L, name));
    lua_pop(L, 1);
    nulls = nulls || ep_is_null(L, value);
    push_header_value(L, name, value);
    lua_rawset(L, headers);
    lua_pop(L, 1);
  }
  return nulls;
}

/* Does the table have the header whose name is on top? */
static bool has_header(lua_State *L, int headers) {
  bool is_there;
  lua_pushvalue(L, -1);
  lua_rawget(L, headers);
  is_there = !lua_isnil(L, -1);
  lua_pop(L, 1);
  return is_there;
}

/* [-0, +0] Sets the default headers that the table lacks. */
static void add_default_headers(lua_State *L, const EpEndpoint *e, int headers, bool given) {
  const int name = headers + 1, value = name + 1, end = EP_STATE_HEADERS + 2 * e->headers;
  for (int field = EP_STATE_HEADERS; field < end; field += 2) {
    lua_rawgeti(L, EP_VIEW_STATE, field);
    if (given && has_header(L, headers)) {
      lua_pop(L, 1);
      continue;
    }
    lua_rawgeti(L, EP_VIEW_STATE, field + 1);
    if (lua_istable(L, value)) {
      push_header_list(L, name, value);
      lua_replace(L, value);
    }
    lua_rawset(L, headers);
  }
}

static void remove_nulls(lua_State *L, int headers) {
  lua_pushnil(L);
  while (lua_next(L, headers)) {
    if (ep_is_null(L, -1)) {
      lua_pushvalue(L, -2);
      lua_pushnil(L);
      lua_rawset(L, headers);
    }
    lua_pop(L, 1);
  }
}

void ep_headers_push(lua_State *L, const EpView *v, int more) {
  const int given = EP_VIEW_OPTIONS + (int)EP_HEADERS, headers = lua_gettop(L) + 1;
  bool has_given = (v->given & EP_BIT(EP_HEADERS)) != 0, nulls = false;
  bool defaulted = (v->defaulted & EP_BIT(EP_HEADERS)) && !(has_given && ep_is_null(L, given));
  lua_createtable(L, 0, (defaulted ? v->e->headers : 0) + more);
  if (has_given && lua_istable(L, given))
    nulls = set_given_headers(L, given, headers);
  if (defaulted && ep_credentials_asked(v))
    ep_credentials_check(L, v, headers);
  if (defaulted)
    add_default_headers(L, v->e, headers, has_given);
  if (nulls)
    remove_nulls(L, headers);
}
