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

/* [-0, +n] The first default header that is origin-bound and that the call does not give. The bytes
 * are NULL if there is none. What is pushed are the call's headers. */
static EpSlice first_bound_header(lua_State *L, EpCall *c) {
  EpSlice bound = {NULL, 0};
  EpPairs *given = ep_headers_given(L, c);
  const int top = lua_gettop(L);
  const EpName *names = ep_pairs_sort(L, given);
  for (int at = 0; !bound.bytes && ep_call_next_header(L, c, &at); lua_pop(L, 2)) {
    const EpSlice name = ep_to_slice(L, -2);
    if (ep_home_binds_header(name) && ep_names_find(names, given->count, name) < 0)
      bound = name;
  }
  lua_settop(L, top);
  return bound;
}

/* An origin that is not home, as the template or the baseUrl writes it. */
typedef struct Away {
  EpSlice origin;      /* empty for a baseUrl without a host; its bytes are NULL at home */
  const char *differs; /* what ep_url_difference returns; NULL if it was not asked */
} Away;

/* The origin of a URL, of `size` bytes, if it is not home. If home is only a path, every origin is
 * away from home. */
static Away away_of(const EpCall *c, EpSlice url, size_t size) {
  const bool has_origin = c->e->base_origin > 0;
  Away away = {{NULL, 0}, has_origin ? ep_url_difference(url, c->e->base) : NULL};
  if (!has_origin || away.differs)
    away.origin = ep_slice(url.bytes, size);
  return away;
}

/* Returns the origin of an absolute url. The default url may have any origin, unless values write a
 * part of it. */
static Away away_of_url(const EpCall *c, const EpTemplate *t) {
  const EpSlice start = {t->literals, t->parts[0].end};
  Away away = {{NULL, 0}, NULL};
  if (t->authority_varspecs > 0)
    away.origin = ep_slice(t->text.bytes, ep_url_read_origin(t->text).size);
  else if (!c->has_default_url)
    away = away_of(c, start, ep_url_read_origin(start).size);
  if (ep_slice_ends_with(away.origin, EP_SLICE("{"))) /* it is the "{" of {/x}, {?x} or {#x} */
    away.origin.size--;
  return away;
}

/* Returns the origin of a baseUrl. A malformed one is skipped here, since parse raises on it. */
static Away away_of_base(lua_State *L, const EpCall *c) {
  const Away home = {{NULL, 0}, NULL};
  const EpSlice base = ep_to_slice(L, ep_call_slot(EP_BASE_URL));
  size_t origin, byte;
  if (!base.bytes || ep_url_base_fault(base, &origin, &byte))
    return home;
  if (origin == 0 && c->e->base_origin == 0) /* both are paths on this server */
    return home;
  return away_of(c, base, origin);
}

/* Raises an error that names home and the other origin. */
static EP_NORETURN void raise_away(lua_State *L, const EpCall *c, const char *what, EpSlice bound,
                                   const Away *away) {
  const char *home = c->e->base_origin == 0
                         ? "this server"
                         : ep_quote_masked(L, ep_slice(c->e->base.bytes, c->e->base_origin));
  const char *origin =
      away->origin.size == 0 ? "a baseUrl without a host" : ep_quote_masked(L, away->origin);
  const char *how = "";
  if (c->compiled && c->compiled->t->authority_varspecs > 0)
    how = ", whose host values write";
  else if (away->differs && away->origin.size > 0)
    how = lua_pushfstring(L, " with another %s", away->differs);
  ep_error(L,
           "endpoint: %s %s: a default goes only to %s, not to %s%s: give it in the call, its "
           "value or null, or make an endpoint of that origin, defaults { baseUrl = ... }",
           what, ep_quote(L, bound), home, origin, how);
}

void ep_home_check(lua_State *L, EpCall *c) {
  const bool is_absolute = c->compiled && c->compiled->t->absolute > 0;
  const Away away = is_absolute ? away_of_url(c, c->compiled->t) : away_of_base(L, c);
  if (!away.origin.bytes)
    return;
  const EpSlice header = first_bound_header(L, c);
  if (header.bytes)
    raise_away(L, c, "header", header, &away);
  if (c->kept_default.bytes)
    raise_away(L, c, "default", c->kept_default, &away);
}
