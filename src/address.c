/* SPDX-License-Identifier: MIT */
#include "address.h"

#include "core/url.h"
#include "errors.h"
#include "expand.h"
#include "value.h"

/* --- the base address ------------------------------------------------------------- */

/* Checks the base address at an absolute index. Returns the size of its scheme://authority in
 * bytes. */
static size_t check_base(lua_State *L, int index) {
  size_t origin, byte;
  const char *fault = ep_url_base_fault(ep_to_slice(L, index), &origin, &byte);
  if (fault)
    ep_error(L, "endpoint: option \"baseUrl\": %s at byte %d", fault, (int)byte);
  return origin;
}

/* Appends the base address at an absolute index. Returns the size of its scheme://authority. */
static size_t add_base(lua_State *L, EpBuffer *out, int index) {
  const size_t origin = check_base(L, index);
  ep_buffer_add_encoded(L, out, ep_to_slice(L, index), EP_UNRESERVED | EP_RESERVED);
  return origin;
}

void ep_address_push_base(lua_State *L, int index, size_t *origin) {
  EpBuffer b;
  ep_buffer_init(&b, EP_CALL_SCRATCH);
  *origin = add_base(L, &b, index);
  ep_buffer_push(L, &b);
}

/* Is the call's base address the default one? That was checked and encoded before. The options that
 * merge made may give the same string to parse. */
static bool has_default_base(lua_State *L, const EpCall *c) {
  if (!(c->given & EP_BIT(EP_BASE_URL)))
    return (c->defaulted & EP_BIT(EP_BASE_URL)) != 0;
  lua_rawgeti(L, EP_CALL_STATE, EP_STATE_BASE);
  const bool is_same = lua_rawequal(L, -1, ep_call_slot(EP_BASE_URL)) != 0;
  lua_pop(L, 1);
  return is_same;
}

/* Appends the base address of the call or the default one. Returns the size of its
 * scheme://authority in bytes. An absolute URL is not joined to a base address, but a baseUrl that
 * is given must be right. */
static size_t begin_url(lua_State *L, EpBuffer *out, const EpCall *c) {
  const int given = ep_call_slot(EP_BASE_URL);
  const bool is_absolute = c->compiled->t->absolute > 0;
  if (is_absolute && !ep_is_absent(L, given))
    check_base(L, given);
  if (is_absolute)
    return 0;
  if (has_default_base(L, c)) {
    ep_buffer_add(L, out, c->e->base);
    return c->e->base_origin;
  }
  if (ep_is_absent(L, given))
    ep_error(L, "endpoint: option \"baseUrl\" is missing: expected one, since the url is "
                "not absolute");
  return add_base(L, out, given);
}

/* Joins the base and the expansion after it. If both have a "/" there, the base's is removed. If
 * neither has one, a "/" is added, unless the expansion is empty or begins a query or fragment. */
static void join(lua_State *L, EpBuffer *out, EpUrl *url) {
  const char last = url->begin > 0 ? out->bytes[url->begin - 1] : '/';
  const char first = out->size > url->begin ? out->bytes[url->begin] : '?';
  if (url->begin > 0 && last == '/' && first == '/')
    ep_buffer_remove(out, --url->begin);
  else if (last != '/' && first != '/' && !ep_url_ends_path(first))
    ep_buffer_insert(L, out, url->begin++, '/');
}

/* --- who is to blame ---------------------------------------------------------------- */

static EpSlice blamed_name(const EpUrl *url, int varspec) {
  return url->t->variables[url->t->varspecs[varspec].variable].text;
}

/* Returns what is wrong with the text of a varspec: `otherwise`, unless it wrote nothing. */
static const char *reason(lua_State *L, const EpUrl *url, int varspec, const char *otherwise) {
  const EpNote note = url->notes[varspec];
  if (note.end > note.begin)
    return otherwise;
  return ep_is_absent(L, EP_CALL_VALUES + url->t->varspecs[varspec].variable) ? "is missing"
                                                                              : "is empty";
}

/* Are the names equal except for one byte more, or two neighbours that changed places? The case of
 * letters is ignored. */
static bool is_similar(EpSlice a, EpSlice b) {
  size_t begin = 0, end = 0;
  const EpSlice shorter = a.size < b.size ? a : b, longer = a.size < b.size ? b : a;
  while (begin < shorter.size && ep_lower_byte(a.bytes[begin]) == ep_lower_byte(b.bytes[begin]))
    begin++;
  while (end < shorter.size - begin && ep_lower_byte(ep_slice_end(a)[-1 - (ptrdiff_t)end]) ==
                                           ep_lower_byte(ep_slice_end(b)[-1 - (ptrdiff_t)end]))
    end++;
  if (longer.size - begin - end <= 1)
    return true;
  return a.size == b.size && a.size - begin - end == 2 && a.bytes[begin] == b.bytes[begin + 1] &&
         a.bytes[begin + 1] == b.bytes[begin];
}

