/* SPDX-License-Identifier: MIT */
#include "url.h"

/* --- segments ------------------------------------------------------------------- */

const char ep_marks[] =
    /* clang-format off */
    "bbbbbbbbbddbbdbbbbbbbbbbbbbbbbbb"
    "btt?t%tttttttt./ttttttttttt;ttt?"
    "tttttttttttttttttttttttttttt/ttt"
    "tttttttttttttttttttttttttttttttb"
    "tttttttttttttttttttttttttttttttt"
    "tttttttttttttttttttttttttttttttt"
    "tttttttttttttttttttttttttttttttt"
    "tttttttttttttttttttttttttttttttt";
/* clang-format on */

/* A byte of a URL whose triplets are decoded. */
typedef struct Decoded {
  unsigned char byte;
  unsigned rounds;  /* number of times that a triplet was decoded */
  const char *next; /* the place after what was read */
} Decoded;

/* Decodes what begins at `at`, in at most `most` rounds. The byte that a triplet encodes may be the
 * "%" or a digit of another triplet. URL parsers delete TAB, LF and CR before a digit, so these are
 * skipped there. The time is linear: if a triplet turns out to be incomplete, only its "%" and at
 * most `most` others have read ahead in vain. */
static Decoded decode(const char *at, const char *end, unsigned most) {
  Decoded d = {(unsigned char)*at, 0, at + 1}, digit;
  while (d.byte == '%' && d.rounds < most) {
    unsigned value = 0, rounds = d.rounds, digits = 0;
    for (digit = d; digits < 2 && digit.next < end;) {
      digit = decode(digit.next, end, most - 1);
      rounds = digit.rounds > rounds ? digit.rounds : rounds;
      if (ep_is(digit.byte, EP_HEX)) {
        value = 16 * value + ep_hex_value((char)digit.byte);
        digits++;
      } else if (ep_marks[digit.byte] != EP_MARK_DELETED) {
        break;
      }
    }
    if (digits < 2)
      break;
    d = digit;
    d.byte = (unsigned char)value;
    d.rounds = rounds + 1;
  }
  return d;
}

enum { ROUNDS = 8 };

EpMark ep_mark_encoded(const char *at, const char *end, const char **next) {
  const Decoded d = decode(at, end, ROUNDS);
  *next = d.next;
  return d.byte == '%' ? EP_MARK_TEXT : (EpMark)ep_marks[d.byte];
}

size_t ep_segment_dots(const char *at, const char *end) {
  const char *const begin = at, *next;
  EpMark mark = EP_MARK_DOT;
  int dots = 0;
  for (; at < end; at = next) {
    mark = ep_mark_read(at, end, &next);
    if (mark != EP_MARK_DOT && (mark != EP_MARK_DELETED || dots > 0))
      break;
    dots += mark == EP_MARK_DOT;
  }
  return dots > 0 && dots <= 2 && (at == end || mark != EP_MARK_TEXT) ? (size_t)(at - begin) : 0;
}

/* What is wrong with a byte that is neither unreserved nor "/"; NULL if nothing is. */
static const char *raw_fault(const char *at, const char *end) {
  if (*at == '%')
    return ep_percent_triplet(at, end) ? NULL : "has a % without two digits";
  return ep_is(*at, EP_CONTROL) || memchr(" \\?#", *at, 4) ? "has a byte that no path has" : NULL;
}

/* The same for a byte that a triplet encodes. */
static const char *encoded_fault(unsigned char byte) {
  if (ep_marks[byte] == EP_MARK_SEPARATOR)
    return "has an encoded slash";
  return ep_is(byte, EP_CONTROL) ? "has an encoded control character" : NULL;
}

/* Only a triplet that encodes a separator is skipped as a whole: the text of another may begin
 * further triplets. */
