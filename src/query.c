/* The query string. */
#include "query.h"

#include <string.h>

#include "core/percent.h"
#include "error.h"
#include "stack.h"
#include "value.h"

void ep_query_begin(lua_State *L, EpQuery *q) {
  if (q->begin > 0)
    return;
  if (q->needs_slash)
    ep_buffer_add_byte(L, q->url, '/');
  q->needs_slash = false;
  ep_buffer_add_byte(L, q->url, '?');
  q->begin = q->url->size;
}

void ep_query_separate(lua_State *L, EpQuery *q) {
  ep_query_begin(L, q);
  if (q->url->size > q->begin && q->url->bytes[q->url->size - 1] != '&')
    ep_buffer_add_byte(L, q->url, '&');
}

/* Appends "name=" behind a separator. */
static void add_name(lua_State *L, EpQuery *q, EpSlice name) {
  ep_query_separate(L, q);
  ep_buffer_add_encoded(L, q->url, name, EP_UNRESERVED);
  ep_buffer_add_byte(L, q->url, '=');
}

/* Appends the list at an absolute index: as one value with encoded commas, but if the name
 * ends in "[]" each element under it, as Rails, PHP and GitHub read it. */
static void add_query_list(lua_State *L, EpQuery *q, EpSlice name, int list) {
  const int size = (int)ep_rawlen(L, list), element = lua_gettop(L) + 1;
  bool repeats = ep_slice_ends_with(name, EP_SLICE("[]")), begun = false;
  EpText text;
  for (int i = 1; i <= size; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, list, i);
    if (!ep_value_read_element(L, element, name, &text))
      continue;
    if (repeats || !begun)
      add_name(L, q, name);
    else
      ep_buffer_add(L, q->url, EP_SLICE("%2C"));
    begun = true;
    ep_buffer_add_encoded(L, q->url, text.slice, EP_UNRESERVED);
  }
}

/* Names the parameter twice, quoted and in an expression. */
static void raise_map(lua_State *L, EpSlice name) {
  const char *quoted = ep_quote(L, name), *expected;
  lua_pushlstring(L, quoted + 1, strlen(quoted) - 2);
  expected = lua_pushfstring(L,
                             "expected a string, finite number, boolean or list for the query, got "
                             "a map (write {?%s*} in the url to send its fields)",
                             lua_tostring(L, -1));
  ep_parameter_error(L, name, expected);
}

/* Appends the parameter whose value is at an absolute index, unless it is undefined. */
static void add_parameter(lua_State *L, EpQuery *q, EpSlice name, int value) {
  EpText text;
  EpKind kind = ep_value_read(L, value, name, &text);
  if (kind == EP_MAP)
    raise_map(L, name);
  if (kind == EP_LIST) {
    add_query_list(L, q, name, value);
  } else if (kind == EP_TEXT) {
    add_name(L, q, name);
    ep_buffer_add_encoded(L, q->url, text.slice, EP_UNRESERVED);
  }
}

void ep_query_add_pairs(lua_State *L, EpQuery *q, EpPairs *pairs) {
  const EpName *names = ep_pairs_sort(L, pairs);
  for (int i = 0; i < pairs->count; i++) {
    add_parameter(L, q, names[i].text, ep_array_at(L, &pairs->fields, 2 * names[i].owner + 1));
    ep_array_done(L, &pairs->fields);
  }
}
