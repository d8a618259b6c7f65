/* The messages of the guard's verdicts. */
#include "blame.h"

#include <string.h>

#include "core/segment.h"
#include "core/url.h"
#include "error.h"
#include "stack.h"
#include "value.h"

/* A call whose URL is not sound. */
typedef struct Case {
  const EpCall *c;
  const EpExpansion *x;
  EpVerdict verdict;
  EpSlice name; /* of the parameter to blame */
} Case;

/* What is wrong with the parameter's value. */
static const char *reason(lua_State *L, const Case *k, const char *otherwise) {
  const EpNote note = k->x->notes[k->verdict.culprit];
  if (note.end > note.begin)
    return otherwise;
  ep_array_push(L, &k->c->variables, k->x->t->varspecs[k->verdict.culprit].variable);
  return ep_is_absent(L, -1) ? "is missing" : "is empty";
}

/* Names the parameter twice, quoted and in an expression. */
static void raise_vanished(lua_State *L, const Case *k) {
  const char *why = reason(L, k, "leaves nothing that counts"), *quoted = ep_quote(L, k->name);
  lua_pushlstring(L, quoted + 1, strlen(quoted) - 2);
  ep_error(L,
           "endpoint: parameter %s %s: its path segment must not vanish "
           "(an optional one is written {/%s})",
           quoted, why, lua_tostring(L, -1));
}

/* Quotes the segment. */
static void raise_dots(lua_State *L, const Case *k) {
  const EpSlice url = k->x->url;
  const char *at = url.bytes + k->verdict.place, *makes = reason(L, k, "makes");
  const EpSlice segment = {at, (size_t)(ep_segment_read(at, ep_slice_end(url)).end - at)};
  if (*makes == 'i')
    makes = lua_pushfstring(L, "%s, which leaves", makes);
  ep_error(L,
           "endpoint: parameter %s %s a path segment \".\" or \"..\", which would address "
           "another resource: %s",
           ep_quote(L, k->name), makes, ep_quote_url(L, segment));
}

static void raise_longer_authority(lua_State *L, const Case *k) {
  const char *why = reason(L, k, "continues the authority");
  ep_error(L,
           "endpoint: parameter %s %s: expected \"/\", \"?\" or \"#\" behind the host: a value "
           "must not move the request to another host",
           ep_quote(L, k->name), why);
}

/* What was expected of the parameter's text, for the faults without a function above. */
static const char *expected_text(EpFault fault) {
  switch (fault) {
  case EP_NO_HOST_PART:
    return "expected a part of the host: at least one letter, digit, \"-\", \".\", \"_\" or \"~\", "
           "and nothing else: a value must not move the request to another host";
  case EP_NO_HOST:
    return "expected a host: letters, digits, \"-\", \".\", \"_\" and \"~\", or an address in "
           "brackets, and perhaps \":\" and a port";
  case EP_NAMES_HOST:
    return "expected a path, got one that begins with \"//\" and names a host";
  case EP_SCHEME:
    return "expected a template that begins with scheme:// or with {+name}: a value must not "
           "complete the scheme";
  default: /* EP_HOSTLESS */
    return "expected \"://\" and a host behind the scheme";
  }
}

/* No parameter is to blame: the template's own text cannot be sent. */
static void raise_url(lua_State *L, const Case *k) {
  const char *expected = "a path that does not begin with \"//\"";
  if (k->verdict.fault == EP_LONGER_AUTHORITY)
    expected = "\"/\", \"?\" or \"#\" behind a host that is {+name}";
  if (k->verdict.fault == EP_DOTS)
    expected = "a path without the segments \".\" and \"..\"";
  ep_error(L, "endpoint: url %s: expected %s", ep_quote_url(L, k->x->t->text), expected);
}

void ep_blame(lua_State *L, const EpCall *c, const EpExpansion *x, EpVerdict verdict) {
  Case k = {c, x, verdict, {NULL, 0}};
  if (verdict.culprit == EP_BY_TEMPLATE)
    raise_url(L, &k);
  k.name = x->t->variables[x->t->varspecs[verdict.culprit].variable].text;
  if (verdict.fault == EP_VANISHED)
    raise_vanished(L, &k);
  if (verdict.fault == EP_DOTS)
    raise_dots(L, &k);
  if (verdict.fault == EP_LONGER_AUTHORITY)
    raise_longer_authority(L, &k);
  ep_parameter_error(L, k.name, expected_text(verdict.fault));
}