/* [-0, +1] Pushes "; the call has <name>" for a left-over parameter that looks like this name. */
static const char *push_hint(lua_State *L, const EpCall *c, EpSlice name) {
  for (int i = 0; i < c->given_leftovers; i++) {
    const EpSlice key = ep_to_slice(L, ep_pairs_key(&c->leftovers, i));
    if (key.size + name.size > 4 && is_similar(name, key))
      return lua_pushfstring(L, "; the call has %s", ep_quote(L, key));
  }
  return "";
}

static EP_NORETURN void raise_not_there(lua_State *L, const EpCall *c, const EpUrl *url,
                                        int varspec) {
  const EpSlice name = blamed_name(url, varspec);
  ep_error(L,
           "endpoint: parameter %s %s: the path needs it (an optional segment is written {/%s})%s",
           ep_quote(L, name), reason(L, url, varspec, "leaves nothing that counts"),
           ep_escape(L, name), push_hint(L, c, name));
}

/* Raises for EP_DOTS. The error shows the bytes that make the segment "." or "..", and not a byte
 * of a value after them. */
static EP_NORETURN void raise_dots(lua_State *L, const EpUrl *url, const EpCheck *k) {
  const char *why = reason(L, url, k->varspec, "makes");
  ep_error(L,
           "endpoint: parameter %s %s%s a path segment \".\" or \"..\", which would address "
           "another resource: %s",
           ep_quote(L, blamed_name(url, k->varspec)), why,
           strcmp(why, "makes") == 0 ? "" : ", which leaves", ep_quote(L, k->dots));
}

/* Raises if the template's own text cannot be sent, so that no parameter is to blame. */
static EP_NORETURN void raise_template(lua_State *L, const EpUrl *url, EpFault fault) {
  ep_error(L, "endpoint: url %s: expected a path %s", ep_quote_masked(L, url->t->text),
           fault == EP_DOTS ? "without the segments \".\" and \"..\""
                            : "that does not begin with \"//\"");
}

/* Raises for a fault in a part of the authority. */
static EP_NORETURN void raise_authority(lua_State *L, const EpUrl *url, const EpCheck *k) {
  const char *part = "userinfo", *expected = "letter, digit, \"-\", \".\", \"_\" or \"~\"",
             *why = "";
  if (k->fault == EP_BAD_HOST) {
    part = "host";
    why = ": a value must not move the request to another host";
  } else if (k->fault == EP_BAD_PORT) {
    part = "port";
    expected = "digit";
    why = ", and the whole port at most 65535";
  }
  const char *bad = lua_pushfstring(L, "is not a part of a %s", part);
  ep_error(L, "endpoint: parameter %s %s: a part of the %s is at least one %s, and nothing else%s",
           ep_quote(L, blamed_name(url, k->varspec)), reason(L, url, k->varspec, bad), part,
           expected, why);
}

/* Raises the error of a fault. Only a path of dots or with "//" can be the template's own. */
static EP_NORETURN void raise_fault(lua_State *L, const EpCall *c, const EpUrl *url,
                                    const EpCheck *k) {
  if (k->varspec == EP_BY_TEMPLATE)
    raise_template(L, url, k->fault);
  if (k->fault == EP_NOT_THERE)
    raise_not_there(L, c, url, k->varspec);
  if (k->fault == EP_DOTS)
    raise_dots(L, url, k);
  if (k->fault == EP_NAMES_HOST)
    ep_parameter_error(L, blamed_name(url, k->varspec),
                       "expected a path, got one that begins with \"//\" and names a host");
  if (k->fault == EP_SCHEME)
    ep_parameter_error(L, blamed_name(url, k->varspec),
                       "expected a template that begins with scheme://, since a value must not "
                       "complete the scheme (a whole URL is a route)");
  raise_authority(L, url, k);
}

/* --- the query (RFC 3986 section 3.4) ---------------------------------------------- */

/* A query at the end of the URL in the buffer. */
typedef struct Query {
  EpBuffer *url;
  size_t begin; /* offset after its "?"; 0 if there is no query yet */
} Query;

/* Appends "?" or "&", and "name=value". */
static void add_pair(lua_State *L, Query *q, EpSlice name, EpSlice value) {
  EpBuffer *url = q->url;
  char *to = ep_buffer_reserve(L, url, ep_percent_room(name.size));
  if (q->begin == 0) {
    *to++ = '?';
    q->begin = url->size + 1;
  } else if (url->size > q->begin && to[-1] != '&') {
    *to++ = '&';
  }
  to = ep_percent_encode(to, name, EP_UNRESERVED);
  *to++ = '=';
  url->size = (size_t)(to - url->bytes);
  ep_buffer_add_encoded(L, url, value, EP_UNRESERVED);
}

