/* Fuzzing of the files that do not use Lua: templates and their required variables,
 * percent-encoding, URLs, accept values, routes and numbers. Each scanner gets the input in
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
#include "required.h"
#include "route.h"
#include "segments.h"
#include "template.h"
#include "url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef EpSlice Text;

static void demand(bool holds, const char *property) {
  if (!holds) {
    fprintf(stderr, "violated: %s\n", property);
    abort();
  }
}

/* A block of exactly `size` bytes, which the caller frees. */
static char *new_block(size_t size) {
  char *block = (char *)malloc(size > 0 ? size : 1);
  if (!block)
    abort();
  return block;
}

/* --- percent.h ------------------------------------------------------------------ */

static bool is_letter(char byte) {
  return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

static bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

static bool is_hex(char byte) {
  return is_digit(byte) || (byte >= 'A' && byte <= 'F') || (byte >= 'a' && byte <= 'f');
}

static bool is_one_of(char byte, const char *set) {
  return byte && strchr(set, byte);
}

static bool is_unreserved(char byte) {
  return is_letter(byte) || is_digit(byte) || is_one_of(byte, "-._~");
}

static bool is_reserved(char byte) {
  return is_one_of(byte, ":/?#[]@!$&'()*+,;=");
}

static bool is_triplet(Text text, size_t at) {
  return text.size - at >= 3 && text.bytes[at] == '%' && is_hex(text.bytes[at + 1]) &&
         is_hex(text.bytes[at + 2]);
}

/* The text encoded byte by byte, which the caller frees. */
static Text encode_plainly(Text text, bool reserved) {
  char *out = new_block(3 * text.size + 1);
  Text encoded = {out, 0};
  for (size_t i = 0; i < text.size; i++) {
    char byte = text.bytes[i];
    if (is_unreserved(byte) || (reserved && (is_reserved(byte) || is_triplet(text, i))))
      out[encoded.size++] = byte;
    else
      encoded.size += (size_t)snprintf(out + encoded.size, 4, "%%%02X", (unsigned char)byte);
  }
  return encoded;
}

static void check_encode(Text text, bool reserved) {
  unsigned allow = EP_UNRESERVED | (reserved ? (unsigned)EP_RESERVED : 0);
  char *out = new_block(3 * text.size + 1);
  char *end = ep_percent_encode(out, text, allow);
  Text expected = encode_plainly(text, reserved);
  demand((size_t)(end - out) == expected.size, "the encoded text has its length");
  demand(memcmp(out, expected.bytes, expected.size) == 0, "the encoded text is right");
  free((void *)expected.bytes);
  free(out);
}

static void check_prefix(Text text, unsigned allow) {
  size_t before = 0;
  for (unsigned length = 1; length < 40; length++) {
    size_t size = ep_percent_prefix(text, length, allow);
    demand(size <= text.size && size >= before, "a prefix grows and stays within");
    demand(size - before <= 4, "a character has at most four bytes");
    demand(size > before || size == text.size, "a prefix has its characters");
    before = size;
  }
  demand(ep_percent_prefix(text, 0, allow) == 0, "no characters, no bytes");
}

static void check_percent(Text text) {
  check_encode(text, false);
  check_encode(text, true);
  check_prefix(text, EP_UNRESERVED);
  check_prefix(text, EP_UNRESERVED | EP_RESERVED);
  for (size_t i = 0; i < text.size; i++)
    demand(ep_percent_triplet(text.bytes + i, text.bytes + text.size) == is_triplet(text, i),
           "a triplet is one");
}

/* --- template.h ----------------------------------------------------------------- */

static void check_varspec(const EpTemplate *t, const EpVarspec *v) {
  demand(v->variable >= 0 && v->variable < t->variable_count, "a varspec has a variable");
  demand(v->prefix >= 0 && v->prefix <= 9999, "a prefix is 1 to 9999");
  demand(!(v->prefix > 0 && v->explode), "one modifier at most");
}

static void check_variable(const EpTemplate *t, int variable) {
  const Text name = t->variables[variable].text;
  size_t at = (size_t)(name.bytes - t->text.bytes), shared;
  demand(at <= t->text.size && name.size <= t->text.size - at, "a name is in the text");
  demand(name.size > 0, "a name is not empty");
  for (size_t i = 0; i < name.size; i++)
    demand(is_letter(name.bytes[i]) || is_digit(name.bytes[i]) || is_one_of(name.bytes[i], "_.-%"),
           "a name has its characters");
  demand(ep_names_find(t->variables, t->variable_count, name) == variable, "a name is found");
  demand(ep_names_find(t->variables, t->variable_count, ep_slice(name.bytes, name.size - 1)) !=
             variable,
         "another is not");
  if (variable > 0) {
    const Text before = t->variables[variable - 1].text;
    shared = before.size < name.size ? before.size : name.size;
    int order = memcmp(before.bytes, name.bytes, shared);
    demand(order < 0 || (order == 0 && before.size < name.size), "names are in order");
  }
}

/* Checks one part. *literals and *varspecs count those of the parts before it. */
static void check_part(const EpTemplate *t, const EpPart *part, size_t *literals,
                       size_t *varspecs) {
  bool literal = part->kind == EP_LITERAL;
  size_t *used = literal ? literals : varspecs;
  demand(part->kind <= EP_LITERAL, "a part has a kind");
  demand(part->begin == *used && part->end > part->begin, "parts lie one behind the other");
  demand(part->end <= (literal ? t->literal_size : t->varspec_count), "a part is in bounds");
  *used = part->end;
}

/* What the template says of a literal's slashes is true. */
static void check_slashes(const EpTemplate *t, const EpPart *part) {
  const EpSlashes *known = &part->slashes;
  size_t first = 0, last_end = part->end - part->begin;
  const char *text = t->literals + part->begin;
  if (!known->known)
    return;
  while (first < part->end - part->begin && text[first] != '/')
    first++;
  while (last_end > 0 && text[last_end - 1] != '/')
    last_end--;
  demand(known->first == first && known->last_end == last_end, "slashes are where they are");
  for (size_t i = 0; i < part->end - part->begin; i++)
    demand(!is_one_of(text[i], "?#%"), "only slashes part segments");
}

/* A text without variables is one literal, encoded. */
static void check_literal(const EpTemplate *t, Text text) {
  Text expected = encode_plainly(text, true);
  if (t->varspec_count == 0) {
    demand(t->literal_size == expected.size, "a literal has its length");
    demand(memcmp(t->literals, expected.bytes, expected.size) == 0, "a literal is encoded");
  }
  free((void *)expected.bytes);
}

static void check_compiled(const EpTemplate *t, EpTemplateRoom room, Text text) {
  size_t literals = 0, varspecs = 0;
  demand(t->part_count <= room.parts, "there is room for the parts");
  demand(t->varspec_count <= room.varspecs, "there is room for the varspecs");
  demand(t->literal_size <= room.literal_size, "there is room for the literals");
  demand(t->text.size == text.size && memcmp(t->text.bytes, text.bytes, text.size) == 0,
         "the text is kept");
  for (size_t i = 0; i < t->varspec_count; i++)
    check_varspec(t, &t->varspecs[i]);
  for (int i = 0; i < t->variable_count; i++)
    check_variable(t, i);
  for (size_t i = 0; i < t->part_count; i++)
    check_part(t, &t->parts[i], &literals, &varspecs);
  demand(literals == t->literal_size && varspecs == t->varspec_count, "nothing is left over");
  for (size_t i = 0; i < t->part_count; i++)
    if (t->parts[i].kind == EP_LITERAL)
      check_slashes(t, &t->parts[i]);
  for (size_t i = 0; i < t->literal_size; i++)
    demand(is_unreserved(t->literals[i]) || is_reserved(t->literals[i]) || t->literals[i] == '%',
           "literals are encoded");
  check_literal(t, text);
}

/* Does the text begin with this one, whatever the case? This one is in lower case. */
static bool begins_with(Text text, const char *lower) {
  size_t i = 0;
  while (i < text.size && lower[i] &&
         (text.bytes[i] == lower[i] || (is_letter(lower[i]) && text.bytes[i] == lower[i] - 0x20)))
    i++;
  return !lower[i];
}

static bool is_special(Text text) {
  return begins_with(text, "http:") || begins_with(text, "https:") || begins_with(text, "ws:") ||
         begins_with(text, "wss:") || begins_with(text, "ftp:");
}

/* Can an expression write into the authority that begins at an offset? Those that end the
 * authority directly behind a host cannot, unless more of the authority follows. */
static bool is_open(Text text, size_t authority) {
  size_t at = authority;
  while (at < text.size && !is_one_of(text.bytes[at], "/?#{"))
    at++;
  if (at == authority && (at == text.size || text.bytes[at] == '{'))
    return true; /* there is no literal */
  if (at == text.size || text.bytes[at] != '{')
    return false;
  while (at < text.size && text.bytes[at] == '{') {
    if (!is_one_of(text.bytes[at + 1], "/?#+"))
      return true;
    while (text.bytes[at++] != '}')
      ;
  }
  return at < text.size && !is_one_of(text.bytes[at], "/?#");
}

static void check_start(const EpTemplate *t, Text text) {
  size_t authority = ep_url_absolute(text);
  demand(t->authority == authority, "what is absolute begins with scheme://");
  demand(t->lacks_host == (authority == 0 && is_special(text)), "http: alone lacks a host");
  demand(t->origin_literal == (authority > 0 && !is_open(text, authority)),
         "an origin is literal if no expression can write into it");
}

/* --- required.h ------------------------------------------------------------------- */

/* Tells segments.c what a variable writes whose value is "a". */
static void tell_variable(EpSegments *s, const EpTemplate *t, const EpPart *part, int varspec,
                          bool begun) {
  const EpOperator *op = &ep_operators[part->kind];
  const Text name = t->variables[t->varspecs[varspec].variable].text;
  char *text = new_block(name.size + 3);
  size_t size = 0;
  if (begun || op->first)
    text[size++] = begun ? op->separator : op->first;
  if (op->named) {
    memcpy(text + size, name.bytes, name.size);
    size += name.size;
    text[size++] = '=';
  }
  text[size++] = 'a';
  ep_segments_variable(s, ep_slice(text, size), varspec, true);
  free(text);
}

/* What segments.c finds in the URL of a relative template where one variable is missing and
 * each other one is "a". */
static EpFault fault_without(const EpTemplate *t, int variable) {
  EpSegments s;
  ep_segments_init(&s, 0, t->part_count > 0 && t->parts[0].kind == EP_PLUS);
  for (size_t i = 0; i < t->part_count; i++) {
    const EpPart *part = &t->parts[i];
    bool begun = false;
    if (part->kind == EP_LITERAL) {
      ep_segments_literal(&s, ep_slice(t->literals + part->begin, part->end - part->begin),
                          &part->slashes);
      continue;
    }
    ep_segments_expression(&s, part->kind, part->in_path, (int)part->begin);
    for (size_t v = part->begin; v < part->end; v++) {
      bool is_missing = t->varspecs[v].variable == variable;
      if (is_missing)
        ep_segments_variable(&s, EP_SLICE(""), (int)v, false);
      else
        tell_variable(&s, t, part, (int)v, begun);
      begun = begun || !is_missing;
    }
  }
  return ep_segments_end(&s);
}

/* For absolute templates only a whole call tells: see call.c. */
static void check_required(const EpTemplate *t) {
  enum { MOST = 40 }; /* variables; the template is read once for each */
  bool *required = (bool *)(void *)new_block((size_t)t->variable_count * sizeof *required);
  memset(required, 0xFF, (size_t)t->variable_count * sizeof *required);
  ep_required_find(t, required);
  if (t->authority == 0 && !t->lacks_host && t->variable_count <= MOST)
    for (int i = 0; i < t->variable_count; i++)
      demand(required[i] == (fault_without(t, i) != EP_SOUND),
             "a variable is required if its lack is a fault");
  if (t->lacks_host)
    for (int i = 0; i < t->variable_count; i++)
      demand(!required[i], "nothing is required where each call raises");
  free(required);
}

static void check_template(Text text) {
  EpTemplateRoom room = ep_template_room(text);
  EpTemplateError error = {0, NULL};
  char *block = new_block(room.size);
  EpTemplate *t = ep_template_compile(block, room, text, &error);
  if (t) {
    check_compiled(t, room, text);
    check_start(t, text);
    check_required(t);
  } else {
    demand(error.reason != NULL, "an error has a reason");
    demand(error.byte >= 1 && error.byte <= text.size, "an error names a byte of the text");
  }
  free(block);
}

/* --- url.h ------------------------------------------------------------------------ */

static void check_base(Text text) {
  size_t byte = 0;
  const char *fault = ep_url_base_fault(text, &byte);
  if (fault) {
    demand(byte >= 1 && byte <= text.size + 1, "a fault names a byte");
    return;
  }
  for (size_t i = 0; i < text.size; i++)
    demand(!is_one_of(text.bytes[i], "{}#") && (unsigned char)text.bytes[i] >= 0x20 &&
               text.bytes[i] != 0x7F,
           "a base has none of { } # and no control character");
  demand(text.size == 0 || text.bytes[0] == '/' || ep_url_absolute(text) > 0,
         "a base is empty, a path or absolute");
  demand(text.size < 2 || memcmp(text.bytes, "//", 2) != 0, "a path has one slash");
}

/* The authority, without userinfo. */
static Text host_and_port(Text text) {
  size_t at = ep_url_absolute(text), end = at;
  while (end < text.size && !is_one_of(text.bytes[end], "/?#")) {
    end++;
    if (text.bytes[end - 1] == '@')
      at = end;
  }
  Text found = {text.bytes + at, end - at};
  return found;
}

static void check_origin(Text text, size_t absolute) {
  Text host = host_and_port(text);
  size_t size = ep_url_origin_size(text);
  bool is_empty = host.size == 0 || host.bytes[0] == ':', special = is_special(text);
  demand((size > 0) == (absolute > 0), "what is absolute has an origin");
  demand(size == 0 || text.bytes + size == host.bytes + host.size, "an origin ends with its host");
  demand(ep_url_same_origin(text, ep_slice(text.bytes, size)) == (absolute > 0),
         "an origin is its own");
  demand(!ep_url_same_origin(text, EP_SLICE("q://other")), "another is not");
  demand(ep_url_is_special(text) == special, "a scheme is special");
  demand(ep_url_lacks_host(text) == (special && (absolute == 0 || is_empty)),
         "a host is there or not");
}

/* Writes the origin so that equal origins are equal texts: scheme, host and port in lower
 * case. Returns the number of bytes, 0 for a URL that is not absolute. */
static size_t write_origin(char *out, Text url) {
  size_t absolute = ep_url_absolute(url), size = 0, host_end = 0;
  Text host = host_and_port(url);
  if (absolute == 0)
    return 0;
  if (host.size > 0 && host.bytes[0] == '[')
    while (host_end < host.size && host.bytes[host_end] != ']')
      host_end++;
  while (host_end < host.size && host.bytes[host_end] != ':')
    host_end++;
  for (size_t i = 0; i < absolute; i++)
    out[size++] = url.bytes[i];
  for (size_t i = 0; i < host_end; i++)
    out[size++] = host.bytes[i];
  if (host_end < host.size) {
    size_t at = host_end + 1;
    while (at + 1 < host.size && host.bytes[at] == '0')
      at++;
    if (at < host.size)
      out[size++] = ':';
    for (; at < host.size; at++)
      out[size++] = host.bytes[at];
  }
  for (size_t i = 0; i < size; i++)
    out[i] = (char)(out[i] >= 'A' && out[i] <= 'Z' ? out[i] + 0x20 : out[i]);
  return size;
}

/* Removes the default port of the scheme. */
static size_t without_port(const char *origin, size_t size) {
  static const char *const known[][2] = {{"http://", ":80"},
                                         {"https://", ":443"},
                                         {"ws://", ":80"},
                                         {"wss://", ":443"},
                                         {"ftp://", ":21"}};
  Text text = {origin, size};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t port = strlen(known[i][1]);
    if (begins_with(text, known[i][0]) && size >= port &&
        memcmp(origin + size - port, known[i][1], port) == 0)
      return size - port;
  }
  return size;
}

