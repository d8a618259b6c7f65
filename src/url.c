/* Scheme, origin, host, base address and userinfo (RFC 3986). */
#include "url.h"

#include <string.h>

#include "percent.h"

static bool is_letter(char byte) {
  return ep_is(byte, EP_WORD) && !ep_is(byte, EP_DIGIT) && byte != '_';
}

size_t ep_url_scheme(const char *url, size_t size) {
  size_t i = 0;
  if (size == 0 || !is_letter(url[0]))
    return 0;
  while (i < size && (is_letter(url[i]) || ep_is(url[i], EP_DIGIT) || memchr("+-.", url[i], 3)))
    i++;
  return i < size && url[i] == ':' ? i + 1 : 0;
}

size_t ep_url_absolute(const char *url, size_t size) {
  size_t scheme = ep_url_scheme(url, size);
  if (scheme == 0 || size - scheme < 2 || memcmp(url + scheme, "//", 2) != 0)
    return 0;
  return scheme + 2;
}

/* Is the text, of `size` bytes, this one in lower case, in any case? */
static bool equals(const char *text, size_t size, const char *lower) {
  size_t i = 0;
  while (i < size && lower[i] && ep_lower_byte(text[i]) == lower[i])
    i++;
  return i == size && !lower[i];
}

static const struct {
  const char *scheme, *port;
} special[] = {{"http:", "80"}, {"https:", "443"}, {"ws:", "80"}, {"wss:", "443"}, {"ftp:", "21"}};

enum { SPECIAL_COUNT = sizeof special / sizeof *special };

bool ep_url_is_special(const char *scheme, size_t size) {
  for (size_t i = 0; i < SPECIAL_COUNT; i++)
    if (equals(scheme, size, special[i].scheme))
      return true;
  return false;
}

size_t ep_url_origin_size(const char *url, size_t size) {
  size_t end = ep_url_absolute(url, size);
  if (end == 0)
    return 0;
  while (end < size && !ep_url_ends_authority(url[end]))
    end++;
  return end;
}

/* The parts of an absolute URL's origin. */
typedef struct Origin {
  const char *scheme, *host, *port; /* the scheme with its ":" */
  size_t scheme_size, host_size, port_size;
} Origin;

/* Takes leading zeros away, and the scheme's default port. */
static void normalize_port(Origin *o) {
  while (o->port_size > 1 && *o->port == '0') {
    o->port++;
    o->port_size--;
  }
  for (size_t i = 0; i < SPECIAL_COUNT; i++)
    if (equals(o->scheme, o->scheme_size, special[i].scheme) &&
        equals(o->port, o->port_size, special[i].port))
      o->port_size = 0;
}

/* Reads "scheme://userinfo@host:port", all of the text. An address in brackets holds
 * ":", as "[::1]" does. */
static Origin read_origin(const char *url, size_t size) {
  Origin o = {url, NULL, NULL, ep_url_scheme(url, size), 0, 0};
  const char *at = url + o.scheme_size + 2, *end = url + size;
  o.host = at;
  for (; at < end; at++)
    if (*at == '@')
      o.host = at + 1;
  at = o.host;
  if (at < end && *at == '[')
    while (at < end && *at != ']')
      at++;
  while (at < end && *at != ':')
    at++;
  o.host_size = (size_t)(at - o.host);
  o.port = at < end ? at + 1 : end;
  o.port_size = (size_t)(end - o.port);
  return o;
}

static bool same_text(const char *a, size_t a_size, const char *b, size_t b_size) {
  size_t i = 0;
  while (i < a_size && i < b_size && ep_lower_byte(a[i]) == ep_lower_byte(b[i]))
    i++;
  return i == a_size && i == b_size;
}

bool ep_url_same_origin(const char *a, size_t a_size, const char *b, size_t b_size) {
  Origin one, other;
  a_size = ep_url_origin_size(a, a_size);
  b_size = ep_url_origin_size(b, b_size);
  if (a_size == 0 || b_size == 0)
    return false;
  one = read_origin(a, a_size);
  other = read_origin(b, b_size);
  normalize_port(&one);
  normalize_port(&other);
  return same_text(one.scheme, one.scheme_size, other.scheme, other.scheme_size) &&
         same_text(one.host, one.host_size, other.host, other.host_size) &&
         same_text(one.port, one.port_size, other.port, other.port_size);
}

bool ep_url_lacks_host(const char *url, size_t size) {
  size_t origin = ep_url_origin_size(url, size);
  if (!ep_url_is_special(url, ep_url_scheme(url, size)))
    return false;
  return origin == 0 || read_origin(url, origin).host_size == 0;
}

static const char *start_fault(const char *base, size_t size, size_t *byte) {
  size_t origin = ep_url_origin_size(base, size);
  *byte = 1;
  if (origin > 0) {
    Origin o = read_origin(base, origin);
    *byte = (size_t)(o.host - base) + 1;
    return o.host_size == 0 ? "expected a host" : NULL;
  }
  if (size == 0 || (base[0] == '/' && (size == 1 || base[1] != '/')))
    return NULL;
  return "expected an empty text, a path that begins with a single \"/\", or scheme://host";
}

const char *ep_url_base_fault(const char *base, size_t size, size_t *byte) {
  for (size_t i = 0; i < size; i++) {
    *byte = i + 1;
    if (ep_is(base[i], EP_CONTROL))
      return "control character";
    if (base[i] == '{' || base[i] == '}')
      return "a base address is no template";
    if (base[i] == '#')
      return "a base address has no fragment";
  }
  return start_fault(base, size, byte);
}

size_t ep_url_path_size(const char *url, size_t size) {
  size_t i = 0;
  while (i < size && !ep_url_ends_path(url[i]))
    i++;
  return i;
}

/* The offset behind the first occurrence of a mark; 0 if there is none. */
static size_t behind(const char *text, size_t size, const char *mark) {
  size_t length = strlen(mark);
  for (size_t i = 0; i + length <= size; i++)
    if (memcmp(text + i, mark, length) == 0)
      return i + length;
  return 0;
}

/* Where userinfo may begin: behind a scheme and its slashes of either kind, behind "//", or
 * at the start. A path has none: then it is the end. */
static size_t userinfo_begin(const char *text, size_t size) {
  size_t scheme = ep_url_scheme(text, size), at = scheme;
  while (at < size && (text[at] == '/' || text[at] == '\\'))
    at++;
  if (at == scheme)
    return 0;
  return scheme == 0 && at == 1 ? size : at;
}

/* The bytes before the last "@" from an offset on and before "/", "?" and "#". An "@" behind
 * "{" is an operator, which a malformed template may hold. */
static size_t userinfo_size(const char *text, size_t size, size_t begin) {
  size_t found = 0;
  for (size_t at = begin; at < size && !ep_url_ends_authority(text[at]); at++)
    if (text[at] == '@' && !(at > 0 && text[at - 1] == '{'))
      found = at - begin;
  return found;
}

/* Else that of a URL further behind. */
size_t ep_url_userinfo(const char *text, size_t size, size_t *begin) {
  size_t found;
  *begin = userinfo_begin(text, size);
  found = userinfo_size(text, size, *begin);
  if (found > 0)
    return found;
  *begin = behind(text, size, "://");
  return *begin > 0 ? userinfo_size(text, size, *begin) : 0;
}
