/* SPDX-License-Identifier: MIT */
#include "home.h"

#include "core/url.h"

bool ep_home_has_guest(EpSlice name) {
  return !ep_slice_equals(name, EP_SLICE("content-type")) &&
         !ep_slice_equals(name, EP_SLICE("user-agent")) &&
         !ep_slice_begins_with(name, EP_SLICE("accept"));
}

/* --- the guest -------------------------------------------------------------------- */

/* A guest, and what it is. Its bytes are a string of the state; NULL for none. */
typedef struct Guest {
  const char *what;
  EpSlice name;
} Guest;

/* The first default header that is a guest and not among the given ones. */
static EpSlice first_header(lua_State *L, const EpCall *c, const EpName *given, int given_count) {
  EpSlice name = {NULL, 0};
  for (int i = 0; i < c->e->headers && !name.bytes; i++) {
    lua_rawgeti(L, EP_CALL_STATE, EP_STATE_HEADERS + 2 * i);
    name = ep_to_slice(L, -1);
    lua_pop(L, 1);
    if (!ep_home_has_guest(name) || ep_names_find(given, given_count, name) >= 0)
      name.bytes = NULL;
  }
  return name;
}

/* The first default parameter, data among them, that the call does not give. */
static EpSlice first_parameter(lua_State *L, const EpCall *c) {
  const EpSlice data = EP_SLICE("data");
  EpSlice name = {NULL, 0};
  for (int i = 0; i < c->e->parameters && !name.bytes; i++) {
    lua_rawgeti(L, EP_CALL_STATE, ep_state_parameter(c->e, i));
    ep_call_push_given(L, c);
    if (lua_isnil(L, -1))
      name = c->e->names[i].text;
    lua_pop(L, 2);
  }
  ep_push_option_name(L, EP_DATA);
  ep_call_push_given(L, c);
  if ((c->e->defaulted & EP_BIT(EP_DATA)) && lua_isnil(L, -1) &&
      (!name.bytes || ep_slice_compare(data, name) < 0))
    name = data;
  lua_pop(L, 2);
  return name;
}

static Guest find_guest(lua_State *L, const EpCall *c, const EpName *given, int given_count) {
  Guest guest = {"header", {NULL, 0}};
  if (!ep_is_null(L, ep_call_slot(EP_HEADERS)))
    guest.name = first_header(L, c, given, given_count);
  if (!guest.name.bytes) {
    guest.what = "default";
    guest.name = first_parameter(L, c);
  }
  return guest;
}

/* --- where the request goes ---------------------------------------------------- */

/* Where a request goes that leaves home. */
typedef struct Away {
  EpSlice origin; /* of a template its text; the bytes are NULL if the request stays */
  bool is_variable;
} Away;

static bool is_given(lua_State *L, const EpCall *c, EpOption option) {
  return (c->given & EP_BIT(option)) && !ep_is_absent(L, ep_call_slot(option));
}

/* Of a bare path every origin is another one. */
static bool is_at_home(const EpCall *c, EpSlice url) {
  return c->e->base_origin > 0 && ep_url_is_at(url, c->e->base);
}

/* A url of the defaults may have any origin, but values must not write it. */
static Away read_url(lua_State *L, const EpCall *c, const EpTemplate *t) {
  const bool is_variable = t->authority_varspecs > 0;
  const bool is_default = !c->has_route && !is_given(L, c, EP_URL);
  const EpSlice start = {t->literals, t->parts[0].end};
  Away away = {{NULL, 0}, is_variable};
  if (is_variable)
    away.origin = ep_slice(t->text.bytes, ep_url_read_origin(t->text).size);
  else if (!is_default && !is_at_home(c, start))
    away.origin = ep_slice(start.bytes, ep_url_read_origin(start).size);
  if (ep_slice_ends_with(away.origin, EP_SLICE("{"))) /* of {/x}, {?x} or {#x} */
    away.origin.size--;
  return away;
}

/* A malformed baseUrl asks nothing, for parse refuses it. */
static Away read_base(lua_State *L, const EpCall *c) {
  const EpSlice base = ep_to_slice(L, ep_call_slot(EP_BASE_URL));
  Away away = {{NULL, 0}, false};
  size_t origin, byte;
  if (ep_url_base_fault(base, &origin, &byte))
    return away;
  if (origin > 0 ? !is_at_home(c, base) : c->e->base_origin > 0)
    away.origin = ep_slice(base.bytes, origin);
  return away;
}

/* Names home, and the other origin. */
static void raise_away(lua_State *L, const EpCall *c, const Guest *guest, const Away *away) {
  const char *home = c->e->base_origin == 0
                         ? "this server"
                         : ep_quote_masked(L, ep_slice(c->e->base.bytes, c->e->base_origin));
  const char *origin =
      away->origin.size == 0 ? "a baseUrl without a host" : ep_quote_masked(L, away->origin);
  const char *how = away->is_variable ? ", whose host values write" : "";
  if (*how == 0 && strcmp(home, origin) == 0)
    how = " with another userinfo";
  ep_error(L,
           "endpoint: %s %s: a default goes to %s alone, not to %s%s: give it in the call, its "
           "value or null, or make an endpoint of that origin, defaults { baseUrl = ... }",
           guest->what, ep_quote(L, guest->name), home, origin, how);
}

void ep_home_check(lua_State *L, const EpCall *c, const EpName *given, int given_count) {
  const EpTemplate *t = c->compiled ? c->compiled->t : NULL;
  Away away = {{NULL, 0}, false};
  Guest guest;
  if (t && t->absolute > 0)
    away = read_url(L, c, t);
  else if (is_given(L, c, EP_BASE_URL))
    away = read_base(L, c);
  if (!away.origin.bytes)
    return;
  guest = find_guest(L, c, given, given_count);
  if (guest.name.bytes)
    raise_away(L, c, &guest, &away);
}
