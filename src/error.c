/* Quoting for error messages. */
#include "error.h"

#include <stdbool.h>
#include <string.h>

#include "percent.h"
#include "url.h"
#include "value.h"

enum { QUOTED_SIZE = 40, ELLIPSIS = 3 };

/* A text of at most QUOTED_SIZE bytes between quotes, built byte by byte. */
typedef struct Quote {
  char text[QUOTED_SIZE + 3];
  size_t size;
  size_t safe; /* up to here an ellipsis still fits behind */
  bool cut;
} Quote;

static void put(Quote *q, const char *text, size_t size) {
  if (q->size + size > QUOTED_SIZE + 1) {
    q->cut = true;
    return;
  }
  memcpy(q->text + q->size, text, size);
  q->size += size;
  if (q->size <= QUOTED_SIZE + 1 - ELLIPSIS)
    q->safe = q->size;
}

static void put_bytes(Quote *q, const char *text, size_t size) {
  static const char digits[] = "0123456789ABCDEF";
  for (size_t i = 0; i < size && !q->cut; i++) {
    unsigned char byte = (unsigned char)text[i];
    char escaped[4] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    if (ep_is(byte, EP_CONTROL) || byte >= 0x80 || byte == '"' || byte == '\\')
      put(q, escaped, sizeof escaped);
    else
      put(q, text + i, 1);
  }
}

void ep_push_masked(lua_State *L, const char *url, size_t size) {
  size_t begin, userinfo = ep_url_userinfo(url, size, &begin);
  if (userinfo == 0) {
    lua_pushlstring(L, url, size);
    return;
  }
  lua_pushlstring(L, url, begin);
  lua_pushliteral(L, "***");
  lua_pushlstring(L, url + begin + userinfo, size - begin - userinfo);
  lua_concat(L, 3);
}

const char *ep_quote(lua_State *L, const char *text, size_t size) {
  Quote q;
  q.text[0] = '"';
  q.size = q.safe = 1;
  q.cut = false;
  put_bytes(&q, text, size);
  if (q.cut) {
    memcpy(q.text + q.safe, "...", ELLIPSIS);
    q.size = q.safe + ELLIPSIS;
  }
  q.text[q.size] = '"';
  lua_pushlstring(L, q.text, q.size + 1);
  return lua_tostring(L, -1);
}

const char *ep_quote_url(lua_State *L, const char *text, size_t size) {
  const char *quoted;
  ep_push_masked(L, text, size);
  text = lua_tolstring(L, -1, &size);
  quoted = ep_quote(L, text, size);
  lua_replace(L, -2);
  return quoted;
}

const char *ep_quote_at(lua_State *L, int index) {
  size_t size;
  const char *text = lua_tolstring(L, index, &size);
  return ep_quote(L, text, size);
}

const char *ep_type_name(lua_State *L, int index) {
  return ep_is_null(L, index) ? "null" : luaL_typename(L, index);
}

int ep_type_error(lua_State *L, const char *what, const char *name, const char *expected,
                  int index) {
  return ep_error(L, "endpoint: %s %s: expected %s, got %s", what, name, expected,
                  ep_type_name(L, index));
}
