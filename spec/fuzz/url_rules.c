#include "url_rules.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void demand(bool holds, const char *property, Text text) {
  if (holds)
    return;
  fprintf(stderr, "violated: %s: ", property);
  fwrite(text.bytes, 1, text.size, stderr);
  fputc('\n', stderr);
  abort();
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

bool is_hex(char byte) {
  return is_digit(byte) || (byte >= 'A' && byte <= 'F') || (byte >= 'a' && byte <= 'f');
}

bool is_unreserved(char byte) {
  return is_letter(byte) || is_digit(byte) || is_one_of(byte, "-._~");
}

bool is_reserved(char byte) {
  return is_one_of(byte, ":/?#[]@!$&'()*+,;=");
}

char lower(char byte) {
  return byte >= 'A' && byte <= 'Z' ? (char)(byte + 0x20) : byte;
}

bool begins_with(Text text, Text start) {
  return text.size >= start.size && memcmp(text.bytes, start.bytes, start.size) == 0;
}

bool ends_with(Text text, const char *end) {
  size_t size = strlen(end);
  return text.size >= size && memcmp(text.bytes + text.size - size, end, size) == 0;
}

Text from(Text text, size_t at) {
  Text rest = {text.bytes + at, text.size - at};
  return rest;
}

Text up_to(Text text, size_t end) {
  Text start = {text.bytes, end};
  return start;
}

size_t find_one(Text text, size_t at, const char *set) {
  while (at < text.size && !is_one_of(text.bytes[at], set))
    at++;
  return at;
}

bool holds(Text text, const char *needle) {
  size_t size = strlen(needle);
  for (size_t i = 0; i + size <= text.size; i++)
    if (memcmp(text.bytes + i, needle, size) == 0)
      return true;
  return false;
}

/* --- characters --------------------------------------------------------------------- */

bool is_triplet(Text text, size_t at) {
  return at + 2 < text.size && text.bytes[at] == '%' && is_hex(text.bytes[at + 1]) &&
         is_hex(text.bytes[at + 2]);
}

void check_bytes(Text url, bool upper) {
  for (size_t i = 0; i < url.size; i++) {
    if (url.bytes[i] == '%') {
      demand(is_triplet(url, i), "every % begins a triplet", url);
      for (size_t k = i + 1; upper && k < i + 3; k++)
        demand(is_digit(url.bytes[k]) || url.bytes[k] < 'a', "triplets are upper-case", url);
    } else {
      demand(is_unreserved(url.bytes[i]) || is_reserved(url.bytes[i]),
             "a URL holds only what RFC 3986 allows", url);
    }
  }
}

Text encode(Text text, bool reserved) {
  static char encoded[3 * SCRATCH + 1];
  Text out = {encoded, 0};
  demand(text.size <= SCRATCH, "the harness has room to encode", out);
  for (size_t i = 0; i < text.size; i++) {
    char byte = text.bytes[i];
    if (is_unreserved(byte) || (reserved && (is_reserved(byte) || is_triplet(text, i))))
      encoded[out.size++] = byte;
    else
      out.size += (size_t)snprintf(encoded + out.size, 4, "%%%02X", (unsigned char)byte);
  }
  return out;
}

/* --- origins ------------------------------------------------------------------------ */

size_t scheme_size(Text url) {
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

size_t origin_size(Text url) {
  size_t absolute = absolute_size(url);
  return absolute > 0 ? find_one(url, absolute, "/?#") : 0;
}

/* The bytes of userinfo and "@" in an authority. */
static size_t userinfo_size(Text authority) {
  size_t found = 0;
  for (size_t i = 0; i < authority.size; i++)
    if (authority.bytes[i] == '@')
      found = i + 1;
  return found;
}

static size_t host_size(Text host_and_port) {
  size_t at = 0;
  if (host_and_port.size > 0 && host_and_port.bytes[0] == '[')
    at = find_one(host_and_port, 0, "]");
  return find_one(host_and_port, at, ":");
}

/* The default port of the URL's scheme, or NULL. A scheme that has one needs a host. */
static const char *port_of(Text url) {
  static const char *const known[][2] = {
      {"http:", "80"}, {"https:", "443"}, {"ws:", "80"}, {"wss:", "443"}, {"ftp:", "21"}};
  size_t size = scheme_size(url);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t same = 0;
    while (same < size && lower(url.bytes[same]) == known[i][0][same])
      same++;
    if (same == size && !known[i][0][same])
      return known[i][1];
  }
  return NULL;
}

bool is_special(Text url) {
  return port_of(url) != NULL;
}

