/* Expansion of templates. What the path must not do is the matter of segments.h; that
 * values must not name another host is checked here. */
#include "expand.h"

#include <string.h>

#include "error.h"
#include "pairs.h"
#include "percent.h"
#include "segments.h"
#include "stack.h"
#include "url.h"
#include "value.h"

/* An expansion, with the expression and the variable at which it is. */
typedef struct Expansion {
  EpBuffer *out;
  const EpView *v;
  const EpTemplate *t;
  size_t start;        /* offset of the expansion in the buffer */
  bool authority_open; /* has an expression that could end the authority written nothing? */
  EpSegments segments;

  EpPartKind kind; /* of the expression */
  const EpOperator *op;
  bool begun; /* has one of its variables been written? */

  const EpVarspec *spec;
  bool in_authority; /* does the variable begin in the authority (RFC 3986 section 3.2)? */
  bool is_host;      /* ... and is all of its text meant to be a part of the host? */
  size_t begin;      /* offset of what it writes in the buffer ... */
  size_t text;       /* ... and of that without its separator */
} Expansion;

static EpSlice name_of(const Expansion *x, const EpVarspec *spec) {
  return x->t->variables[spec->variable].text;
}

/* What the variable has written so far. */
static EpSlice written(const Expansion *x) {
  return ep_slice_from(ep_buffer_slice(x->out), x->begin);
}

static void raise_value(lua_State *L, const Expansion *x, const char *message) {
  ep_parameter_error(L, name_of(x, x->spec), message);
}

/* --- segments --------------------------------------------------------------- */

/* Why a segment vanished: what is wrong with the value of its variable. */
static const char *vanished_reason(lua_State *L, const Expansion *x, EpFault fault,
                                   const EpVarspec *culprit) {
  if (fault == EP_VANISHED_SLASHES)
    return "is slashes alone in the path";
  if (fault == EP_VANISHED_DELIMITER)
    return "begins with \"?\" or \"#\"";
  ep_array_push(L, &x->v->variables, culprit->variable);
  return ep_is_absent(L, -1) ? "is missing" : "is empty";
}

/* Names the variable twice, quoted and in an expression. */
static void raise_vanished(lua_State *L, const Expansion *x, EpFault fault,
                           const EpVarspec *culprit) {
  const char *reason = vanished_reason(L, x, fault, culprit);
  const char *quoted = ep_quote(L, name_of(x, culprit));
  lua_pushlstring(L, quoted + 1, strlen(quoted) - 2);
  ep_error(L,
           "endpoint: parameter %s %s: its path segment must not vanish "
           "(an optional one is written {/%s})",
           quoted, reason, lua_tostring(L, -1));
}

/* Quotes the path from the dot segment on. What follows the path may be secret. */
static void raise_dots(lua_State *L, const Expansion *x, EpFault fault, const EpVarspec *culprit) {
  EpSlice path = ep_slice_from(ep_buffer_slice(x->out), x->start + x->segments.place);
  const char *name = ep_quote(L, name_of(x, culprit)), *reason = "makes";
  if (fault == EP_DOTS_LEFT)
    reason = lua_pushfstring(L, "%s, which leaves", vanished_reason(L, x, EP_VANISHED, culprit));
  path.size = ep_url_path_size(path);
  ep_error(L,
           "endpoint: parameter %s %s a path segment \".\" or \"..\", which would address "
           "another resource: %s",
           name, reason, ep_quote_url(L, path));
}

static void check_segments(lua_State *L, Expansion *x) {
  EpFault fault = ep_segments_end(&x->segments);
  if (fault == EP_DOTS || fault == EP_DOTS_LEFT)
    raise_dots(L, x, fault, x->t->varspecs + x->segments.culprit);
  else if (fault != EP_SOUND)
    raise_vanished(L, x, fault, x->t->varspecs + x->segments.culprit);
}

/* --- authority -------------------------------------------------------------- */

static void raise_host(lua_State *L, const Expansion *x, const char *expected) {
  raise_value(L, x,
              lua_pushfstring(L, "expected %s: a value must not move the request to another host",
                              expected));
}

/* Checks a text that is meant to be a part of the host, before it is encoded. */
static void check_host_text(lua_State *L, const Expansion *x, EpSlice text) {
  for (size_t i = 0; i < text.size; i++)
    if (memchr("@\\/?#", text.bytes[i], 5))
      raise_host(L, x, "a part of a host, without \"@\", \"\\\", \"/\", \"?\" and \"#\"");
}

/* Checks what a variable that begins in the authority has written. A plain or "+" variable
 * must write. Behind the host a "+" variable must end the authority, and so must any
 * variable where {/x} and the like have written nothing. */
static void check_authority(lua_State *L, const Expansion *x) {
  const EpSlice text = written(x);
  if (x->out->size == x->text && ep_is_plain(x->kind))
    raise_value(L, x, "expected a part of the host, got an empty text");
  if (text.size == 0 || ep_url_ends_authority(*text.bytes))
    return;
  if (x->kind == EP_PLUS && !x->is_host)
    raise_host(L, x, "a text that begins with \"/\", \"?\" or \"#\" behind the host");
  if (x->authority_open)
    raise_host(L, x, "no text behind the host, where the expression before it has none");
}

