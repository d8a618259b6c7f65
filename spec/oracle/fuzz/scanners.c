/* Fuzzing of the files that do not use Lua. Each scanner gets the input in a block of exactly its
 * size, so that a sanitizer sees a read beyond it: Lua's strings, which call.c gives them, have a
 * byte more. What a scanner finds, call.lua judges; here stands what no call shows: that all of it
 * lies in the input and in its room, and numbers of Luas with float. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "guard.h"
#include "media_type.h"
#include "number.h"
#include "route.h"
#include "template.h"
#include "url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef EpSlice Text;

static void must(bool holds, const char *property) {
  if (holds)
    return;
  fprintf(stderr, "violated: %s\n", property);
  abort();
}

/* A block of exactly `size` bytes, which the caller frees. */
static void *new_block(size_t size) {
  void *block = malloc(size > 0 ? size : 1);
  if (!block)
    abort();
  return block;
}

static bool is_in(Text inner, Text outer) {
  return inner.bytes >= outer.bytes && inner.size <= outer.size &&
         ep_slice_end(inner) <= ep_slice_end(outer);
}

/* --- bytes.h ------------------------------------------------------------------ */

static void check_percent(Text text, unsigned allow) {
  char *out = (char *)new_block(ep_percent_room(text.size));
  const char *end = ep_percent_encode(out, text, allow);
  must((size_t)(end - out) <= 3 * text.size, "encoded text has its room");
  must(ep_percent_decode(out, text) <= text.size, "decoded text has its room");
  free(out);
  for (unsigned length = 0; length < 40; length++)
    must(ep_percent_prefix(text, length, allow) <= text.size, "a prefix stays within");
  for (size_t i = 0; i < text.size; i++)
    ep_percent_triplet(text.bytes + i, ep_slice_end(text));
}

/* --- template.h, guard.h ---------------------------------------------------------- */

static void check_varspecs(const EpTemplate *t) {
  for (size_t i = 0; i < t->varspec_count; i++)
    must(t->varspecs[i].variable >= 0 && t->varspecs[i].variable < t->variable_count,
         "a varspec has a variable");
  for (int i = 0; i < t->variable_count; i++) {
    const Text name = t->variables[i].text;
    must(name.size > 0 && is_in(name, t->text), "a name is in the text");
    must(ep_names_find(t->variables, t->variable_count, name) == i, "a name is found");
  }
}

/* Judges what the template writes without values. `notes` has room for its varspecs. */
static void judge_blank(const EpTemplate *t, EpNote *notes) {
  size_t literals = 0, varspecs = 0;
  char *text = (char *)new_block(t->literal_size);
  EpUrl url = {t, notes, ep_slice(text, t->literal_size), 0, 0};
  memcpy(text, t->literals, t->literal_size);
  for (size_t i = 0; i < t->part_count; i++) {
    const EpPart *part = &t->parts[i];
    size_t *used = part->kind == EP_LITERAL ? &literals : &varspecs;
    must(part->begin == *used && part->end > *used, "parts lie one behind the other");
    for (; *used < part->end; ++*used)
      if (part->kind != EP_LITERAL)
        notes[*used].begin = notes[*used].end = literals;
  }
  must(literals == t->literal_size && varspecs == t->varspec_count, "nothing is left over");
  must(ep_guard_judge(&url).culprit < (int)t->varspec_count, "a culprit is a varspec");
  free(text);
}

/* The pairs of the literals' own query. */
static void check_pairs(const EpTemplate *t) {
  Text name;
  for (const char *at = ep_template_query(t); at; at = ep_template_pair(t, at, &name))
    must(at >= t->text.bytes && at <= ep_slice_end(t->text), "a pair is in the text");
}

