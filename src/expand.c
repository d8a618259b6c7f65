/* Expansion of templates. What the path must not do is the matter of segments.h; that
 * values must not name another host is seen to here. */
#include "expand.h"

#include <string.h>

#include "error.h"
#include "pairs.h"
#include "percent.h"
#include "segments.h"
#include "stack.h"
#include "url.h"
#include "value.h"

typedef struct Expansion {
  EpBuffer *out;
  const EpView *v;
  const EpTemplate *t;
  size_t start;        /* offset of the expansion in the buffer */
  bool authority_open; /* has an expression that could end the authority written nothing? */
  EpSegments segments;
} Expansion;

/* One variable of an expression being expanded. */
typedef struct Variable {
  const EpPart *part;
  const EpOperator *op;
  const EpVarspec *spec;
  EpSlice name;
  bool in_authority; /* does it begin in the authority (RFC 3986 section 3.2)? */
  bool is_host;      /* ... and is all of its text meant to be a part of the host? */
  size_t begin;      /* offset of its text in the buffer */
  bool may_part;     /* may what it wrote hold what parts segments or ends the path? */
} Variable;

static EpSlice name_of(const Expansion *x, const EpVarspec *v) {
  return x->t->variables[v->variable].text;
}

/* --- segments --------------------------------------------------------------- */

/* [-0, +1] Pushes what is wrong with the value of a variable whose segment vanished. */
static void push_vanished(lua_State *L, const Expansion *x, EpFault fault, const EpVarspec *v) {
  ep_array_push(L, &x->v->variables, v->variable);
  if (fault == EP_VANISHED_SLASHES)
    lua_pushliteral(L, "is slashes alone in the path");
  else if (fault == EP_VANISHED_DELIMITER)
    lua_pushliteral(L, "begins with \"?\" or \"#\"");
  else if (ep_is_absent(L, -1))
    lua_pushliteral(L, "is missing");
  else
    lua_pushliteral(L, "is empty");
  lua_replace(L, -2);
}

static void raise_vanished(lua_State *L, const Expansion *x, EpFault fault, const EpVarspec *v) {
  const char *quoted = ep_quote(L, name_of(x, v)), *why;
  push_vanished(L, x, fault, v);
  why = lua_tostring(L, -1);
  lua_pushlstring(L, quoted + 1, strlen(quoted) - 2);
  ep_error(L,
           "endpoint: parameter %s %s: its path segment must not vanish "
           "(an optional one is written {/%s})",
           quoted, why, lua_tostring(L, -1));
}

/* [-0, +1] Pushes the path from the dot segment on, quoted: what follows it may be secret. */
static const char *push_dots(lua_State *L, const Expansion *x) {
  EpSlice path = ep_slice_from(ep_buffer_slice(x->out), x->start + x->segments.place);
  path.size = ep_url_path_size(path);
  return ep_quote_url(L, path);
}

static void raise_dots(lua_State *L, const Expansion *x, EpFault fault, const EpVarspec *v) {
  const char *name = ep_quote(L, name_of(x, v)), *why = "makes";
  if (fault == EP_DOTS_LEFT) {
    push_vanished(L, x, EP_VANISHED, v);
    lua_pushliteral(L, ", which leaves");
    lua_concat(L, 2);
    why = lua_tostring(L, -1);
  }
  ep_error(L,
           "endpoint: parameter %s %s a path segment \".\" or \"..\", which would address "
           "another resource: %s",
           name, why, push_dots(L, x));
}

static void check_segments(lua_State *L, Expansion *x) {
  EpFault fault = ep_segments_end(&x->segments);
  const EpVarspec *culprit;
  if (fault == EP_SOUND)
    return;
  culprit = x->t->varspecs + x->segments.culprit;
  if (fault == EP_DOTS || fault == EP_DOTS_LEFT)
    raise_dots(L, x, fault, culprit);
  else
    raise_vanished(L, x, fault, culprit);
}

/* --- authority -------------------------------------------------------------- */

static void host_error(lua_State *L, const Variable *var, const char *expected) {
  lua_pushfstring(L, "expected %s: a value must not move the request to another host", expected);
  ep_parameter_error(L, var->name, lua_tostring(L, -1));
}

/* Checks a text that is meant to be a part of the host, before it is encoded. */
static void check_host_text(lua_State *L, const Variable *var, EpSlice text) {
  for (size_t i = 0; i < text.size; i++)
    if (memchr("@\\/?#", text.bytes[i], 5))
      host_error(L, var, "a part of a host, without \"@\", \"\\\", \"/\", \"?\" and \"#\"");
}

/* Checks what a variable that begins in the authority has written, its separator
 * included: behind the host a "+" variable must end it, and where {/x} and the like have
 * ended nothing, any other must. */
static void check_behind_host(lua_State *L, const Expansion *x, const Variable *var, size_t begin) {
  const char *text = x->out->bytes + begin;
  bool is_plus = var->part->kind == EP_PLUS && !var->is_host;
  if (x->out->size == begin || ep_url_ends_authority(*text))
    return;
  if (is_plus)
    host_error(L, var, "a text that begins with \"/\", \"?\" or \"#\" behind the host");
  if (x->authority_open)
    host_error(L, var, "no text behind the host, where the expression before it has none");
}

