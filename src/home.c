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

/* Names that an error lists, the first of them in bytewise order. */
typedef struct Bound {
  EpSlice names[EP_KEPT];
  int count;
} Bound;

/* [-0, +0] The default headers that are origin-bound and that the call does not give. */
static Bound bound_headers(lua_State *L, EpCall *c) {
  Bound bound = {{{NULL, 0}}, 0};
  EpPairs *given = ep_headers_given(L, c);
  const int top = lua_gettop(L);
  const EpName *names = ep_pairs_sort(L, given);
  for (int at = 0; bound.count < EP_KEPT && ep_call_next_header(L, c, &at); lua_pop(L, 2)) {
    const EpSlice name = ep_to_slice(L, -2);
    if (ep_home_binds_header(name) && ep_names_find(names, given->count, name) < 0)
      bound.names[bound.count++] = name;
  }
  lua_settop(L, top);
  return bound;
}

/* The defaults that a call keeps, the first in bytewise order. */
static Bound bound_defaults(const EpCall *c) {
  Bound bound = {{{NULL, 0}}, 0};
  for (int i = 0; i < c->kept_count; i++) {
    int at = bound.count++;
    for (; at > 0 && ep_slice_compare(c->kept[i], bound.names[at - 1]) < 0; at--)
      bound.names[at] = bound.names[at - 1];
    bound.names[at] = c->kept[i];
  }
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

/* [-1, +1] Adds the names from one on to the text on top. */
static void add_names(lua_State *L, const char *what, const Bound *bound, int from) {
  for (int i = from; i < bound->count; i++) {
    const char *text = lua_tostring(L, -1);
    const char *before = *text ? ", " : "; the same holds of ";
    lua_pushfstring(L, "%s%s%s %s", text, before, what, ep_quote(L, bound->names[i]));
    lua_replace(L, -3);
    lua_pop(L, 1);
  }
}

/* Raises an error that names home, the other origin and what is bound to home: all at once, so that
 * a program can be mended at once. There is at least one name. */
static EP_NORETURN void raise_away(lua_State *L, const EpCall *c, const Bound *headers,
                                   const Bound *defaults, const Away *away) {
  const char *what = headers->count > 0 ? "header" : "default";
  const EpSlice first = headers->count > 0 ? headers->names[0] : defaults->names[0];
  const char *home = c->e->base_origin == 0
                         ? "this server"
                         : ep_quote_masked(L, ep_slice(c->e->base.bytes, c->e->base_origin));
  const char *origin =
      away->origin.size == 0 ? "a baseUrl without a host" : ep_quote_masked(L, away->origin);
  const char *how = "";
  if (c->compiled && c->compiled->t->authority_varspecs > 0)
    how = ", of which values write a part";
  else if (away->differs && away->origin.size > 0)
    how = lua_pushfstring(L, " with another %s", away->differs);
  lua_pushliteral(L, "");
  add_names(L, "header", headers, 1);
  add_names(L, "default", defaults, headers->count > 0 ? 0 : 1);
  const char *others = lua_tostring(L, -1); /* ep_quote pushes */
  ep_error(L,
           "endpoint: %s %s: a default goes only to %s, not to %s%s: give it in the call, its "
           "value or null, or make an endpoint of that origin, defaults { baseUrl = ... }%s",
           what, ep_quote(L, first), home, origin, how, others);
}

void ep_home_check(lua_State *L, EpCall *c) {
  const bool is_absolute = c->compiled && c->compiled->t->absolute > 0;
  const Away away = is_absolute ? away_of_url(c, c->compiled->t) : away_of_base(L, c);
  if (!away.origin.bytes)
    return;
  const Bound headers = bound_headers(L, c), defaults = bound_defaults(c);
  if (headers.count + defaults.count > 0)
    raise_away(L, c, &headers, &defaults, &away);
}
