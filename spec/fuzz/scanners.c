/* Fuzzing of the files that do not use Lua: templates, segments, percent-encoding, URLs, accept
 * values, routes and numbers. Each scanner gets the input in
 * a block of exactly its size, so that a sanitizer sees a read beyond it. Where there is a
 * simpler way to the same answer, both answers are compared. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "media_type.h"
#include "number.h"
#include "percent.h"
#include "route.h"
#include "segment.h"
#include "template.h"
#include "url.h"
#include "url_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static Text input;

static void must(bool holds, const char *property) {
  demand(holds, property, input);
}

/* A block of exactly `size` bytes, which the caller frees. */
static char *new_block(size_t size) {
  char *block = (char *)malloc(size > 0 ? size : 1);
  if (!block)
    abort();
  return block;
}

/* --- percent.h ------------------------------------------------------------------ */

static void check_encode(Text text, bool reserved) {
  unsigned allow = EP_UNRESERVED | (reserved ? (unsigned)EP_RESERVED : 0);
  char *out = new_block(3 * text.size + 1);
  char *end = ep_percent_encode(out, text, allow);
  Text expected = encode(text, reserved);
  must((size_t)(end - out) == expected.size, "the encoded text has its length");
  must(memcmp(out, expected.bytes, expected.size) == 0, "the encoded text is right");
  free(out);
}

static void check_prefix(Text text, unsigned allow) {
  size_t before = 0;
  for (unsigned length = 1; length < 40; length++) {
    size_t size = ep_percent_prefix(text, length, allow);
    must(size <= text.size && size >= before, "a prefix grows and stays within");
    must(size - before <= 4, "a character has at most four bytes");
    must(size > before || size == text.size, "a prefix has its characters");
    before = size;
  }
  must(ep_percent_prefix(text, 0, allow) == 0, "no characters, no bytes");
}

static void check_percent(Text text) {
  check_encode(text, false);
  check_encode(text, true);
  check_prefix(text, EP_UNRESERVED);
  check_prefix(text, EP_UNRESERVED | EP_RESERVED);
  for (size_t i = 0; i < text.size; i++)
    must(ep_percent_triplet(text.bytes + i, text.bytes + text.size) == is_triplet(text, i),
         "a triplet is one");
}

/* --- template.h ----------------------------------------------------------------- */

static void check_varspec(const EpTemplate *t, const EpVarspec *v) {
  must(v->variable >= 0 && v->variable < t->variable_count, "a varspec has a variable");
  must(v->prefix >= 0 && v->prefix <= 9999, "a prefix is 1 to 9999");
  must(!(v->prefix > 0 && v->explode), "one modifier at most");
}

static void check_variable(const EpTemplate *t, int variable) {
  const Text name = t->variables[variable].text;
  size_t at = (size_t)(name.bytes - t->text.bytes), shared;
  must(at <= t->text.size && name.size <= t->text.size - at, "a name is in the text");
  must(name.size > 0, "a name is not empty");
  for (size_t i = 0; i < name.size; i++)
    must(is_letter(name.bytes[i]) || is_digit(name.bytes[i]) || is_one_of(name.bytes[i], "_.-%"),
         "a name has its characters");
  must(ep_names_find(t->variables, t->variable_count, name) == variable, "a name is found");
  must(ep_names_find(t->variables, t->variable_count, ep_slice(name.bytes, name.size - 1)) !=
           variable,
       "another is not");
  if (variable > 0) {
    const Text before = t->variables[variable - 1].text;
    shared = before.size < name.size ? before.size : name.size;
    int order = memcmp(before.bytes, name.bytes, shared);
    must(order < 0 || (order == 0 && before.size < name.size), "names are in order");
  }
}

/* Checks one part. *literals and *varspecs count those of the parts before it. */
static void check_part(const EpTemplate *t, const EpPart *part, size_t *literals,
                       size_t *varspecs) {
  bool literal = part->kind == EP_LITERAL;
  size_t *used = literal ? literals : varspecs;
  must(part->kind <= EP_LITERAL, "a part has a kind");
  must(part->begin == *used && part->end > part->begin, "parts lie one behind the other");
  must(part->end <= (literal ? t->literal_size : t->varspec_count), "a part is in bounds");
  *used = part->end;
}

/* A text without variables is one literal, encoded. */
static void check_literal(const EpTemplate *t, Text text) {
  Text expected = encode(text, true);
  if (t->varspec_count == 0) {
    must(t->literal_size == expected.size, "a literal has its length");
    must(memcmp(t->literals, expected.bytes, expected.size) == 0, "a literal is encoded");
  }
}

