#include "headers.h"

#include "buffer.h"
#include "credentials.h"
#include "error.h"
#include "stack.h"
#include "value.h"

/* [-0, +1] Pushes a name in lower case, quoted. */
static const char *push_quoted_name(lua_State *L, EpSlice name) {
  ep_push_lower(L, name);
  return ep_quote_at(L, -1);
}

static void header_error(lua_State *L, EpSlice name, const char *message) {
  ep_error(L, "endpoint: header %s: %s", push_quoted_name(L, name), message);
}

/* Returns the name at an absolute index, and whether it has an upper-case letter. Raises if it
 * is no token. */
static EpSlice check_header_name(lua_State *L, int index, bool *has_upper) {
  EpSlice name;
  size_t size = 0;
  if (lua_type(L, index) != LUA_TSTRING)
    ep_error(L, "endpoint: headers: expected strings as names, got a %s key",
             luaL_typename(L, index));
  name = ep_to_slice(L, index);
  for (*has_upper = false; size < name.size && ep_is(name.bytes[size], EP_TOKEN); size++)
    *has_upper = *has_upper || ep_lower_byte(name.bytes[size]) != name.bytes[size];
  if (size == 0 || size < name.size)
    header_error(L, name, "expected a token as name (RFC 9110 section 5.6.2)");
  return name;
}

static void header_value_error(lua_State *L, EpSlice name, const char *expected, int value) {
  ep_type_error(L, "header", push_quoted_name(L, name), expected, value);
}

/* CR, LF and NUL are "invalid and dangerous" (RFC 9110 section 5.5). */
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

void ep_headers_check_once(lua_State *L, const EpName *names, int count) {
  for (int i = 1; i < count; i++)
    if (ep_slice_equals(names[i - 1].text, names[i].text))
      header_error(L, names[i].text, "expected one name, got two that differ only in case");
}

bool ep_headers_read_table(lua_State *L, EpPairs *headers, int table) {
  bool any_upper = false, has_upper;
  ep_checkstack(L, EP_PAIRS_SLOTS, "endpoint: no room for the headers");
  ep_pairs_init(L, headers);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    const EpSlice name = check_header_name(L, lua_gettop(L) - 1, &has_upper);
    check_header_value(L, name);
    ep_pairs_append(L, headers, name);
    if (has_upper) {
      ep_push_lower(L, name);
      ep_pairs_set_last_key(L, headers);
      any_upper = true;
    }
  }
  return any_upper;
}

void ep_headers_read(lua_State *L, const EpCall *c, EpHeaders *h) {
  const int given = ep_call_slot(EP_HEADERS);
  const bool is_defaulted = (c->defaulted & EP_BIT(EP_HEADERS)) && !ep_is_null(L, given);
  bool any_upper = false;
  h->given.count = 0;
  if (lua_istable(L, given))
    any_upper = ep_headers_read_table(L, &h->given, given);
  h->count = h->given.count + (is_defaulted ? c->e->headers : 0);
  h->names = any_upper || (is_defaulted && h->given.count > 0) ? ep_pairs_sort(L, &h->given) : NULL;
  if (any_upper)
    ep_headers_check_once(L, h->names, h->given.count);
  if (ep_credentials_asked(c))
    ep_credentials_check(L, c, h->names, h->given.count, is_defaulted);
}

/* No other light userdata than null passes the check of values. */
bool ep_header_push(lua_State *L, const EpHeaders *h, int number) {
  const int field = EP_STATE_HEADERS + 2 * (number - h->given.count);
  bool counts;
  if (number < h->given.count) {
    ep_pairs_push_key(L, &h->given, number);
    ep_pairs_push_value(L, &h->given, number);
    counts = !lua_islightuserdata(L, -1);
  } else {
    lua_rawgeti(L, EP_CALL_STATE, field);
    lua_rawgeti(L, EP_CALL_STATE, field + 1);
    counts = h->given.count == 0 || ep_names_find(h->names, h->given.count, ep_to_slice(L, -2)) < 0;
    if (counts && lua_istable(L, -1))
      copy_header_list(L, EP_SLICE(""));
  }
  if (!counts)
    lua_pop(L, 2);
  return counts;
}

void ep_headers_push(lua_State *L, const EpCall *c, int more) {
  const int first = lua_gettop(L) + 1;
  int headers;
  EpHeaders h;
  ep_headers_read(L, c, &h);
  headers = lua_gettop(L) + 1;
  lua_createtable(L, 0, h.count + more);
  for (int i = 0; i < h.count; i++)
    if (ep_header_push(L, &h, i))
      lua_rawset(L, headers);
  if (headers > first) {
    lua_replace(L, first);
    lua_settop(L, first);
  }
}
