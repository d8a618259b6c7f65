/* Scheme, origin, host, base address and userinfo (RFC 3986). */
#include "url.h"

static bool is_letter(char byte) {
  return ep_is(byte, EP_WORD) && !ep_is(byte, EP_DIGIT) && byte != '_';
}

static bool is_scheme_byte(char byte) {
  return is_letter(byte) || ep_is(byte, EP_DIGIT) || byte == '+' || byte == '-' || byte == '.';
}

size_t ep_url_scheme(EpSlice url) {
  size_t i = 0;
  if (url.size == 0 || !is_letter(url.bytes[0]))
    return 0;
  while (i < url.size && is_scheme_byte(url.bytes[i]))
    i++;
  return i < url.size && url.bytes[i] == ':' ? i + 1 : 0;
}

size_t ep_url_absolute(EpSlice url) {
  size_t scheme = ep_url_scheme(url);
  if (scheme == 0 || !ep_slice_begins_with(ep_slice_from(url, scheme), EP_SLICE("//")))
    return 0;
  return scheme + 2;
}

static const struct {
  EpSlice scheme, port;
} special[] = {{{"http:", 5}, {"80", 2}},
               {{"https:", 6}, {"443", 3}},
               {{"ws:", 3}, {"80", 2}},
               {{"wss:", 4}, {"443", 3}},
               {{"ftp:", 4}, {"21", 2}}};

enum { SPECIAL_COUNT = sizeof special / sizeof *special };

bool ep_url_is_special(EpSlice url) {
  url.size = ep_url_scheme(url);
  for (size_t i = 0; url.size > 0 && i < SPECIAL_COUNT; i++)
    if (ep_equals_ignoring_case(url, special[i].scheme))
      return true;
  return false;
}

size_t ep_url_origin_size(EpSlice url) {
  size_t end = ep_url_absolute(url);
  return end > 0 ? end + ep_url_authority_size(ep_slice_from(url, end)) : 0;
}

/* The parts of an absolute URL's origin. */
typedef struct Origin {
  EpSlice scheme, host, port; /* the scheme with its ":" */
} Origin;

/* Takes leading zeros away, and the scheme's default port. */
static void normalize_port(Origin *o) {
  while (o->port.size > 1 && *o->port.bytes == '0')
    o->port = ep_slice_from(o->port, 1);
  for (size_t i = 0; i < SPECIAL_COUNT; i++)
    if (ep_equals_ignoring_case(o->scheme, special[i].scheme) &&
        ep_slice_equals(o->port, special[i].port))
      o->port.size = 0;
}

/* Reads "scheme://userinfo@host:port". A host in brackets holds ":", as "[::1]" does. */
static Origin read_origin(EpSlice url) {
  Origin o = {{url.bytes, ep_url_scheme(url)}, {NULL, 0}, {NULL, 0}};
  const char *at = url.bytes + o.scheme.size + 2, *end = ep_slice_end(url), *host = at;
  for (; at < end; at++)
    if (*at == '@')
      host = at + 1;
  at = host;
  if (at < end && *at == '[')
    while (at < end && *at != ']')
      at++;
  while (at < end && *at != ':')
    at++;
  o.host = ep_slice(host, (size_t)(at - host));
  if (at < end)
    at++;
  o.port = ep_slice(at, (size_t)(end - at));
  return o;
}

bool ep_url_same_origin(EpSlice a, EpSlice b) {
  Origin one, other;
  a.size = ep_url_origin_size(a);
  b.size = ep_url_origin_size(b);
  if (a.size == 0 || b.size == 0)
    return false;
  one = read_origin(a);
  other = read_origin(b);
  normalize_port(&one);
  normalize_port(&other);
  return ep_equals_ignoring_case(one.scheme, other.scheme) &&
         ep_equals_ignoring_case(one.host, other.host) && ep_slice_equals(one.port, other.port);
}

bool ep_url_lacks_host(EpSlice url) {
  if (!ep_url_is_special(url))
    return false;
  url.size = ep_url_origin_size(url);
  return url.size == 0 || read_origin(url).host.size == 0;
}

static const char *start_fault(EpSlice base, size_t *byte) {
  size_t origin = ep_url_origin_size(base);
  *byte = 1;
  if (origin > 0) {
    Origin o = read_origin(ep_slice(base.bytes, origin));
    *byte = (size_t)(o.host.bytes - base.bytes) + 1;
    return o.host.size == 0 ? "expected a host" : NULL;
  }
  if (base.size == 0 || (base.bytes[0] == '/' && (base.size == 1 || base.bytes[1] != '/')))
    return NULL;
  return "expected an empty text, a path that begins with a single \"/\", or scheme://host";
}

const char *ep_url_base_fault(EpSlice base, size_t *byte) {
  for (size_t i = 0; i < base.size; i++) {
    const char at = base.bytes[i];
    *byte = i + 1;
    if (ep_is(at, EP_CONTROL))
      return "control character";
    if (at == '{' || at == '}')
      return "a base address is no template";
    if (at == '#')
      return "a base address has no fragment";
  }
  return start_fault(base, byte);
}

size_t ep_url_path_size(EpSlice url) {
  size_t i = 0;
  while (i < url.size && !ep_url_ends_path(url.bytes[i]))
    i++;
  return i;
}

/* The offset behind the next "//" and further slashes; the end of the text without one. */
static size_t behind_slashes(EpSlice text, size_t at) {
  while (at < text.size && !ep_slice_begins_with(ep_slice_from(text, at), EP_SLICE("//")))
    at++;
  while (at < text.size && text.bytes[at] == '/')
    at++;
  return at;
}

/* Where userinfo may begin first: behind a scheme and slashes of either kind, behind "//", or at
 * the start. A path that begins with a single slash has none there. */
static size_t userinfo_begin(EpSlice text) {
  size_t scheme = ep_url_scheme(text), at = scheme;
  while (at < text.size && (text.bytes[at] == '/' || text.bytes[at] == '\\'))
    at++;
  if (at == scheme)
    return 0;
  return scheme == 0 && at == 1 ? behind_slashes(text, at) : at;
}

/* The bytes from an offset on before the last "@" that no "/", "?" or "#" precedes. */
static size_t userinfo_size(EpSlice text, size_t begin) {
  size_t found = 0;
  for (size_t at = begin; at < text.size && !ep_url_ends_authority(text.bytes[at]); at++)
    if (text.bytes[at] == '@')
      found = at - begin;
  return found;
}

size_t ep_url_userinfo(EpSlice text, size_t *begin) {
  size_t found = 0;
  for (*begin = userinfo_begin(text); *begin < text.size; *begin = behind_slashes(text, *begin))
    if ((found = userinfo_size(text, *begin)) > 0)
      break;
  return found;
}
