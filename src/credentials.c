/* Which default headers stay at home, and where a call leads. */
#include "credentials.h"

#include <string.h>

#include "address.h"
#include "error.h"
#include "template.h"
#include "url.h"
#include "value.h"

enum { BASE = EP_VIEW_OPTIONS + EP_BASE_URL };

/* --- names -------------------------------------------------------------------- */

static bool is_one_of(const char *name, size_t size, const char *const *names) {
  for (; *names; names++)
    if (strlen(*names) == size && memcmp(name, *names, size) == 0)
      return true;
  return false;
}

static bool ends_with(const char *name, size_t size, const char *end) {
  size_t length = strlen(end);
  return size >= length && memcmp(name + size - length, end, length) == 0;
}

bool ep_credentials_is(const char *name, size_t size) {
  static const char *const credentials[] = {"authorization", "proxy-authorization", "cookie", NULL};
  static const char *const harmless[] = {"idempotency-key", "sec-websocket-key", NULL};
  if (is_one_of(name, size, harmless))
    return false;
  return is_one_of(name, size, credentials) || ends_with(name, size, "-token") ||
         ends_with(name, size, "-key") || ends_with(name, size, "-secret");
}

/* --- where the call leads ------------------------------------------------------ */

static bool is_given(lua_State *L, const EpView *v, EpOption option) {
  return (v->given & EP_BIT(option)) && !ep_is_absent(L, EP_VIEW_OPTIONS + (int)option);
}

bool ep_credentials_asked(const EpView *v) {
  if (!v->e->has_credentials || v->purpose == EP_FOR_DEFAULTS)
    return false;
  return (v->given & EP_BIT(EP_BASE_URL)) || !v->c || v->c->t->authority > 0;
}

/* [-0, +0..2] The template of the call, which merge has not compiled and pushes. NULL for a
 * malformed one, which parse refuses. */
static const EpTemplate *push_template(lua_State *L, const EpView *v) {
  EpTemplate counts;
  EpTemplateError error;
  const char *text = "";
  size_t size = 0;
  if (v->c)
    return v->c->t;
  ep_view_push_option(L, v, EP_URL);
  if (!lua_isnil(L, -1))
    text = lua_tolstring(L, -1, &size);
  if (!ep_template_measure(text, size, &counts, &error))
    return NULL;
  return ep_template_fill(ep_newuserdata(L, ep_template_size(&counts)), &counts, text);
}

static void raise_away(lua_State *L, const EpView *v, const EpName *name, const char *origin) {
  const char *home = ep_quote_url(L, v->e->base, ep_url_origin_size(v->e->base, v->e->base_size));
  ep_error(L,
           "endpoint: header %s: a credential of the defaults goes to %s alone, not to %s: "
           "expected the header in the call, its value or null",
           ep_quote(L, name->text, name->size), home, origin);
}

/* The bytes of an absolute template up to its path. The "/" of {/x} is no path. */
static size_t origin_size(const EpTemplate *t) {
  size_t i = ep_url_absolute(t->text, t->text_size);
  while (i < t->text_size && !(ep_url_ends_authority(t->text[i]) && t->text[i - 1] != '{'))
    i++;
  return i;
}

/* A url of the defaults may be of any origin, but values must not choose it. */
static void check_url(lua_State *L, const EpView *v, const EpTemplate *t, const EpName *name) {
  bool is_given_url = v->has_route || is_given(L, v, EP_URL);
  if (t->origin_literal && (!is_given_url || ep_url_same_origin(t->literals, t->parts[0].end,
                                                                v->e->base, v->e->base_size)))
    return;
  lua_pushfstring(L, "%s%s", ep_quote_url(L, t->text, origin_size(t)),
                  t->origin_literal ? "" : ", whose authority values can change");
  raise_away(L, v, name, lua_tostring(L, -1));
}

/* A malformed baseUrl is refused by parse. */
static void check_base(lua_State *L, const EpView *v, const EpName *name) {
  size_t size, byte;
  const char *base = lua_tolstring(L, BASE, &size);
  if (ep_url_base_fault(base, size, &byte))
    return;
  ep_address_push_base(L, BASE);
  base = lua_tolstring(L, -1, &size);
  if (ep_url_same_origin(base, size, v->e->base, v->e->base_size))
    return;
  size = ep_url_origin_size(base, size);
  raise_away(L, v, name, size > 0 ? ep_quote_url(L, base, size) : "a baseUrl without a host");
}

/* [-0, +1] Pushes an array of the credentials among the default headers that the call
 * does not give, in order. Returns it and counts them. */
static const EpName *push_credentials(lua_State *L, const EpView *v, int given, int *count) {
  const size_t size = (size_t)v->e->headers * sizeof(EpName);
  EpName *names = (EpName *)ep_newuserdata(L, size);
  *count = 0;
  for (int i = 0; i < v->e->headers; i++) {
    EpName *name = &names[*count];
    lua_rawgeti(L, EP_VIEW_STATE, EP_STATE_HEADERS + 2 * i);
    name->text = lua_tolstring(L, -1, &name->size);
    name->index = i;
    lua_rawget(L, given);
    if (lua_isnil(L, -1) && ep_credentials_is(name->text, name->size))
      (*count)++;
    lua_pop(L, 1);
  }
  ep_names_sort(names, *count);
  return names;
}

/* Merge compiles no template that is relative to the default baseUrl. */
static bool is_at_home(lua_State *L, const EpView *v) {
  size_t size;
  const char *url;
  bool absolute;
  if (v->c || (v->given & EP_BIT(EP_BASE_URL)))
    return false;
  ep_view_push_option(L, v, EP_URL);
  url = lua_tolstring(L, -1, &size);
  absolute = url && ep_url_absolute(url, size) > 0;
  lua_pop(L, 1);
  return !absolute;
}

void ep_credentials_check(lua_State *L, const EpView *v, int given) {
  const int top = lua_gettop(L);
  const EpName *names;
  int count;
  if (is_at_home(L, v))
    return;
  names = push_credentials(L, v, given, &count);
  if (count > 0) {
    const EpTemplate *t = push_template(L, v);
    if (t && t->authority > 0)
      check_url(L, v, t, names);
    else if (t && is_given(L, v, EP_BASE_URL))
      check_base(L, v, names);
  }
  lua_settop(L, top);
}
