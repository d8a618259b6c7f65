/* Option names, routes and methods. */
#include "options.h"

#include <stdbool.h>
#include <string.h>

#include "buffer.h"
#include "error.h"

const char *const ep_option_names[EP_OPTION_COUNT] = {"method",    "url",  "baseUrl", "headers",
                                                      "mediaType", "data", "request"};

/* The only option whose name has that size and first letter, or none. */
static EpOption candidate(char first, size_t size) {
  switch (first) {
  case 'b':
    return size == 7 ? EP_BASE_URL : EP_OPTION_COUNT;
  case 'd':
    return size == 4 ? EP_DATA : EP_OPTION_COUNT;
  case 'h':
    return size == 7 ? EP_HEADERS : EP_OPTION_COUNT;
  case 'm':
    return size == 6 ? EP_METHOD : size == 9 ? EP_MEDIA_TYPE : EP_OPTION_COUNT;
  case 'r':
    return size == 7 ? EP_REQUEST : EP_OPTION_COUNT;
  case 'u':
    return size == 3 ? EP_URL : EP_OPTION_COUNT;
  default:
    return EP_OPTION_COUNT;
  }
}

EpOption ep_option_find(const char *name, size_t size) {
  EpOption option = candidate(name[0], size);
  if (option != EP_OPTION_COUNT && memcmp(ep_option_names[option], name, size) != 0)
    option = EP_OPTION_COUNT;
  return option;
}

/* A URL with a space in it looks like a method and a URL. Of a method with a "/" userinfo
 * is masked, and what follows a ":" is not quoted, for the "@" may be behind the space. */
static void method_error(lua_State *L, const char *text, size_t size) {
  const char *colon = (const char *)memchr(text, ':', size);
  size_t shown = colon ? (size_t)(colon - text) + 1 : size;
  bool is_url = memchr(text, '/', shown) != NULL;
  ep_error(L, "endpoint: method %s: expected a token such as GET",
           is_url ? ep_quote_url(L, text, shown) : ep_quote(L, text, shown));
}

static void check_method(lua_State *L, const char *text, size_t size) {
  if (!ep_route_is_token(text, size))
    method_error(L, text, size);
}

void ep_push_method(lua_State *L, int method) {
  size_t size;
  const char *text = lua_tolstring(L, method, &size);
  check_method(L, text, size);
  ep_push_upper(L, text, size);
}

EpRoute ep_read_route(lua_State *L, int index) {
  size_t size;
  const char *text = lua_tolstring(L, index, &size);
  EpRoute route = ep_route_split(text, size);
  if (route.url_size == 0)
    ep_error(L, "endpoint: route %s: expected \"<METHOD> <URL>\" or a URL, got %s",
             ep_quote_url(L, text, size), route.method ? "a method alone" : "no text");
  if (route.method)
    check_method(L, route.method, route.method_size);
  return route;
}
