/* Expansion of templates. What may not come of it is the matter of guard.h. */
#include "expand.h"

#include "core/percent.h"
#include "error.h"
#include "pairs.h"
#include "stack.h"
#include "value.h"

/* An expansion, with the expression and the variable at which it is. */
typedef struct Expansion {
  EpBuffer *out;
  const EpCall *c;
  const EpTemplate *t;
  const EpOperator *op; /* of the expression */
  bool begun;           /* has one of its variables been written? */
  const EpVarspec *spec;
} Expansion;

static EpSlice name_of(const Expansion *x) {
  return x->t->variables[x->spec->variable].text;
}

static void raise_value(lua_State *L, const Expansion *x, const char *message) {
  ep_parameter_error(L, name_of(x), message);
}

/* --- values ----------------------------------------------------------------- */

/* Appends a piece of text, encoded as the operator says. */
static void add_encoded(lua_State *L, const Expansion *x, EpSlice text) {
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
  ep_buffer_add(L, x->out, name_of(x));
  add_assignment(L, x, text, x->op->if_empty);
}

/* Appends what the operator puts before the variable, if anything. */
static void add_separator(lua_State *L, Expansion *x) {
  char byte = x->begun ? x->op->separator : x->op->first;
  if (byte)
    ep_buffer_add_byte(L, x->out, byte);
  x->begun = true;
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
  ep_buffer_add(L, x->out, name_of(x));
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
    if (!ep_value_read_element(L, element, name_of(x), &text))
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
    if (!ep_value_read_element(L, element, name_of(x), &text))
      continue;
    add_map_name(L, x, name, begun);
    add_assignment(L, x, text.slice, true);
  }
}

/* Appends the table at an absolute index, that a map holds under a name. */
static void add_map_table(lua_State *L, const Expansion *x, EpSlice name, int value, bool *begun) {
  EpText none;
  EpKind kind = ep_value_read(L, value, name_of(x), &none);
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
  ep_value_read_element(L, value, name_of(x), &text);
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
    ep_pairs_push_value(L, &pairs, names[i].owner);
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
  const size_t begin = x->out->size;
  const bool begun = x->begun;
  size_t text;
  check_table(L, x, kind);
  add_separator(L, x);
  text = x->out->size;
  if (kind == EP_LIST)
    add_list(L, x, table);
  else
    add_map(L, x, table);
  if (kind == EP_MAP && is_query_map(x) && x->out->size == text) {
    x->out->size = begin;
    x->begun = begun;
  }
}

/* Appends the variable whose value is at an absolute index. */
static void add_variable(lua_State *L, Expansion *x, int value) {
  EpText text;
  EpKind kind = ep_value_read(L, value, name_of(x), &text);
  if (kind == EP_TEXT) {
    add_separator(L, x);
    add_text(L, x, text.slice);
  } else if (kind != EP_UNDEFINED) {
    add_table(L, x, kind, value);
  }
}

static void expand_expression(lua_State *L, Expansion *x, const EpPart *part, EpNote *notes,
                              size_t start) {
  const EpArray *values = &x->c->variables;
  x->op = &ep_operators[part->kind];
  x->begun = false;
  for (size_t i = part->begin; i < part->end; i++) {
    x->spec = x->t->varspecs + i;
    notes[i].begin = x->out->size - start;
    add_variable(L, x, ep_array_at(L, values, x->spec->variable));
    ep_array_done(L, values);
    notes[i].end = x->out->size - start;
  }
}

void ep_expand(lua_State *L, EpBuffer *out, const EpCall *c, EpNote *notes) {
  const EpTemplate *t = c->compiled->t;
  const size_t start = out->size;
  Expansion x = {out, c, t, NULL, false, NULL};
  for (size_t i = 0; i < t->part_count; i++) {
    const EpPart *part = &t->parts[i];
    if (part->kind == EP_LITERAL)
      ep_buffer_add(L, out, ep_slice(t->literals + part->begin, part->end - part->begin));
    else
      expand_expression(L, &x, part, notes, start);
  }
}