const char *ep_segments_fault(EpSlice path, bool has_slashes) {
  const char *const end = ep_slice_end(path);
  const char *at = path.bytes, *segment = at, *fault = NULL;
  while (!fault && at < end) {
    const char *const next = ep_skip_unreserved(at, end);
    if (at == segment && ep_segment_dots(at, end) > 0) {
      fault = "has a dot segment";
    } else if (next > at) {
      at = next;
    } else if (*at == '/') {
      fault = at > path.bytes && at[-1] == '/' ? "has an empty segment" : NULL;
      segment = ++at;
    } else if (!(fault = raw_fault(at, end)) && *at == '%') {
      const Decoded d = decode(at, end, ROUNDS);
      fault = has_slashes ? NULL : encoded_fault(d.byte);
      at += 3;
      if (ep_marks[d.byte] == EP_MARK_SEPARATOR)
        segment = at = d.next;
    } else {
      at++;
    }
  }
  return fault;
}

/* --- the start -------------------------------------------------------------------- */

size_t ep_url_scheme(EpSlice url) {
  size_t i = 0;
  if (url.size == 0 || ep_lower_byte(*url.bytes) < 'a' || ep_lower_byte(*url.bytes) > 'z')
    return 0;
  while (i < url.size &&
         ((ep_is(url.bytes[i], EP_WORD) && url.bytes[i] != '_') || memchr("+-.", url.bytes[i], 3)))
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
  EpSlice scheme;
  int port;
} special[] = {{EP_SLICE_OF("http:"), 80},
               {EP_SLICE_OF("https:"), 443},
               {EP_SLICE_OF("ws:"), 80},
               {EP_SLICE_OF("wss:"), 443},
               {EP_SLICE_OF("ftp:"), 21}};

enum { SPECIAL_COUNT = sizeof special / sizeof *special };

bool ep_url_is_special(EpSlice url) {
  url.size = ep_url_scheme(url);
  for (size_t i = 0; url.size > 0 && i < SPECIAL_COUNT; i++)
    if (ep_equals_ignoring_case(url, special[i].scheme))
      return true;
  return false;
}

/* The first place of the byte from `at` on; `end` if the byte is not there. */
static const char *find_byte(const char *at, const char *end, char byte) {
  const char *found = (const char *)memchr(at, byte, (size_t)(end - at));
  return found ? found : end;
}

