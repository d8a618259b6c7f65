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

/* What stands at a place once triplets are decoded. */
typedef struct Decoded {
  unsigned char byte;
  unsigned rounds;  /* how many it took */
  const char *next; /* behind what has been read */
} Decoded;

/* Decodes what begins at `at`, in rounds. What a round makes of a triplet may begin another one, or
 * be a digit of one; URL parsers delete TAB, LF and CR in front of a digit. The time is linear:
 * where a triplet is not completed, its "%" and at most `most` others have read on in vain. */
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

EpMark ep_mark_encoded(const char *at, const char *end, const char **next) {
  enum { ROUNDS = 8 };
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
} special[] = {{{"http:", 5}, 80},
               {{"https:", 6}, 443},
               {{"ws:", 3}, 80},
               {{"wss:", 4}, 443},
               {{"ftp:", 4}, 21}};

enum { SPECIAL_COUNT = sizeof special / sizeof *special };

bool ep_url_is_special(EpSlice url) {
  url.size = ep_url_scheme(url);
  for (size_t i = 0; url.size > 0 && i < SPECIAL_COUNT; i++)
    if (ep_equals_ignoring_case(url, special[i].scheme))
      return true;
  return false;
}

/* Where the byte stands between two places; the second of them if it does not. */
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

bool ep_url_is_at(EpSlice url, EpSlice home) {
  const EpOrigin one = ep_url_read_origin(url), other = ep_url_read_origin(home);
  const int port = ep_url_port(&one);
  return ep_equals_ignoring_case(one.scheme, other.scheme) &&
         ep_equals_ignoring_case(one.host, other.host) &&
         (ep_slice_equals(one.port, other.port) ||
          (port <= EP_URL_GREATEST_PORT && port == ep_url_port(&other))) &&
         (one.userinfo.size == 0 || ep_slice_equals(one.userinfo, other.userinfo));
}

const char *ep_url_authority_fault(EpSlice authority, bool needs_host, size_t *offset) {
  const char *at = authority.bytes, *end = ep_slice_end(authority), *host = at, *triplet = NULL;
  const char *fault = NULL;
  for (; !fault && (at = ep_skip_unreserved(at, end)) < end; at++) {
    if (*at == '{') {
      /* GCOVR_EXCL_BR_START: a template's expressions are closed, and a base has none */
      while (at < end && *at != '}')
        at++;
      /* GCOVR_EXCL_BR_STOP */
    } else if (*at == '@' && host == authority.bytes) {
      host = at + 1;
      triplet = NULL;
    } else if (ep_percent_triplet(at, end)) {
      triplet = triplet ? triplet : at;
      at += 2;
    } else if (*at == '@' || !ep_is(*at, EP_UNRESERVED | EP_RESERVED)) {
      fault = "this byte cannot stand in an authority (RFC 3986 section 3.2)";
      triplet = at;
    }
  }
  if (triplet && !fault)
    fault = "a host holds no triplets";
  *offset = (size_t)((triplet ? triplet : host) - authority.bytes);
  if (!fault && needs_host && (host == end || *host == ':'))
    fault = "expected a host";
  return fault;
}

static const char *byte_fault(char byte) {
  if (ep_is(byte, EP_CONTROL))
    return "control character";
  if (byte == '{' || byte == '}')
    return "a base address is no template";
  if (byte == '?')
    return "a base address has no query (write {?name} in the route, with the value in defaults)";
  return byte == '#' ? "a base address has no fragment" : NULL;
}

/* A base address begins with a host, with a single "/", or is empty. */
static const char *start_fault(EpSlice base, const EpOrigin *o, size_t *offset) {
  const char *brace = (const char *)memchr(base.bytes, '{', o->size), *fault = NULL;
  const size_t absolute = o->size > 0 ? o->scheme.size + 2 : 0;
  const EpSlice authority = {base.bytes + absolute, o->size - absolute};
  *offset = brace ? (size_t)(brace - base.bytes) : 0;
  if (brace)
    return byte_fault(*brace);
  if (absolute > 0)
    fault = ep_url_authority_fault(authority, true, offset);
  else if (base.size > 0 && (*base.bytes != '/' || ep_slice_begins_with(base, EP_SLICE("//"))))
    fault = "expected an empty text, a path that begins with a single \"/\", or scheme://host";
  *offset += absolute;
  return fault;
}

/* Reads on from an offset, every byte, for what a mark holds may be wrong. */
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