/* Notes where the variable stands. Behind other text of the authority a "+" variable is no
 * part of the host but ends it. */
static void find_place(Expansion *x) {
  x->begin = x->text = x->out->size;
  x->in_authority = ep_segments_in_authority(&x->segments);
  x->is_host = x->in_authority && (x->kind == EP_SIMPLE ||
                                   (x->kind == EP_PLUS && x->begin - x->start == x->t->authority));
}

/* --- values ----------------------------------------------------------------- */

/* Appends a piece of text, encoded as the operator says. */
static void add_encoded(lua_State *L, const Expansion *x, EpSlice text) {
  if (x->is_host)
    check_host_text(L, x, text);
  ep_buffer_add_encoded(L, x->out, text, x->op->allow);
}

/* Appends a text, or its prefix. */
static void add_value(lua_State *L, const Expansion *x, EpSlice text) {
  if (x->spec->prefix > 0)
    text.size = ep_percent_prefix(text, (unsigned)x->spec->prefix, x->op->allow);
  add_encoded(L, x, text);
}

/* Appends "=value"; of an empty value "=", or nothing. */
static void add_assignment(lua_State *L, const Expansion *x, EpSlice text, bool if_empty) {
  if (text.size == 0 && !if_empty)
    return;
  ep_buffer_add_byte(L, x->out, '=');
  add_value(L, x, text);
}

static void add_text(lua_State *L, const Expansion *x, EpSlice text) {
  if (!x->op->named) {
    add_value(L, x, text);
    return;
  }
  ep_buffer_add(L, x->out, name_of(x, x->spec));
  add_assignment(L, x, text, x->op->if_empty);
}

/* Appends what the operator puts before the variable, if anything. */
static void add_separator(lua_State *L, Expansion *x) {
  char byte = x->begun ? x->op->separator : x->op->first;
  if (byte)
    ep_buffer_add_byte(L, x->out, byte);
  x->begun = true;
  x->text = x->out->size;
}

/* Appends what stands between the elements of a list or map. */
static void add_element_separator(lua_State *L, const Expansion *x, bool *begun) {
  if (*begun)
    ep_buffer_add_byte(L, x->out, x->spec->explode ? x->op->separator : ',');
  *begun = true;
}

/* Appends the name of a list or map that is not exploded, if the operator has names. */
static void begin_whole(lua_State *L, const Expansion *x) {
  if (!x->op->named || x->spec->explode)
    return;
  ep_buffer_add(L, x->out, name_of(x, x->spec));
  ep_buffer_add_byte(L, x->out, '=');
}

/* Appends the list at an absolute index. */
static void add_list(lua_State *L, const Expansion *x, int list) {
  const int size = (int)ep_rawlen(L, list), element = lua_gettop(L) + 1;
  EpText text;
  bool begun = false;
  begin_whole(L, x);
  for (int i = 1; i <= size; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, list, i);
    if (!ep_value_read_element(L, element, name_of(x, x->spec), &text))
      continue;
    add_element_separator(L, x, &begun);
    if (x->spec->explode)
      add_text(L, x, text.slice);
    else
      add_value(L, x, text.slice);
  }
}

static void add_map_name(lua_State *L, const Expansion *x, EpSlice name, bool *begun) {
  add_element_separator(L, x, begun);
  add_encoded(L, x, name);
}

/* A list in an exploded map sends its name with each element where a query is built.
 * RFC 6570 leaves lists in maps open. */
static bool is_query_map(const Expansion *x) {
  return x->spec->explode && x->op->if_empty;
}

/* Appends the list at an absolute index, that a map holds under a name. */
static void add_named_list(lua_State *L, const Expansion *x, EpSlice name, int list, bool *begun) {
  const int size = (int)ep_rawlen(L, list), element = lua_gettop(L) + 1;
  EpText text;
  for (int i = 1; i <= size; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, list, i);
    if (!ep_value_read_element(L, element, name_of(x, x->spec), &text))
      continue;
    add_map_name(L, x, name, begun);
    add_assignment(L, x, text.slice, true);
  }
}

/* Appends the table at an absolute index, that a map holds under a name. */
static void add_map_table(lua_State *L, const Expansion *x, EpSlice name, int value, bool *begun) {
  EpText none;
  EpKind kind = ep_value_read(L, value, name_of(x, x->spec), &none);
  if (kind == EP_MAP)
    raise_value(L, x,
                "expected strings, finite numbers, booleans or lists of them as elements, got a "
                "table with string keys");
  if (kind == EP_LIST)
    add_named_list(L, x, name, value, begun);
}

/* Appends what a map holds under a name: the value at an absolute index, not null. */
static void add_map_value(lua_State *L, const Expansion *x, EpSlice name, int value, bool *begun) {
  EpText text;
  if (is_query_map(x) && lua_istable(L, value)) {
    add_map_table(L, x, name, value, begun);
    return;
  }
  ep_value_read_element(L, value, name_of(x, x->spec), &text);
  add_map_name(L, x, name, begun);
  if (x->spec->explode) {
    add_assignment(L, x, text.slice, !x->op->named || x->op->if_empty);
  } else {
    ep_buffer_add_byte(L, x->out, ',');
    add_value(L, x, text.slice);
  }
}

