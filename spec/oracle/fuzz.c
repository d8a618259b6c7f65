/* Fuzzing. Each input is a text for the scanners, the files that do not use Lua. It may be a call,
 * too, which fuzz.lua makes and judges; it says what such an input looks like.
 *
 * The scanners get the input in a block of exactly its size, so that a sanitizer sees a read beyond
 * it: Lua's strings have a byte more. The calls judge whether a scanner finds the right thing. Here
 * stands what no call shows: all that it finds lies in the input, all that it writes has its room,
 * and a number of a Lua with float reads back. */
#include <lauxlib.h>
#include <lualib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "media_type.h"
#include "number.h"
#include "route.h"
#include "url.h"

int luaopen_endpoint(lua_State *L);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef EpSlice Text;

enum { CALLS_PER_STATE = 4000 /* then a new state, so that calls are alike */ };

/* Ends the fuzzer, which writes the input to a file. */
static void must(bool holds, const char *property) {
  if (holds)
    return;
  fprintf(stderr, "violated: %s\n", property);
  abort();
}

/* A block of exactly `size` bytes, which the caller frees. */
static void *new_block(size_t size) {
  void *block = malloc(size > 0 ? size : 1);
  must(block != NULL, "there is memory");
  return block;
}

static bool is_in(Text inner, Text outer) {
  return inner.bytes >= outer.bytes && inner.size <= outer.size &&
         ep_slice_end(inner) <= ep_slice_end(outer);
}

/* --- scanners ------------------------------------------------------------------- */

static void check_percent(Text text, unsigned allow) {
  char *out = (char *)new_block(ep_percent_room(text.size));
  const char *end = ep_percent_encode(out, text, allow);
  must((size_t)(end - out) <= 3 * text.size, "encoded text has its room");
  must(ep_percent_decode(out, text) <= text.size, "decoded text has its room");
  free(out);
  for (unsigned length = 0; length < 40; length++)
    must(ep_percent_prefix(text, length, allow) <= text.size, "a prefix stays within");
}

/* Judges what the template writes without values. `notes` has room for its varspecs. */
static void judge_blank(const EpTemplate *t, EpNote *notes) {
  size_t literals = 0;
  char *text = (char *)new_block(t->literal_size);
  EpUrl url = {t, notes, ep_slice(text, t->literal_size), 0, 0};
  memcpy(text, t->literals, t->literal_size);
  for (const EpPart *part = t->parts; part < t->parts + t->part_count; part++) {
    for (size_t i = part->begin; part->kind != EP_LITERAL && i < part->end; i++)
      notes[i].begin = notes[i].end = literals;
    literals = part->kind == EP_LITERAL ? part->end : literals;
  }
  must(ep_guard_check(&url).varspec < (int)t->varspec_count, "a fault is of a varspec");
  free(text);
}

static void check_compiled(const EpTemplate *t) {
  EpNote *notes = (EpNote *)new_block(t->varspec_count * sizeof *notes);
  Text name;
  judge_blank(t, notes);
  free(notes);
  for (const char *at = ep_template_query(t); at; at = ep_template_pair(t, at, &name))
    must(at >= t->text.bytes && at <= ep_slice_end(t->text), "a pair is in the text");
  for (int i = 0; i < t->variable_count; i++)
    must(is_in(t->variables[i].text, t->text), "a name is in the text");
}

static void check_template(Text text) {
  EpTemplateRoom room = ep_template_room(text);
  EpTemplateError error = {0, NULL};
  void *block = new_block(room.size);
  const EpTemplate *t = ep_template_compile(block, room, text, &error);
  if (t)
    check_compiled(t);
  else
    must(error.byte >= 1 && error.byte <= text.size + 1, "an error names a byte, or the end");
  free(block);
}

static void check_url(Text text) {
  const EpOrigin o = ep_url_read_origin(text);
  size_t byte = 0, origin = 0;
  if (ep_url_absolute(text) > 0) {
    must(!ep_url_difference(text, text), "an origin is its own");
    must(o.size <= text.size && is_in(o.scheme, text) && is_in(o.userinfo, text) &&
             is_in(o.host, text) && is_in(o.port, text),
         "an origin has its parts");
  }
  must(!ep_url_authority_fault(text, text.size % 2 > 0, &byte) || byte <= text.size,
       "a fault is in the authority");
  if (ep_url_base_fault(text, &origin, &byte))
    must(byte >= 1 && byte <= text.size + 1, "a fault names a byte");
  else
    must(origin <= text.size, "a base has its origin");
}

static void check_segments(Text text) {
  const char *end = ep_slice_end(text), *next;
  for (const char *at = text.bytes; at < end; at = next) {
    ep_mark_read(at, end, &next);
    must(next > at && next <= end, "a mark is in the text");
    must(ep_segment_dots(at, end) <= (size_t)(end - at), "dots are in the text");
  }
}

static void check_media(Text text) {
  Text rest = text, preview;
  size_t end, format;
  must(is_in(ep_media_preview(text), text), "a preview loses its end");
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
  ep_route_method(text);
}

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

static void check_scanners(const uint8_t *data, size_t size) {
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
}

/* --- calls ---------------------------------------------------------------------- */

/* A state whose stack holds the function that checks an input. */
static lua_State *open_state(void) {
  lua_State *L = luaL_newstate();
  must(L != NULL, "there is memory");
  luaL_openlibs(L);
  luaL_requiref(L, "endpoint", luaopen_endpoint, 0);
  lua_settop(L, 0);
  if (luaL_dostring(L, "package.path = 'spec/lib/?.lua;spec/?.lua'\n"
                       "return require('oracle.fuzz').check"))
    must(false, lua_tostring(L, -1));
  return L;
}

static void check_call(const uint8_t *data, size_t size) {
  static lua_State *L;
  static unsigned calls;
  if (calls++ % CALLS_PER_STATE == 0) {
    if (L)
      lua_close(L);
    L = open_state();
  }
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  lua_pushlstring(L, (const char *)data, size);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK)
    must(false, luaL_tolstring(L, -1, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check_scanners(data, size);
  if (size > 0 && data[0] == '{')
    check_call(data, size);
  return 0;
}
