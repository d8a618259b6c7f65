/* SPDX-License-Identifier: MIT */
#include "json.h"
#include "buffer.h"
#include "value.h"

#include <float.h>

/* Returns the first byte from `at` on that is not white space. A NUL is not. */
static const char *skip_white_space(const char *at) {
  while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')
    at++;
  return at;
}

/* --- names that are there twice -------------------------------------------------- */

/* How many names a text has, which is JSON. */
static size_t names_in_text(EpSlice text) {
  const char *end = ep_slice_end(text);
  const char *at = (const char *)memchr(text.bytes, '"', text.size);
  size_t count = 0;
  while (at) {
    for (at++; at < end && *at != '"'; at++)
      at += *at == '\\';
    if (at >= end)
      return count;
    at = skip_white_space(at + 1);
    count += *at == ':';
    at = (const char *)memchr(at, '"', (size_t)(end - at));
  }
  return count;
}

/* [-1, +0] How many names the objects in the table on top have; 0 if it is too deep for the stack,
 * so that it is refused. On the stack is each table that is looked at, and above it the last key.
 */
static size_t names_in_value(lua_State *L) {
  const int bottom = lua_gettop(L);
  size_t count = 0;
  lua_pushnil(L);
  while (lua_gettop(L) >= bottom) {
    if (!lua_next(L, -2)) {
      lua_pop(L, 1);
      continue;
    }
    count += lua_type(L, -2) == LUA_TSTRING;
    if (!lua_istable(L, -1))
      lua_pop(L, 1);
    else if (lua_checkstack(L, LUA_MINSTACK))
      lua_pushnil(L);
    else
      return 0;
  }
  return count;
}

int ep_json_has_twice(lua_State *L) {
  lua_settop(L, 2);
  const bool may_be = lua_type(L, 1) == LUA_TSTRING && lua_istable(L, 2);
  lua_pushboolean(L, may_be && names_in_text(ep_to_slice(L, 1)) > names_in_value(L));
  return 1;
}

/* --- values ---------------------------------------------------------------------- */

#if LUA_VERSION_NUM >= 503

/* From 2^53 on, where lua_Number is a float from 2^24 on, a number may have lost digits. */
#define MOST_EXACT (sizeof(lua_Number) < sizeof(double) ? 16777216 : 9007199254740992)

/* A number with so many digits is less than 2^63. */
enum { MOST_DIGITS = 18 };

/* Are floats doubles, with which the machine calculates as such? */
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
#define DIVIDES_EXACTLY (sizeof(lua_Number) == sizeof(double))
#else
#define DIVIDES_EXACTLY false
#endif

/* The arguments of json. */
enum { JSON_TEXT = 1, JSON_DEPTH, JSON_MARK, JSON_SLOT };

/* The reading of a text, whose only NUL follows its last byte. On the stack is each table that is
 * not complete, and above it the key of the next: in a list an integer, its index. */
typedef struct {
  const char *at, *end;
  lua_Integer index; /* of the next element of the list on top; 0 if that is an object */
  int depth, most_depth;
} Json;

/* Skips white space and returns the byte after it. */
static char json_peek(Json *json) {
  json->at = skip_white_space(json->at);
  return *json->at;
}

/* --- strings --------------------------------------------------------------------- */

/* Reads four hexadecimal digits at `at`. Returns 0x10000 if one of them is another byte. */
static unsigned read_unit(const char *at) {
  unsigned unit = 0;
  for (int i = 0; i < 4; i++) {
    if (!ep_is(at[i], EP_HEX))
      return 0x10000;
    unit = 16 * unit + ep_hex_value(at[i]);
  }
  return unit;
}

/* Reads the digits of \u and what belongs to it. Returns 0x110000 if that is not a character. */
static unsigned read_character(Json *json) {
  const unsigned unit = read_unit(json->at);
  json->at += unit < 0x10000 ? 4 : 0;
  if (unit < 0xD800 || (unit > 0xDFFF && unit < 0x10000))
    return unit;
  if (unit > 0xDBFF || json->at[0] != '\\' || json->at[1] != 'u')
    return 0x110000;
  const unsigned second = read_unit(json->at + 2);
  if (second < 0xDC00 || second > 0xDFFF)
    return 0x110000;
  json->at += 6;
  return 0x10000 + ((unit & 0x3FF) << 10) + (second & 0x3FF);
}

static void add_character(lua_State *L, EpBuffer *text, unsigned character) {
  if (character < 0x80) {
    ep_buffer_add_byte(L, text, (char)character);
    return;
  }
  const int more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
  const unsigned marks[] = {0, 0xC0, 0xE0, 0xF0};
  ep_buffer_add_byte(L, text, (char)(marks[more] | (character >> (6 * more))));
  for (int i = more - 1; i >= 0; i--)
    ep_buffer_add_byte(L, text, (char)(0x80 | ((character >> (6 * i)) & 0x3F)));
}

