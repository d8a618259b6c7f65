/* SPDX-License-Identifier: MIT */
#include "home.h"

#include "core/url.h"
#include "errors.h"
#include "value.h"

bool ep_home_is_guest(EpSlice name) {
  return !ep_slice_equals(name, EP_SLICE("content-type")) &&
         !ep_slice_equals(name, EP_SLICE("user-agent")) &&
         !ep_slice_begins_with(name, EP_SLICE("accept"));
}

/* The first default header that is a guest and not among the given ones, nor cancelled with all. */
static EpSlice first_header(lua_State *L, const EpCall *c, const EpName *given, int given_count) {
  const bool is_cancelled = ep_is_null(L, ep_call_slot(EP_HEADERS));
  for (int i = 0; i < c->e->headers && !is_cancelled; i++) {
    lua_rawgeti(L, EP_CALL_STATE, EP_STATE_HEADERS + 2 * i);
    const EpSlice name = ep_to_slice(L, -1);
    lua_pop(L, 1);
    if (ep_home_is_guest(name) && ep_names_find(given, given_count, name) < 0)
      return name;
  }
  return ep_slice(NULL, 0);
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

static bool is_given(lua_State *L, const EpCall *c, EpOption option) {
  return (c->given & EP_BIT(option)) && !ep_is_absent(L, ep_call_slot(option));
}

/* Of a bare path every origin is another one. */
static bool is_at_home(const EpCall *c, EpSlice url) {
  return c->e->base_origin > 0 && ep_url_is_at(url, c->e->base);
}

/* A url of the defaults may have any origin, but values must not write it. */
static EpSlice away_of_url(lua_State *L, const EpCall *c, const EpTemplate *t) {
  const bool is_default = !c->has_route && !is_given(L, c, EP_URL);
  const EpSlice start = {t->literals, t->parts[0].end};
  EpSlice away = {NULL, 0};
  if (t->authority_varspecs > 0)
    away = ep_slice(t->text.bytes, ep_url_read_origin(t->text).size);
  else if (!is_default && !is_at_home(c, start))
    away = ep_slice(start.bytes, ep_url_read_origin(start).size);
  if (ep_slice_ends_with(away, EP_SLICE("{"))) /* of {/x}, {?x} or {#x} */
    away.size--;
  return away;
}

/* A malformed baseUrl asks nothing, for parse refuses it. */
static EpSlice away_of_base(lua_State *L, const EpCall *c) {
  const EpSlice base = ep_to_slice(L, ep_call_slot(EP_BASE_URL));
  size_t origin, byte;
  if (!ep_url_base_fault(base, &origin, &byte) &&
      (origin > 0 ? !is_at_home(c, base) : c->e->base_origin > 0))
    return ep_slice(base.bytes, origin);
  return ep_slice(NULL, 0);
}

/* Where a request goes that leaves home: an origin, of a template its text, or no text for a
 * baseUrl without a host; the bytes are NULL if it stays. */
static EpSlice find_away(lua_State *L, const EpCall *c) {
  if (c->compiled && c->compiled->t->absolute > 0)
    return away_of_url(L, c, c->compiled->t);
  return is_given(L, c, EP_BASE_URL) ? away_of_base(L, c) : ep_slice(NULL, 0);
}

/* Names home, and the other origin. */
static void raise_away(lua_State *L, const EpCall *c, const char *what, EpSlice guest,
                       EpSlice away) {
  const char *home = c->e->base_origin == 0
                         ? "this server"
                         : ep_quote_masked(L, ep_slice(c->e->base.bytes, c->e->base_origin));
  const char *origin = away.size == 0 ? "a baseUrl without a host" : ep_quote_masked(L, away);
  const char *how = "";
  if (c->compiled && c->compiled->t->authority_varspecs > 0)
    how = ", whose host values write";
  else if (strcmp(home, origin) == 0)
    how = " with another userinfo";
  ep_error(L,
           "endpoint: %s %s: a default goes to %s alone, not to %s%s: give it in the call, its "
           "value or null, or make an endpoint of that origin, defaults { baseUrl = ... }",
           what, ep_quote(L, guest), home, origin, how);
}

void ep_home_check(lua_State *L, const EpCall *c, const EpName *given, int given_count) {
  const EpSlice away = find_away(L, c);
  if (!away.bytes)
    return;
  const EpSlice header = first_header(L, c, given, given_count);
  if (header.bytes)
    raise_away(L, c, "header", header, away);
  const EpSlice parameter = first_parameter(L, c);
  if (parameter.bytes)
    raise_away(L, c, "default", parameter, away);
}