/* --- values ----------------------------------------------------------------- */

/* Appends a piece of text, encoded as the operator says. */
static void add_encoded(lua_State *L, const Expansion *x, const Variable *var, EpSlice text) {
  if (var->is_host)
    check_host_text(L, var, text);
  ep_buffer_add_encoded(L, x->out, text, var->op->allow);
}

static void add_separator(lua_State *L, const Expansion *x, const Variable *var, bool *begun) {
  char byte = *begun ? var->op->separator : var->op->first;
  if (byte)
    ep_buffer_add_byte(L, x->out, byte);
  *begun = true;
}

/* Appends a text, or as many characters of it as the prefix says. */
static void add_value(lua_State *L, const Expansion *x, const Variable *var, EpSlice text) {
  if (var->spec->prefix > 0)
    text.size = ep_percent_prefix(text, (unsigned)var->spec->prefix, var->op->allow);
  add_encoded(L, x, var, text);
}

/* Appends "=value", of an empty value what the operator says. */
static void add_assignment(lua_State *L, const Expansion *x, const Variable *var, EpSlice text,
                           bool if_empty) {
  if (text.size == 0 && !if_empty)
    return;
  ep_buffer_add_byte(L, x->out, '=');
  add_value(L, x, var, text);
}

static void add_name(lua_State *L, const Expansion *x, const Variable *var) {
  ep_buffer_add(L, x->out, var->name);
}

static void add_text(lua_State *L, const Expansion *x, const Variable *var, EpSlice text) {
  if (!var->op->named) {
    add_value(L, x, var, text);
    return;
  }
  add_name(L, x, var);
  add_assignment(L, x, var, text, var->op->if_empty);
}

/* The text between the elements of a list, and between those of a map. */
static void add_element_separator(lua_State *L, const Expansion *x, const Variable *var,
                                  bool *begun) {
  if (*begun)
    ep_buffer_add_byte(L, x->out, var->spec->explode ? var->op->separator : ',');
  *begun = true;
}

/* A list or map that is not exploded has one name for the whole. */
static void begin_whole(lua_State *L, const Expansion *x, const Variable *var) {
  if (!var->op->named || var->spec->explode)
    return;
  add_name(L, x, var);
  ep_buffer_add_byte(L, x->out, '=');
}

/* Appends the list at an absolute index. */
static void add_list(lua_State *L, const Expansion *x, const Variable *var, int list) {
  const int size = (int)ep_rawlen(L, list), element = lua_gettop(L) + 1;
  EpText text;
  bool begun = false, exploded_name = var->op->named && var->spec->explode;
  begin_whole(L, x, var);
  for (int i = 1; i <= size; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, list, i);
    if (ep_is_absent(L, element))
      continue;
    ep_value_read_element(L, element, var->name, &text);
    add_element_separator(L, x, var, &begun);
    if (exploded_name)
      add_text(L, x, var, text.slice);
    else
      add_value(L, x, var, text.slice);
  }
}

static void add_map_name(lua_State *L, const Expansion *x, const Variable *var, EpSlice name,
                         bool *begun) {
  add_element_separator(L, x, var, begun);
  add_encoded(L, x, var, name);
}

/* A list in an exploded map sends its name with each element where a query is built.
 * RFC 6570 leaves lists in maps open. */
static bool is_query_map(const Variable *var) {
  return var->spec->explode && var->op->if_empty;
}

/* Appends the list at an absolute index, that a map holds under a name. */
static void add_named_list(lua_State *L, const Expansion *x, const Variable *var, EpSlice name,
                           int list, bool *begun) {
  const int size = (int)ep_rawlen(L, list), element = lua_gettop(L) + 1;
  EpText text;
  for (int i = 1; i <= size; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, list, i);
    if (ep_is_absent(L, element))
      continue;
    ep_value_read_element(L, element, var->name, &text);
    add_map_name(L, x, var, name, begun);
    add_assignment(L, x, var, text.slice, true);
  }
}

/* Appends what a map holds under a name: the value at an absolute index. */
static void add_map_value(lua_State *L, const Expansion *x, const Variable *var, EpSlice name,
                          int value, bool *begun) {
  EpText text;
  if (is_query_map(var) && lua_istable(L, value)) {
    EpKind kind = ep_value_read(L, value, var->name, &text);
    if (kind == EP_MAP)
      ep_parameter_error(L, var->name,
                         "expected strings, finite numbers, booleans or lists of them as "
                         "elements, got a table with string keys");
    if (kind == EP_LIST)
      add_named_list(L, x, var, name, value, begun);
    return;
  }
  ep_value_read_element(L, value, var->name, &text);
  add_map_name(L, x, var, name, begun);
  if (var->spec->explode) {
    add_assignment(L, x, var, text.slice, !var->op->named || var->op->if_empty);
  } else {
    ep_buffer_add_byte(L, x->out, ',');
    add_value(L, x, var, text.slice);
  }
}

