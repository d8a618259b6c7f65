/* The query string. */
#include "query.h"

#include <string.h>

#include "error.h"
#include "percent.h"
#include "stack.h"
#include "value.h"

/* What stands before the first name: "?", or "&" behind other parameters; 0 if the URL ends in
 * one of them. */
static char first_separator(const EpBuffer *url) {
  const char *end = url->bytes + url->size;
  const char *query = (const char *)memchr(url->bytes, '?', url->size);
  if (!query)
    return '?';
  return query + 1 == end || end[-1] == '&' ? 0 : '&';
}

/* Appends the separator, if there is one, and "name=". */
static void add_name(lua_State *L, EpBuffer *url, EpSlice name, char *separator) {
  if (*separator)
    ep_buffer_add_byte(L, url, *separator);
  *separator = '&';
  ep_buffer_add_encoded(L, url, name, EP_UNRESERVED);
  ep_buffer_add_byte(L, url, '=');
}

/* Appends the list at an absolute index: as one value with encoded commas, but if the name
 * ends in "[]" each element under it, as Rails, PHP and GitHub read it. */
static void add_query_list(lua_State *L, EpBuffer *url, EpSlice name, int list, char *separator) {
  const int size = (int)ep_rawlen(L, list), element = lua_gettop(L) + 1;
  bool repeats = ep_slice_ends_with(name, EP_SLICE("[]")), begun = false;
  EpText text;
  for (int i = 1; i <= size; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, list, i);
    if (!ep_value_read_element(L, element, name, &text))
      continue;
    if (repeats || !begun)
      add_name(L, url, name, separator);
    else
      ep_buffer_add(L, url, EP_SLICE("%2C"));
    begun = true;
    ep_buffer_add_encoded(L, url, text.slice, EP_UNRESERVED);
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
static void add_parameter(lua_State *L, EpBuffer *url, EpSlice name, int value, char *separator) {
  EpText text;
  EpKind kind = ep_value_read(L, value, name, &text);
  if (kind == EP_MAP)
    raise_map(L, name);
  if (kind == EP_LIST) {
    add_query_list(L, url, name, value, separator);
  } else if (kind == EP_TEXT) {
    add_name(L, url, name, separator);
    ep_buffer_add_encoded(L, url, text.slice, EP_UNRESERVED);
  }
}

/* Appends the pairs to a URL without fragment. */
static void append_pairs(lua_State *L, EpBuffer *url, EpPairs *pairs, char separator) {
  const EpName *names = ep_pairs_sort(L, pairs);
  for (int i = 0; i < pairs->count; i++) {
    ep_pairs_push_value(L, pairs, names[i].index);
    add_parameter(L, url, names[i].text, lua_gettop(L), &separator);
    lua_pop(L, 1);
  }
}

/* A fragment is cut off first, and put back behind the query. */
void ep_query_append(lua_State *L, EpBuffer *url, EpView *v, bool path_ended) {
  const char *fragment;
  if (v->leftovers.count == 0)
    return;
  if (!path_ended) {
    append_pairs(L, url, &v->leftovers, '?');
    return;
  }
  fragment = (const char *)memchr(url->bytes, '#', url->size);
  ep_buffer_cut(L, url, fragment ? (size_t)(fragment - url->bytes) : url->size);
  append_pairs(L, url, &v->leftovers, first_separator(url));
  ep_buffer_add(L, url, ep_to_slice(L, -1));
  lua_pop(L, 1);
}
