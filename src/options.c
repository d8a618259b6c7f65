/* Option names, routes and methods. */
#include "options.h"

#include <stdbool.h>
#include <string.h>

#include "buffer.h"
#include "error.h"
#include "stack.h"

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

EpOption ep_option_find(EpSlice name) {
  EpOption option = name.size > 0 ? candidate(name.bytes[0], name.size) : EP_OPTION_COUNT;
  if (option != EP_OPTION_COUNT && memcmp(ep_option_names[option], name.bytes, name.size) != 0)
    option = EP_OPTION_COUNT;
  return option;
}

/* A URL with a space in it looks like a method and a URL. Of a method with a "/" userinfo
 * is masked, and what follows a ":" is not quoted, for the "@" may be behind the space. */
static void method_error(lua_State *L, EpSlice method) {
  const char *colon = (const char *)memchr(method.bytes, ':', method.size);
  bool is_url;
  if (colon)
    method.size = (size_t)(colon - method.bytes) + 1;
  is_url = memchr(method.bytes, '/', method.size) != NULL;
  ep_error(L, "endpoint: method %s: expected a token such as GET",
           is_url ? ep_quote_url(L, method) : ep_quote(L, method));
}

static void check_method(lua_State *L, EpSlice method) {
  if (!ep_route_is_token(method))
    method_error(L, method);
}

void ep_push_method(lua_State *L, int method) {
  check_method(L, ep_to_slice(L, method));
  ep_push_upper(L, ep_to_slice(L, method));
}

EpRoute ep_read_route(lua_State *L, int index) {
  const EpSlice text = ep_to_slice(L, index);
  EpRoute route = ep_route_split(text);
  if (route.url.size == 0)
    ep_error(L, "endpoint: route %s: expected \"<METHOD> <URL>\" or a URL, got %s",
             ep_quote_url(L, text), route.method.bytes ? "a method alone" : "no text");
  if (route.method.bytes)
    check_method(L, route.method);
  return route;
}
