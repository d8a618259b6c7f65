/* SPDX-License-Identifier: MIT */
#include "integers.h"
#include "core/bytes.h"
#include "errors.h"

#include <string.h>

/* --- marked ---------------------------------------------------------------------- */

/* The byte after a string whose first quote is before `at`. */
static size_t string_end(const char *bytes, size_t size, size_t at) {
  for (;;) {
    const char *quote = (const char *)memchr(bytes + at, '"', size - at);
    if (!quote)
      return size;
    const size_t end = (size_t)(quote - bytes);
    size_t slashes = 0;
    while (end - slashes > at && bytes[end - slashes - 1] == '\\')
      slashes++;
    at = end + 1;
    if (slashes % 2 == 0)
      return at;
  }
}

/* The byte after the digits from `at` on. */
static size_t digits_end(const char *bytes, size_t size, size_t at) {
  while (at < size && ep_is(bytes[at], EP_DIGIT))
    at++;
  return at;
}

/* The byte after the zeros from `at` on. */
static size_t zeros_end(const char *bytes, size_t size, size_t at) {
  while (at < size && bytes[at] == '0')
    at++;
  return at;
}

/* The byte after the number whose first digit is at `at`. *is_doubtful: has it an exponent, or a
 * fraction of zeros alone? */
static size_t number_end(const char *bytes, size_t size, size_t at, bool *is_doubtful) {
  size_t end = digits_end(bytes, size, at);
  *is_doubtful = false;
  if (end < size && bytes[end] == '.') {
    const size_t zeros = zeros_end(bytes, size, end + 1);
    end = digits_end(bytes, size, end + 1);
    *is_doubtful = zeros == end;
  }
  if (end < size && (bytes[end] == 'e' || bytes[end] == 'E')) {
    *is_doubtful = true;
    end++;
    if (end < size && (bytes[end] == '+' || bytes[end] == '-'))
      end++;
    end = digits_end(bytes, size, end);
  }
  return end;
}

/* The next doubtful number from *at on; sets *at to its first byte and returns the byte after it, 0
 * if there is none. */
static size_t next_doubtful(const char *bytes, size_t size, size_t *at) {
  while (*at < size) {
    if (bytes[*at] == '"') {
      *at = string_end(bytes, size, *at + 1);
    } else if (ep_is(bytes[*at], EP_DIGIT)) {
      bool is_doubtful;
      const size_t end = number_end(bytes, size, *at, &is_doubtful);
      if (is_doubtful && end - *at >= 3)
        return end;
      *at = end;
    } else {
      ++*at;
    }
  }
  return 0;
}

int ep_integers_marked(lua_State *L) {
  size_t size, at = 0;
  if (lua_type(L, 1) != LUA_TSTRING)
    return 0;
  const char *text = lua_tolstring(L, 1, &size);
  size_t end = next_doubtful(text, size, &at);
  if (end == 0)
    return 0;
  char *copy = (char *)ep_newuserdata(L, size);
  memcpy(copy, text, size);
  for (; end != 0; end = next_doubtful(text, size, &at)) {
    memset(copy + at, '0', end - at);
    memcpy(copy + at, "0.5", 3);
    at = end;
  }
  lua_pushlstring(L, copy, size);
  return 1;
}

/* --- has_great_number ------------------------------------------------------------ */

/* Is the value at an index a number that is not between -least and least? */
static bool is_great(lua_State *L, int index, lua_Number least) {
  if (lua_type(L, index) != LUA_TNUMBER)
    return false;
  const lua_Number number = lua_tonumber(L, index);
  return !(number > -least && number < least);
}

/* A table that is walked has two slots: itself and the key that was read last. */
int ep_integers_has_great_number(lua_State *L) {
  const lua_Number least = lua_tonumber(L, 2);
  lua_settop(L, 1);
  bool has_one = is_great(L, 1, least);
  if (lua_istable(L, 1))
    lua_pushnil(L);
  while (lua_gettop(L) > 1 && !has_one) {
    if (!lua_next(L, -2)) {
      lua_pop(L, 1); /* the table, whose key is below it */
      continue;
    }
    has_one = is_great(L, -2, least) || is_great(L, -1, least);
    if (!lua_istable(L, -1))
      lua_pop(L, 1);
    else if (lua_checkstack(L, LUA_MINSTACK))
      lua_pushnil(L);
    else
      has_one = true;
  }
  lua_pushboolean(L, has_one);
  return 1;
}

/* --- restore --------------------------------------------------------------------- */

#if LUA_VERSION_NUM >= 503

/* From 2^53 on, where lua_Number is a float from 2^24 on, a number may have lost digits. */
#define MOST (sizeof(lua_Number) < sizeof(double) ? 16777216.0 : 9007199254740992.0)

/* A table that is walked has three slots: its guide, itself and a key, which is the last one that
 * was read. Lists of JSON have the keys 1..n, and objects strings. So a key that is an integer says
 * that the table is a list. */
