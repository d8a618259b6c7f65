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

#define EP_NAME_OF(option, name) EP_SLICE_OF(name),
const EpSlice ep_option_names[EP_OPTION_COUNT] = {EP_OPTIONS(EP_NAME_OF)};

/* The names are compared one by one, as constants: a loop over them takes 3 % more instructions of
 * a call with 30 parameters. */
EpOption ep_option_find(EpSlice name) {
#define EP_IF_NAMED(option, text) ep_slice_equals(name, EP_SLICE(text)) ? option:
  return EP_OPTIONS(EP_IF_NAMED) EP_OPTION_COUNT;
}

bool ep_option_resembles(EpOption option, EpSlice key) {
  const char *name = ep_option_names[option].bytes;
  for (size_t i = 0; i < key.size; i++) {
    if (key.bytes[i] == '-' || key.bytes[i] == '_')
      continue;
    if (!*name || ep_lower_byte(key.bytes[i]) != ep_lower_byte(*name))
      return false;
    name++;
  }
  return !*name;
}
