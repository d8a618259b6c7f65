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

const char *ep_quote(lua_State *L, EpSlice text) {
  Quote q;
  q.text[0] = '"';
  q.size = q.safe = 1;
  q.cut = false;
  quote_bytes(&q, text);
  if (q.cut) {
    memcpy(q.text + q.safe, "...", ELLIPSIS);
    q.size = q.safe + ELLIPSIS;
  }
  q.text[q.size] = '"';
  lua_pushlstring(L, q.text, q.size + 1);
  return lua_tostring(L, -1);
}

const char *ep_quote_url(lua_State *L, EpSlice text) {
  const char *quoted;
  ep_push_masked(L, text);
  quoted = ep_quote_at(L, -1);
  lua_replace(L, -2);
  return quoted;
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
