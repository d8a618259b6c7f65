/* SPDX-License-Identifier: MIT */
#include "route.h"

#include "bytes.h"

/* The methods of RFC 9110 section 9.3, RFC 5789 and RFC 10008. */
const EpMethod ep_methods[EP_METHODS + 1] = {
    {"GET", EP_SENDS_QUERY},       {"HEAD", EP_SENDS_QUERY},        {"POST", EP_SENDS_BODY},
    {"PUT", EP_SENDS_BODY},        {"PATCH", EP_SENDS_BODY},        {"DELETE", EP_SENDS_BODY},
    {"QUERY", EP_SENDS_BODY},      {"OPTIONS", EP_SENDS_DATA_ONLY}, {"TRACE", EP_SENDS_NOTHING},
    {"CONNECT", EP_SENDS_NOTHING}, {NULL, EP_SENDS_DATA_ONLY},
};

int ep_route_method(EpSlice method) {
  int i = 0;
  while (i < EP_METHODS &&
         !ep_equals_ignoring_case(method, ep_slice(ep_methods[i].name, strlen(ep_methods[i].name))))
    i++;
  return i;
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
  if (space < end || ep_route_method(ep_slice(at, (size_t)(end - at))) < EP_METHODS) {
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
  while (name.size < url.size && url.bytes[name.size] != '/' && !ep_is_space(url.bytes[name.size]))
    name.size++;
  const int known = name.size > 0 && name.size < url.size ? ep_route_method(name) : EP_METHODS;
  if (known == EP_METHODS || memcmp(ep_methods[known].name, name.bytes, name.size) != 0)
    name.size = 0;
  return name;
}

bool ep_route_is_token(EpSlice text) {
  for (size_t i = 0; i < text.size; i++)
    if (!ep_is(text.bytes[i], EP_TOKEN))
      return false;
  return text.size > 0;
}

const char *const ep_option_names[EP_OPTION_COUNT] = {"method",    "url",  "baseUrl", "headers",
                                                      "mediaType", "data", "request"};

/* The only option that can have this name, found by its size and first letter. EP_OPTION_COUNT if
 * no option's name has that size. */
static EpOption candidate(EpSlice name) {
  switch (name.size) {
  case 3:
    return EP_URL;
  case 4:
    return EP_DATA;
  case 6:
    return EP_METHOD;
  case 7:
    return *name.bytes == 'b' ? EP_BASE_URL : *name.bytes == 'h' ? EP_HEADERS : EP_REQUEST;
  default:
    return name.size == 9 ? EP_MEDIA_TYPE : EP_OPTION_COUNT;
  }
}

EpOption ep_option_find(EpSlice name) {
  const EpOption option = candidate(name);
  if (option < EP_OPTION_COUNT &&
      ep_slice_equals(name, ep_slice(ep_option_names[option], name.size)))
    return option;
  return EP_OPTION_COUNT;
}

bool ep_option_resembles(EpOption option, EpSlice key) {
  const char *name = ep_option_names[option];
  for (size_t i = 0; i < key.size; i++) {
    if (key.bytes[i] == '-' || key.bytes[i] == '_')
      continue;
    if (!*name || ep_lower_byte(key.bytes[i]) != ep_lower_byte(*name))
      return false;
    name++;
  }
  return !*name;
}