EpOrigin ep_url_read_origin(EpSlice url) {
  EpOrigin o = {ep_url_absolute(url), {url.bytes, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
  const char *const begin = url.bytes + o.size, *const stop = ep_slice_end(url);
  const char *end = begin, *host = begin, *port;
  if (o.size == 0)
    return o;
  for (; (end = ep_skip_unreserved(end, stop)) < stop && *end != '/' && !ep_url_ends_path(*end);
       end++)
    if (*end == '@')
      host = end + 1;
  port = host < end && *host == '[' ? find_byte(host, end, ']') : host;
  port = find_byte(port, end, ':');
  o.scheme.size = o.size - 2;
  o.size = (size_t)(end - url.bytes);
  o.userinfo = ep_slice(begin, (size_t)(host - begin));
  o.host = ep_slice(host, (size_t)(port - host));
  port += port < end;
  o.port = ep_slice(port, (size_t)(end - port));
  return o;
}

int ep_url_port(const EpOrigin *o) {
  int port = o->port.size > 0 ? 0 : -1;
  for (size_t i = 0; port < 0 && i < SPECIAL_COUNT; i++)
    if (ep_equals_ignoring_case(o->scheme, special[i].scheme))
      port = special[i].port;
  for (size_t i = 0; i < o->port.size && port <= EP_URL_GREATEST_PORT; i++) {
    const char byte = o->port.bytes[i];
    port = ep_is(byte, EP_DIGIT) ? 10 * port + (byte - '0') : EP_URL_GREATEST_PORT + 1;
  }
  return port;
}

const char *ep_url_difference(EpSlice url, EpSlice home) {
  const EpOrigin one = ep_url_read_origin(url), other = ep_url_read_origin(home);
  if (!ep_equals_ignoring_case(one.scheme, other.scheme))
    return "scheme";
  if (!ep_equals_ignoring_case(one.host, other.host))
    return "host";
  if (ep_url_port(&one) != ep_url_port(&other))
    return "port";
  if (one.userinfo.size > 0 && !ep_slice_equals(one.userinfo, other.userinfo))
    return "userinfo";
  return NULL;
}

/* --- authorities (RFC 3986 section 3.2) ---------------------------------------------- */

/* The place after an expression, whose "{" is at `at`. */
static const char *skip_expression(const char *at, const char *end) {
  const char *brace = find_byte(at, end, '}');
  return brace + (brace < end);
}

/* Is the byte allowed in a registered name (RFC 3986 section 3.2.2): unreserved or a sub-delim? */
static bool is_name_byte(char byte) {
  return ep_is(byte, EP_UNRESERVED | EP_RESERVED) && !memchr(":/?#[]@", byte, 7);
}

/* IPv4address (RFC 3986 section 3.2.2): four numbers up to 255, without leading zeros. Returns the
 * first byte that is wrong; NULL if the text is an IPv4address. */
static const char *ipv4_fault(const char *at, const char *end) {
  enum { OCTETS = 4, GREATEST_OCTET = 255 };
  for (int octet = 1;; octet++, at++) {
    const char *const begin = at;
    int value = 0;
    while (at < end && ep_is(*at, EP_DIGIT) && value <= GREATEST_OCTET &&
           (value > 0 || at == begin))
      value = 10 * value + (*at++ - '0');
    if (at == begin || value > GREATEST_OCTET)
      return at;
    if (octet == OCTETS)
      return at < end ? at : NULL;
    if (at == end || *at != '.')
      return at;
  }
}

/* IPv6address (RFC 3986 section 3.2.2): eight groups of up to four hexadecimal digits. "::" may
 * replace one or more groups of zeros, but only once. An IPv4address may replace the last two
 * groups. Returns the first byte that is wrong; NULL if the text is an IPv6address. */
static const char *ipv6_fault(const char *at, const char *end) {
  enum { GROUPS = 8, DIGITS = 4 };
  bool has_gap = ep_slice_begins_with(ep_slice(at, (size_t)(end - at)), EP_SLICE("::"));
  int groups = 0;
  at += has_gap ? 2 : 0;
  for (bool more = !has_gap || at < end; more;) {
    const char *const group = at;
    while (at < end && at - group < DIGITS && ep_is(*at, EP_HEX))
      at++;
    if (at == group)
      return at;
    if (at < end && *at == '.') {
      const char *fault = ipv4_fault(group, end);
      if (fault)
        return fault;
      at = end;
      groups++;
    }
    if (++groups > GROUPS - has_gap)
      return at;
    more = at < end && *at == ':';
    at += more;
    if (more && !has_gap && at < end && *at == ':') {
      has_gap = true;
      more = ++at < end;
    }
  }
  return at < end || (has_gap ? groups == GROUPS : groups < GROUPS) ? at : NULL;
}

/* Reads the address in brackets at `at`. Returns the place after it. If a byte is wrong, sets
 * *fault and returns the place of that byte. */
static const char *read_address(const char *at, const char *end, const char **fault) {
  const char *const close = find_byte(at, end, ']');
  const char *wrong = ipv6_fault(at + 1, close);
  if (close == end) {
    *fault = "\"[\" without \"]\"";
    return at;
  }
  if (wrong) {
    *fault = *wrong == '{' ? "an address in brackets has no expression (a host that a program "
                             "chooses is a baseUrl)"
                           : "expected an IPv6 address in the brackets (RFC 3986 section 3.2.2)";
    return wrong;
  }
  if (close + 1 < end && close[1] != ':')
    *fault = "expected only a port after the \"]\" of a host";
  return close + 1;
}

static const char *name_fault(const char *at, const char *end) {
  if (ep_percent_triplet(at, end))
    return "a host must not have triplets";
  if (*at == '@')
    return "expected one \"@\" at most (in a userinfo it is %40)";
  if (*at == '[' || *at == ']')
    return "\"[\" and \"]\" are only for an IPv6 address";
  return "this byte is not allowed in an authority (RFC 3986 section 3.2)";
}

/* Reads the registered name at `at`, as read_address does. */
static const char *read_name_of_host(const char *at, const char *end, const char **fault) {
  while ((at = ep_skip_unreserved(at, end)) < end && *at != ':')
    if (*at == '{') {
      at = skip_expression(at, end);
    } else if (is_name_byte(*at)) {
      at++;
    } else {
      *fault = name_fault(at, end);
      break;
    }
  return at;
}

/* Reads the port at `at`, as read_address does. Expressions are skipped: the digits that they write
 * cannot make the number of the other digits smaller. */
static const char *read_port(const char *at, const char *end, const char **fault) {
  int port = 0;
  while (at < end) {
    if (*at == '{') {
      at = skip_expression(at, end);
      continue;
    }
    port = ep_is(*at, EP_DIGIT) ? 10 * port + (*at - '0') : EP_URL_GREATEST_PORT + 1;
    if (port > EP_URL_GREATEST_PORT) {
      *fault = "expected a port of digits, at most 65535 (\"/\" in a userinfo is %2F)";
      break;
    }
    at++;
  }
  return at;
}

/* Reads a userinfo, as read_address does. */
static const char *read_userinfo(const char *at, const char *end, const char **fault) {
  while (at < end)
    if (*at == '{') {
      at = skip_expression(at, end);
    } else if (ep_percent_triplet(at, end)) {
      at += 3;
    } else if (*at == ':' || is_name_byte(*at)) {
      at++;
    } else {
      *fault = "in a userinfo this byte is written as a triplet (RFC 3986 section 3.2.1)";
      break;
    }
  return at;
}

const char *ep_url_authority_fault(EpSlice authority, bool needs_host, size_t *offset) {
  const char *const begin = authority.bytes, *const end = ep_slice_end(authority);
  const char *const sign = find_byte(begin, end, '@');
  const char *fault = NULL, *host = begin, *at = begin;
  if (sign < end) {
    at = read_userinfo(begin, sign, &fault);
    host = sign + 1;
  }
  if (!fault) {
    const bool is_address = host < end && *host == '[';
    at = (is_address ? read_address : read_name_of_host)(host, end, &fault);
  }
  if (!fault && needs_host && at == host)
    fault = "expected a host";
  if (!fault && at < end)
    at = read_port(at + 1, end, &fault);
  *offset = (size_t)(at - begin);
  return fault;
}

/* --- base addresses -------------------------------------------------------------------- */

static const char *byte_fault(char byte) {
  if (ep_is(byte, EP_CONTROL))
    return "a control character is not allowed";
  if (byte == '{' || byte == '}')
    return "a base address is not a template";
  if (byte == '?')
    return "a base address has no query (write {?name} in the route, with the value in defaults)";
  return byte == '#' ? "a base address has no fragment" : NULL;
}

/* A base address begins with a host, with a single "/", or is empty. */
static const char *start_fault(EpSlice base, const EpOrigin *o, size_t *offset) {
  const char *brace = (const char *)memchr(base.bytes, '{', o->size), *fault = NULL;
  const size_t absolute = o->size > 0 ? o->scheme.size + 2 : 0;
  *offset = brace ? (size_t)(brace - base.bytes) : 0;
  if (brace)
    return byte_fault(*brace);
  if (absolute > 0)
    fault = ep_url_authority_fault(ep_url_authority(o), true, offset);
  else if (base.size > 0 && (*base.bytes != '/' || ep_slice_begins_with(base, EP_SLICE("//"))))
    fault = "expected an empty string, a path that begins with a single \"/\", or scheme://host";
  *offset += absolute;
  return fault;
}

/* Checks every byte from an offset on. A mark is not skipped as a whole, since it may contain a
 * wrong byte. */
static const char *path_fault(EpSlice base, size_t *offset) {
  const char *at = base.bytes + *offset, *end = ep_slice_end(base), *next;
  const char *fault = NULL, *segment = NULL;
  for (; at < end && !fault; at++) {
    *offset = (size_t)(at - base.bytes);
    if (at == segment && (*at == '.' || *at == '%') && ep_segment_dots(at, end) > 0)
      return "a path segment must not be \".\" or \"..\"";
    if (!ep_is(*at, EP_UNRESERVED)) {
      fault = byte_fault(*at);
      segment = ep_mark_read(at, end, &next) == EP_MARK_SEPARATOR ? next : segment;
    }
  }
  return fault;
}

/* The path is read first, for a "?" or "{" in a text without a host says more than that. */
const char *ep_url_base_fault(EpSlice base, size_t *origin, size_t *byte) {
  const EpOrigin o = ep_url_read_origin(base);
  size_t offset = o.size;
  const char *fault = path_fault(base, &offset);
  if (!fault)
    fault = start_fault(base, &o, &offset);
  *origin = o.size;
  *byte = offset + 1;
  return fault;
}
