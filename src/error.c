/* Quoting for error messages. */
#include "error.h"

#include <stdbool.h>
#include <string.h>

#include "percent.h"
#include "stack.h"
#include "url.h"

enum { QUOTED_SIZE = 40, ELLIPSIS = 3 };

/* At most QUOTED_SIZE bytes between quotes. */
typedef struct Quote {
  char text[QUOTED_SIZE + 3];
  size_t size;
  size_t safe; /* the bytes that can be kept if an ellipsis must follow */
  bool cut;
} Quote;

/* Appends a piece, whole or not at all. */
static void quote_piece(Quote *q, EpSlice text) {
  if (q->size + text.size > QUOTED_SIZE + 1) {
    q->cut = true;
    return;
  }
  memcpy(q->text + q->size, text.bytes, text.size);
  q->size += text.size;
  if (q->size <= QUOTED_SIZE + 1 - ELLIPSIS)
    q->safe = q->size;
}

static void quote_bytes(Quote *q, EpSlice text) {
  static const char digits[] = "0123456789ABCDEF";
  for (size_t i = 0; i < text.size && !q->cut; i++) {
    unsigned char byte = (unsigned char)text.bytes[i];
    char escaped[4] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    if (ep_is(byte, EP_CONTROL) || byte >= 0x80 || byte == '"' || byte == '\\')
      quote_piece(q, ep_slice(escaped, sizeof escaped));
    else
      quote_piece(q, ep_slice(text.bytes + i, 1));
  }
}

void ep_push_masked(lua_State *L, EpSlice url) {
  size_t begin, userinfo = ep_url_userinfo(url, &begin);
  if (userinfo == 0) {
    ep_push_slice(L, url);
    return;
  }
  lua_pushlstring(L, url.bytes, begin);
  lua_pushliteral(L, "***");
  ep_push_slice(L, ep_slice_from(url, begin + userinfo));
  lua_concat(L, 3);
}

static Quote begin_quote(void) {
  Quote q;
  q.text[0] = '"';
  q.size = q.safe = 1;
  q.cut = false;
  return q;
}

/* [-0, +1] */
static const char *push_quote(lua_State *L, Quote *q) {
  if (q->cut) {
    memcpy(q->text + q->safe, "...", ELLIPSIS);
    q->size = q->safe + ELLIPSIS;
  }
  q->text[q->size] = '"';
  lua_pushlstring(L, q->text, q->size + 1);
  return lua_tostring(L, -1);
}

const char *ep_quote(lua_State *L, EpSlice text) {
  Quote q = begin_quote();
  quote_bytes(&q, text);
  return push_quote(L, &q);
}

/* The bytes up to the first "?" or %3F, with it. */
static size_t shown_size(EpSlice text) {
  const char *end = ep_slice_end(text);
  for (size_t i = 0; i < text.size; i++) {
    if (text.bytes[i] == '?')
      return i + 1;
    if (ep_percent_is(text.bytes + i, end, '3', 'f'))
      return i + 3;
  }
  return text.size;
}

/* Quotes the text up to its first "?", each userinfo masked if it may be a URL. */
static const char *quote_shown(lua_State *L, EpSlice text, bool is_url) {
  const size_t shown = shown_size(text);
  const bool is_whole = shown == text.size;
  size_t begin, userinfo;
  Quote q = begin_quote();
  text.size = shown;
  while (is_url && !q.cut && (userinfo = ep_url_userinfo(text, &begin)) > 0) {
    quote_bytes(&q, ep_slice(text.bytes, begin));
    quote_bytes(&q, EP_SLICE("***"));
    text = ep_slice_from(text, begin + userinfo);
  }
  quote_bytes(&q, text);
  if (!is_whole)
    quote_bytes(&q, EP_SLICE("..."));
  return push_quote(L, &q);
}

const char *ep_quote_url(lua_State *L, EpSlice text) {
  return quote_shown(L, text, true);
}

const char *ep_quote_value(lua_State *L, EpSlice text) {
  return quote_shown(L, text,
                     memchr(text.bytes, '/', text.size) || memchr(text.bytes, ':', text.size));
}

const char *ep_quote_at(lua_State *L, int index) {
  return ep_quote(L, ep_to_slice(L, index));
}

const char *ep_type_name(lua_State *L, int index) {
  return ep_is_null(L, index) ? "null" : luaL_typename(L, index);
}

int ep_type_error(lua_State *L, const char *what, const char *name, const char *expected,
                  int index) {
  return ep_error(L, "endpoint: %s %s: expected %s, got %s", what, name, expected,
                  ep_type_name(L, index));
}
