/* Which defaults are credentials, and where a request goes. */
#include "credentials.h"

#include "address.h"
#include "core/percent.h"
#include "core/template.h"
#include "core/url.h"
#include "error.h"
#include "stack.h"

/* --- names -------------------------------------------------------------------- */

static const EpSlice endings[] = {{"assertion", 9}, {"auth", 4},        {"authorization", 13},
                                  {"cookie", 6},    {"credential", 10}, {"credentials", 11},
                                  {"jwt", 3},       {"key", 3},         {"passphrase", 10},
                                  {"passwd", 6},    {"password", 8},    {"secret", 6},
                                  {"session", 7},   {"sessionid", 9},   {"sig", 3},
                                  {"signature", 9}, {"token", 5}};

static const EpSlice harmless[] = {{"idempotencykey", 14}, {"websocketkey", 12}};

/* The last byte of the name in lower case, without "-" and "_"; 0 at the end. Shortens the name to
 * what stands before it. */
static char take_last(EpSlice *name) {
  while (name->size > 0) {
    const char byte = name->bytes[--name->size];
    if (byte != '-' && byte != '_')
      return ep_lower_byte(byte);
  }
  return 0;
}

/* Does a name, without its last byte, end so? */
static bool ends_in(EpSlice name, char last, EpSlice ending) {
  while (last == ending.bytes[ending.size - 1]) {
    if (--ending.size == 0)
      return true;
    last = take_last(&name);
  }
  return false;
}

static bool ends_in_any(EpSlice name, const EpSlice *list, size_t count) {
  const char last = take_last(&name);
  for (size_t i = 0; i < count; i++)
    if (ends_in(name, last, list[i]))
      return true;
  return false;
}

bool ep_credentials_is(EpSlice name) {
  return ends_in_any(name, endings, sizeof endings / sizeof *endings) &&
         !ends_in_any(name, harmless, sizeof harmless / sizeof *harmless);
}

/* --- which one ------------------------------------------------------------------ */

/* Keeps the first of two names in bytewise order. */
static void keep_first(EpSlice *first, EpSlice name) {
  if (!first->bytes || ep_slice_compare(name, *first) < 0)
    *first = name;
}

/* The first credential among the default headers that the call does not give, a string of the
 * state; NULL bytes for none. */
static EpSlice first_header(lua_State *L, const EpCall *c, const EpName *given, int given_count) {
  EpSlice first = {NULL, 0};
  for (int i = 0; i < c->e->headers; i++) {
    EpSlice name;
    lua_rawgeti(L, EP_CALL_STATE, EP_STATE_HEADERS + 2 * i);
    name = ep_to_slice(L, -1);
    if (ep_credentials_is(name) && ep_names_find(given, given_count, name) < 0)
      keep_first(&first, name);
    lua_pop(L, 1);
  }
  return first;
}

/* The same among the default parameters. */
static EpSlice first_parameter(lua_State *L, const EpCall *c) {
  EpSlice first = {NULL, 0};
  for (int i = 0; i < c->e->parameters; i++) {
    const EpSlice name = c->e->names[i];
    if (ep_credentials_is(name) && !ep_call_gives_parameter(L, c, i))
      keep_first(&first, name);
  }
  return first;
}

/* --- where the request goes ---------------------------------------------------- */

/* A credential, and what it is. */
typedef struct Credential {
  const char *what;
  EpSlice name;
} Credential;

static bool is_given(lua_State *L, const EpCall *c, EpOption option) {
  return (c->given & EP_BIT(option)) && !ep_is_absent(L, ep_call_slot(option));
}

bool ep_credentials_asked(const EpCall *c) {
  if (!c->e->has_credentials || c->purpose == EP_FOR_DEFAULTS)
    return false;
  return (c->given & EP_BIT(EP_BASE_URL)) || !c->compiled || c->compiled->t->absolute > 0;
}

static void raise_away(lua_State *L, const EpCall *c, const Credential *found, const char *origin) {
  const EpSlice home = {c->e->base.bytes, c->e->base_parts.origin};
  const char *quoted = ep_quote_url(L, home);
  ep_error(L,
           "endpoint: %s %s: a credential of the defaults goes to %s alone, not to %s%s: "
           "expected it in the call, its value or null",
           found->what, ep_quote(L, found->name), quoted, origin,
           strcmp(quoted, origin) == 0 ? " with another userinfo" : "");
}

/* A url of the defaults may have any origin, but values must not choose it. */
static void check_url_origin(lua_State *L, const EpCall *c, const EpTemplate *t,
                             const Credential *found) {
  const bool is_given_url = c->has_route || is_given(L, c, EP_URL);
  const bool is_literal = t->authority_end.varspecs == 0;
  const EpSlice start = {t->literals, t->parts[0].end};
  EpSlice origin = is_literal ? start : t->text;
  if (is_literal && (!is_given_url || ep_url_is_at(start, c->e->base)))
    return;
  origin.size = ep_url_origin_size(origin);
  if (ep_slice_ends_with(origin, EP_SLICE("{"))) /* of {/x}, {?x} or {#x} */
    origin.size--;
  lua_pushfstring(L, "%s%s", ep_quote_url(L, origin),
                  is_literal ? "" : ", whose authority values can change");
  raise_away(L, c, found, lua_tostring(L, -1));
}

/* A malformed baseUrl passes, for parse refuses it. */
static void check_base_origin(lua_State *L, const EpCall *c, const Credential *found) {
  const int given = ep_call_slot(EP_BASE_URL);
  EpUrlBase parts;
  size_t byte;
  EpSlice base;
  if (ep_url_read_base(ep_to_slice(L, given), &parts, &byte))
    return;
  ep_address_push_base(L, given);
  base = ep_to_slice(L, -1);
  if (ep_url_is_at(base, c->e->base))
    return;
  base.size = parts.origin;
  raise_away(L, c, found, base.size > 0 ? ep_quote_url(L, base) : "a baseUrl without a host");
}

void ep_credentials_check(lua_State *L, const EpCall *c, const EpName *given, int given_count,
                          bool has_default_headers) {
  const int top = lua_gettop(L);
  Credential found = {"header", {NULL, 0}};
  const EpTemplate *t;
  if (has_default_headers)
    found.name = first_header(L, c, given, given_count);
  if (!found.name.bytes) {
    found.what = "default";
    found.name = first_parameter(L, c);
  }
  if (!found.name.bytes)
    return;
  t = ep_call_template(L, c);
  if (t && t->absolute > 0)
    check_url_origin(L, c, t, &found);
  else if (t && is_given(L, c, EP_BASE_URL))
    check_base_origin(L, c, &found);
  lua_settop(L, top);
}
