/* The query string. */
#include "query.h"

#include <string.h>

#include "percent.h"
#include "value.h"

/* The byte to put before the first name: "?" opens the query, "&" parts it from
 * what the query holds; 0 behind either of them. */
static char first_separator(const EpBuffer *url) {
  const char *end = url->bytes + url->size;
  const char *query = (const char *)memchr(url->bytes, '?', url->size);
  if (!query)
    return '?';
  return query + 1 == end || end[-1] == '&' ? 0 : '&';
}

static void add_text(lua_State *L, EpBuffer *url, const EpText *text) {
  ep_buffer_add_encoded(L, url, text->bytes, text->size, EP_UNRESERVED);
}

/* Appends "name=", behind what parts it from the parameter before. */
static void add_name(lua_State *L, EpBuffer *url, EpParameter parameter, char *separator) {
  if (*separator)
    ep_buffer_add_byte(L, url, *separator);
  *separator = '&';
  ep_buffer_add_encoded(L, url, parameter.name, parameter.size, EP_UNRESERVED);
  ep_buffer_add_byte(L, url, '=');
}

/* Appends the list at an absolute index, which is not empty: as one value whose commas are
 * encoded too, or, as Rails, PHP and GitHub read it, each element under a name in "[]". */
static void add_list(lua_State *L, EpBuffer *url, EpParameter parameter, int list,
                     char *separator) {
  const int size = (int)ep_rawlen(L, list), element = lua_gettop(L) + 1;
  const char *end = parameter.name + parameter.size;
  bool repeats = parameter.size >= 2 && memcmp(end - 2, "[]", 2) == 0, begun = false;
  EpText text;
  for (int i = 1; i <= size; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, list, i);
    if (ep_is_absent(L, element))
      continue;
    ep_value_read_element(L, element, parameter, &text);
    if (repeats || !begun)
      add_name(L, url, parameter, separator);
    else
      ep_buffer_add(L, url, "%2C", 3);
    begun = true;
    add_text(L, url, &text);
  }
}

/* Appends the parameter whose value is at an absolute index, if it has one. */
static void add_parameter(lua_State *L, EpBuffer *url, EpParameter parameter, int value,
                          char *separator) {
  EpText text;
  EpKind kind = ep_value_read(L, value, parameter, &text);
  if (kind == EP_MAP)
    ep_parameter_error(L, parameter,
                       "expected a string, finite number, boolean or list for the query, got a "
                       "map (write {?name*} in the url to send its fields)");
  if (kind == EP_LIST) {
    add_list(L, url, parameter, value, separator);
  } else if (kind == EP_TEXT) {
    add_name(L, url, parameter, separator);
    add_text(L, url, &text);
  }
}

/* Appends the pairs, which are not none, to a URL without fragment. */
static void append_pairs(lua_State *L, EpBuffer *url, EpPairs *pairs) {
  const EpName *names = ep_pairs_sort(L, pairs, EP_VIEW_NAMES);
  char separator = first_separator(url);
  for (int i = 0; i < pairs->count; i++) {
    EpParameter parameter = {names[i].text, names[i].size};
    int value = ep_pairs_value(L, pairs, names[i].index);
    add_parameter(L, url, parameter, value, &separator);
    ep_pairs_drop(L, pairs);
  }
}

/* A fragment is taken off before and put back behind the query. */
void ep_query_append(lua_State *L, EpBuffer *url, EpView *v) {
  EpPairs *pairs = &v->rest;
  const char *fragment;
  size_t size;
  if (pairs->count == 0)
    return;
  fragment = (const char *)memchr(url->bytes, '#', url->size);
  if (!fragment) {
    append_pairs(L, url, pairs);
    return;
  }
  ep_buffer_cut(L, url, (size_t)(fragment - url->bytes));
  append_pairs(L, url, pairs);
  fragment = lua_tolstring(L, -1, &size);
  ep_buffer_add(L, url, fragment, size);
  lua_pop(L, 1);
}