/* Reads what follows a backslash. */
static bool read_escape(lua_State *L, Json *json, EpBuffer *text) {
  static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  const char letter = *json->at;
  if (letter == 'u') {
    json->at++;
    const unsigned character = read_character(json);
    if (character >= 0x110000)
      return false;
    add_character(L, text, character);
    return true;
  }
  const char *found = (const char *)memchr(letters, letter, sizeof letters - 1);
  if (!found)
    return false;
  json->at++;
  ep_buffer_add_byte(L, text, meanings[found - letters]);
  return true;
}

/* [-0, +1] Pushes a string that has escapes, from after its first quote on. */
static bool push_escaped(lua_State *L, Json *json) {
  EpBuffer text;
  ep_buffer_init(&text, JSON_SLOT);
  while (*json->at != '"') {
    const char *start = json->at;
    while (*json->at != '"' && *json->at != '\\' && *json->at != '\0')
      json->at++;
    ep_buffer_add(L, &text, ep_slice(start, (size_t)(json->at - start)));
    if (*json->at == '\0')
      return false;
    if (*json->at == '\\') {
      json->at++;
      if (!read_escape(L, json, &text))
        return false;
    }
  }
  json->at++;
  ep_buffer_push(L, &text);
  return true;
}

/* [-0, +1] Pushes the string whose first quote is next. */
static bool push_string(lua_State *L, Json *json) {
  const char *start = ++json->at;
  const char *quote = (const char *)memchr(start, '"', (size_t)(json->end - start));
  if (!quote)
    return false;
  if (memchr(start, '\\', (size_t)(quote - start)))
    return push_escaped(L, json);
  lua_pushlstring(L, start, (size_t)(quote - start));
  json->at = quote + 1;
  return true;
}

/* --- numbers and words ----------------------------------------------------------- */

/* The digits from `at` on end there. */
static const char *json_digits_end(const char *at) {
  while (ep_is(*at, EP_DIGIT))
    at++;
  return at;
}

/* The end of a fraction and an exponent, where an integer ended; NULL if digits are missing. */
static const char *fraction_end(const char *at) {
  if (*at == '.') {
    const char *digits = at + 1;
    at = json_digits_end(digits);
    if (at == digits)
      return NULL;
  }
  if (*at == 'e' || *at == 'E') {
    const char *digits = at + 1 + (at[1] == '+' || at[1] == '-');
    at = json_digits_end(digits);
    if (at == digits)
      return NULL;
  }
  return at;
}

/* [-0, +1] Pushes the digits as an integer, or as the nearest float if a float may lose some. */
static void push_integer(lua_State *L, const char *digits, const char *end, bool is_negative) {
  long long number = 0;
  for (; digits < end; digits++)
    number = 10 * number + (*digits - '0');
  if (is_negative)
    number = -number;
  if (number > -MOST_EXACT && number < MOST_EXACT && (lua_Integer)number == number)
    lua_pushinteger(L, (lua_Integer)number);
  else
    lua_pushnumber(L, (lua_Number)number);
}

/* [-0, +1] Pushes a number with a fraction and at most 15 digits: an integer divided by a power of
 * ten. A double has both exactly, and so the division gives the nearest one. Returns false where
 * that does not hold. */
static bool push_decimal(lua_State *L, const char *start, const char *point, const char *end) {
  static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const char *digits = start + (*start == '-');
  long long number = 0;
  if (!DIVIDES_EXACTLY || *point != '.' || end - digits > 16)
    return false;
  for (const char *at = digits; at < end; at++) {
    if (at != point && !ep_is(*at, EP_DIGIT))
      return false;
    if (at != point)
      number = 10 * number + (*at - '0');
  }
  const double quotient = (double)number / powers[end - point - 1];
  lua_pushnumber(L, (lua_Number)(digits > start ? -quotient : quotient));
  return true;
}

/* [-0, +1] Pushes a number as the float that Lua reads. */
static void push_float(lua_State *L, const char *start, const char *end) {
  lua_pushlstring(L, start, (size_t)(end - start));
  lua_pushnumber(L, lua_tonumber(L, -1));
  lua_replace(L, -2);
}

/* [-0, +1] Pushes the number that is next. */
static bool push_number(lua_State *L, Json *json) {
  const char *start = json->at, *digits = start + (*start == '-');
  const char *integer_end = *digits == '0' ? digits + 1 : json_digits_end(digits);
  const char *end = fraction_end(integer_end);
  if (integer_end == digits || !end)
    return false;
  json->at = end;
  if (end == integer_end && end - digits <= MOST_DIGITS)
    push_integer(L, digits, end, digits > start);
  else if (!push_decimal(L, start, integer_end, end))
    push_float(L, start, end);
  return true;
}

