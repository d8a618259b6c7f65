/* SPDX-License-Identifier: MIT */
#include "head.h"
#include "core/bytes.h"
#include "value.h"

/* The stack slots of `head`: its arguments, and what it returns. */
enum { HEAD_BUFFER = 1, HEAD_AT, HEAD_ROOM, HEAD_STATUS, HEAD_FIELDS, HEAD_MINOR, HEAD_NEXT };

/* The longest name of a plain head, in bytes. */
enum { LONGEST_NAME = 64 };

/* Takes a line that ends in CRLF off the text, without its end. A CR elsewhere or NUL is not plain.
 */
static bool take_line(EpSlice *text, EpSlice *line) {
  const char *end = (const char *)memchr(text->bytes, '\n', text->size);
  const size_t size = end ? (size_t)(end - text->bytes) : 0;
  if (size == 0 || end[-1] != '\r')
    return false;
  *line = ep_slice(text->bytes, size - 1);
  *text = ep_slice_from(*text, size + 1);
  return !memchr(line->bytes, '\r', line->size) && !memchr(line->bytes, 0, line->size);
}

/* [-0, +0] Sets the status and the digit of the version from "HTTP/1.1 200 OK". 101 is not plain.
 */
static bool read_status(lua_State *L, EpSlice line) {
  const char *at = line.bytes;
  if (line.size < 12 || memcmp(at, "HTTP/1.", 7) != 0 || at[8] != ' ' ||
      (line.size > 12 && at[12] != ' '))
    return false;
  if (!ep_is(at[7], EP_DIGIT) || at[9] < '1' || at[9] > '5' || !ep_is(at[10], EP_DIGIT) ||
      !ep_is(at[11], EP_DIGIT))
    return false;
  const int status = (at[9] - '0') * 100 + (at[10] - '0') * 10 + (at[11] - '0');
  lua_pushinteger(L, status);
  lua_replace(L, HEAD_STATUS);
  lua_pushlstring(L, at + 7, 1);
  lua_replace(L, HEAD_MINOR);
  return status != 101;
}

/* The text without spaces and tabs at its ends. */
static EpSlice without_space(EpSlice text) {
  const char *first = text.bytes, *end = ep_slice_end(text);
  while (first < end && (*first == ' ' || *first == '\t'))
    first++;
  while (first < end && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  return ep_slice(first, (size_t)(end - first));
}

/* [-0, +1] Pushes the name of a field in lower case, and returns its length; 0 if it is not plain.
 */
static size_t push_field_name(lua_State *L, EpSlice line) {
  char name[LONGEST_NAME];
  size_t size = 0;
  while (size < line.size && size < LONGEST_NAME && ep_is(line.bytes[size], EP_TOKEN)) {
    name[size] = ep_lower_byte(line.bytes[size]);
    size++;
  }
  const bool is_plain = size > 0 && size < line.size && line.bytes[size] == ':';
  lua_pushlstring(L, name, size);
  return is_plain ? size : 0;
}

/* [-1, +1] Replaces the value on top by the list of set-cookie with it (RFC 9110 section 5.3). The
 * list so far, or nil, is below it. */
static void append_cookie(lua_State *L) {
  if (lua_isnil(L, -2)) {
    lua_createtable(L, 1, 0);
    lua_replace(L, -3);
  }
  lua_rawseti(L, -2, (int)ep_rawlen(L, -2) + 1);
  lua_pushvalue(L, -1);
}

/* [-0, +0] Sets the field of a line. Several fields of one name are not plain, but for set-cookie.
 */
static bool read_field(lua_State *L, EpSlice line) {
  const size_t size = push_field_name(L, line);
  if (size == 0)
    return false;
  lua_pushvalue(L, -1);
  lua_rawget(L, HEAD_FIELDS);
  const bool is_cookie = ep_slice_equals(ep_to_slice(L, -2), EP_SLICE("set-cookie"));
  if (!is_cookie && !lua_isnil(L, -1))
    return false;
  ep_push_slice(L, without_space(ep_slice_from(line, size + 1)));
  if (is_cookie)
    append_cookie(L);
  lua_remove(L, -2);
  lua_rawset(L, HEAD_FIELDS);
  return true;
}

int ep_head_read(lua_State *L) {
  lua_settop(L, HEAD_NEXT);
  const lua_Integer first = lua_tointeger(L, HEAD_AT), room = lua_tointeger(L, HEAD_ROOM);
  const EpSlice buffer =
      lua_type(L, HEAD_BUFFER) == LUA_TSTRING ? ep_to_slice(L, HEAD_BUFFER) : EP_SLICE("");
  if (first < 1 || (size_t)first > buffer.size)
    return 0;
  EpSlice rest = ep_slice_from(buffer, (size_t)first - 1), line;
  if (!take_line(&rest, &line) || !read_status(L, line))
    return 0;
  lua_createtable(L, 0, 16);
  lua_replace(L, HEAD_FIELDS);
  while (take_line(&rest, &line)) {
    if (line.size > 0) {
      if (!read_field(L, line))
        return 0;
      continue;
    }
    const lua_Integer next = (lua_Integer)(rest.bytes - buffer.bytes) + 1;
    lua_pushinteger(L, next);
    lua_replace(L, HEAD_NEXT);
    return next - first <= room ? 4 : 0;
  }
  return 0;
}
