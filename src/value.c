/* Kinds of values and their text. */
#include "value.h"

#include "error.h"
#include "stack.h"

int ep_parameter_error(lua_State *L, EpSlice parameter, const char *message) {
  const char *name = ep_quote(L, parameter);
  return ep_error(L, "endpoint: parameter %s: %s", name, message);
}

/* The keys of a table, and whether a value is not null. */
typedef struct Shape {
  size_t strings, numbers; /* counts of keys */
  size_t greatest;         /* of the number keys */
  bool sound, defined;
} Shape;

static void add_number_key(Shape *shape, lua_Number key) {
  const double most = 2147483647;
  size_t index = key >= 1 && key <= most ? (size_t)key : 0;
  shape->numbers++;
  if (index == 0 || (lua_Number)index != key)
    shape->sound = false;
  else if (index > shape->greatest)
    shape->greatest = index;
}

static Shape table_shape(lua_State *L, int index) {
  Shape shape = {0, 0, 0, true, false};
  lua_pushnil(L);
  while (lua_next(L, index)) {
    int type = lua_type(L, -2);
    shape.defined = shape.defined || !ep_is_null(L, -1);
    lua_pop(L, 1);
    if (type == LUA_TSTRING)
      shape.strings++;
    else if (type == LUA_TNUMBER)
      add_number_key(&shape, lua_tonumber(L, -1));
    else
      shape.sound = false;
  }
  return shape;
}

bool ep_value_is_list(lua_State *L, int index) {
  Shape shape = table_shape(L, index);
  return shape.sound && shape.strings == 0 && shape.greatest == shape.numbers;
}

static EpKind table_kind(lua_State *L, int index, EpSlice parameter) {
  Shape shape = table_shape(L, index);
  if (!shape.sound || (shape.strings > 0 && shape.numbers > 0) || shape.greatest != shape.numbers)
    ep_parameter_error(L, parameter,
                       "expected a list with the keys 1..n or a map with string keys, "
                       "got a mixed or sparse table");
  if (!shape.defined)
    return EP_UNDEFINED;
  return shape.strings > 0 ? EP_MAP : EP_LIST;
}

static void number_text(lua_State *L, int index, EpSlice parameter, EpText *text) {
  text->slice.bytes = text->number;
  if (ep_isinteger(L, index)) {
    text->slice.size = ep_number_integer((long long)lua_tointeger(L, index), text->number);
    return;
  }
  double number = (double)lua_tonumber(L, index);
  if (!ep_number_is_finite(number))
    ep_parameter_error(L, parameter, "expected a finite number, got NaN or infinity");
  text->slice.size = ep_number_real(number, sizeof(lua_Number) == sizeof(float), text->number);
}

/* Reads a scalar. Returns false for any other value. */
static inline bool read_text(lua_State *L, int index, int type, EpSlice parameter, EpText *text) {
  switch (type) {
  case LUA_TSTRING:
    text->slice = ep_to_slice(L, index);
    return true;
  case LUA_TNUMBER:
    number_text(L, index, parameter, text);
    return true;
  case LUA_TBOOLEAN:
    text->slice = lua_toboolean(L, index) ? EP_SLICE("true") : EP_SLICE("false");
    return true;
  default:
    return false;
  }
}

static void read_error(lua_State *L, int index, EpSlice parameter, const char *expected) {
  ep_type_error(L, "parameter", ep_quote(L, parameter), expected, index);
}

EpKind ep_value_read(lua_State *L, int index, EpSlice parameter, EpText *text) {
  int type = lua_type(L, index);
  if (type == LUA_TNIL)
    return EP_UNDEFINED;
  if (read_text(L, index, type, parameter, text))
    return EP_TEXT;
  if (type == LUA_TTABLE)
    return table_kind(L, index, parameter);
  if (!ep_is_null(L, index))
    read_error(L, index, parameter, "a string, finite number, boolean, list or map");
  return EP_UNDEFINED;
}

bool ep_value_read_element(lua_State *L, int index, EpSlice parameter, EpText *text) {
  if (read_text(L, index, lua_type(L, index), parameter, text))
    return true;
  if (!ep_is_absent(L, index))
    read_error(L, index, parameter, "strings, finite numbers or booleans as elements");
  return false;
}
