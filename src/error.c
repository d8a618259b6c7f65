#include "error.h"

#include "core/percent.h"
#include "core/url.h"
#include "stack.h"

enum { MOST = 40, ELLIPSIS = 3, LONGEST_PIECE = 4 };

/* A text in quotes. One piece more than MOST bytes shows that it is too long. */
typedef struct Quote {
  char text[1 + MOST + LONGEST_PIECE + 1];
  size_t size; /* bytes between the quotes */
  size_t safe; /* bytes of them that can be kept if an ellipsis must follow */
} Quote;

static void add_piece(Quote *q, EpSlice piece) {
  memcpy(q->text + 1 + q->size, piece.bytes, piece.size);
  q->size += piece.size;
  if (q->size <= MOST - ELLIPSIS)
    q->safe = q->size;
}

static void add_bytes(Quote *q, EpSlice text) {
  static const char digits[] = "0123456789ABCDEF";
  for (size_t i = 0; i < text.size && q->size <= MOST; i++) {
    unsigned char byte = (unsigned char)text.bytes[i];
    char escaped[LONGEST_PIECE] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    if (ep_is(byte, EP_CONTROL) || byte >= 0x80 || byte == '"' || byte == '\\')
      add_piece(q, ep_slice(escaped, sizeof escaped));
    else
      add_piece(q, ep_slice(text.bytes + i, 1));
  }
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

/* [-0, +1] Quotes the first bytes of a text, each userinfo masked if it may be a URL. */
static const char *quote(lua_State *L, EpSlice text, size_t shown, bool is_url) {
  const EpSlice ellipsis = ep_slice("...", shown < text.size ? ELLIPSIS : 0);
  size_t begin, userinfo;
  Quote q;
  q.size = q.safe = 0;
  text.size = shown;
  while (is_url && q.size <= MOST && (userinfo = ep_url_userinfo(text, &begin)) > 0) {
    add_bytes(&q, ep_slice(text.bytes, begin));
    add_bytes(&q, EP_SLICE("***"));
    text = ep_slice_from(text, begin + userinfo);
  }
  add_bytes(&q, text);
  add_bytes(&q, ellipsis);
  if (q.size > MOST) {
    memcpy(q.text + 1 + q.safe, "...", ELLIPSIS);
    q.size = q.safe + ELLIPSIS;
  }
  q.text[0] = q.text[1 + q.size] = '"';
  lua_pushlstring(L, q.text, q.size + 2);
  return lua_tostring(L, -1);
}

const char *ep_quote(lua_State *L, EpSlice text) {
  return quote(L, text, text.size, false);
}

const char *ep_quote_url(lua_State *L, EpSlice text) {
  return quote(L, text, shown_size(text), true);
}

const char *ep_quote_value(lua_State *L, EpSlice text) {
  bool may_be_url = memchr(text.bytes, '/', text.size) || memchr(text.bytes, ':', text.size);
  return quote(L, text, shown_size(text), may_be_url);
}

const char *ep_quote_at(lua_State *L, int index) {
  return ep_quote(L, ep_to_slice(L, index));
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

const char *ep_type_name(lua_State *L, int index) {
  return ep_is_null(L, index) ? "null" : luaL_typename(L, index);
}

int ep_type_error(lua_State *L, const char *what, const char *name, const char *expected,
                  int index) {
  return ep_error(L, "endpoint: %s %s: expected %s, got %s", what, name, expected,
                  ep_type_name(L, index));
}
