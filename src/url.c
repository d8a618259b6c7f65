/* Scheme, base address, dot segments and userinfo (RFC 3986). */
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

bool ep_url_is_special(const char *scheme, size_t size) {
  static const char *const special[] = {"http:", "https:", "ws:", "wss:", "ftp:", "file:"};
  for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
    size_t same = 0;
    while (same < size && special[i][same] && (scheme[same] | 0x20) == (special[i][same] | 0x20))
      same++;
    if (same == size && !special[i][same])
      return true;
  }
  return false;
}

/* Where the host of an absolute URL begins, behind the userinfo. */
static size_t host_offset(const char *url, size_t size, size_t authority) {
  size_t host = authority;
  for (size_t i = authority; i < size && url[i] != '/'; i++)
    if (url[i] == '@')
      host = i + 1;
  return host;
}

static const char *start_fault(const char *base, size_t size, size_t *byte) {
  size_t authority = ep_url_absolute(base, size);
  size_t host = host_offset(base, size, authority);
  *byte = authority > 0 ? host + 1 : 1;
  if (authority > 0)
    return host == size || base[host] == '/' || base[host] == ':' ? "expected a host" : NULL;
  if (size == 0 || (base[0] == '/' && (size == 1 || base[1] != '/')))
    return NULL;
  return "expected nothing, a path that begins with a single \"/\", or scheme://host";
}

const char *ep_url_base_fault(const char *base, size_t size, size_t *byte) {
  for (size_t i = 0; i < size; i++) {
    *byte = i + 1;
    if (ep_is(base[i], EP_CONTROL))
      return "control character";
    if (base[i] == '{' || base[i] == '}')
      return "a base address is no template";
    if (base[i] == '?' || base[i] == '#')
      return "a base address has neither query nor fragment";
  }
  return start_fault(base, size, byte);
}

/* Steps over one "." in either spelling; the same place if there is none. */
static const char *skip_dot(const char *text, const char *end) {
  if (text < end && *text == '.')
    return text + 1;
  if (end - text >= 3 && text[0] == '%' && text[1] == '2' && (text[2] == 'e' || text[2] == 'E'))
    return text + 3;
  return text;
}

static bool ends_segment(const char *text, const char *end) {
  return text == end || *text == '/' || *text == ';' || *text == '?' || *text == '#';
}

bool ep_url_is_dots(const char *text, const char *end) {
  const char *one = skip_dot(text, end);
  return one != text && (ends_segment(one, end) || ends_segment(skip_dot(one, end), end));
}

/* The offset behind the first occurrence of a mark; 0 if there is none. */
static size_t behind(const char *text, size_t size, const char *mark) {
  size_t length = strlen(mark);
  for (size_t i = 0; i + length <= size; i++)
    if (memcmp(text + i, mark, length) == 0)
      return i + length;
  return 0;
}

size_t ep_url_userinfo(const char *text, size_t size, size_t *begin) {
  size_t at = behind(text, size, "://"), found = 0;
  if (at == 0)
    at = behind(text, size, "//");
  *begin = at;
  for (; at > 0 && at < size && text[at] != '/'; at++)
    if (text[at] == '@')
      found = at - *begin;
  return found;
}
