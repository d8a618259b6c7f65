/* Joining. */
#include "address.h"

#include <stdbool.h>
#include <string.h>

#include "error.h"
#include "expand.h"
#include "percent.h"
#include "state.h"
#include "url.h"
#include "value.h"

enum { BASE = EP_VIEW_OPTIONS + EP_BASE_URL };

/* Checks the base address at an absolute index. */
static void check_base(lua_State *L, int index) {
  size_t size, byte;
  const char *base = lua_tolstring(L, index, &size);
  const char *fault = ep_url_base_fault(base, size, &byte);
  if (fault)
    ep_error(L, "endpoint: option \"baseUrl\": %s at byte %d", fault, (int)byte);
}

static void add_encoded_base(lua_State *L, EpBuffer *out, int index) {
  size_t size;
  const char *base = lua_tolstring(L, index, &size);
  check_base(L, index);
  ep_buffer_add_encoded(L, out, base, size, EP_UNRESERVED | EP_RESERVED);
}

void ep_address_push_base(lua_State *L, int index) {
  EpBuffer b;
  lua_pushnil(L);
  ep_buffer_init(&b, lua_gettop(L));
  add_encoded_base(L, &b, index);
  ep_buffer_push(L, &b);
  lua_replace(L, b.slot);
}

/* Writes the encoded base address: the call's, else the default. */
static void add_base(lua_State *L, EpBuffer *out, const EpView *v) {
  if (!(v->given & EP_BIT(EP_BASE_URL)) && (v->defaulted & EP_BIT(EP_BASE_URL))) {
    ep_buffer_add(L, out, v->e->base, v->e->base_size);
    return;
  }
  if (ep_is_absent(L, BASE))
    ep_error(L, "endpoint: option \"baseUrl\" is missing: expected one, for the url is not "
                "absolute");
  add_encoded_base(L, out, BASE);
}

/* Leaves one "/" between the base and what was expanded behind it. */
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

static bool begins_with_expression(const EpTemplate *t) {
  return t->part_count > 0 && t->parts[0].kind != EP_LITERAL;
}

static bool has_expression(const EpTemplate *t) {
  return t->varspec_count > 0;
}

/* Did values have a part in the scheme or in the host behind it? They had none
 * in urn:isbn:{n}, whose scheme is literal and has no host. */
static bool is_completed(const EpBuffer *out, const EpTemplate *t) {
  size_t scheme = ep_url_scheme(out->bytes, out->size);
  if (scheme == 0 || !has_expression(t))
    return false;
  return ep_url_scheme(t->literals, t->parts[0].end) == 0 ||
         ep_url_is_special(out->bytes, scheme) || ep_url_absolute(out->bytes, out->size) > 0;
}

/* The path of a URL, for a message: what follows may hold secrets. */
static const char *quote_path(lua_State *L, const EpBuffer *url) {
  size_t size = 0;
  while (size < url->size && url->bytes[size] != '?' && url->bytes[size] != '#')
    size++;
  return ep_quote_url(L, url->bytes, size);
}

/* With a base that names no host, values must not name one: a URL that begins
 * with "//" would (RFC 3986 section 4.2), and one that begins with a scheme.
 * The exception is a template that is the caller's whole URL. */
static void check_host(lua_State *L, const EpBuffer *out, const EpView *v, size_t seam) {
  const EpTemplate *t = v->c->t;
  bool base_has_host = seam > 0 && out->bytes[0] != '/';
  if (base_has_host || (seam == 0 && begins_with_expression(t)))
    return;
  if (out->size >= 2 && memcmp(out->bytes, "//", 2) == 0)
    ep_error(L,
             "endpoint: url %s: expected a path, got one that begins with \"//\" and names a host",
             quote_path(L, out));
  if (seam == 0 && is_completed(out, t))
    ep_error(L,
             "endpoint: url %s: expected a template that begins with scheme:// or with an "
             "expression: a value must not complete the scheme",
             quote_path(L, out));
}

/* A URL whose host is empty has one for clients all the same, the first segment of
 * its path (the WHATWG's URL standard, section 4.4), which may be a value. */
static void check_own_host(lua_State *L, const EpBuffer *out, const EpTemplate *t) {
  bool empty = t->authority == out->size || memchr("/?#", out->bytes[t->authority], 3);
  if (empty && ep_url_is_special(out->bytes, ep_url_scheme(out->bytes, out->size)))
    ep_error(L, "endpoint: url %s: expected a host behind \"://\"", quote_path(L, out));
}

/* A baseUrl is checked even where it is not used. */
static void check_unused_base(lua_State *L) {
  if (!ep_is_absent(L, BASE))
    check_base(L, BASE);
}

void ep_address_build(lua_State *L, EpBuffer *out, const EpView *v) {
  size_t seam;
  if (v->c->t->authority > 0) {
    check_unused_base(L);
    ep_expand(L, out, v);
    check_own_host(L, out, v->c->t);
    return;
  }
  add_base(L, out, v);
  seam = out->size;
  ep_expand(L, out, v);
  fix_slash(L, out, seam);
  check_host(L, out, v, seam);
}
