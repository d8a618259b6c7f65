/* Which default headers are credentials, and where a request goes. */
#include "credentials.h"

#include "address.h"
#include "error.h"
#include "stack.h"
#include "template.h"
#include "url.h"

/* --- names -------------------------------------------------------------------- */

static bool is_harmless(EpSlice name) {
  return ep_slice_equals(name, EP_SLICE("idempotency-key")) ||
         ep_slice_equals(name, EP_SLICE("sec-websocket-key"));
}

bool ep_credentials_is(EpSlice name) {
  return ep_slice_equals(name, EP_SLICE("authorization")) ||
         ep_slice_equals(name, EP_SLICE("proxy-authorization")) ||
         ep_slice_equals(name, EP_SLICE("cookie")) ||
         ep_slice_ends_with(name, EP_SLICE("-token")) ||
         ep_slice_ends_with(name, EP_SLICE("-secret")) ||
         (ep_slice_ends_with(name, EP_SLICE("-key")) && !is_harmless(name));
}

/* --- where the request goes ---------------------------------------------------- */

static bool is_given(lua_State *L, const EpView *v, EpOption option) {
  return (v->given & EP_BIT(option)) && !ep_is_absent(L, EP_VIEW_OPTIONS + (int)option);
}

bool ep_credentials_asked(const EpView *v) {
  if (!v->e->has_credentials || v->purpose == EP_FOR_DEFAULTS)
    return false;
  return (v->given & EP_BIT(EP_BASE_URL)) || !v->c || v->c->t->authority > 0;
}

/* [-0, +1] Pushes the anchor of the call's template and returns the template, which is compiled
 * here for merge. NULL if it is malformed, which parse refuses. */
static const EpTemplate *push_template(lua_State *L, const EpView *v) {
  const EpTemplate *t;
  EpTemplateRoom room;
  EpTemplateError error;
  EpSlice text = EP_SLICE("");
  void *block;
  if (v->c) {
    lua_pushvalue(L, EP_VIEW_TEMPLATE);
    return v->c->t;
  }
  ep_view_push_option(L, v, EP_URL);
  if (!lua_isnil(L, -1))
    text = ep_to_slice(L, -1);
  room = ep_template_room(text);
  block = ep_newuserdata(L, room.size);
  lua_insert(L, -2);
  t = ep_template_compile(block, room, text, &error);
  lua_pop(L, 1);
  return t;
}

static void raise_away(lua_State *L, const EpView *v, EpSlice name, const char *origin) {
  const EpSlice home = {v->e->base.bytes, ep_url_origin_size(v->e->base)};
  const char *quoted = ep_quote_url(L, home);
  ep_error(L,
           "endpoint: header %s: a credential of the defaults goes to %s alone, not to %s: "
           "expected the header in the call, its value or null",
           ep_quote(L, name), quoted, origin);
}

/* The start of an absolute template, up to the "/", "?" or "#" that ends its authority. Behind
 * "{" these are operators and end nothing. */
static EpSlice origin_of(EpSlice text) {
  size_t i = ep_url_absolute(text);
  while (i < text.size && !(ep_url_ends_authority(text.bytes[i]) && text.bytes[i - 1] != '{'))
    i++;
  return ep_slice(text.bytes, i);
}

/* A url of the defaults may have any origin, but values must not choose it. */
static void check_url_origin(lua_State *L, const EpView *v, const EpTemplate *t, EpSlice name) {
  bool is_given_url = v->has_route || is_given(L, v, EP_URL);
  EpSlice start = {t->literals, t->parts[0].end};
  if (t->origin_literal && (!is_given_url || ep_url_same_origin(start, v->e->base)))
    return;
  lua_pushfstring(L, "%s%s", ep_quote_url(L, origin_of(t->text)),
                  t->origin_literal ? "" : ", whose authority values can change");
  raise_away(L, v, name, lua_tostring(L, -1));
}

/* A malformed baseUrl passes, for parse refuses it. */
static void check_base_origin(lua_State *L, const EpView *v, EpSlice name) {
  const int given = EP_VIEW_OPTIONS + (int)EP_BASE_URL;
  size_t byte;
  EpSlice base;
  if (ep_url_base_fault(ep_to_slice(L, given), &byte))
    return;
  ep_address_push_base(L, given);
  base = ep_to_slice(L, -1);
  if (ep_url_same_origin(base, v->e->base))
    return;
  base.size = ep_url_origin_size(base);
  raise_away(L, v, name, base.size > 0 ? ep_quote_url(L, base) : "a baseUrl without a host");
}

/* The first credential by name among the default headers that the call does not give, a
 * string of the state; NULL bytes for none. */
static EpSlice first_credential(lua_State *L, const EpView *v, const EpName *given,
                                int given_count) {
  EpSlice first = {NULL, 0};
  for (int i = 0; i < v->e->headers; i++) {
    EpSlice name;
    lua_rawgeti(L, EP_VIEW_STATE, EP_STATE_HEADERS + 2 * i);
    name = ep_to_slice(L, -1);
    if (ep_credentials_is(name) && ep_names_find(given, given_count, name) < 0 &&
        (!first.bytes || ep_slice_compare(name, first) < 0))
      first = name;
    lua_pop(L, 1);
  }
  return first;
}

/* For merge: is the URL relative to the default baseUrl, so that no template is compiled? */
static bool is_at_home(lua_State *L, const EpView *v) {
  bool absolute;
  if (v->c || (v->given & EP_BIT(EP_BASE_URL)))
    return false;
  ep_view_push_option(L, v, EP_URL);
  absolute = !lua_isnil(L, -1) && ep_url_absolute(ep_to_slice(L, -1)) > 0;
  lua_pop(L, 1);
  return !absolute;
}

void ep_credentials_check(lua_State *L, const EpView *v, const EpName *given, int given_count) {
  const int top = lua_gettop(L);
  const EpTemplate *t;
  EpSlice name;
  if (is_at_home(L, v))
    return;
  name = first_credential(L, v, given, given_count);
  if (!name.bytes)
    return;
  t = push_template(L, v);
  if (t && t->authority > 0)
    check_url_origin(L, v, t, name);
  else if (t && is_given(L, v, EP_BASE_URL))
    check_base_origin(L, v, name);
  lua_settop(L, top);
}
