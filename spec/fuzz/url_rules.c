#include "url_rules.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void violated(const char *property, Text text) {
  fprintf(stderr, "violated: %s: ", property);
  fwrite(text.bytes, 1, text.size, stderr);
  fputc('\n', stderr);
  abort();
}

void demand(bool holds, const char *property, Text text) {
  if (!holds)
    violated(property, text);
}

/* --- texts ------------------------------------------------------------------------ */

bool is_letter(char byte) {
  return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

bool is_one_of(char byte, const char *set) {
  return byte && strchr(set, byte);
}

static bool is_hex(char byte) {
  return is_digit(byte) || (byte >= 'A' && byte <= 'F') || (byte >= 'a' && byte <= 'f');
}

static bool is_upper_hex(char byte) {
  return is_digit(byte) || (byte >= 'A' && byte <= 'F');
}

static char lower(char byte) {
  return byte >= 'A' && byte <= 'Z' ? (char)(byte + 0x20) : byte;
}

bool begins_with(Text text, Text start) {
  return text.size >= start.size && memcmp(text.bytes, start.bytes, start.size) == 0;
}

bool ends_with(Text text, const char *end) {
  size_t size = strlen(end);
  return text.size >= size && memcmp(text.bytes + text.size - size, end, size) == 0;
}

static Text from(Text text, size_t at) {
  Text rest = {text.bytes + at, text.size - at};
  return rest;
}

static Text up_to(Text text, size_t end) {
  Text start = {text.bytes, end};
  return start;
}

/* The offset of the first of these bytes, from an offset on, or the end if there is none. */
static size_t find_one(Text text, size_t at, const char *set) {
  while (at < text.size && !is_one_of(text.bytes[at], set))
    at++;
  return at;
}

static size_t count(Text text, const char *needle) {
  size_t found = 0, size = strlen(needle);
  for (size_t i = 0; i + size <= text.size; i++)
    found += memcmp(text.bytes + i, needle, size) == 0;
  return found;
}

bool holds(Text text, const char *needle) {
  return count(text, needle) > 0;
}

/* --- characters --------------------------------------------------------------------- */

static bool is_triplet(Text text, size_t at) {
  return at + 2 < text.size && text.bytes[at] == '%' && is_hex(text.bytes[at + 1]) &&
         is_hex(text.bytes[at + 2]);
}

/* RFC 3986: unreserved, gen-delims, sub-delims. */
static bool is_url_byte(char byte) {
  return is_letter(byte) || is_digit(byte) || is_one_of(byte, "-._~:/?#[]@!$&'()*+,;=");
}

void check_bytes(Text url, bool upper) {
  for (size_t i = 0; i < url.size; i++) {
    if (url.bytes[i] == '%') {
      demand(is_triplet(url, i), "every % begins a triplet", url);
      demand(!upper || (is_upper_hex(url.bytes[i + 1]) && is_upper_hex(url.bytes[i + 2])),
             "triplets are upper-case", url);
    } else {
      demand(is_url_byte(url.bytes[i]), "a URL holds only what RFC 3986 allows", url);
    }
  }
}

/* Encodes a literal as RFC 6570 section 3.1 says. The text is good until the next call. */
static Text encode(Text text) {
  static char encoded[3 * SCRATCH + 1];
  Text out = {encoded, 0};
  demand(text.size <= SCRATCH, "the harness has room to encode", out);
  for (size_t i = 0; i < text.size; i++) {
    if (is_url_byte(text.bytes[i]) || is_triplet(text, i))
      encoded[out.size++] = text.bytes[i];
    else
      out.size += (size_t)snprintf(encoded + out.size, 4, "%%%02X", (unsigned char)text.bytes[i]);
  }
  return out;
}

/* --- origins ------------------------------------------------------------------------ */

/* The bytes of scheme: at the start, or 0. */
static size_t scheme_size(Text url) {
  size_t i = 0;
  if (url.size == 0 || !is_letter(url.bytes[0]))
    return 0;
  while (i < url.size &&
         (is_letter(url.bytes[i]) || is_digit(url.bytes[i]) || is_one_of(url.bytes[i], "+-.")))
    i++;
  return i < url.size && url.bytes[i] == ':' ? i + 1 : 0;
}

size_t absolute_size(Text url) {
  size_t scheme = scheme_size(url);
  return scheme > 0 && url.size - scheme >= 2 && memcmp(url.bytes + scheme, "//", 2) == 0
             ? scheme + 2
             : 0;
}

/* The authority without userinfo. */
static Text host_and_port(Text url) {
  size_t at = absolute_size(url), end = find_one(url, at, "/?#");
  Text found = {url.bytes + at, end - at};
  for (size_t i = at; i < end; i++)
    if (url.bytes[i] == '@')
      found = from(up_to(url, end), i + 1);
  return found;
}

static size_t host_size(Text host_and_port) {
  size_t at = 0;
  if (host_and_port.size > 0 && host_and_port.bytes[0] == '[')
    at = find_one(host_and_port, 0, "]");
  return find_one(host_and_port, at, ":");
}

/* The default port of a scheme, which is in lower case and ends in ":". NULL for a scheme
 * whose URLs need no host. */
static const char *default_port(const char *scheme) {
  static const char *const known[][2] = {
      {"http:", "80"}, {"https:", "443"}, {"ws:", "80"}, {"wss:", "443"}, {"ftp:", "21"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(scheme, known[i][0]) == 0)
      return known[i][1];
  return NULL;
}

/* The default port of the URL's scheme, or NULL. */
static const char *port_of(Text url) {
  char scheme[8] = "";
  size_t size = scheme_size(url);
  for (size_t i = 0; i < size && size < sizeof scheme; i++)
    scheme[i] = lower(url.bytes[i]);
  return default_port(scheme);
}

/* Writes the origin so that equal origins are equal texts. A URL that is not absolute has
 * an empty one. */
static Text write_origin(char *out, Text url) {
  const char *standard = port_of(url);
  Text encoded = encode(up_to(url, find_one(url, absolute_size(url), "/?#{")));
  Text host = host_and_port(encoded), port = from(host, host_size(host)), origin = {out, 0};
  if (absolute_size(url) == 0)
    return origin;
  for (size_t i = 0; i < scheme_size(url); i++)
    out[origin.size++] = lower(url.bytes[i]);
  for (size_t i = 0; i < host.size - port.size; i++)
    out[origin.size++] = lower(host.bytes[i]);
  if (port.size > 0)
    port = from(port, 1);
  while (port.size > 1 && port.bytes[0] == '0')
    port = from(port, 1);
  if (standard && port.size == strlen(standard) && memcmp(port.bytes, standard, port.size) == 0)
    return origin;
  if (port.size > 0)
    out[origin.size++] = ':';
  for (size_t i = 0; i < port.size; i++)
    out[origin.size++] = lower(port.bytes[i]);
  return origin;
}

bool same_origin(Text a, Text b) {
  static char one[3 * SCRATCH + 2], other[3 * SCRATCH + 2];
  Text a_origin = write_origin(one, a), b_origin = write_origin(other, b);
  return a_origin.size > 0 && a_origin.size == b_origin.size && begins_with(a_origin, b_origin);
}

/* Does the URL lack the host that its scheme needs? */
static bool lacks_host(Text url) {
  return port_of(url) && (absolute_size(url) == 0 || host_size(host_and_port(url)) == 0);
}

/* --- templates ---------------------------------------------------------------------- */

/* The offset behind the expression that begins at an offset. */
static size_t skip_expression(Text template, size_t at) {
  size_t end = find_one(template, at, "}");
  return end < template.size ? end + 1 : end;
}

static char operator_at(Text template, size_t at) {
  char byte = at + 1 < template.size ? template.bytes[at + 1] : 0;
  return is_one_of(byte, "+#./;?&") ? byte : ' ';
}

static bool begins_with_expression(Text template) {
  return template.size > 1 &&
         (template.bytes[0] == '{' ||
          (template.bytes[0] == ':' && (is_letter(template.bytes[1]) || template.bytes[1] == '_')));
}

bool is_open(Text template) {
  size_t authority = absolute_size(template), at = find_one(template, authority, "/?#{");
  if (at == authority && (at == template.size || template.bytes[at] == '{'))
    return true; /* there is no literal */
  if (at == template.size || template.bytes[at] != '{')
    return false;
  while (at < template.size && template.bytes[at] == '{') {
    if (!is_one_of(operator_at(template, at), "/?#+"))
      return true;
    at = skip_expression(template, at);
  }
  return at < template.size && !is_one_of(template.bytes[at], "/?#");
}

/* Has the variable that begins at an offset of an expression that name? */
static bool is_named(Text template, size_t at, Text name, bool is_cut) {
  size_t end = at + name.size;
  return begins_with(from(template, at), name) &&
         (is_cut || end == template.size || is_one_of(template.bytes[end], ",:*}"));
}

static bool is_word(char byte) {
  return is_letter(byte) || is_digit(byte) || byte == '_';
}

bool has_variable(Text template, Text name, bool is_cut) {
  for (size_t at = 0; at < template.size; at++) {
    size_t next = at + 1 + (template.bytes[at] == '{' && operator_at(template, at) != ' ');
    if (template.bytes[at] == '{') {
      for (; next < template.size && template.bytes[next - 1] != '}';
           next = find_one(template, next, ",}") + 1)
        if (is_named(template, next, name, is_cut))
          return true;
      at = skip_expression(template, at) - 1;
    } else if (template.bytes[at] == ':' && begins_with(from(template, next), name) &&
               (is_cut || next + name.size == template.size ||
                !is_word(template.bytes[next + name.size]))) {
      return true;
    }
  }
  return false;
}

/* --- hosts -------------------------------------------------------------------------- */

/* Behind an expression that may end the authority only literal text of the template may lie
 * in the authority. Does the authority of the URL, which ends at `url_end`, obey this? The
 * expression begins at `at` in the template, and at `written` in the URL. */
static bool is_own_authority(Text url, size_t url_end, Text template, size_t at, size_t written) {
  for (;;) {
    Text piece;
    if (is_one_of(operator_at(template, at), "/?#+") && written == url_end)
      return true;
    at = skip_expression(template, at);
    piece = encode(from(up_to(template, find_one(template, at, "/?#{")), at));
    if (!begins_with(from(url, written), piece))
      return false;
    written += piece.size;
    at = find_one(template, at, "/?#{");
    if (at == template.size || template.bytes[at] != '{')
      return written == url_end;
  }
}

/* A plain expression writes none of these into a host, also not encoded. */
static void check_host_escapes(Text url, size_t url_end, Text template) {
  static const char *const escapes[] = {"%40", "%5C", "%2F", "%3F", "%23"};
  if (holds(template, "{+") || holds(template, "{.") || holds(template, "{;") ||
      holds(template, "{&"))
    return;
  for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
    demand(count(up_to(url, url_end), escapes[i]) <= count(encode(template), escapes[i]),
           "a value that is a part of a host holds no delimiter", url);
}

/* The template names the host. The literal text of its authority is in the URL unchanged,
 * and values do not change the host. */
static void check_own_host(Text url, Text template) {
  size_t authority = absolute_size(template), at = find_one(template, authority, "/?#{");
  bool is_literal = at == template.size || template.bytes[at] != '{';
  size_t written = encode(up_to(template, at)).size, end = find_one(url, authority, "/?#");
  demand(begins_with(url, encode(up_to(template, at))), "the literal start of the host stays", url);
  if (is_literal || !is_open(template))
    demand(end == written, "the host ends where it did", url);
  else if (at > authority && is_one_of(operator_at(template, at), "/?#+"))
    demand(is_own_authority(url, end, template, at, written), "no value lies behind the host", url);
  demand(count(up_to(url, end), "@") <= count(template, "@"), "values bring no userinfo", url);
  check_host_escapes(url, end, template);
}

/* The query of the base address stands first in the query of the URL. */
static void check_base_query(Text url, Text query) {
  Text start = encode(query), own;
  size_t at = find_one(url, 0, "?#");
  if (start.size == 0)
    return;
  demand(at < url.size && url.bytes[at] == '?', "the base's query is on every request", url);
  own = from(up_to(url, find_one(url, at, "#")), at + 1);
  demand(begins_with(own, start), "the base's query stands first", url);
  demand(own.size == start.size || own.bytes[start.size] == '&' || ends_with(start, "&"),
         "the URL's own query is parted from the base's", url);
}

/* The base address names the host, or is a path. */
static void check_base(Text url, Text base) {
  size_t path = find_one(base, 0, "?");
  Text start = encode(up_to(base, path));
  if (ends_with(start, "/"))
    start.size--;
  demand(begins_with(url, start), "a URL begins with its base", url);
  demand(url.size == start.size || is_one_of(url.bytes[start.size], "/?#"),
         "the base's host ends where it did", url);
  demand(absolute_size(base) == 0 || host_size(host_and_port(base)) > 0, "a base has a host", url);
  if (path < base.size)
    check_base_query(url, from(base, path + 1));
}

static void check_host(Text url, Text template, Text base) {
  bool names_host = url.size > 1 && memcmp(url.bytes, "//", 2) == 0;
  demand(!lacks_host(url), "a URL has a host", url);
  if (absolute_size(template) > 0) {
    check_own_host(url, template);
    return;
  }
  if (base.size > 0)
    check_base(url, base);
  if (base.size > 0 || !begins_with_expression(template)) {
    demand(!names_host, "values name no host", url);
    demand(absolute_size(base) > 0 || absolute_size(url) == 0, "values make no scheme", url);
  }
}

/* --- segments ----------------------------------------------------------------------- */

/* The size of the byte or triplet at an offset if it stands for the given byte, or 0. */
static size_t spelled_size(Text text, size_t at, char byte, const char *triplet) {
  if (at < text.size && text.bytes[at] == byte)
    return 1;
  return is_triplet(text, at) && text.bytes[at + 1] == triplet[0] &&
                 lower(text.bytes[at + 2]) == triplet[1]
             ? 3
             : 0;
}

static size_t dot_size(Text text, size_t at) {
  return spelled_size(text, at, '.', "2e");
}

/* Servers decode a path before they split it, and some take "\" for "/". */
static size_t separator_size(Text text, size_t at) {
  size_t slash = spelled_size(text, at, '/', "2f");
  return slash > 0 ? slash : spelled_size(text, at, '\\', "5c");
}

/* Does the segment of a template or URL end here? It also ends where servers stop
 * reading it, and before an expression that does not belong to it. */
static bool ends_segment(Text text, size_t at) {
  if (at == text.size || is_one_of(text.bytes[at], "?#;") || separator_size(text, at) > 0)
    return true;
  return text.bytes[at] == '{' && is_one_of(operator_at(text, at), "/?#;&");
}

static bool is_dots(Text text, size_t at) {
  size_t one = at + dot_size(text, at), two = one + dot_size(text, one);
  return one > at && (ends_segment(text, one) || ends_segment(text, two));
}

/* Does the path end here? In a template it does not end at "{?" and "{#", which may write
 * nothing. */
static bool ends_path(Text text, size_t at) {
  return is_one_of(text.bytes[at], "?#") && !(at > 0 && text.bytes[at - 1] == '{');
}

/* How many segments of the path of a URL, or literal segments of a template, are "." or
 * ".."? */
static size_t count_dots(Text text) {
  size_t at = find_one(text, absolute_size(text), "/?#"), found = 0;
  if (absolute_size(text) == 0) {
    found = is_dots(text, 0);
    at = 0;
  }
  for (; at < text.size && !ends_path(text, at); at++)
    if (separator_size(text, at) > 0)
      found += is_dots(text, at + separator_size(text, at));
  return found;
}

/* Does any expression of the template have an operator? */
static bool has_operator(Text template) {
  for (size_t i = 0; i + 1 < template.size; i++)
    if (template.bytes[i] == '{' && operator_at(template, i) != ' ')
      return true;
  return false;
}

/* Without operators, and without "//" in a literal, there is no empty segment. */
static void check_empty_segments(Text url, Text template, Text base) {
  Text path = from(up_to(url, find_one(url, 0, "?#")), absolute_size(url));
  if (has_operator(template) || holds(from(template, absolute_size(template)), "//") ||
      holds(from(base, absolute_size(base)), "//"))
    return;
  demand(!holds(path, "//"), "no segment vanishes", url);
}

void check_url(Text url, Text template, Text base, bool upper) {
  check_bytes(url, upper);
  check_host(url, template, base);
  demand(count_dots(url) <= count_dots(template) + count_dots(base), "no value makes a dot segment",
         url);
  check_empty_segments(url, template, base);
}
