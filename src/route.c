/* Routes and methods (RFC 9110 section 9). */
#include "route.h"

#include <string.h>

#include "percent.h"

typedef struct Method {
  const char *name;
  EpSends sends;
} Method;

/* The methods of RFC 9110 section 9.3, RFC 5789 and RFC 10008. */
static const Method methods[] = {
    {"GET", EP_SENDS_QUERY},       {"HEAD", EP_SENDS_QUERY},        {"POST", EP_SENDS_BODY},
    {"PUT", EP_SENDS_BODY},        {"PATCH", EP_SENDS_BODY},        {"DELETE", EP_SENDS_BODY},
    {"QUERY", EP_SENDS_BODY},      {"OPTIONS", EP_SENDS_DATA_ONLY}, {"TRACE", EP_SENDS_NOTHING},
    {"CONNECT", EP_SENDS_NOTHING},
};

static const Method *find_method(EpSlice name) {
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (ep_equals_ignoring_case(name, ep_slice(methods[i].name, strlen(methods[i].name))))
      return &methods[i];
  return NULL;
}

EpSends ep_route_sends(EpSlice method) {
  const Method *known = find_method(method);
  return known ? known->sends : EP_SENDS_DATA_ONLY;
}

EpRoute ep_route_split(EpSlice text) {
  EpRoute route = {{NULL, 0}, {NULL, 0}};
  const char *at = text.bytes, *end = ep_slice_end(text), *space;
  while (at < end && ep_is_space(*at))
    at++;
  while (at < end && ep_is_space(end[-1]))
    end--;
  space = at;
  while (space < end && !ep_is_space(*space))
    space++;
  if (space < end || find_method(ep_slice(at, (size_t)(end - at)))) {
    route.method = ep_slice(at, (size_t)(space - at));
    at = space;
    while (at < end && ep_is_space(*at))
      at++;
  }
  route.url = ep_slice(at, (size_t)(end - at));
  return route;
}

EpSlice ep_route_misplaced_method(EpSlice url) {
  EpSlice name = {url.bytes, 0};
  const Method *known;
  while (name.size < url.size && url.bytes[name.size] != '/' && !ep_is_space(url.bytes[name.size]))
    name.size++;
  known = name.size > 0 && name.size < url.size ? find_method(name) : NULL;
  if (!known || memcmp(known->name, name.bytes, name.size) != 0)
    name.size = 0;
  return name;
}

bool ep_route_is_token(EpSlice text) {
  for (size_t i = 0; i < text.size; i++)
    if (!ep_is(text.bytes[i], EP_TOKEN))
      return false;
  return text.size > 0;
}