/* Takes the first line of the text and the rest as two URLs. */
static void check_two_origins(Text text) {
  const char *end = text.size > 0 ? (const char *)memchr(text.bytes, '\n', text.size) : NULL;
  Text one = {text.bytes, end ? (size_t)(end - text.bytes) : text.size};
  Text other = {text.bytes + one.size + (end ? 1 : 0), text.size - one.size - (end ? 1 : 0)};
  char *a = new_block(one.size + 1), *b = new_block(other.size + 1);
  size_t a_size = write_origin(a, one), b_size = write_origin(b, other);
  bool same;
  a_size = without_port(a, a_size);
  b_size = without_port(b, b_size);
  same = a_size > 0 && a_size == b_size && memcmp(a, b, a_size) == 0;
  demand(ep_url_same_origin(one, other) == same, "two origins are the same or not");
  demand(ep_url_same_origin(other, one) == same, "and the other way round");
  free(a);
  free(b);
}

/* The bytes of userinfo from an offset on, up to "/", "?" or "#". */
static size_t userinfo_from(Text text, size_t begin) {
  size_t found = 0;
  for (size_t at = begin; at < text.size && !is_one_of(text.bytes[at], "/?#"); at++)
    if (text.bytes[at] == '@')
      found = at - begin;
  return found;
}