/* Appends the map at an absolute index, in bytewise order of its names. Their
 * encoding is that of values, so that no name smuggles in a separator. */
static void add_map(lua_State *L, const Expansion *x, const Variable *var, int map) {
  const int top = lua_gettop(L);
  EpPairs pairs;
  const EpName *names;
  bool begun = false;
  ep_pairs_read(L, map, &pairs);
  names = ep_pairs_sort(L, &pairs);
  begin_whole(L, x, var);
  for (int i = 0; i < pairs.count; i++) {
    ep_pairs_push_value(L, &pairs, names[i].index);
    add_map_value(L, x, var, names[i].text, lua_gettop(L), &begun);
    lua_pop(L, 1);
  }
  lua_settop(L, top);
}

/* --- variables and parts ------------------------------------------------------ */

static void check_kind(lua_State *L, const Variable *var, EpKind kind) {
  if (var->in_authority && kind == EP_UNDEFINED && ep_is_plain(var->part->kind))
    ep_parameter_error(L, var->name, "expected a part of the host, got nothing");
  if (var->spec->prefix > 0 && (kind == EP_LIST || kind == EP_MAP))
    ep_parameter_error(L, var->name,
                       kind == EP_LIST ? "expected a string for the prefix, got a list"
                                       : "expected a string for the prefix, got a map");
}

/* May the text part segments, once it is encoded? All but unreserved bytes have become
 * longer then, and servers decode "/" and "\\". */
static bool text_may_part(const Expansion *x, const Variable *var, EpSlice text) {
  if (var->op->named || var->part->kind == EP_PATH || (var->op->allow & EP_RESERVED))
    return true;
  return x->out->size - var->begin != text.size &&
         (memchr(text.bytes, '/', text.size) || memchr(text.bytes, '\\', text.size));
}

/* Appends the variable whose value is at an absolute index. */
static void add_variable(lua_State *L, const Expansion *x, Variable *var, int value, bool *begun) {
  const size_t before = x->out->size;
  const bool had_begun = *begun;
  EpText text;
  EpKind kind = ep_value_read(L, value, var->name, &text);
  check_kind(L, var, kind);
  if (kind != EP_UNDEFINED)
    add_separator(L, x, var, begun);
  var->begin = x->out->size;
  if (kind == EP_TEXT)
    add_text(L, x, var, text.slice);
  else if (kind == EP_LIST)
    add_list(L, x, var, value);
  else if (kind == EP_MAP)
    add_map(L, x, var, value);
  var->may_part = kind != EP_TEXT || text_may_part(x, var, text.slice);
  if (kind == EP_MAP && is_query_map(var) && x->out->size == var->begin) {
    x->out->size = before; /* it held nothing but lists without elements: undefined, too */
    *begun = had_begun;
  }
}

/* Behind other text of the authority a "+" variable is no part of the host but ends it. */
static void find_place(const Expansion *x, Variable *var) {
  bool begins = x->out->size - x->start == x->t->authority;
  var->in_authority = ep_segments_in_authority(&x->segments);
  var->is_host =
      var->in_authority && (var->part->kind == EP_SIMPLE || (var->part->kind == EP_PLUS && begins));
}

static void check_authority(lua_State *L, const Expansion *x, const Variable *var, size_t begin) {
  if (ep_is_plain(var->part->kind) && x->out->size == var->begin)
    ep_parameter_error(L, var->name, "expected a part of the host, got an empty text");
  check_behind_host(L, x, var, begin);
}

static void expand_varspec(lua_State *L, Expansion *x, Variable *var, bool *begun) {
  const size_t begin = x->out->size;
  var->name = name_of(x, var->spec);
  find_place(x, var);
  ep_array_push(L, &x->v->variables, var->spec->variable);
  add_variable(L, x, var, lua_gettop(L), begun);
  lua_pop(L, 1);
  if (var->in_authority)
    check_authority(L, x, var, begin);
  ep_segments_variable(&x->segments, ep_slice_from(ep_buffer_slice(x->out), begin),
                       (int)(var->spec - x->t->varspecs), var->may_part);
}

/* --- parts ------------------------------------------------------------------ */

static void expand_expression(lua_State *L, Expansion *x, const EpPart *part) {
  Variable var = {part, &ep_operators[part->kind], NULL, {NULL, 0}, false, false, 0, true};
  const size_t begin = x->out->size;
  bool begun = false;
  ep_segments_expression(&x->segments, part->kind, part->in_path, (int)part->begin);
  for (size_t i = part->begin; i < part->end; i++) {
    var.spec = x->t->varspecs + i;
    expand_varspec(L, x, &var, &begun);
  }
  if (x->out->size == begin && ep_ends_authority(part->kind))
    x->authority_open = true;
}

static void add_literal(lua_State *L, Expansion *x, const EpPart *part) {
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
      add_literal(L, &x, part);
    else
      expand_expression(L, &x, part);
  }
  check_segments(L, &x);
  return ep_segments_behind_path(&x.segments);
}
