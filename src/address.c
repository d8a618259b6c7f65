/* The base address, and what a URL must not become. */
#include "address.h"

#include <stdbool.h>

#include "error.h"
#include "expand.h"
#include "percent.h"
#include "stack.h"
#include "state.h"
#include "url.h"

enum { BASE = EP_VIEW_OPTIONS + (int)EP_BASE_URL, LITERAL = EP_UNRESERVED | EP_RESERVED };

/* Raises if the base address at an absolute index is malformed. */
static void check_base(lua_State *L, int index) {
  size_t byte;
  const char *fault = ep_url_base_fault(ep_to_slice(L, index), &byte);
  if (fault)
    ep_error(L, "endpoint: option \"baseUrl\": %s at byte %d", fault, (int)byte);
}

void ep_address_push_base(lua_State *L, int index) {
  EpBuffer b;
  check_base(L, index);
  lua_pushnil(L);
  ep_buffer_init(&b, lua_gettop(L));
  ep_buffer_add_encoded(L, &b, ep_to_slice(L, index), LITERAL);
  ep_buffer_push(L, &b);
  lua_replace(L, b.slot);
}

/* The base address: the call's or the default. */
typedef struct Base {
  EpSlice path, query; /* the query with its "?" */
  bool is_encoded;
} Base;

/* A call's baseUrl that equals the encoded default needs no check. merge hands the default to
 * parse. */
static Base read_base(lua_State *L, const EpView *v) {
  EpSlice text = v->e->base;
  size_t path = v->e->base_path;
  bool is_encoded = true;
  if ((v->given & EP_BIT(EP_BASE_URL)) || !(v->defaulted & EP_BIT(EP_BASE_URL))) {
    if (ep_is_absent(L, BASE))
      ep_error(L, "endpoint: option \"baseUrl\" is missing: expected one, for the url is not "
                  "absolute");
    text = ep_to_slice(L, BASE);
    is_encoded = ep_slice_equals(text, v->e->base);
    if (!is_encoded) {
      check_base(L, BASE);
      path = ep_url_path_size(text);
    }
  }
  Base base = {{text.bytes, path}, ep_slice_from(text, path), is_encoded};
  return base;
}

/* Appends a piece of the base address. */
static void add_base(lua_State *L, EpBuffer *out, const Base *base, EpSlice piece) {
  if (base->is_encoded)
    ep_buffer_add(L, out, piece);
  else
    ep_buffer_add_encoded(L, out, piece, LITERAL);
}

/* Makes one "/" of those at the seam, where the base ends and the expanded template begins, or
 * adds one. */
static void fix_slash(lua_State *L, EpBuffer *out, size_t seam) {
  char first = out->size > seam ? out->bytes[seam] : '?';
  bool base_ends = seam > 0 && out->bytes[seam - 1] == '/';
  if (first == '?' || first == '#' || seam == 0)
    return;
  if (base_ends && first == '/')
    ep_buffer_remove(out, seam);
  else if (!base_ends && first != '/')
    ep_buffer_insert(L, out, seam, '/');
}

/* Quotes the URL up to its path: what follows may be secret. */
static void url_error(lua_State *L, EpSlice url, const char *expected) {
  url.size = ep_url_path_size(url);
  ep_error(L, "endpoint: url %s: expected %s", ep_quote_url(L, url), expected);
}

/* Does the template begin with a plain or "+" expression? With an empty baseUrl the value is
 * the caller's whole URL then. */
static bool begins_with_value(const EpTemplate *t) {
  return t->part_count > 0 && ep_is_plain(t->parts[0].kind);
}

/* Did values complete the scheme of a URL whose template is not absolute, or make it absolute?
 * The template may have a scheme of its own, as in urn:isbn:{n}. */
static bool is_completed(EpSlice url, const EpTemplate *t) {
  bool has_literal = t->part_count > 0 && t->parts[0].kind == EP_LITERAL;
  if (t->varspec_count == 0 || ep_url_scheme(url) == 0)
    return false;
  return !has_literal || ep_url_scheme(ep_slice(t->literals, t->parts[0].end)) == 0 ||
         ep_url_absolute(url) > 0;
}

/* If the host is empty, clients take the first segment of the path for it. */
static void check_has_host(lua_State *L, EpSlice url) {
  if (ep_url_lacks_host(url))
    url_error(L, url, "a host behind \"://\"");
}

/* Behind a base without a host, values must not name one, with "//" (RFC 3986 section 4.2) or
 * with a scheme. */
static void check_names_no_host(lua_State *L, EpSlice url, const EpTemplate *t, size_t seam) {
  if (seam > 0 && url.bytes[0] != '/')
    return;
  if (seam == 0 && begins_with_value(t)) {
    check_has_host(L, url);
    return;
  }
  if (ep_slice_begins_with(url, EP_SLICE("//")))
    url_error(L, url, "a path, got one that begins with \"//\" and names a host");
  if (seam == 0 && is_completed(url, t))
    url_error(L, url,
              "a template that begins with scheme:// or with {name} or {+name}: a value must "
              "not complete the scheme");
}

/* Inserts the base's query, which is not empty, before the URL's own. */
static void insert_query(lua_State *L, EpBuffer *out, const Base *base) {
  EpSlice rest;
  ep_buffer_cut(L, out, ep_url_path_size(ep_buffer_slice(out)));
  rest = ep_to_slice(L, -1);
  add_base(L, out, base, base->query);
  if (ep_slice_begins_with(rest, EP_SLICE("?"))) {
    rest = ep_slice_from(rest, 1);
    if (rest.size > 0 && rest.bytes[0] != '#' && out->bytes[out->size - 1] != '&')
      ep_buffer_add_byte(L, out, '&');
  }
  ep_buffer_add(L, out, rest);
  lua_pop(L, 1);
}

/* A baseUrl must be right even if the URL is absolute. */
static void check_unused_base(lua_State *L) {
  if (!ep_is_absent(L, BASE))
    check_base(L, BASE);
}

bool ep_address_build(lua_State *L, EpBuffer *out, const EpView *v) {
  const EpTemplate *t = v->c->t;
  Base base;
  size_t seam;
  bool ended;
  if (t->authority > 0) {
    check_unused_base(L);
    ended = ep_expand(L, out, v);
    check_has_host(L, ep_buffer_slice(out));
    return ended;
  }
  if (t->lacks_host)
    url_error(L, t->text, "\"://\" and a host behind this scheme (a literal \":\" is written %3A)");
  base = read_base(L, v);
  add_base(L, out, &base, base.path);
  seam = out->size;
  ended = ep_expand(L, out, v);
  fix_slash(L, out, seam);
  check_names_no_host(L, ep_buffer_slice(out), t, seam);
  if (base.query.size > 1)
    insert_query(L, out, &base);
  return ended || base.query.size > 1;
}