static bool is_all(Text text, size_t begin, size_t end, char byte) {
  while (begin < end && text.bytes[begin] == byte)
    begin++;
  return begin == end;
}

/* What is hidden first covers all that may be userinfo of the authority, or else of the next URL
 * in the text. It never reaches beyond the authority. */
static void check_userinfo(Text text, size_t absolute) {
  size_t begin = 0, size = ep_url_userinfo(text, &begin);
  demand(begin <= text.size && size <= text.size - begin, "the userinfo is in the text");
  demand(size == 0 || text.bytes[begin + size] == '@', "userinfo ends with @");
  demand(size == 0 || size == userinfo_from(text, begin), "userinfo ends before the path");
  if (absolute > 0 && userinfo_from(text, absolute) > 0)
    demand(size > 0 && begin >= absolute && is_all(text, absolute, begin, '\\'),
           "userinfo of the authority is found, perhaps behind backslashes");
  for (size_t at = 0; at + 2 <= (size > 0 ? begin : text.size); at++)
    if (memcmp(text.bytes + at, "//", 2) == 0) {
      size_t there = userinfo_from(text, at + 2);
      demand(there == 0 || at + 2 + there == begin + size,
             "no userinfo behind two slashes is left out");
    }
  if (text.size > 0 && !is_one_of(text.bytes[0], "/\\") && absolute == 0 && size == 0)
    demand(ep_url_scheme(text) > 0 || userinfo_from(text, 0) == 0,
           "userinfo without a scheme is found");
}