static void check_compiled(const EpTemplate *t, EpTemplateRoom room, Text text) {
  size_t literals = 0, varspecs = 0;
  must(t->part_count <= room.parts, "there is room for the parts");
  must(t->varspec_count <= room.varspecs, "there is room for the varspecs");
  must((size_t)t->pair_count <= room.pairs, "there is room for the pairs");
  must(t->literal_size <= room.literal_size, "there is room for the literals");
  must(t->text.size == text.size && memcmp(t->text.bytes, text.bytes, text.size) == 0,
       "the text is kept");
  for (size_t i = 0; i < t->varspec_count; i++)
    check_varspec(t, &t->varspecs[i]);
  for (int i = 0; i < t->variable_count; i++)
    check_variable(t, i);
  for (size_t i = 0; i < t->part_count; i++)
    check_part(t, &t->parts[i], &literals, &varspecs);
  must(literals == t->literal_size && varspecs == t->varspec_count, "nothing is left over");
  for (size_t i = 0; i < t->literal_size; i++)
    must(is_unreserved(t->literals[i]) || is_reserved(t->literals[i]) || t->literals[i] == '%',
         "literals are encoded");
  check_literal(t, text);
}

static bool is_before(EpPlace a, EpPlace b) {
  return a.varspecs < b.varspecs || (a.varspecs == b.varspecs && a.bytes <= b.bytes);
}

/* The segments that must keep a byte lie one behind the other in the path. */
static void check_keepers(const EpTemplate *t) {
  EpPlace before = t->authority_end;
  must(t->keeper_count <= t->varspec_count, "there is room for the keepers");
  for (size_t i = 0; i < t->keeper_count; i++) {
    const EpKeeper *k = &t->keepers[i];
    must(is_before(before, k->begin) && is_before(k->begin, k->end), "segments are in order");
    must(k->begin.varspecs <= k->varspec && k->varspec < k->opened &&
             k->opened <= k->end.varspecs && k->end.varspecs <= t->path_varspecs,
         "an expression is in its segment, and that in the path");
    before = k->end;
  }
}

/* The authority and the variables of the path, as the text says. */
static void check_zones(const EpTemplate *t, Text text) {
  const size_t absolute = absolute_size(text), origin = absolute > 0 ? template_origin(text) : 0;
  Variable v = {text, {NULL, 0}, 0, 0, false, false};
  size_t in_authority = 0, in_path = 0, count = 0;
  for (; next_variable(&v); count++) {
    in_authority += v.at <= origin;
    in_path += !v.is_behind_path;
  }
  must(t->absolute == absolute, "what is absolute begins with scheme://");
  must(absolute > 0 || !is_special(text), "http: alone is malformed");
  must(count == t->varspec_count, "each variable is found");
  must(t->authority_end.varspecs == in_authority, "so many stand in the authority");
  must(t->path_varspecs == in_path, "so many stand before the query");
  for (size_t i = absolute; i < origin; i++)
    must(text.bytes[i] == '{' || text.bytes[i] == '}' || in_authority > 0 ||
             is_unreserved(text.bytes[i]) || is_reserved(text.bytes[i]) || text.bytes[i] == '%',
         "an authority has its bytes");
}

/* The query of the literals begins behind the first "?", if no "#" stands before it. */
static void check_query(const EpTemplate *t) {
  const Text literals = {t->literals, t->literal_size};
  if (t->query > 0)
    must(t->query == find_one(literals, 0, "?") + 1, "the first ? begins the query");
  else if (t->varspec_count == 0)
    must(find_one(literals, 0, "?") >= find_one(literals, 0, "#"), "no ? is overlooked");
}

static void check_template(Text text) {
  EpTemplateRoom room = ep_template_room(text);
  EpTemplateError error = {0, NULL};
  char *block = new_block(room.size);
  EpTemplate *t = ep_template_compile(block, room, text, &error);
  if (t) {
    check_compiled(t, room, text);
    check_keepers(t);
    check_zones(t, text);
    check_query(t);
  } else {
    must(error.reason != NULL, "an error has a reason");
    must(error.byte >= 1 && error.byte <= text.size + 1, "an error names a byte, or the end");
  }
  free(block);
}

/* --- url.h ------------------------------------------------------------------------ */

