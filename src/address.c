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

enum { BASE = EP_VIEW_OPTIONS + EP_BASE_URL, LITERAL = EP_UNRESERVED | EP_RESERVED };

/* Checks the base address at an absolute index. */
static void check_base(lua_State *L, int index) {
  size_t size, byte;
  const char *base = lua_tolstring(L, index, &size);
  const char *fault = ep_url_base_fault(base, size, &byte);
  if (fault)
    ep_error(L, "endpoint: option \"baseUrl\": %s at byte %d", fault, (int)byte);
}

void ep_address_push_base(lua_State *L, int index) {
  EpBuffer b;
  size_t size;
  const char *base = lua_tolstring(L, index, &size);
  check_base(L, index);
  lua_pushnil(L);
  ep_buffer_init(&b, lua_gettop(L));
  ep_buffer_add_encoded(L, &b, base, size, LITERAL);
  ep_buffer_push(L, &b);
  lua_replace(L, b.slot);
}

/* A base address: the call's, a string in the stack, else the default. */
typedef struct Base {
  const char *text;
  size_t size, path; /* bytes in all, and before the query */
  bool is_encoded;   /* the default is */
} Base;

static Base read_base(lua_State *L, const EpView *v) {
  Base base = {v->e->base, v->e->base_size, v->e->base_path, true};
  if ((v->given & EP_BIT(EP_BASE_URL)) || !(v->defaulted & EP_BIT(EP_BASE_URL))) {
    if (ep_is_absent(L, BASE))
      ep_error(L, "endpoint: option \"baseUrl\" is missing: expected one, for the url is not "
                  "absolute");
    check_base(L, BASE);
    base.text = lua_tolstring(L, BASE, &base.size);
    base.path = ep_url_path_size(base.text, base.size);
    base.is_encoded = false;
  }
  return base;
}

/* Appends a piece of the base address, which begins at an offset. */
static void add_base(lua_State *L, EpBuffer *out, const Base *base, size_t begin, size_t end) {
  if (base->is_encoded)
    ep_buffer_add(L, out, base->text + begin, end - begin);
  else
    ep_buffer_add_encoded(L, out, base->text + begin, end - begin, LITERAL);
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

/* Behind the path of a URL or template may be secrets. */
static void url_error(lua_State *L, const char *url, size_t size, const char *expected) {
  const char *path = ep_quote_url(L, url, ep_url_path_size(url, size));
  ep_error(L, "endpoint: url %s: expected %s", path, expected);
}

/* Behind an empty baseUrl a template that begins so is the caller's whole URL. */
static bool begins_with_value(const EpTemplate *t) {
  return t->part_count > 0 && ep_is_plain(t->parts[0].kind);
}

/* Did values complete the scheme, or make the URL absolute? A template that is not
 * absolute may have a scheme of its own, as urn:isbn:{n} has. */
static bool is_completed(const EpBuffer *out, const EpTemplate *t) {
  bool has_literal = t->part_count > 0 && t->parts[0].kind == EP_LITERAL;
  if (t->varspec_count == 0 || ep_url_scheme(out->bytes, out->size) == 0)
    return false;
  return !has_literal || ep_url_scheme(t->literals, t->parts[0].end) == 0 ||
         ep_url_absolute(out->bytes, out->size) > 0;
}

/* A URL whose host is empty has one for clients all the same: the first segment of its
 * path, which may be a value. */
static void check_has_host(lua_State *L, const EpBuffer *out) {
  if (ep_url_lacks_host(out->bytes, out->size))
    url_error(L, out->bytes, out->size, "a host behind \"://\"");
}

/* With a base that names no host, values must not name one: a URL that begins
 * with "//" would (RFC 3986 section 4.2), and one that begins with a scheme. */
static void check_names_no_host(lua_State *L, const EpBuffer *out, const EpTemplate *t,
                                size_t seam) {
  if (seam > 0 && out->bytes[0] != '/')
    return;
  if (seam == 0 && begins_with_value(t)) {
    check_has_host(L, out);
    return;
  }
  if (out->size >= 2 && memcmp(out->bytes, "//", 2) == 0)
    url_error(L, out->bytes, out->size, "a path, got one that begins with \"//\" and names a host");
  if (seam == 0 && is_completed(out, t))
    url_error(L, out->bytes, out->size,
              "a template that begins with scheme:// or with {name} or {+name}: a value must "
              "not complete the scheme");
}

/* Puts the base's query, which is not empty, before the URL's own. */
static void insert_query(lua_State *L, EpBuffer *out, const Base *base) {
  size_t rest_size;
  const char *rest;
  ep_buffer_cut(L, out, ep_url_path_size(out->bytes, out->size));
  rest = lua_tolstring(L, -1, &rest_size);
  add_base(L, out, base, base->path, base->size);
  if (rest_size > 0 && rest[0] == '?') {
    rest++;
    rest_size--;
    if (rest_size > 0 && rest[0] != '#' && out->bytes[out->size - 1] != '&')
      ep_buffer_add_byte(L, out, '&');
  }
  ep_buffer_add(L, out, rest, rest_size);
  lua_pop(L, 1);
}

/* A baseUrl is checked even where it is not used. */
static void check_unused_base(lua_State *L) {
  if (!ep_is_absent(L, BASE))
    check_base(L, BASE);
}

void ep_address_build(lua_State *L, EpBuffer *out, const EpView *v) {
  const EpTemplate *t = v->c->t;
  Base base;
  size_t seam;
  if (t->authority > 0) {
    check_unused_base(L);
    ep_expand(L, out, v);
    check_has_host(L, out);
    return;
  }
  if (t->lacks_host)
    url_error(L, t->text, t->text_size,
              "\"://\" and a host behind this scheme (a literal \":\" is written %3A)");
  base = read_base(L, v);
  add_base(L, out, &base, 0, base.path);
  seam = out->size;
  ep_expand(L, out, v);
  fix_slash(L, out, seam);
  check_names_no_host(L, out, t, seam);
  if (base.size - base.path > 1)
    insert_query(L, out, &base);
}