enum { WALKED = 3 };

/* Has the number an integer's value, and all its digits? Sets that. */
static bool has_integer(lua_State *L, int index, lua_Integer *integer) {
  const lua_Number number = lua_tonumber(L, index);
  if (!((double)number > -MOST && (double)number < MOST))
    return false;
  *integer = (lua_Integer)number;
  return (lua_Number)*integer == number;
}

/* Does the guide of the walked table have an integer's value in the field whose key is below the
 * value on top? Where the guide is the table itself it has. */
static bool guide_agrees(lua_State *L, bool has_guide) {
  lua_Integer integer;
  if (!has_guide)
    return true;
  lua_pushvalue(L, -2); /* guide table key value key */
  lua_rawget(L, -5);
  const bool agrees = lua_type(L, -1) == LUA_TNUMBER && has_integer(L, -1, &integer);
  lua_pop(L, 1);
  return agrees;
}

/* [-1, +0] Pops the value of the walked table's field whose key is below it, a number, and puts the
 * integer in its place. */
static void restore_number(lua_State *L, bool has_guide) {
  lua_Integer integer;
  const bool is_restored = has_integer(L, -1, &integer) && guide_agrees(L, has_guide);
  lua_pop(L, 1);
  if (is_restored) {
    lua_pushvalue(L, -1);
    lua_pushinteger(L, integer);
    lua_rawset(L, -4);
  }
}

/* [-1, +0] The same of the walked list's element i. */
static void restore_element(lua_State *L, bool has_guide, lua_Integer i) {
  lua_Integer integer;
  bool is_restored = has_integer(L, -1, &integer);
  lua_pop(L, 1);
  if (is_restored && has_guide) {
    lua_Integer guides;
    is_restored = lua_rawgeti(L, -3, i) == LUA_TNUMBER && has_integer(L, -1, &guides);
    lua_pop(L, 1);
  }
  if (is_restored) {
    lua_pushinteger(L, integer);
    lua_rawseti(L, -3, i);
  }
}

/* [-1, +0 or WALKED] Walks the table on top next: the value of the walked table's field whose key
 * is below it. Leaves it out if the guide has no table there. */
static void enter_table(lua_State *L, bool has_guide) {
  ep_checkstack(L, 2 * WALKED, "the JSON is nested too deep");
  lua_pushvalue(L, has_guide ? -2 : -1);
  if (has_guide)
    lua_rawget(L, -5); /* guide table key value guide's */
  if (!lua_istable(L, -1)) {
    lua_pop(L, 2);
    return;
  }
  lua_insert(L, -2);
  if (lua_rawlen(L, -1) > 0)
    lua_pushinteger(L, 0);
  else
    lua_pushnil(L);
}

/* [-WALKED, +0] or [-0, +1] Restores the numbers of the walked list up to its next table, which is
 * left on top, above its key; or pops the list, if there is none, and returns false. */
static bool next_of_list(lua_State *L, bool has_guide) {
  const lua_Integer size = (lua_Integer)lua_rawlen(L, -2);
  for (lua_Integer i = lua_tointeger(L, -1) + 1; i <= size; i++) {
    const int type = lua_rawgeti(L, -2, i);
    if (type == LUA_TTABLE) {
      lua_pushinteger(L, i);
      lua_replace(L, -3);
      return true;
    }
    if (type == LUA_TNUMBER)
      restore_element(L, has_guide, i);
    else
      lua_pop(L, 1);
  }
  lua_pop(L, WALKED);
  return false;
}

/* The same of the walked object. */
static bool next_of_object(lua_State *L, bool has_guide) {
  while (lua_next(L, -2)) {
    const int type = lua_type(L, -1);
    if (type == LUA_TTABLE)
      return true;
    if (type == LUA_TNUMBER)
      restore_number(L, has_guide);
    else
      lua_pop(L, 1);
  }
  lua_pop(L, WALKED - 1);
  return false;
}

int ep_integers_restore(lua_State *L) {
  const bool has_guide = !lua_rawequal(L, 1, 2);
  lua_settop(L, 2);
  if (!lua_istable(L, 1) || !lua_istable(L, 2)) {
    lua_settop(L, 1);
    return 1;
  }
  lua_pushvalue(L, 2); /* value guide | guide table key | ... */
  lua_pushvalue(L, 1);
  if (lua_rawlen(L, 1) > 0)
    lua_pushinteger(L, 0);
  else
    lua_pushnil(L);
  while (lua_gettop(L) > 2) {
    const bool is_list = lua_isinteger(L, -1);
    if (is_list ? next_of_list(L, has_guide) : next_of_object(L, has_guide))
      enter_table(L, has_guide);
  }
  lua_settop(L, 1);
  return 1;
}

#else

int ep_integers_restore(lua_State *L) {
  lua_settop(L, 1);
  return 1;
}

#endif