static void check_base(Text text) {
  size_t byte = 0;
  EpUrlBase parts;
  const char *fault = ep_url_read_base(text, &parts, &byte);
  if (fault) {
    must(byte >= 1 && byte <= text.size + 1, "a fault names a byte");
    return;
  }
  must(parts.origin == origin_size(text) && parts.path == find_one(text, 0, "?"),
       "a base has its parts");
  for (size_t i = 0; i < text.size; i++)
    must(!is_one_of(text.bytes[i], "{}#") && (unsigned char)text.bytes[i] >= 0x20 &&
             text.bytes[i] != 0x7F,
         "a base has none of { } # and no control character");
  must(text.size == 0 || text.bytes[0] == '/' || ep_url_absolute(text) > 0,
       "a base is empty, a path or absolute");
  must(text.size < 2 || memcmp(text.bytes, "//", 2) != 0, "a path has one slash");
}

static void check_origin(Text text, size_t absolute) {
  const size_t size = ep_url_origin_size(text);
  must(size == origin_size(text), "an origin ends with its host");
  must(ep_url_is_at(text, ep_slice(text.bytes, size)) == (absolute > 0), "an origin is its own");
  must(!ep_url_is_at(text, EP_SLICE("q://other")) || is_at_home(text, EP_SLICE("q://other")),
       "another is not");
  must(ep_url_is_special(text) == is_special(text), "a scheme is special");
  must(ep_url_lacks_host(text) == lacks_host(text), "a host is there or not");
}

/* Takes the first line of the text and the rest as two URLs. */
static void check_two_origins(Text text) {
  const char *end = text.size > 0 ? (const char *)memchr(text.bytes, '\n', text.size) : NULL;
  Text one = {text.bytes, end ? (size_t)(end - text.bytes) : text.size};
  Text other = {text.bytes + one.size + (end ? 1 : 0), text.size - one.size - (end ? 1 : 0)};
  must(ep_url_is_at(one, other) == is_at_home(one, other), "two origins are the same or not");
  must(ep_url_is_at(other, one) == is_at_home(other, one), "and the other way round");
}

/* The end of the userinfo from an offset on, behind any backslashes; 0 if there is none. */
static size_t userinfo_end(Text text, size_t at) {
  size_t found = 0, begin;
  while (at < text.size && text.bytes[at] == '\\')
    at++;
  for (begin = at; at < text.size && !is_one_of(text.bytes[at], "/?#"); at++)
    if (text.bytes[at] == '@' && at > begin)
      found = at;
  return found;
}

/* What is hidden first covers all that may be userinfo of the authority, or else of the next URL
 * in the text. It never reaches beyond the authority. */
static void check_userinfo(Text text, size_t absolute) {
  size_t begin = 0, size = ep_url_userinfo(text, &begin), own = userinfo_end(text, absolute);
  must(begin <= text.size && size <= text.size - begin, "the userinfo is in the text");
  must(size == 0 ||
           (text.bytes[begin + size] == '@' && find_one(text, begin, "/?#") > begin + size),
       "userinfo ends before the path");
  if (absolute > 0 && own > 0)
    must(size > 0 && begin >= absolute && begin + size == own,
         "userinfo of the authority is found");
  for (size_t at = 0; at + 2 <= (size > 0 ? begin : text.size); at++)
    if (memcmp(text.bytes + at, "//", 2) == 0)
      must(userinfo_end(text, at + 2) == 0 || userinfo_end(text, at + 2) == begin + size,
           "no userinfo behind two slashes is left out");
  if (text.size > 0 && !is_one_of(text.bytes[0], "/\\") && absolute == 0 && size == 0)
    must(ep_url_scheme(text) > 0 || userinfo_end(text, 0) == 0,
         "userinfo without a scheme is found");
}

static void check_text_as_url(Text text) {
  size_t scheme = ep_url_scheme(text);
  size_t absolute = ep_url_absolute(text);
  must(scheme <= text.size && absolute <= text.size, "a scheme is in the text");
  must(scheme == 0 || text.bytes[scheme - 1] == ':', "a scheme ends with :");
  must(absolute == 0 || (scheme > 0 && absolute == scheme + 2), "absolute is scheme://");
  must(absolute == 0 || memcmp(text.bytes + absolute - 3, "://", 3) == 0, "there is a ://");
  check_base(text);
  check_origin(text, absolute);
  check_two_origins(text);
  check_userinfo(text, absolute);
}

/* --- segment.h ---------------------------------------------------------------------- */