static void check_template(Text text) {
  EpTemplateRoom room = ep_template_room(text);
  EpTemplateError error = {0, NULL};
  void *block = new_block(room.size);
  const EpTemplate *t = ep_template_compile(block, room, text, &error);
  if (t) {
    EpNote *notes = (EpNote *)new_block(t->varspec_count * sizeof *notes);
    must(t->part_count <= 2 * room.varspecs + 1 && t->varspec_count <= room.varspecs &&
             t->literals + t->literal_size <= (char *)block + room.size &&
             t->path_varspecs <= t->varspec_count && t->authority_varspecs <= t->path_varspecs,
         "there is room for all of it");
    check_varspecs(t);
    judge_blank(t, notes);
    check_pairs(t);
    free(notes);
  } else {
    must(error.reason != NULL, "an error has a reason");
    must(error.byte >= 1 && error.byte <= text.size + 1, "an error names a byte, or the end");
  }
  free(block);
}

/* --- url.h ------------------------------------------------------------------------ */

static void check_origin(Text text) {
  const EpOrigin o = ep_url_read_origin(text);
  must(is_in(o.scheme, text) && is_in(o.userinfo, text) && is_in(o.host, text) &&
           is_in(o.port, text),
       "an origin has its parts");
}

static void check_url(Text text) {
  const size_t absolute = ep_url_absolute(text);
  const char *fault;
  size_t byte = 0, origin = 0;
  must(ep_url_scheme(text) <= text.size && absolute <= text.size, "a scheme is in the text");
  must(ep_url_read_origin(text).size <= text.size, "an origin is in the text");
  if (absolute > 0) {
    must(ep_url_is_at(text, text), "an origin is its own");
    check_origin(text);
  }
  fault = ep_url_authority_fault(text, text.size % 2 > 0, &byte);
  must(!fault || byte <= text.size, "a fault is in the authority");
  fault = ep_url_base_fault(text, &origin, &byte);
  must(!fault || (byte >= 1 && byte <= text.size + 1), "a fault names a byte");
  must(fault || origin <= text.size, "a base has its origin");
}

static void check_segments(Text text) {
  const char *end = ep_slice_end(text), *at = text.bytes, *next;
  for (; at < end; at = next) {
    ep_mark_read(at, end, &next);
    must(next > at && next <= end, "a mark is in the text");
    must(ep_segment_dots(at, end) <= (size_t)(end - at), "dots are in the text");
  }
}

/* --- media_type.h, route.h ------------------------------------------------------------ */

static void check_media(Text text) {
  Text rest = text, preview;
  size_t end, format;
  must(ep_media_preview(text).bytes == text.bytes && is_in(ep_media_preview(text), text),
       "a preview loses its end");
  must(ep_media_vendor(text).size > 0, "a vendor has a name");
  ep_media_has_octet_stream(text);
  ep_media_is_name(text);
  while (ep_media_next_preview(&rest, &preview))
    must(is_in(preview, text) && is_in(rest, text) && preview.size > 0, "a preview is in accept");
  format = ep_media_format(text, &end);
  must(format <= end && end <= text.size, "what stays is in accept");
}

static void check_route(Text text) {
  const EpRoute route = ep_route_split(text);
  must(is_in(route.url, text), "a URL is in the route");
  must(!route.method.bytes || is_in(route.method, text), "a method is in the route");
  must(ep_route_misplaced_method(text).size <= text.size, "a misplaced method is in it");
  ep_route_is_token(text);
  must(ep_route_method(text) <= EP_METHODS, "a method has a row");
}

/* --- number.h ------------------------------------------------------------------------- */

/* Numbers of Luas with float, which no call here has. */
static void check_float(Text text) {
  char digits[EP_NUMBER_SIZE + 1];
  float number = 0;
  if (text.size >= sizeof number)
    memcpy(&number, text.bytes, sizeof number);
  if (ep_number_fault(number, true))
    return;
  digits[ep_number_real(number, true, digits)] = 0;
  must(strtof(digits, NULL) == number, "a float reads back");
}

/* -------------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *block = (char *)new_block(size);
  const Text text = {block, size};
  if (size > 0)
    memcpy(block, data, size);
  check_percent(text, EP_UNRESERVED);
  check_percent(text, EP_UNRESERVED | EP_RESERVED);
  check_template(text);
  check_url(text);
  check_segments(text);
  check_media(text);
  check_route(text);
  check_float(text);
  free(block);
  return 0;
}