static void check_path_size(Text text) {
  size_t size = ep_url_path_size(text);
  demand(size <= text.size, "a path is in the text");
  demand(size == text.size || is_one_of(text.bytes[size], "?#"), "a path ends at ? or #");
  for (size_t i = 0; i < size; i++)
    demand(!is_one_of(text.bytes[i], "?#"), "a path has none before");
}

static void check_url(Text text) {
  size_t scheme = ep_url_scheme(text);
  size_t absolute = ep_url_absolute(text);
  demand(scheme <= text.size && absolute <= text.size, "a scheme is in the text");
  demand(scheme == 0 || text.bytes[scheme - 1] == ':', "a scheme ends with :");
  demand(absolute == 0 || (scheme > 0 && absolute == scheme + 2), "absolute is scheme://");
  demand(absolute == 0 || memcmp(text.bytes + absolute - 3, "://", 3) == 0, "there is a ://");
  check_base(text);
  check_origin(text, absolute);
  check_two_origins(text);
  check_userinfo(text, absolute);
  check_path_size(text);
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
    demand(is_in(preview, accept) && preview.size > 0, "a preview is in accept");
    demand(is_word(preview, "-"), "a preview has its characters");
    demand(ep_slice_end(accept) - end >= 8 && memcmp(end, "-preview", 8) == 0,
           "-preview follows a preview");
    demand(is_in(rest, accept) && rest.bytes > end, "the search moves on");
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
      demand(is_in(keep, part) && keep.size > 0, "what is kept is in the part");
      demand(is_in(rest, part) && rest.bytes >= ep_slice_end(keep) &&
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
  demand(is_in(vendor, text) && ep_slice_equals(vendor, vendor_of(text)), "the vendor is found");
  demand(ep_media_has_octet_stream(text) == has_octet_stream(text), "octet-stream is found");
  demand(preview.bytes == text.bytes && preview.size <= text.size &&
             (text.size - preview.size) % 8 == 0,
         "a preview loses its suffixes");
  if (ep_media_is_name(text))
    demand(text.size > 0 && text.size <= 127 && (is_letter(*text.bytes) || is_digit(*text.bytes)),
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
  demand(is_in(url, text), "a URL is in the route");
  if (url.size > 0)
    demand(!is_space(*url.bytes) && !is_space(ep_slice_end(url)[-1]), "a URL is trimmed");
  if (method.bytes) {
    demand(is_in(method, text) && method.size > 0, "a method is in the route");
    demand(ep_slice_end(method) <= url.bytes, "a method stands before the URL");
    for (size_t i = 0; i < method.size; i++)
      demand(!is_space(method.bytes[i]), "a method has no white space");
  }
  demand(ep_route_misplaced_method(text).size == misplaced_size(text),
         "a misplaced method is found");
  if (ep_route_is_token(text))
    for (size_t i = 0; i < text.size; i++)
      demand(text.bytes[i] > 0x20 && text.bytes[i] < 0x7F, "a token is visible");
  demand(ep_route_sends(text) <= EP_SENDS_NOTHING, "a method sends something");
}

/* --- number.h ------------------------------------------------------------------------- */

static void check_integer(long long number) {
  char text[EP_NUMBER_SIZE + 1], expected[EP_NUMBER_SIZE + 1];
  size_t size = ep_number_integer(number, text);
  int plain = snprintf(expected, sizeof expected, "%lld", number);
  demand(size == (size_t)plain && memcmp(text, expected, size) == 0, "an integer has its digits");
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
  demand(size > 0 && size <= EP_NUMBER_SIZE, "a number has its room");
  memcpy(again, text, size);
  again[size] = 0;
  demand(strspn(again, "-+.e0123456789") == size, "a number has its characters");
  demand(read_real(again, is_float) == number, "a number reads back");
  digits = count_digits(again, size);
  demand(digits < 2 || needs_more_digits(number, is_float, digits - 1),
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
  if (size > 0)
    memcpy(block, data, size);
  check_percent(text);
  check_template(text);
  check_url(text);
  check_media(text);
  check_route(text);
  check_numbers(text);
  free(block);
  return 0;
}
