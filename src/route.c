/* Routes and methods (RFC 9110 section 9). */
#include "route.h"

#include <string.h>

#include "percent.h"

static bool is_space(char byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static bool equals_ignoring_case(const char *text, const char *upper, size_t size) {
  for (size_t i = 0; i < size; i++)
    if ((text[i] >= 'a' && text[i] <= 'z' ? text[i] - ('a' - 'A') : text[i]) != upper[i])
      return false;
  return true;
}

typedef struct Method {
  const char *name;
  EpSends sends;
} Method;

/* The methods of RFC 9110 section 9.3, RFC 5789 and RFC 10008. */
static const Method methods[] = {
    {"GET", EP_SENDS_QUERY},       {"HEAD", EP_SENDS_QUERY},   {"POST", EP_SENDS_BODY},
    {"PUT", EP_SENDS_BODY},        {"PATCH", EP_SENDS_BODY},   {"DELETE", EP_SENDS_BODY},
    {"QUERY", EP_SENDS_BODY},      {"OPTIONS", EP_SENDS_DATA}, {"TRACE", EP_SENDS_NOTHING},
    {"CONNECT", EP_SENDS_NOTHING},
};

static const Method *find_method(const char *text, size_t size) {
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strlen(methods[i].name) == size && equals_ignoring_case(text, methods[i].name, size))
      return &methods[i];
  return NULL;
}

EpSends ep_route_sends(const char *method, size_t size) {
  const Method *known = find_method(method, size);
  return known ? known->sends : EP_SENDS_DATA;
}

EpRoute ep_route_split(const char *text, size_t size) {
  EpRoute route = {NULL, 0, NULL, 0};
  const char *end = text + size, *space;
  while (text < end && is_space(*text))
    text++;
  while (text < end && is_space(end[-1]))
    end--;
  space = text;
  while (space < end && !is_space(*space))
    space++;
  if (space < end || find_method(text, (size_t)(end - text))) {
    route.method = text;
    route.method_size = (size_t)(space - text);
    text = space;
    while (text < end && is_space(*text))
      text++;
  }
  route.url = text;
  route.url_size = (size_t)(end - text);
  return route;
}

bool ep_route_is_token(const char *text, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (!ep_is(text[i], EP_TOKEN))
      return false;
  return size > 0;
}
