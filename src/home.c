/* SPDX-License-Identifier: MIT */
#include "home.h"

#include "core/url.h"
#include "errors.h"
#include "headers.h"
#include "value.h"

bool ep_home_binds_header(EpSlice name) {
  return !ep_slice_equals(name, EP_SLICE("content-type")) &&
         !ep_slice_equals(name, EP_SLICE("user-agent")) &&
         !ep_slice_begins_with(name, EP_SLICE("accept"));
}

/* There is no `default`, so that the compiler warns about an option that is missing here. */
bool ep_home_binds_option(EpOption option) {
  switch (option) { /* GCOVR_EXCL_BR_LINE: there is no other option */
  case EP_DATA:
    return true;
  case EP_METHOD:
  case EP_URL:
  case EP_BASE_URL:
  case EP_HEADERS: /* each has a rule of its own */
  case EP_MEDIA_TYPE:
  case EP_REQUEST:
  case EP_OPTION_COUNT:
    break;
  }
  return false;
}

/* [-0, +n] Reads the call's headers, and replaces them by a copy. */
static void take_headers(lua_State *L, EpPairs *headers) {
  const int slot = ep_call_slot(EP_HEADERS);
  headers->count = 0;
  if (!lua_istable(L, slot))
    return;
  ep_headers_read(L, headers, slot);
  ep_pairs_push_table(L, headers, 0);
  lua_replace(L, slot);
}

/* The first default header that is origin-bound and that the call does not give. The bytes are NULL
 * if there is none. */
static EpSlice first_bound_header(lua_State *L, const EpCall *c) {
  const int top = lua_gettop(L);
  EpSlice bound = {NULL, 0};
  EpPairs given;
  take_headers(L, &given);
  const EpName *names = ep_pairs_sort(L, &given);
  for (int at = 0; !bound.bytes && ep_call_next_header(L, c, &at); lua_pop(L, 2)) {
    const EpSlice name = ep_to_slice(L, -2);
    if (ep_home_binds_header(name) && ep_names_find(names, given.count, name) < 0)
      bound = name;
  }
  lua_settop(L, top);
  return bound;
}

/* The first default parameter or option, in bytewise order, that is origin-bound and that the call
 * does not give. The bytes are NULL if there is none. */
static EpSlice first_bound_default(const EpCall *c) {
  EpSlice bound = c->kept_default;
  for (int option = 0; option < EP_OPTION_COUNT; option++) {
    const EpSlice name = {ep_option_names[option], strlen(ep_option_names[option])};
    if (ep_home_binds_option((EpOption)option) && (c->defaulted & ~c->given & EP_BIT(option)) &&
        (!bound.bytes || ep_slice_compare(name, bound) < 0))
      bound = name;
  }
  return bound;
}

/* Is the URL's origin home? If home is only a path, every origin is away from home. */
static bool is_at_home(const EpCall *c, EpSlice url) {
  return c->e->base_origin > 0 && ep_url_is_at(url, c->e->base);
}

/* Returns the origin of an absolute url that is away from home. The default url may have any
 * origin, unless values write a part of it. */
static EpSlice away_of_url(const EpCall *c, const EpTemplate *t) {
  const EpSlice start = {t->literals, t->parts[0].end};
  EpSlice away = {NULL, 0};
  if (t->authority_varspecs > 0)
    away = ep_slice(t->text.bytes, ep_url_read_origin(t->text).size);
  else if (!c->has_default_url && !is_at_home(c, start))
    away = ep_slice(start.bytes, ep_url_read_origin(start).size);
  if (ep_slice_ends_with(away, EP_SLICE("{"))) /* it is the "{" of {/x}, {?x} or {#x} */
    away.size--;
  return away;
}

/* Returns the origin of a baseUrl that is away from home. A malformed baseUrl is skipped here,
 * since parse raises on it. */
static EpSlice away_of_base(lua_State *L, const EpCall *c) {
  const EpSlice base = ep_to_slice(L, ep_call_slot(EP_BASE_URL));
  size_t origin, byte;
  if (base.bytes && !ep_url_base_fault(base, &origin, &byte) &&
      (origin > 0 ? !is_at_home(c, base) : c->e->base_origin > 0))
    return ep_slice(base.bytes, origin);
  return ep_slice(NULL, 0);
}

/* Returns the origin of a request that leaves home, as the template writes it. It is empty if the
 * baseUrl has no host. The bytes are NULL if the request stays at home. */
static EpSlice find_away(lua_State *L, const EpCall *c) {
  if (c->compiled && c->compiled->t->absolute > 0)
    return away_of_url(c, c->compiled->t);
  return away_of_base(L, c);
}

/* Raises an error that names home and the other origin. */
static void raise_away(lua_State *L, const EpCall *c, const char *what, EpSlice bound,
                       EpSlice away) {
  const char *home = c->e->base_origin == 0
                         ? "this server"
                         : ep_quote_masked(L, ep_slice(c->e->base.bytes, c->e->base_origin));
  const char *origin = away.size == 0 ? "a baseUrl without a host" : ep_quote_masked(L, away);
  const char *how = "";
  if (c->compiled && c->compiled->t->authority_varspecs > 0)
    how = ", whose host values write";
  else if (ep_url_has_same_origin(away, c->e->base))
    how = " with another userinfo";
  else if (strcmp(home, origin) == 0) /* the quotes of long origins are cut */
    how = " with another host or port";
  ep_error(L,
           "endpoint: %s %s: a default goes only to %s, not to %s%s: give it in the call, its "
           "value or null, or make an endpoint of that origin, defaults { baseUrl = ... }",
           what, ep_quote(L, bound), home, origin, how);
}

void ep_home_check(lua_State *L, EpCall *c) {
  const EpSlice away = find_away(L, c);
  if (!away.bytes)
    return;
  const EpSlice header = first_bound_header(L, c);
  if (header.bytes)
    raise_away(L, c, "header", header, away);
  const EpSlice other = first_bound_default(c);
  if (other.bytes)
    raise_away(L, c, "default", other, away);
}
