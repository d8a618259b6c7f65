/* SPDX-License-Identifier: MIT */
#include "errors.h"

#include <stdarg.h>

#include "core/bytes.h"

void ep_error(lua_State *L, const char *format, ...) {
  va_list values;
  va_start(values, format);
  lua_pushvfstring(L, format, values);
  va_end(values);
  luaL_where(L, 1);
  lua_insert(L, -2);
  lua_concat(L, 2);
  for (;;) /* it does not return, but is not declared so */
    lua_error(L);
}

enum { MOST = 40, ELLIPSIS = 3, LONGEST_PIECE = 4 };

/* A text in quotes. It has room for one piece more than MOST bytes, which shows that the text is
 * too long. */
typedef struct Quote {
  char text[1 + MOST + LONGEST_PIECE + 1];
  size_t size; /* bytes between the quotes */
  size_t safe; /* number of them that can stay if "..." must follow */
} Quote;

static void add_bytes(Quote *q, EpSlice text) {
  static const char digits[] = "0123456789ABCDEF";
  for (size_t i = 0; i < text.size && q->size <= MOST; i++) {
    const unsigned char byte = (unsigned char)text.bytes[i];
    const char escaped[LONGEST_PIECE] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    const bool is_plain = !ep_is(byte, EP_CONTROL) && byte < 0x80 && byte != '"' && byte != '\\';
    const EpSlice piece = is_plain ? ep_slice(text.bytes + i, 1) : ep_slice(escaped, LONGEST_PIECE);
    memcpy(q->text + 1 + q->size, piece.bytes, piece.size);
    q->size += piece.size;
    if (q->size <= MOST - ELLIPSIS)
      q->safe = q->size;
  }
}

/* The number of bytes up to and including the first "?" or %3F. */
static size_t shown_size(EpSlice text) {
  const char *end = ep_slice_end(text);
  for (size_t i = 0; i < text.size; i++) {
    if (text.bytes[i] == '?')
      return i + 1;
    if (ep_percent_triplet(text.bytes + i, end) && ep_percent_value(text.bytes + i) == '?')
      return i + 3;
  }
  return text.size;
}

/* [-0, +1] Pushes the text in its quotes, and cuts it if it is too long. */
static const char *push_quote(lua_State *L, Quote *q) {
  if (q->size > MOST) {
    memcpy(q->text + 1 + q->safe, "...", ELLIPSIS);
    q->size = q->safe + ELLIPSIS;
  }
  q->text[0] = q->text[1 + q->size] = '"';
  lua_pushlstring(L, q->text, q->size + 2);
  return lua_tostring(L, -1);
}

const char *ep_quote(lua_State *L, EpSlice text) {
  Quote q;
  q.size = q.safe = 0;
  add_bytes(&q, text);
  return push_quote(L, &q);
}

const char *ep_escape(lua_State *L, EpSlice text) {
  const char *quoted = ep_quote(L, text);
  lua_pushlstring(L, quoted + 1, strlen(quoted) - 2);
  return lua_tostring(L, -1);
}

/* The number of bytes before the last "@"; 0 if there is no "@". */
static size_t masked_end(EpSlice text) {
  size_t end = text.size;
  while (end > 0 && text.bytes[end - 1] != '@')
    end--;
  return end > 0 ? end - 1 : 0;
}

/* The number of bytes up to and including the first "//"; 0 if there is none, or an "@" before it.
 */
static size_t masked_begin(EpSlice text) {
  for (size_t i = 0; i + 1 < text.size && text.bytes[i] != '@'; i++)
    if (text.bytes[i] == '/' && text.bytes[i + 1] == '/')
      return i + 2;
  return 0;
}

const char *ep_quote_masked(lua_State *L, EpSlice text) {
  const size_t shown = shown_size(text), end = masked_end(text);
  const size_t begin = masked_begin(ep_slice(text.bytes, end));
  size_t at = 0;
  Quote q;
  q.size = q.safe = 0;
  if (end > begin && begin < shown) {
    add_bytes(&q, ep_slice(text.bytes, begin));
    add_bytes(&q, EP_SLICE("***"));
    at = end;
  }
  if (at < shown)
    add_bytes(&q, ep_slice(text.bytes + at, shown - at));
  if (shown < text.size)
    add_bytes(&q, EP_SLICE("..."));
  return push_quote(L, &q);
}

void ep_parameter_error(lua_State *L, EpSlice parameter, const char *message) {
  ep_error(L, "endpoint: parameter %s: %s", ep_quote(L, parameter), message);
}

void ep_method_error(lua_State *L, EpSlice method) {
  ep_error(L, "endpoint: method %s: expected a token such as GET", ep_quote_masked(L, method));
}