/* Appends the map at an absolute index, in bytewise order of its names. Their
 * encoding is that of values, so that no name smuggles in a separator. */
static void add_map(lua_State *L, const Expansion *x, int map) {
  const int top = lua_gettop(L);
  EpPairs pairs;
  const EpName *names;
  bool begun = false;
  ep_pairs_read(L, map, &pairs);
  names = ep_pairs_sort(L, &pairs);
  begin_whole(L, x);
  for (int i = 0; i < pairs.count; i++) {
    ep_pairs_push_value(L, &pairs, names[i].index);
    add_map_value(L, x, names[i].text, lua_gettop(L), &begun);
    lua_pop(L, 1);
  }
  lua_settop(L, top);
}

/* --- variables ---------------------------------------------------------------- */

static void check_table(lua_State *L, const Expansion *x, EpKind kind) {
  if (x->spec->prefix > 0)
    raise_value(L, x,
                kind == EP_LIST ? "expected a string for the prefix, got a list"
                                : "expected a string for the prefix, got a map");
}

/* Appends the list or map at an absolute index. A map of nothing but lists without elements
 * is undefined, too. */
static void add_table(lua_State *L, Expansion *x, EpKind kind, int table) {
  const bool begun = x->begun;
  check_table(L, x, kind);
  add_separator(L, x);
  if (kind == EP_LIST) {
    add_list(L, x, table);
    return;
  }
  add_map(L, x, table);
  if (is_query_map(x) && x->out->size == x->text) {
    x->out->size = x->begin;
    x->begun = begun;
  }
}

/* May the text that has been appended part segments? An encoded "/" or "\" may, for servers
 * decode it. If no byte was encoded, what was written has the size of the text; but so may an
 * encoded prefix of it. */
static bool may_part(const Expansion *x, EpSlice text) {
  if (x->op->named || x->kind == EP_PATH || (x->op->allow & EP_RESERVED) || x->spec->prefix > 0)
    return true;
  return written(x).size != text.size && (memchr(text.bytes, '/', text.size) != NULL ||
                                          memchr(text.bytes, '\\', text.size) != NULL);
}

/* Appends the variable whose value is at an absolute index. Returns whether what it wrote
 * may part segments. */
static bool add_variable(lua_State *L, Expansion *x, int value) {
  EpText text;
  EpKind kind = ep_value_read(L, value, name_of(x, x->spec), &text);
  if (kind == EP_TEXT) {
    add_separator(L, x);
    add_text(L, x, text.slice);
    return may_part(x, text.slice);
  }
  if (kind != EP_UNDEFINED)
    add_table(L, x, kind, value);
  else if (x->in_authority && ep_is_plain(x->kind))
    raise_value(L, x, "expected a part of the host, got nothing");
  return true;
}

static void expand_varspec(lua_State *L, Expansion *x, size_t varspec) {
  bool parts;
  x->spec = x->t->varspecs + varspec;
  find_place(x);
  ep_array_push(L, &x->v->variables, x->spec->variable);
  parts = add_variable(L, x, lua_gettop(L));
  lua_pop(L, 1);
  if (x->in_authority)
    check_authority(L, x);
  ep_segments_variable(&x->segments, written(x), (int)varspec, parts);
}

/* --- parts ------------------------------------------------------------------ */

static void expand_expression(lua_State *L, Expansion *x, const EpPart *part) {
  const size_t begin = x->out->size;
  x->kind = part->kind;
  x->op = &ep_operators[part->kind];
  x->begun = false;
  ep_segments_expression(&x->segments, part->kind, part->in_path, (int)part->begin);
  for (size_t i = part->begin; i < part->end; i++)
    expand_varspec(L, x, i);
  if (x->out->size == begin && ep_ends_authority(part->kind))
    x->authority_open = true;
}

static void expand_literal(lua_State *L, Expansion *x, const EpPart *part) {
  const EpSlice text = {x->t->literals + part->begin, part->end - part->begin};
  ep_buffer_add(L, x->out, text);
  ep_segments_literal(&x->segments, text, &part->slashes);
}

bool ep_expand(lua_State *L, EpBuffer *out, const EpView *v) {
  const EpTemplate *t = v->c->t;
  Expansion x;
  x.out = out;
  x.v = v;
  x.t = t;
  x.start = out->size;
  x.authority_open = false;
  ep_segments_init(&x.segments, t->authority, t->part_count > 0 && t->parts[0].kind == EP_PLUS);
  for (size_t i = 0; i < t->part_count; i++) {
    const EpPart *part = &t->parts[i];
    if (part->kind == EP_LITERAL)
      expand_literal(L, &x, part);
    else
      expand_expression(L, &x, part);
  }
  check_segments(L, &x);
  return ep_segments_behind_path(&x.segments);
}
