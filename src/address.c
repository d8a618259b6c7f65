/* The URL of a call, written from left to right. */
#include "address.h"

#include <string.h>

#include "blame.h"
#include "core/guard.h"
#include "core/percent.h"
#include "core/url.h"
#include "error.h"
#include "expand.h"
#include "query.h"
#include "stack.h"
#include "state.h"

enum { LITERAL = EP_UNRESERVED | EP_RESERVED };

/* Reads the base address at an absolute index. Raises if it is malformed. */
static EpUrlBase check_base(lua_State *L, int index) {
  EpUrlBase parts;
  size_t byte;
  const char *fault = ep_url_read_base(ep_to_slice(L, index), &parts, &byte);
  if (fault)
    ep_error(L, "endpoint: option \"baseUrl\": %s at byte %d", fault, (int)byte);
  return parts;
}

EpUrlBase ep_address_push_base(lua_State *L, int index) {
  EpUrlBase parts = check_base(L, index);
  const EpSlice base = ep_to_slice(L, index);
  EpBuffer b;
  size_t path;
  lua_pushnil(L);
  ep_buffer_init(&b, lua_gettop(L));
  ep_buffer_add_encoded(L, &b, ep_slice(base.bytes, parts.path), LITERAL);
  path = b.size;
  ep_buffer_add_encoded(L, &b, ep_slice_from(base, parts.path), LITERAL);
  parts.path = path;
  ep_buffer_push(L, &b);
  lua_replace(L, b.slot);
  return parts;
}

/* The base address: the call's or the default. */
typedef struct Base {
  EpSlice path, query; /* the query without its "?" */
  size_t origin;       /* bytes of the path's scheme://authority, 0 without one */
  bool is_encoded;
} Base;

/* A call's baseUrl that equals the encoded default needs no check. merge hands the default to
 * parse. */
static Base read_base(lua_State *L, const EpCall *c) {
  EpSlice text = c->e->base;
  EpUrlBase parts = c->e->base_parts;
  bool is_encoded = true;
  if ((c->given & EP_BIT(EP_BASE_URL)) || !(c->defaulted & EP_BIT(EP_BASE_URL))) {
    if (ep_is_absent(L, ep_call_slot(EP_BASE_URL)))
      ep_error(L, "endpoint: option \"baseUrl\" is missing: expected one, for the url is not "
                  "absolute");
    text = ep_to_slice(L, ep_call_slot(EP_BASE_URL));
    is_encoded = ep_slice_equals(text, c->e->base);
    if (!is_encoded)
      parts = check_base(L, ep_call_slot(EP_BASE_URL));
  }
  Base base = {{text.bytes, parts.path}, ep_slice_from(text, parts.path), parts.origin, is_encoded};
  if (base.query.size > 0)
    base.query = ep_slice_from(base.query, 1);
  return base;
}

/* Nothing is joined to an absolute URL, but a baseUrl beside it must be right. */
static Base no_base(lua_State *L) {
  const Base base = {{"", 0}, {"", 0}, 0, true};
  if (!ep_is_absent(L, ep_call_slot(EP_BASE_URL)))
    check_base(L, ep_call_slot(EP_BASE_URL));
  return base;
}

/* Appends a piece of the base address. */
static void add_base(lua_State *L, EpBuffer *out, const Base *base, EpSlice piece) {
  if (base->is_encoded)
    ep_buffer_add(L, out, piece);
  else
    ep_buffer_add_encoded(L, out, piece, LITERAL);
}

/* Makes one "/" of those at the seam, where the base ends and the expansion begins, or adds
 * one. */
static void join(lua_State *L, EpBuffer *out, EpExpansion *x) {
  const size_t seam = x->begin;
  const char first = out->size > seam ? out->bytes[seam] : '?';
  if (ep_url_ends_path(first) || seam == 0 || (out->bytes[seam - 1] == '/') != (first == '/'))
    return;
  if (first == '/') {
    ep_buffer_remove(out, seam - 1);
    x->begin--;
  } else {
    ep_buffer_insert(L, out, seam, '/');
    x->begin++;
  }
}

/* --- behind the path ------------------------------------------------------------ */

static void add_own_query(lua_State *L, EpQuery *q, EpSlice text) {
  ep_query_begin(L, q);
  if (text.size > 0) {
    ep_query_separate(L, q);
    ep_buffer_add(L, q->url, text);
  }
}