bool lacks_host(Text url) {
  size_t absolute = absolute_size(url);
  Text authority = from(up_to(url, absolute > 0 ? origin_size(url) : 0), absolute);
  return is_special(url) && host_size(from(authority, userinfo_size(authority))) == 0;
}

/* Writes the origin so that equal origins are equal texts. */
static Text write_origin(char *out, Text url, Text host) {
  const char *standard = port_of(url);
  Text port = from(host, host_size(host)), origin = {out, 0};
  for (size_t i = 0; i < scheme_size(url); i++)
    out[origin.size++] = lower(url.bytes[i]);
  for (size_t i = 0; i < host.size - port.size; i++)
    out[origin.size++] = lower(host.bytes[i]);
  if (port.size > 0)
    port = from(port, 1);
  while (port.size > 1 && port.bytes[0] == '0')
    port = from(port, 1);
  if (standard && port.size == strlen(standard) && memcmp(port.bytes, standard, port.size) == 0)
    port.size = 0;
  if (port.size > 0)
    out[origin.size++] = ':';
  memcpy(out + origin.size, port.bytes, port.size);
  origin.size += port.size;
  return origin;
}

bool is_at_home(Text url, Text home) {
  static char one[SCRATCH + 2], other[SCRATCH + 2];
  Text a = from(up_to(url, origin_size(url)), absolute_size(url)), b;
  Text a_user = up_to(a, userinfo_size(a)), b_user;
  b = from(up_to(home, origin_size(home)), absolute_size(home));
  b_user = up_to(b, userinfo_size(b));
  if (absolute_size(url) == 0 || absolute_size(home) == 0)
    return false;
  a = write_origin(one, url, from(a, a_user.size));
  b = write_origin(other, home, from(b, b_user.size));
  return a.size == b.size && begins_with(a, b) &&
         (a_user.size == 0 || (a_user.size == b_user.size && begins_with(a_user, b_user)));
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

/* The authority ends at a "/", "?", "#" or an expression that is not plain, but {+x} may be all of
 * it. */
size_t template_origin(Text template) {
  const size_t absolute = absolute_size(template);
  size_t at = absolute;
  if (begins_with(from(template, at), EP_SLICE("{+")))
    return skip_expression(template, at);
  while ((at = find_one(template, at, "/?#{")) < template.size && template.bytes[at] == '{' &&
         operator_at(template, at) == ' ')
    at = skip_expression(template, at);
  return at;
}

static bool is_word(char byte) {
  return is_letter(byte) || is_digit(byte) || byte == '_';
}

static bool begins_colon_variable(Text text, size_t at) {
  if (at + 1 >= text.size || !is_word(text.bytes[at + 1]) || is_digit(text.bytes[at + 1]))
    return false;
  return at == 0 || !(is_word(text.bytes[at - 1]) || text.bytes[at - 1] == '}' ||
                      (unsigned char)text.bytes[at - 1] >= 0x80);
}

/* Reads the variable of an expression at which the reader is. */
static bool read_varspec(Variable *v) {
  size_t end = find_one(v->template, v->at, ",:*}");
  v->name = from(up_to(v->template, end), v->at);
  end = find_one(v->template, end, ",}");
  v->is_inside = end < v->template.size && v->template.bytes[end] == ',';
  v->at = end + 1;
  return true;
}

static bool read_colon_variable(Variable *v) {
  size_t end = v->at + 1;
  while (end < v->template.size && is_word(v->template.bytes[end]))
    end++;
  v->name = from(up_to(v->template, end), v->at + 1);
  v->at = end;
  v->symbol = ' ';
  return true;
}

bool next_variable(Variable *v) {
  const size_t origin = absolute_size(v->template) > 0 ? template_origin(v->template) : 0;
  for (; v->at < v->template.size; v->at++) {
    const char byte = v->template.bytes[v->at];
    if (v->is_inside)
      return read_varspec(v);
    if (byte == '{') {
      v->symbol = operator_at(v->template, v->at);
      v->is_behind_path = v->is_behind_path || is_one_of(v->symbol, "?#&");
      v->at += v->symbol == ' ' ? 1 : 2;
      return read_varspec(v);
    }
    v->is_behind_path = v->is_behind_path || is_one_of(byte, "?#");
    if (byte == ':' && !v->is_behind_path && v->at >= origin &&
        begins_colon_variable(v->template, v->at))
      return read_colon_variable(v);
  }
  return false;
}

bool has_variable(Text template, Text name, bool is_cut) {
  Variable v = {template, {NULL, 0}, 0, 0, false, false};
  while (next_variable(&v))
    if (begins_with(v.name, name) && (is_cut || v.name.size == name.size))
      return true;
  return false;
}

/* --- authorities -------------------------------------------------------------------- */

static bool is_all_unreserved(Text text) {
  for (size_t i = 0; i < text.size; i++)
    if (!is_unreserved(text.bytes[i]))
      return false;
  return text.size > 0;
}

static bool is_host_alone(Text text) {
  if (text.size < 3 || text.bytes[0] != '[')
    return is_all_unreserved(text);
  for (size_t i = 1; i + 1 < text.size; i++)
    if (!is_hex(text.bytes[i]) && !is_one_of(text.bytes[i], ":."))
      return false;
  return text.bytes[text.size - 1] == ']';
}

bool is_host(Text text) {
  for (size_t digits = 1; digits <= 5 && digits < text.size; digits++) {
    if (!is_digit(text.bytes[text.size - digits]))
      break;
    if (text.bytes[text.size - digits - 1] == ':' &&
        is_host_alone(up_to(text, text.size - digits - 1)))
      return true;
  }
  return is_host_alone(text);
}

/* Does the text come of the pattern, whose expressions write unreserved bytes, at least one? The
 * shortest text for each is enough: what another one could add is unreserved, too. */
static bool comes_of(Text text, Text pattern) {
  size_t at = 0, p = 0, retry = 0, retry_p = 0;
  while (at < text.size) {
    if (p < pattern.size && pattern.bytes[p] == '{' && is_unreserved(text.bytes[at])) {
      retry_p = p = skip_expression(pattern, p);
      retry = ++at;
    } else if (p < pattern.size && pattern.bytes[p] == text.bytes[at]) {
      p++;
      at++;
    } else if (retry_p > 0 && is_unreserved(text.bytes[retry])) {
      at = ++retry;
      p = retry_p;
    } else {
      return false;
    }
  }
  return p == pattern.size;
}

static void check_own_authority(Text url, Text template) {
  const size_t absolute = absolute_size(template);
  Text pattern = from(up_to(template, template_origin(template)), absolute);
  Text authority;
  demand(begins_with(url, up_to(template, absolute)), "the literal scheme stays", url);
  authority = from(up_to(url, origin_size(url)), absolute);
  if (begins_with(pattern, EP_SLICE("{+")))
    demand(is_host(authority), "an authority that a value gives is a host", url);
  else
    demand(comes_of(authority, pattern), "an authority is as its template says", url);
}

/* The query of the base address stands first in the query of the URL. */
static void check_base_query(Text url, Text query) {
  Text start = encode(query, true), own;
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
  Text start = encode(up_to(base, path), true);
  if (ends_with(start, "/"))
    start.size--;
  demand(begins_with(url, start), "a URL begins with its base", url);
  demand(url.size == start.size || is_one_of(url.bytes[start.size], "/?#"),
         "the base's host ends where it did", url);
  if (path < base.size)
    check_base_query(url, from(base, path + 1));
}

/* Neither the template nor its base names a host, and no value does. */
static void check_start(Text url, Text template) {
  demand(!begins_with(url, EP_SLICE("//")), "values name no host", url);
  demand(absolute_size(url) == 0, "values put no // behind a scheme", url);
  demand(begins_with(template, up_to(url, scheme_size(url))), "values make no scheme", url);
}

static void check_authority(Text url, Text template, Text base) {
  const size_t end = origin_size(url);
  demand(!lacks_host(url), "a URL has a host", url);
  demand(end == 0 || end == url.size || url.bytes[end] == '/' || !is_special(url),
         "/ stands between an authority and a query", url);
  if (absolute_size(template) > 0) {
    check_own_authority(url, template);
    return;
  }
  if (base.size > 0)
    check_base(url, base);
  if (base.size > 0 ? absolute_size(base) == 0 : !begins_with(template, EP_SLICE("{+")))
    check_start(url, template);
}

/* --- paths ---------------------------------------------------------------------------- */

enum { LONGEST_PATH = 3 * SCRATCH };

/* What a byte means, or one that a triplet encodes. */
static char meaning(char byte, bool is_encoded) {
  if (byte == '/' || byte == '\\')
    return '/';
  if (is_encoded && (byte == '?' || byte == '#'))
    return '?';
  return byte == '.' || byte == ';' ? byte : 'a';
}

/* Replaces "%25" at the end of what is read by "%". */
static size_t shorten(const char *bytes, size_t size, Mark *out) {
  if (size < 3 || memcmp(bytes + size - 3, "%25", 3) != 0)
    return size;
  out[size - 3].end = out[size - 1].end;
  return size - 2;
}

/* The size of the hexadecimal digit at an offset, which may be a triplet where the "%" before it
 * was encoded; 0 if there is none. */
static size_t digit_size(Text text, size_t at, char *digit) {
  char hex[3] = "";
  if (at < text.size && is_hex(text.bytes[at])) {
    *digit = text.bytes[at];
    return 1;
  }
  if (!is_triplet(text, at))
    return 0;
  memcpy(hex, text.bytes + at + 1, 2);
  *digit = (char)strtol(hex, NULL, 16);
  return is_hex(*digit) ? 3 : 0;
}

/* The size of the byte or triplet at an offset. */
static size_t read_byte(Text text, size_t at, char *byte, bool *is_encoded) {
  char digits[3] = "";
  size_t high = text.bytes[at] == '%' ? digit_size(text, at + 1, &digits[0]) : 0;
  size_t low = high > 0 ? digit_size(text, at + 1 + high, &digits[1]) : 0;
  *is_encoded = low > 0;
  *byte = low > 0 ? (char)strtol(digits, NULL, 16) : text.bytes[at];
  return low > 0 ? 1 + high + low : 1;
}

size_t read_marks(Text path, Mark *out) {
  static char bytes[LONGEST_PATH];
  Text decoded = {bytes, 0};
  size_t count = 0;
  for (size_t i = 0; i < path.size; i++) {
    const Mark mark = {0, i, i + 1};
    bytes[decoded.size] = path.bytes[i];
    out[decoded.size++] = mark;
    decoded.size = shorten(bytes, decoded.size, out);
  }
  for (size_t i = 0, size; i < decoded.size; i += size, count++) {
    Mark mark = out[i];
    char byte;
    bool is_encoded;
    size = read_byte(decoded, i, &byte, &is_encoded);
    mark.end = out[i + size - 1].end;
    mark.is = meaning(byte, is_encoded);
    out[count] = mark;
  }
  return count;
}

size_t segment_size(const Mark *marks, size_t count) {
  size_t size = 0;
  while (size < count && marks[size].is != '/')
    size++;
  return size;
}

bool is_dots(const Mark *marks, size_t count) {
  size_t dots = 0;
  while (dots < count && marks[dots].is == '.')
    dots++;
  return (dots == 1 || dots == 2) && (dots == count || is_one_of(marks[dots].is, ";?"));
}

static Mark marks[LONGEST_PATH];

/* Behind the authority, up to "?" or "#". */
static Text path_of(Text url) {
  size_t begin = origin_size(url);
  return from(up_to(url, find_one(url, begin, "?#")), begin);
}

static void check_dots(Text url) {
  const size_t count = read_marks(path_of(url), marks);
  for (size_t i = 0; i <= count; i++) {
    size_t size = segment_size(marks + i, count - i);
    demand(!is_dots(marks + i, size), "no segment is . or ..", url);
    i += size;
  }
}

/* Keeps the text a byte that counts? */
static bool keeps(Text text) {
  const size_t count = read_marks(text, marks);
  bool is_cut = false;
  for (size_t i = 0; i < count; i++) {
    is_cut = marks[i].is == ';' || (is_cut && marks[i].is != '/');
    if (!is_cut && marks[i].is != '/')
      return true;
  }
  return false;
}

static Text take_segment(Text *path) {
  const size_t end = find_one(*path, 0, "/");
  const Text segment = up_to(*path, end);
  *path = from(*path, end < path->size ? end + 1 : end);
  return segment;
}

/* Where all expressions are plain, values write no "/", and the segments of URL and template
 * stand side by side. */
static void check_segments(Text url, Text template, Text base) {
  Text path = path_of(url), own = up_to(template, find_one(template, 0, "?#"));
  Text start = encode(path_of(base), true);
  bool is_alone = base.size == 0, is_relative = absolute_size(template) == 0;
  own.size -= own.size < template.size && ends_with(own, "{");
  for (size_t i = 0; i < own.size; i++)
    if (is_one_of(own.bytes[i], "%\\") || (own.bytes[i] == '{' && operator_at(own, i) != ' '))
      return;
  own = from(own, is_relative ? 0 : template_origin(own));
  if (is_relative && !is_alone)
    path = from(path, start.size - ends_with(start, "/"));
  if (!is_relative || !is_alone) {
    path = from(path, begins_with(path, EP_SLICE("/")));
    own = from(own, begins_with(own, EP_SLICE("/")));
  }
  for (bool is_free = is_relative && is_alone; own.size > 0; is_free = false) {
    Text said = take_segment(&own), written = take_segment(&path);
    if (said.size > 0 && (holds(said, "{") || said.bytes[0] == ':'))
      demand(keeps(written) || (is_free && written.size > 0), "no segment vanishes", url);
  }
}

void check_url(Text url, Text template, Text base, bool upper) {
  check_bytes(url, upper);
  check_authority(url, template, base);
  if (path_of(url).size > LONGEST_PATH)
    return;
  check_dots(url);
  check_segments(url, template, base);
}