/* Appends the list at an absolute index. It becomes one value with encoded commas. If the name ends
 * in "[]", each element becomes a pair of that name, as Rails, PHP and GitHub read it. */
static void add_query_list(lua_State *L, Query *q, EpSlice name, int list) {
  const int size = (int)ep_rawlen(L, list), element = lua_gettop(L) + 1;
  bool repeats = ep_slice_ends_with(name, EP_SLICE("[]")), begun = false;
  EpText text;
  for (int i = 1; i <= size; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, list, i);
    if (!ep_value_read_element(L, element, name, &text))
      continue;
    if (repeats || !begun) {
      add_pair(L, q, name, text.slice);
    } else {
      ep_buffer_add(L, q->url, EP_SLICE("%2C"));
      ep_buffer_add_encoded(L, q->url, text.slice, EP_UNRESERVED);
    }
    begun = true;
  }
}

static EP_NORETURN void raise_map(lua_State *L, EpSlice name) {
  ep_error(L,
           "endpoint: parameter %s: expected a string, finite number, boolean or list for the "
           "query, got a map (write {?%s*} in the url to send its fields)",
           ep_quote(L, name), ep_escape(L, name));
}

/* Appends the parameter whose value is at an absolute index, unless it is undefined. */
static void add_parameter(lua_State *L, Query *q, EpSlice name, int value) {
  EpText text;
  EpKind kind = ep_value_read(L, value, name, &text);
  if (kind == EP_TEXT)
    add_pair(L, q, name, text.slice);
  else if (kind == EP_LIST)
    add_query_list(L, q, name, value);
  else if (kind == EP_MAP)
    raise_map(L, name);
}

/* Appends the pairs in bytewise order of their names, after the path and before the fragment. */
static void add_query_pairs(lua_State *L, EpBuffer *out, EpPairs *pairs, size_t path_end) {
  const EpSlice rest = ep_slice_from(ep_buffer_slice(out), path_end);
  const char *hash = (const char *)memchr(rest.bytes, '#', rest.size);
  const EpName *names = ep_pairs_sort(L, pairs);
  Query q = {out, rest.size > 0 && rest.bytes[0] == '?' ? path_end + 1 : 0};
  EpSlice fragment = {NULL, 0};
  if (hash) {
    ep_push_slice(L, ep_slice_from(rest, (size_t)(hash - rest.bytes)));
    fragment = ep_to_slice(L, -1);
    out->size -= fragment.size;
  }
  for (int i = 0; i < pairs->count; i++)
    add_parameter(L, &q, names[i].text, ep_pairs_value(pairs, names[i].index));
  if (hash)
    ep_buffer_add(L, out, fragment);
}

/* [-0, +0 or +1] Appends the expanded template to the base, and checks the URL. If there are many
 * notes, pushes the userdata that keeps them. */
static EpCheck expand(lua_State *L, EpBuffer *out, const EpCall *c, size_t base_origin) {
  enum { FEW = 16 };
  const EpTemplate *t = c->compiled->t;
  EpNote few[FEW], *notes = few;
  EpUrl url = {t, NULL, {NULL, 0}, out->size, base_origin};
  if (t->varspec_count > FEW)
    notes = (EpNote *)ep_newuserdata(L, t->varspec_count * sizeof *notes);
  url.notes = notes;
  ep_expand(L, out, t, EP_CALL_VALUES, notes);
  join(L, out, &url);
  url.text = ep_buffer_slice(out);
  const EpCheck check = ep_guard_check(&url);
  if (check.fault != EP_SOUND)
    raise_fault(L, c, &url, &check);
  return check;
}

/* Adds the "/" of an empty path before a query or fragment: LuaSocket and other clients search only
 * for "/" to find the end of the authority (see RFC 3986 section 6.2.3). */
static void end_url(lua_State *L, EpBuffer *out, const EpCheck *k) {
  const bool is_bare = k->path_begin == k->path_end && k->path_begin > 0;
  if (is_bare && out->size > k->path_end && ep_url_is_special(ep_buffer_slice(out)))
    ep_buffer_insert(L, out, k->path_end, '/');
}

void ep_address_push(lua_State *L, EpCall *c, bool sends_query) {
  const int top = lua_gettop(L);
  EpBuffer out;
  ep_buffer_init(&out, EP_CALL_SCRATCH);
  const size_t origin = begin_url(L, &out, c);
  const EpCheck check = expand(L, &out, c, origin);
  if (sends_query && c->leftovers.count > 0)
    add_query_pairs(L, &out, &c->leftovers, check.path_end);
  end_url(L, &out, &check);
  lua_settop(L, top);
  ep_buffer_push(L, &out);
}
