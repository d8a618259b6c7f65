/* SPDX-License-Identifier: MIT */
#include "value.h"

#include "core/bytes.h"
#include "errors.h"

/* [-0, +1] Pushes the text as a string in which each byte is converted. */
static inline void push_case(lua_State *L, EpSlice text, char (*convert)(char)) {
  char few[64] = {0}, *to = few;
  if (text.size > sizeof few)
    to = (char *)ep_newuserdata(L, text.size);
  for (size_t i = 0; i < text.size; i++)
    to[i] = convert(text.bytes[i]);
  lua_pushlstring(L, to, text.size);
  if (to != few)
    lua_remove(L, -2);
}

void ep_push_lower(lua_State *L, EpSlice text) {
  push_case(L, text, ep_lower_byte);
}

void ep_push_upper(lua_State *L, EpSlice text) {
  push_case(L, text, ep_upper_byte);
}

const char *ep_type_name(lua_State *L, int index) {
  return ep_is_null(L, index) ? "null" : luaL_typename(L, index);
}

void ep_type_error(lua_State *L, const char *what, const char *name, const char *expected,
                   int index) {
  ep_error(L, "endpoint: %s %s: expected %s, got %s", what, name, expected, ep_type_name(L, index));
}

/* What a table is. An empty table is both a list and a map. is_defined: is a value in it not null?
 */
typedef struct Shape {
  bool is_list, is_map, is_defined;
} Shape;

static bool is_index(lua_Number key) {
  return key >= 1 && key <= 2147483647.0 && key == (lua_Number)(long)key;
}

static Shape table_shape(lua_State *L, int table) {
  size_t keys = 0, strings = 0, indexes = 0;
  lua_Number greatest = 0;
  Shape shape = {false, false, false};
  lua_pushnil(L);
  for (; lua_next(L, table); keys++) {
    const int type = lua_type(L, -2);
    shape.is_defined = shape.is_defined || !ep_is_null(L, -1);
    lua_pop(L, 1);
    strings += type == LUA_TSTRING;
    if (type == LUA_TNUMBER) {
      const lua_Number key = lua_tonumber(L, -1);
      indexes += is_index(key);
      greatest = key > greatest ? key : greatest;
    }
  }
  shape.is_list = indexes == keys && greatest == (lua_Number)keys;
  shape.is_map = strings == keys;
  return shape;
}

bool ep_value_is_list(lua_State *L, int index) {
  return table_shape(L, index).is_list;
}

static EpKind table_kind(lua_State *L, int index, EpSlice parameter) {
  const Shape shape = table_shape(L, index);
  if (!shape.is_list && !shape.is_map)
    ep_parameter_error(L, parameter,
                       "expected a list with the keys 1..n or a map with string keys, "
                       "got a mixed or sparse table");
  if (!shape.is_defined)
    return EP_UNDEFINED;
  return shape.is_map ? EP_MAP : EP_LIST;
}

enum { IS_FLOAT = sizeof(lua_Number) == sizeof(float) };

const char *ep_value_number_fault(lua_State *L, int index) {
  return ep_isinteger(L, index) ? NULL : ep_number_fault((double)lua_tonumber(L, index), IS_FLOAT);
}

static void number_text(lua_State *L, int index, EpSlice parameter, EpText *text) {
  text->slice.bytes = text->number;
  if (ep_isinteger(L, index)) {
    text->slice.size = ep_number_integer((long long)lua_tointeger(L, index), text->number);
    return;
  }
  const double number = (double)lua_tonumber(L, index);
  const char *fault = ep_number_fault(number, IS_FLOAT);
  if (fault)
    ep_parameter_error(L, parameter, fault);
  text->slice.size = ep_number_real(number, IS_FLOAT, text->number);
}

/* Reads a string, number or boolean. Returns false for any other value. */
static inline bool read_text(lua_State *L, int index, int type, EpSlice parameter, EpText *text) {
  if (type == LUA_TSTRING)
    text->slice = ep_to_slice(L, index);
  else if (type == LUA_TNUMBER)
    number_text(L, index, parameter, text);
  else if (type == LUA_TBOOLEAN)
    text->slice = lua_toboolean(L, index) ? EP_SLICE("true") : EP_SLICE("false");
  else
    return false;
  return true;
}

EpKind ep_value_read_other(lua_State *L, int index, EpSlice parameter, EpText *text) {
  const int type = lua_type(L, index);
  if (read_text(L, index, type, parameter, text))
    return EP_TEXT;
  if (type == LUA_TTABLE)
    return table_kind(L, index, parameter);
  if (!ep_is_absent(L, index))
    ep_type_error(L, "parameter", ep_quote(L, parameter),
                  "a string, finite number, boolean, list or map", index);
  return EP_UNDEFINED;
}

bool ep_value_read_element(lua_State *L, int index, EpSlice parameter, EpText *text) {
  if (read_text(L, index, lua_type(L, index), parameter, text))
    return true;
  if (!ep_is_absent(L, index))
    ep_type_error(L, "parameter", ep_quote(L, parameter),
                  "strings, finite numbers or booleans as elements", index);
  return false;
}
