/* SPDX-License-Identifier: MIT */
#include "expand.h"

#include "errors.h"
#include "pairs.h"
#include "value.h"

/* Writes an expansion. It keeps the current expression and varspec. */
typedef struct Writer {
  EpBuffer *out;
  const EpTemplate *t;
  const EpOperator *op; /* of the expression */
  bool begun;           /* was one of its variables written? */
  const EpVarspec *spec;
} Writer;

static EpSlice name_of(const Writer *x) {
  return x->t->variables[x->spec->variable].text;
}

/* Appends a text or its prefix, encoded as the operator says. */
static inline void add_value(lua_State *L, const Writer *x, EpSlice text) {
  if (x->spec->prefix > 0)
    text.size = ep_percent_prefix(text, (unsigned)x->spec->prefix, x->op->allow);
  ep_buffer_add_encoded(L, x->out, text, x->op->allow);
}

/* Appends "=value". For an empty value, appends "=" if if_empty is true, otherwise nothing. */
static inline void add_assignment(lua_State *L, const Writer *x, EpSlice text, bool if_empty) {
  if (text.size == 0 && !if_empty)
    return;
  ep_buffer_add_byte(L, x->out, '=');
  add_value(L, x, text);
}

static inline void add_text(lua_State *L, const Writer *x, EpSlice text) {
  if (!x->op->named) {
    add_value(L, x, text);
    return;
  }
  ep_buffer_add(L, x->out, name_of(x));
  add_assignment(L, x, text, x->op->if_empty);
}

/* Appends what the operator puts before the variable, if anything. */
static void add_separator(lua_State *L, Writer *x) {
  char byte = x->begun ? x->op->separator : x->op->first;
  if (byte)
    ep_buffer_add_byte(L, x->out, byte);
  x->begun = true;
}

/* Appends the separator before an element of a list or map, but not before the first one. */
static void add_element_separator(lua_State *L, const Writer *x, bool *begun) {
  if (*begun)
    ep_buffer_add_byte(L, x->out, x->spec->explode ? x->op->separator : ',');
  *begun = true;
}

static void add_map_name(lua_State *L, const Writer *x, EpSlice name, bool *begun) {
  add_element_separator(L, x, begun);
  ep_buffer_add_encoded(L, x->out, name, x->op->allow);
}

/* Is a list in this map written as name=element for each element? That is so in an exploded map of
 * a query. RFC 6570 does not define lists in maps. */
static bool is_query_map(const Writer *x) {
  return x->spec->explode && x->op->if_empty;
}

/* Appends the elements of the list at an absolute index. If the list is in a map, `name` is its
 * name there and is written before each element. Otherwise `name` is NULL. */
static void add_elements(lua_State *L, const Writer *x, int list, const EpSlice *name,
                         bool *begun) {
  const int size = (int)ep_rawlen(L, list), element = lua_gettop(L) + 1;
  EpText text;
  for (int i = 1; i <= size; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, list, i);
    if (!ep_value_read_element(L, element, name_of(x), &text))
      continue;
    if (name) {
      add_map_name(L, x, *name, begun);
      add_assignment(L, x, text.slice, true);
      continue;
    }
    add_element_separator(L, x, begun);
    if (x->spec->explode)
      add_text(L, x, text.slice);
    else
      add_value(L, x, text.slice);
  }
}

/* Appends a name of a map and its value, which is at an absolute index and not null. */
static void add_map_value(lua_State *L, const Writer *x, EpSlice name, int value, bool *begun) {
  EpText text;
  if (is_query_map(x) && lua_istable(L, value)) {
    const EpKind kind = ep_value_read(L, value, name_of(x), &text);
    if (kind == EP_MAP)
      ep_parameter_error(L, name_of(x),
                         "expected strings, finite numbers, booleans or lists of them as elements, "
                         "got a table with string keys");
    if (kind == EP_LIST)
      add_elements(L, x, value, &name, begun);
    return;
  }
  ep_value_read_element(L, value, name_of(x), &text);
  add_map_name(L, x, name, begun);
  if (x->spec->explode) {
    add_assignment(L, x, text.slice, !x->op->named || x->op->if_empty);
  } else {
    ep_buffer_add_byte(L, x->out, ',');
    add_value(L, x, text.slice);
  }
}

/* Appends the map at an absolute index, in bytewise order of its names. Names are encoded like
 * values, so that a name cannot add a separator. */
static void add_map(lua_State *L, const Writer *x, int map, bool *begun) {
  const int top = lua_gettop(L);
  EpPairs pairs;
  ep_pairs_read(L, map, &pairs, name_of(x));
  const EpName *names = ep_pairs_sort(L, &pairs);
  for (int i = 0; i < pairs.count; i++)
    add_map_value(L, x, names[i].text, ep_pairs_value(&pairs, names[i].index), begun);
  lua_settop(L, top);
}

/* Appends the list or map at an absolute index. If a map has only empty lists, it is undefined, and
 * nothing is appended. */
static void add_table(lua_State *L, Writer *x, EpKind kind, int table) {
  const size_t begin = x->out->size;
  const bool has_begun = x->begun;
  bool begun = false;
  if (x->spec->prefix > 0)
    ep_error(L, "endpoint: parameter %s: expected a string for the prefix, got a %s",
             ep_quote(L, name_of(x)), kind == EP_LIST ? "list" : "map");
  add_separator(L, x);
  if (x->op->named && !x->spec->explode) {
    ep_buffer_add(L, x->out, name_of(x));
    ep_buffer_add_byte(L, x->out, '=');
  }
  if (kind == EP_LIST)
    add_elements(L, x, table, NULL, &begun);
  else
    add_map(L, x, table, &begun);
  if (kind == EP_MAP && !begun) {
    x->out->size = begin;
    x->begun = has_begun;
  }
}

/* Appends the variable whose value is at an absolute index. */
static void add_variable(lua_State *L, Writer *x, int value) {
  EpText text;
  EpKind kind = ep_value_read(L, value, name_of(x), &text);
  if (kind == EP_TEXT) {
    add_separator(L, x);
    add_text(L, x, text.slice);
  } else if (kind != EP_UNDEFINED) {
    add_table(L, x, kind, value);
  }
}

/* Expands an expression, and notes the place of each varspec. If the expression has a separator
 * before its first variable, as {/x} has, each separator belongs to the variable after it. A ","
 * between variables does not. */
static void expand_expression(lua_State *L, Writer *x, const EpPart *part, int first_value,
                              EpNote *notes, size_t start) {
  x->op = &ep_operators[part->kind];
  x->begun = false;
  for (size_t i = part->begin; i < part->end; i++) {
    const size_t begin = x->out->size;
    x->spec = x->t->varspecs + i;
    const bool has_comma = x->begun && !x->op->first;
    add_variable(L, x, first_value + x->spec->variable);
    notes[i].end = x->out->size - start;
    notes[i].begin = begin - start + (has_comma && x->out->size > begin);
  }
}

void ep_expand(lua_State *L, EpBuffer *out, const EpTemplate *t, int first_value, EpNote *notes) {
  const size_t start = out->size;
  Writer x = {out, t, NULL, false, NULL};
  for (size_t i = 0; i < t->part_count; i++) {
    const EpPart *part = &t->parts[i];
    if (part->kind == EP_LITERAL)
      ep_buffer_add(L, out, ep_slice(t->literals + part->begin, part->end - part->begin));
    else
      expand_expression(L, &x, part, first_value, notes, start);
  }
}
