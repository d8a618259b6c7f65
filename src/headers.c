/* SPDX-License-Identifier: MIT */
#include "headers.h"

#include "core/bytes.h"
#include "errors.h"
#include "value.h"

/* [-0, +1] Pushes a name in lower case, quoted. */
static const char *push_quoted_name(lua_State *L, EpSlice name) {
  ep_push_lower(L, name);
  return ep_quote(L, ep_to_slice(L, -1));
}

static EP_NORETURN void header_error(lua_State *L, EpSlice name, const char *message) {
  ep_error(L, "endpoint: header %s: %s", push_quoted_name(L, name), message);
}

/* Returns the name at an index, and sets *has_upper if it has an upper-case letter. Raises if the
 * name is not a token. */
static EpSlice check_header_name(lua_State *L, int index, bool *has_upper) {
  bool any_upper = false;
  size_t size = 0;
  if (lua_type(L, index) != LUA_TSTRING)
    ep_error(L, "endpoint: headers: expected strings as names, got a %s key",
             luaL_typename(L, index));
  const EpSlice name = ep_to_slice(L, index);
  for (; size < name.size && ep_is(name.bytes[size], EP_TOKEN); size++)
    any_upper |= ep_lower_byte(name.bytes[size]) != name.bytes[size];
  *has_upper = any_upper;
  if (size == 0 || size < name.size)
    header_error(L, name, "expected a token as name (RFC 9110 section 5.6.2)");
  return name;
}

static EP_NORETURN void header_value_error(lua_State *L, EpSlice name, const char *expected,
                                           int value) {
  ep_type_error(L, "header", push_quoted_name(L, name), expected, value);
}

/* Raises if the string on top has CR, LF or NUL, which are "invalid and dangerous" (RFC 9110
 * section 5.5). */
static void check_header_text(lua_State *L, EpSlice name) {
  const EpSlice text = ep_to_slice(L, -1);
  if (memchr(text.bytes, '\r', text.size) || memchr(text.bytes, '\n', text.size) ||
      memchr(text.bytes, 0, text.size))
    header_error(L, name, "expected a value without CR, LF and NUL");
}

/* [-0, +0] Replaces the list of strings on top by a copy. */
static void copy_header_list(lua_State *L, EpSlice name) {
  const int list = lua_gettop(L), copy = list + 1, size = (int)ep_rawlen(L, list);
  if (!ep_value_is_list(L, list))
    header_value_error(L, name, "a string or a list of strings with the keys 1..n", list);
  lua_createtable(L, size, 0);
  for (int i = 1; i <= size; i++) {
    lua_rawgeti(L, list, i);
    if (lua_type(L, -1) != LUA_TSTRING)
      header_value_error(L, name, "strings as elements of the list", lua_gettop(L));
    check_header_text(L, name);
    lua_rawseti(L, copy, i);
  }
  lua_replace(L, list);
}

/* [-0, +0] Checks the value on top, and replaces a list by a copy. */
static void check_header_value(lua_State *L, EpSlice name) {
  int type = lua_type(L, -1);
  if (type == LUA_TTABLE)
    copy_header_list(L, name);
  else if (type == LUA_TSTRING)
    check_header_text(L, name);
  else if (type == LUA_TNUMBER && !ep_number_is_finite((double)lua_tonumber(L, -1)))
    header_error(L, name, "expected a finite number, got NaN or infinity");
  else if (type != LUA_TNUMBER && type != LUA_TBOOLEAN && !ep_is_null(L, -1))
    header_value_error(L, name, "a string, finite number, boolean or list of strings",
                       lua_gettop(L));
}

/* Raises if two of the names are equal. */
static void check_once(lua_State *L, EpPairs *headers) {
  const int top = lua_gettop(L);
  const EpName *names = ep_pairs_sort(L, headers);
  for (int i = 1; i < headers->count; i++)
    if (ep_slice_equals(names[i - 1].text, names[i].text))
      header_error(L, names[i].text, "expected one name, got two that differ only in case");
  lua_settop(L, top);
}

void ep_headers_read(lua_State *L, EpPairs *headers, int table) {
  bool any_upper = false, has_upper;
  ep_pairs_begin(L, headers);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    const EpSlice name = check_header_name(L, -2, &has_upper);
    check_header_value(L, name);
    ep_pairs_append(L, headers, name);
    lua_pushvalue(L, -2);
    if (has_upper) {
      ep_push_lower(L, name);
      ep_pairs_set_last_key(L, headers);
      any_upper = true;
    }
  }
  if (any_upper) /* otherwise no two names can differ only in case */
    check_once(L, headers);
}

EpPairs *ep_headers_given(lua_State *L, EpCall *c) {
  const int slot = ep_call_slot(EP_HEADERS);
  if (c->headers.count >= 0)
    return &c->headers;
  if (lua_istable(L, slot))
    ep_headers_read(L, &c->headers, slot);
  else
    ep_pairs_begin(L, &c->headers);
  return &c->headers;
}

EpPairs *ep_headers_read_all(lua_State *L, EpCall *c) {
  EpPairs *headers = ep_headers_given(L, c);
  for (int at = 0; ep_call_next_header(L, c, &at);)
    ep_pairs_append(L, headers, ep_to_slice(L, -2));
  return headers;
}

/* [-0, +0] Sets the content-type of a body that is to be encoded as JSON in the table on top. */
static void set_label(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(EP_UPVALUE_CONTENT_TYPE));
  lua_pushvalue(L, lua_upvalueindex(EP_UPVALUE_JSON));
  lua_rawset(L, -3);
}

/* [-0, +0] Sets the default headers in the table on top. */
static void set_default_fields(lua_State *L, const EpCall *c) {
  for (int at = 0; ep_call_next_header(L, c, &at); lua_rawset(L, -3))
    if (lua_istable(L, -1))
      copy_header_list(L, EP_SLICE(""));
}

/* [-0, +0] Sets the call's headers in the table on top. null removes a default. */
static void set_given_fields(lua_State *L, const EpPairs *given) {
  for (int i = 0; i < given->count; i++) {
    lua_pushvalue(L, ep_pairs_key(given, i));
    if (ep_is_null(L, ep_pairs_value(given, i)))
      lua_pushnil(L);
    else
      lua_pushvalue(L, ep_pairs_value(given, i));
    lua_rawset(L, -3);
  }
}

/* Does the call cancel the header content-type with null? */
static bool cancels_type(lua_State *L, const EpPairs *given) {
  for (int i = 0; i < given->count; i++)
    if (ep_is_null(L, ep_pairs_value(given, i)) &&
        lua_rawequal(L, ep_pairs_key(given, i), lua_upvalueindex(EP_UPVALUE_CONTENT_TYPE)))
      return true;
  return false;
}

void ep_headers_push(lua_State *L, EpCall *c, bool is_json) {
  const int first = lua_gettop(L) + 1;
  const EpPairs *given = ep_headers_given(L, c);
  const int defaults = ep_call_keeps_default(L, c, EP_HEADERS) ? c->e->headers : 0;
  lua_createtable(L, 0, defaults + given->count + is_json);
  if (is_json)
    set_label(L);
  set_default_fields(L, c);
  set_given_fields(L, given);
  if (is_json && cancels_type(L, given))
    set_label(L);
  if (lua_gettop(L) > first) {
    lua_replace(L, first);
    lua_settop(L, first);
  }
}