/* Reads the text as a path, segment by segment. */
static void check_path(Text text) {
  Mark *marks = (Mark *)(void *)new_block((text.size + 1) * sizeof *marks);
  const Text path = up_to(text, find_one(text, 0, "?#"));
  const size_t count = read_marks(path, marks);
  const char *at = text.bytes;
  for (size_t i = 0; i <= count; i++) {
    const size_t size = segment_size(marks + i, count - i);
    const EpSegment s = ep_segment_read(at, ep_slice_end(text));
    size_t kept = i;
    while (kept < i + size && marks[kept].is != ';')
      kept++;
    i += size;
    must(s.is_dots == is_dots(marks + i - size, size), "a segment is dots or not");
    must(s.end == text.bytes + (i < count ? marks[i].begin : path.size), "a segment has its end");
    must(s.counted == (kept < i ? text.bytes + marks[kept].begin : s.end), "so much of it counts");
    must(s.next == (i < count ? text.bytes + marks[i].end : s.end), "the next one follows");
    must(s.end == ep_slice_end(text) ||
             ep_segment_separator(s.end, ep_slice_end(text)) == (size_t)(s.next - s.end),
         "a separator parts them");
    at = s.next;
  }
  free(marks);
}

/* --- media_type.h ------------------------------------------------------------------- */

static bool is_in(Text inner, Text outer) {
  return inner.bytes >= outer.bytes && inner.size <= outer.size &&
         ep_slice_end(inner) <= ep_slice_end(outer);
}

static bool is_word(Text text, const char *more) {
  for (size_t i = 0; i < text.size; i++)
    if (!is_letter(text.bytes[i]) && !is_digit(text.bytes[i]) && text.bytes[i] != '_' &&
        !is_one_of(text.bytes[i], more))
      return false;
  return true;
}

static void check_previews(Text accept) {
  Text rest = accept, preview;
  while (ep_media_next_preview(&rest, &preview)) {
    const char *end = ep_slice_end(preview);
    must(is_in(preview, accept) && preview.size > 0, "a preview is in accept");
    must(is_word(preview, "-"), "a preview has its characters");
    must(ep_slice_end(accept) - end >= 8 && memcmp(end, "-preview", 8) == 0,
         "-preview follows a preview");
    must(is_in(rest, accept) && rest.bytes > end, "the search moves on");
  }
}

/* The parts of accept, as accept.c takes them. */
static void check_parts(Text accept) {
  const char *at = accept.bytes, *end = ep_slice_end(accept);
  for (; at <= end; at++) {
    const char *begin = at;
    Text part, keep, rest;
    while (at < end && *at != ',')
      at++;
    part = ep_slice(begin, (size_t)(at - begin));
    if (ep_media_is_vendor_part(part, &keep, &rest)) {
      must(is_in(keep, part) && keep.size > 0, "what is kept is in the part");
      must(is_in(rest, part) && rest.bytes >= ep_slice_end(keep) &&
               ep_slice_end(rest) == ep_slice_end(part),
           "the white space behind it ends the part");
    }
  }
}

static bool has_octet_stream(Text text) {
  static const char name[] = "application/octet-stream";
  for (size_t i = 0; i + sizeof name - 1 <= text.size; i++) {
    size_t same = 0;
    while (name[same] && (text.bytes[i + same] == name[same] ||
                          (is_letter(name[same]) && text.bytes[i + same] == name[same] - 0x20)))
      same++;
    if (!name[same])
      return true;
  }
  return false;
}

/* NAME of the first application/vnd.NAME behind which the end or one of these bytes follows. */
static Text vendor_of(Text accept) {
  for (size_t at = 0; at + 16 <= accept.size; at++) {
    size_t end = at + 16;
    if (memcmp(accept.bytes + at, "application/vnd.", 16) != 0)
      continue;
    while (end < accept.size && is_word(ep_slice(accept.bytes + end, 1), ""))
      end++;
    if (end > at + 16 && (end == accept.size || is_one_of(accept.bytes[end], ".+;, \t\n\v\f\r")))
      return ep_slice(accept.bytes + at + 16, end - at - 16);
  }
  return ep_slice(NULL, 0);
}

static void check_media(Text text) {
  Text vendor = ep_media_vendor(text), preview = ep_media_preview(text);
  must(is_in(vendor, text) && ep_slice_equals(vendor, vendor_of(text)), "the vendor is found");
  must(ep_media_has_octet_stream(text) == has_octet_stream(text), "octet-stream is found");
  must(preview.bytes == text.bytes && preview.size <= text.size &&
           (text.size - preview.size) % 8 == 0,
       "a preview loses its suffixes");
  if (ep_media_is_name(text))
    must(text.size > 0 && text.size <= 127 && (is_letter(*text.bytes) || is_digit(*text.bytes)),
         "a name is one");
  check_previews(text);
  check_parts(text);
}

/* --- route.h ------------------------------------------------------------------------ */