/* Takes a word if it is next. */
static bool take_word(Json *json, EpSlice word) {
  const EpSlice rest = ep_slice(json->at, (size_t)(json->end - json->at));
  if (!ep_slice_begins_with(rest, word))
    return false;
  json->at += word.size;
  return true;
}

/* [-0, +1] Pushes true, false or null. */
static bool push_word(lua_State *L, Json *json) {
  if (take_word(json, EP_SLICE("true")))
    lua_pushboolean(L, true);
  else if (take_word(json, EP_SLICE("false")))
    lua_pushboolean(L, false);
  else if (take_word(json, EP_SLICE("null")))
    lua_pushlightuserdata(L, NULL);
  else
    return false;
  return true;
}

/* --- lists and objects ----------------------------------------------------------- */

/* [-0, +1] Pushes the name of a field, after which its value comes. */
static bool push_json_name(lua_State *L, Json *json) {
  if (json_peek(json) != '"' || !push_string(L, json) || json_peek(json) != ':')
    return false;
  json->at++;
  return true;
}

/* [-0, +1] Pushes an empty table. */
static void push_table(lua_State *L, bool is_list) {
  lua_newtable(L);
  if (is_list && lua_istable(L, JSON_MARK)) {
    lua_pushvalue(L, JSON_MARK);
    lua_setmetatable(L, -2);
  }
}

/* Opens the list or object that is next. An empty one is complete: then *is_complete is true, and
 * it is pushed. Else its elements come next, or the value of its first field. */
static bool open_table(lua_State *L, Json *json, bool *is_complete) {
  const bool is_list = *json->at++ == '[';
  if (json->depth >= json->most_depth || !lua_checkstack(L, LUA_MINSTACK))
    return false;
  *is_complete = json_peek(json) == (is_list ? ']' : '}');
  if (*is_complete) {
    json->at++;
    push_table(L, is_list);
    return true;
  }
  if (json->index > 0)
    lua_pushinteger(L, json->index);
  push_table(L, is_list);
  json->depth++;
  json->index = is_list;
  return is_list || push_json_name(L, json);
}

/* [-2 or -1, +1] Closes the table on top, which is then a value as others are. */
static void close_table(lua_State *L, Json *json) {
  json->at++;
  json->depth--;
  json->index = 0;
  if (lua_isinteger(L, -2)) {
    json->index = lua_tointeger(L, -2);
    lua_remove(L, -2);
  }
}

/* Sets the value on top in the table that it is in, and pops it with its name. */
static void set_json_value(lua_State *L, Json *json) {
  if (json->index > 0)
    lua_rawseti(L, -2, json->index++);
  else
    lua_rawset(L, -3);
}

/* Pushes the value that is next, or opens it. */
static bool push_value(lua_State *L, Json *json, bool *is_complete) {
  const char first = json_peek(json);
  *is_complete = true;
  if (first == '"')
    return push_string(L, json);
  if (first == '{' || first == '[')
    return open_table(L, json, is_complete);
  if (first == '-' || ep_is(first, EP_DIGIT))
    return push_number(L, json);
  return push_word(L, json);
}

/* After a value, which is on top: sets it, and closes tables that end there. Is that right? */
static bool end_value(lua_State *L, Json *json) {
  while (json->depth > 0) {
    const char end = json->index > 0 ? ']' : '}';
    set_json_value(L, json);
    const char next = json_peek(json);
    if (next == ',') {
      json->at++;
      return json->index > 0 || push_json_name(L, json);
    }
    if (next != end)
      return false;
    close_table(L, json);
  }
  return true;
}

int ep_json_read(lua_State *L) {
  if (lua_type(L, JSON_TEXT) != LUA_TSTRING)
    return 0;
  const EpSlice text = ep_to_slice(L, JSON_TEXT);
  Json json = {text.bytes, ep_slice_end(text), 0, 0, (int)lua_tointeger(L, JSON_DEPTH)};
  if (memchr(text.bytes, '\0', text.size))
    return 0;
  lua_settop(L, JSON_SLOT);
  bool is_complete;
  do {
    if (!push_value(L, &json, &is_complete) || (is_complete && !end_value(L, &json)))
      return 0;
  } while (json.depth > 0);
  json_peek(&json);
  return json.at == json.end ? 1 : 0;
}

#else

int ep_json_read(lua_State *L) {
  (void)L;
  return 0;
}

#endif