static void add_base_query(lua_State *L, EpQuery *q, const Base *base) {
  if (base->query.size > 0) {
    ep_query_begin(L, q);
    add_base(L, q->url, base, base->query);
  }
}

/* The bytes of a text before its fragment. */
static size_t fragment_begin(EpSlice text) {
  const char *fragment = (const char *)memchr(text.bytes, '#', text.size);
  return fragment ? (size_t)(fragment - text.bytes) : text.size;
}

/* [-0, +1] Cuts off what the expansion wrote behind its path, and appends it behind the base's
 * query. Pushes the string that holds it, and returns the fragment. */
static EpSlice push_rest(lua_State *L, EpQuery *q, const Base *base, size_t path_end) {
  EpSlice rest;
  size_t query;
  ep_buffer_cut(L, q->url, path_end);
  rest = ep_to_slice(L, -1);
  query = fragment_begin(rest);
  add_base_query(L, q, base);
  if (query > 0)
    add_own_query(L, q, ep_slice(rest.bytes + 1, query - 1));
  return ep_slice_from(rest, query);
}

/* [-0, +1] The same if nothing comes between the path and what the expansion wrote behind it. */
static EpSlice push_fragment(lua_State *L, EpQuery *q, size_t path_end) {
  const EpSlice rest = ep_slice_from(ep_buffer_slice(q->url), path_end);
  if (rest.bytes[0] == '?')
    q->begin = path_end + 1;
  ep_buffer_cut(L, q->url, path_end + fragment_begin(rest));
  return ep_to_slice(L, -1);
}

/* Completes the URL, which ends with the expansion: the base's query, the expansion's own, the
 * left-over parameters, the fragment. */
static void add_query(lua_State *L, EpBuffer *out, const Base *base, EpVerdict path,
                      EpPairs *leftovers) {
  const bool is_bare = path.path_begin == path.path_end && path.path_begin > 0;
  EpQuery q = {out, 0, is_bare && ep_url_is_special(ep_buffer_slice(out))};
  const bool has_rest = path.path_end < out->size;
  EpSlice fragment = {NULL, 0};
  if (has_rest && (base->query.size > 0 || q.needs_slash))
    fragment = push_rest(L, &q, base, path.path_end);
  else if (has_rest && leftovers)
    fragment = push_fragment(L, &q, path.path_end);
  else if (!has_rest)
    add_base_query(L, &q, base);
  if (leftovers)
    ep_query_add_pairs(L, &q, leftovers);
  if (fragment.size > 0 && q.needs_slash)
    ep_buffer_add_byte(L, out, '/');
  if (fragment.size > 0)
    ep_buffer_add(L, out, fragment);
}

/* --- the whole -------------------------------------------------------------------- */

/* [-0, +0 or +1] Expands the template behind the base, and judges the URL. Pushes the anchor of
 * the notes if they are many. */
static EpVerdict expand(lua_State *L, EpBuffer *out, const EpCall *c, const Base *base) {
  enum { FEW = 16 };
  const EpTemplate *t = c->compiled->t;
  EpNote few[FEW], *notes = few;
  EpExpansion x = {t, NULL, {NULL, 0}, out->size, base->origin, false};
  EpVerdict verdict;
  x.is_alone = t->absolute == 0 && out->size == 0;
  if (t->varspec_count > FEW)
    notes = (EpNote *)ep_newuserdata(L, t->varspec_count * sizeof *notes);
  x.notes = notes;
  ep_expand(L, out, c, notes);
  join(L, out, &x);
  x.url = ep_buffer_slice(out);
  verdict = ep_guard_judge(&x);
  if (verdict.fault != EP_SOUND)
    ep_blame(L, c, &x, verdict);
  return verdict;
}

void ep_address_write(lua_State *L, EpBuffer *out, EpCall *c, bool sends_query) {
  const Base base = c->compiled->t->absolute > 0 ? no_base(L) : read_base(L, c);
  const int top = lua_gettop(L);
  EpVerdict verdict;
  add_base(L, out, &base, base.path);
  verdict = expand(L, out, c, &base);
  add_query(L, out, &base, verdict, sends_query && c->leftovers.count > 0 ? &c->leftovers : NULL);
  if (lua_gettop(L) > top)
    lua_settop(L, top);
}