static bool is_space(char byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* The method in upper case that the text begins with, as in "GET /x" and "GET/x". */
static size_t misplaced_size(Text text) {
  static const char *const names[] = {"GET",   "HEAD",    "POST",  "PUT",     "PATCH", "DELETE",
                                      "QUERY", "OPTIONS", "TRACE", "CONNECT", NULL};
  for (int i = 0; names[i]; i++) {
    size_t size = strlen(names[i]);
    if (text.size > size && memcmp(text.bytes, names[i], size) == 0 &&
        is_one_of(text.bytes[size], "/ \t\n\v\f\r"))
      return size;
  }
  return 0;
}

static void check_route(Text text) {
  EpRoute route = ep_route_split(text);
  Text url = route.url, method = route.method;
  must(is_in(url, text), "a URL is in the route");
  if (url.size > 0)
    must(!is_space(*url.bytes) && !is_space(ep_slice_end(url)[-1]), "a URL is trimmed");
  if (method.bytes) {
    must(is_in(method, text) && method.size > 0, "a method is in the route");
    must(ep_slice_end(method) <= url.bytes, "a method stands before the URL");
    for (size_t i = 0; i < method.size; i++)
      must(!is_space(method.bytes[i]), "a method has no white space");
  }
  must(ep_route_misplaced_method(text).size == misplaced_size(text), "a misplaced method is found");
  if (ep_route_is_token(text))
    for (size_t i = 0; i < text.size; i++)
      must(text.bytes[i] > 0x20 && text.bytes[i] < 0x7F, "a token is visible");
  must(ep_route_method(text) <= EP_METHODS, "a method has a row");
}

/* --- number.h ------------------------------------------------------------------------- */

static void check_integer(long long number) {
  char text[EP_NUMBER_SIZE + 1], expected[EP_NUMBER_SIZE + 1];
  size_t size = ep_number_integer(number, text);
  int plain = snprintf(expected, sizeof expected, "%lld", number);
  must(size == (size_t)plain && memcmp(text, expected, size) == 0, "an integer has its digits");
}

/* The significant digits, without leading and trailing zeros. */
static size_t count_digits(const char *text, size_t size) {
  size_t digits = 0, zeros = 0;
  for (size_t i = 0; i < size && text[i] != 'e'; i++) {
    if (is_digit(text[i]) && (text[i] != '0' || digits > 0))
      digits++;
    if (text[i] != '.')
      zeros = text[i] == '0' ? zeros + 1 : 0;
  }
  return digits > zeros ? digits - zeros : digits;
}

static double read_real(const char *text, bool is_float) {
  return is_float ? (double)strtof(text, NULL) : strtod(text, NULL);
}

/* Does the number, rounded to `digits` digits, read back as another one? */
static bool needs_more_digits(double number, bool is_float, size_t digits) {
  char text[2 * EP_NUMBER_SIZE];
  snprintf(text, sizeof text, "%.*e", (int)digits - 1, number);
  return read_real(text, is_float) != number;
}

static void check_real(double number, bool is_float) {
  char *text, again[EP_NUMBER_SIZE + 1];
  size_t size, digits;
  if (!ep_number_is_finite(number))
    return;
  text = new_block(EP_NUMBER_SIZE);
  size = ep_number_real(number, is_float, text);
  must(size > 0 && size <= EP_NUMBER_SIZE, "a number has its room");
  memcpy(again, text, size);
  again[size] = 0;
  must(strspn(again, "-+.e0123456789") == size, "a number has its characters");
  must(read_real(again, is_float) == number, "a number reads back");
  digits = count_digits(again, size);
  must(digits < 2 || needs_more_digits(number, is_float, digits - 1),
       "a number has no digit too many");
  free(text);
}

static void check_numbers(Text text) {
  long long integer = 0;
  double number = 0;
  float small = 0;
  if (text.size >= sizeof number) {
    memcpy(&integer, text.bytes, sizeof integer);
    memcpy(&number, text.bytes, sizeof number);
    memcpy(&small, text.bytes, sizeof small);
  }
  check_integer(integer);
  check_real(number, false);
  check_real((double)integer, false);
  check_real((double)(integer % 1000000) / 1000, false);
  check_real(small, true);
  check_real((float)integer, true);
}

/* -------------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *block = new_block(size);
  Text text = {block, size};
  input = text;
  if (size > 0)
    memcpy(block, data, size);
  check_percent(text);
  check_template(text);
  check_text_as_url(text);
  check_path(text);
  check_media(text);
  check_route(text);
  check_numbers(text);
  free(block);
  return 0;
}
