/* Expansion of templates, and what it must not do: let a path segment vanish,
 * step out of its directory, or change the host. */
#include "expand.h"

#include <string.h>

#include "error.h"
#include "pairs.h"
#include "percent.h"
#include "url.h"
#include "value.h"

/* The path segment that is being written. Two things are asked of it when
 * it ends: that it has text, if the template gives it a plain or "+" variable,
 * and that it is no dot segment, if a value had part in it. The first goes by
 * the segments of the template, the second by those of the result. */
typedef struct Segment {
  size_t begin;           /* of the template's segment: offset in the buffer */
  const EpVarspec *blank; /* its first plain or "+" variable without text */
  size_t path;            /* of the result's segment: offset in the buffer */
  size_t scanned;         /* up to here it was looked for the segment's end */
  bool slashes;           /* may values have brought slashes? */
  const EpVarspec *used;  /* the first variable that has part in it */
  size_t from;            /* text behind this offset makes it a segment with a variable */
} Segment;

typedef struct Expansion {
  EpBuffer *out;
  const EpView *v;
  const EpTemplate *t;
  size_t start; /* offset of the expansion in the buffer */
  Segment segment;
  bool path_open;      /* no "?" or "#" so far */
  bool authority_open; /* absolute, and no "/", "?" or "#" behind "://" so far */
  size_t scanned;      /* up to here it was looked for one */
} Expansion;

/* --- messages --------------------------------------------------------------- */

static EpParameter parameter_of(const Expansion *x, const EpVarspec *v) {
  const EpName *name = &x->t->variables[v->variable];
  EpParameter p = {name->text, name->size};
  return p;
}

static void raise_vanished(lua_State *L, const Expansion *x) {
  EpParameter p = parameter_of(x, x->segment.blank);
  int value = ep_view_variable(L, x->v, x->segment.blank->variable);
  const char *state = ep_is_absent(L, value) ? "missing" : "empty";
  const char *quoted = ep_quote(L, p.name, p.size);
  lua_pushlstring(L, quoted + 1, strlen(quoted) - 2);
  ep_error(L,
           "endpoint: parameter %s is %s: its path segment must not vanish "
           "(an optional one is written {/%s})",
           quoted, state, lua_tostring(L, -1));
}

static void raise_dots(lua_State *L, const Expansion *x) {
  EpParameter p = parameter_of(x, x->segment.used);
  const char *path = x->out->bytes + x->segment.path, *name = ep_quote(L, p.name, p.size);
  size_t size = 0;
  while (x->segment.path + size < x->out->size && !memchr("?#", path[size], 2))
    size++;
  ep_error(L,
           "endpoint: parameter %s makes a path segment \".\" or \"..\", which would address "
           "another resource: %s",
           name, ep_quote_url(L, path, size));
}

/* --- segments --------------------------------------------------------------- */

/* Goes on to the next segment of the result that is written, if there is one. */
static bool next_segment(Segment *s, const char *text, size_t size) {
  while (s->scanned < size && !memchr("/?#", text[s->scanned], 3))
    s->scanned++;
  if (s->scanned == size || text[s->scanned] != '/')
    return false;
  s->path = ++s->scanned;
  return true;
}

/* Checks the result's segments as far as they are written. A value with
 * slashes has brought several; the last stays the one that is being written. */
static void check_dots(lua_State *L, Expansion *x) {
  Segment *s = &x->segment;
  const char *text = x->out->bytes;
  if (!x->path_open || !s->used || x->out->size <= s->from)
    return;
  do {
    if (ep_url_is_dots(text + s->path, text + x->out->size))
      raise_dots(L, x);
  } while (s->slashes && next_segment(s, text, x->out->size));
}

/* Ends the template's segment at what is written so far. */
static void close_segment(lua_State *L, Expansion *x) {
  if (x->segment.blank && x->segment.begin == x->out->size)
    raise_vanished(L, x);
  check_dots(L, x);
  x->segment.begin = x->out->size;
  x->segment.blank = NULL;
}

/* Begins a segment of the template and of the result at an offset. */
static void open_segment(Expansion *x, size_t begin) {
  x->segment.begin = x->segment.path = x->segment.scanned = x->segment.from = begin;
  x->segment.blank = x->segment.used = NULL;
  x->segment.slashes = false;
}

/* --- authority -------------------------------------------------------------- */

/* Is what is written next still in the authority (RFC 3986 section 3.2)? */
static bool in_authority(Expansion *x) {
  for (; x->authority_open && x->scanned < x->out->size; x->scanned++)
    if (memchr("/?#", x->out->bytes[x->scanned], 3))
      x->authority_open = false;
  return x->authority_open;
}

/* --- values ----------------------------------------------------------------- */

/* One variable of an expression being expanded. */
typedef struct Variable {
  const EpPart *part;
  const EpOperator *op;
  const EpVarspec *spec;
  EpParameter parameter;
  bool authority; /* does it begin in the authority? */
  size_t begin;   /* offset of its text in the buffer */
} Variable;

/* What is written of a variable that begins in the authority, before it is
 * encoded: only "/", "?" or "#" may end the authority, and only where a "+"
 * variable begins, behind a host. */
static void check_authority(lua_State *L, const Expansion *x, const Variable *var, const char *text,
                            size_t size) {
  bool host = x->out->size > x->t->authority;
  bool may_end = host && var->part->kind == EP_PLUS && x->out->size == var->begin;
  for (size_t i = 0; i < size; i++) {
    if (memchr("@\\", text[i], 2) || (memchr("/?#", text[i], 3) && !(may_end && i == 0)))
      ep_parameter_error(L, var->parameter,
                         "expected a part of a host, without \"@\", \"\\\", \"/\", \"?\" and "
                         "\"#\": a value must not move the request to another host");
  }
}

/* Appends a piece of text, encoded as the operator says. */
static void add_encoded(lua_State *L, const Expansion *x, const Variable *var, const char *text,
                        size_t size) {
  if (var->authority)
    check_authority(L, x, var, text, size);
  ep_buffer_add_encoded(L, x->out, text, size, var->op->allow);
}

static void add_separator(lua_State *L, const Expansion *x, const Variable *var, bool *begun) {
  char byte = *begun ? var->op->separator : var->op->first;
  if (byte)
    ep_buffer_add_byte(L, x->out, byte);
  *begun = true;
}

/* Appends a text, or as many characters of it as the prefix says. */
static void add_value(lua_State *L, const Expansion *x, const Variable *var, const EpText *text) {
  size_t size = text->size;
  if (var->spec->prefix > 0)
    size = ep_percent_prefix(text->bytes, size, (unsigned)var->spec->prefix, var->op->allow);
  add_encoded(L, x, var, text->bytes, size);
}

/* Appends "=value", of an empty value what the operator says. */
static void add_assignment(lua_State *L, const Expansion *x, const Variable *var,
                           const EpText *text, bool if_empty) {
  if (text->size == 0 && !if_empty)
    return;
  ep_buffer_add_byte(L, x->out, '=');
  add_value(L, x, var, text);
}

static void add_name(lua_State *L, const Expansion *x, const Variable *var) {
  ep_buffer_add(L, x->out, var->parameter.name, var->parameter.size);
}

static void add_text(lua_State *L, const Expansion *x, const Variable *var, const EpText *text) {
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
    ep_value_read_element(L, element, var->parameter, &text);
    add_element_separator(L, x, var, &begun);
    if (exploded_name)
      add_text(L, x, var, &text);
    else
      add_value(L, x, var, &text);
  }
}

/* Appends the map at an absolute index, in bytewise order of its names. Their
 * encoding is that of values, so that no name smuggles in a separator. */
static void add_map(lua_State *L, const Expansion *x, const Variable *var, int map) {
  const int anchor = lua_gettop(L) + 1;
  EpPairs pairs;
  const EpName *names;
  EpText text;
  bool begun = false;
  lua_pushnil(L);
  ep_pairs_read(L, map, &pairs);
  names = ep_pairs_sort(L, &pairs, anchor);
  begin_whole(L, x, var);
  for (int i = 0; i < pairs.count; i++) {
    const EpName *name = &names[i];
    int value = ep_pairs_value(L, &pairs, name->index);
    add_element_separator(L, x, var, &begun);
    add_encoded(L, x, var, name->text, name->size);
    ep_value_read_element(L, value, var->parameter, &text);
    if (var->spec->explode) {
      add_assignment(L, x, var, &text, !var->op->named || var->op->if_empty);
    } else {
      ep_buffer_add_byte(L, x->out, ',');
      add_value(L, x, var, &text);
    }
    ep_pairs_drop(L, &pairs);
  }
  lua_settop(L, anchor - 1);
}

/* --- variables and parts ------------------------------------------------------ */

static void check_kind(lua_State *L, const Variable *var, EpKind kind) {
  if (var->authority && kind == EP_UNDEFINED)
    ep_parameter_error(L, var->parameter, "expected a part of the host, got nothing");
  if (var->spec->prefix > 0 && (kind == EP_LIST || kind == EP_MAP))
    ep_parameter_error(L, var->parameter,
                       kind == EP_LIST ? "expected a string for the prefix, got a list"
                                       : "expected a string for the prefix, got a map");
}

/* A variable that stands where a text must be: not behind a byte of its operator's. */
static bool is_plain(const Variable *var) {
  return var->part->kind == EP_SIMPLE || var->part->kind == EP_PLUS;
}

/* Looks at a plain variable that has expanded to nothing. */
static void note_blank(lua_State *L, Expansion *x, const Variable *var) {
  if (var->authority)
    ep_parameter_error(L, var->parameter, "expected a part of the host, got an empty text");
  if (var->part->in_path && !x->segment.blank)
    x->segment.blank = var->spec;
}

/* Appends the variable whose value is at an absolute index. */
static void add_variable(lua_State *L, Expansion *x, Variable *var, int value, bool *begun) {
  EpText text;
  EpKind kind = ep_value_read(L, value, var->parameter, &text);
  check_kind(L, var, kind);
  if (kind != EP_UNDEFINED)
    add_separator(L, x, var, begun);
  var->begin = x->out->size;
  if (kind == EP_TEXT)
    add_text(L, x, var, &text);
  else if (kind == EP_LIST)
    add_list(L, x, var, value);
  else if (kind == EP_MAP)
    add_map(L, x, var, value);
}

static void expand_varspec(lua_State *L, Expansion *x, Variable *var, bool *begun) {
  const int value = ep_view_variable(L, x->v, var->spec->variable);
  var->parameter = parameter_of(x, var->spec);
  var->authority = is_plain(var) && in_authority(x);
  add_variable(L, x, var, value, begun);
  if (x->v->many_variables)
    lua_pop(L, 1);
  if (x->out->size == var->begin && is_plain(var))
    note_blank(L, x, var);
}

/* Where the expansion from `begin` on leaves the path, or the end if it does not. */
static size_t path_end(const Expansion *x, const EpPart *part, size_t begin) {
  const char *text = x->out->bytes;
  if (part->kind == EP_QUERY)
    return begin;
  if (ep_operators[part->kind].allow & EP_RESERVED)
    while (begin < x->out->size && text[begin] != '?' && text[begin] != '#')
      begin++;
  else
    begin = x->out->size;
  return begin;
}

/* A value that begins with "?" or "#" leaves its segment without text, too. Where
 * it begins the template, it is a URL of its own. */
static void leave_path(lua_State *L, Expansion *x, const EpPart *part, size_t end) {
  if (part->kind == EP_PLUS && part->in_path && end > x->start && x->segment.begin == end) {
    x->segment.blank = x->t->varspecs + part->begin;
    raise_vanished(L, x);
  }
  check_dots(L, x);
  x->path_open = false;
}

static void expand_expression(lua_State *L, Expansion *x, const EpPart *part) {
  const EpOperator *op = &ep_operators[part->kind];
  Variable var = {part, op, NULL, {NULL, 0}, false, 0};
  bool begun = false;
  size_t begin;
  if (op->first && op->first != '.')
    close_segment(L, x);
  begin = x->out->size;
  if (!x->segment.used && (!op->first || op->first == '.'))
    x->segment.used = x->t->varspecs + part->begin;
  for (size_t i = part->begin; i < part->end; i++) {
    var.spec = x->t->varspecs + i;
    expand_varspec(L, x, &var, &begun);
  }
  if (!x->segment.used && x->out->size == begin) { /* {/x} has parted nothing */
    x->segment.used = x->t->varspecs + part->begin;
    x->segment.from = begin;
  }
  if (part->kind == EP_PATH && x->out->size > begin) {
    open_segment(x, begin + 1);
    x->segment.used = x->t->varspecs + part->begin;
  }
  if (op->allow & EP_RESERVED || part->kind == EP_PATH)
    x->segment.slashes = true;
  if (x->path_open) {
    size_t end = path_end(x, part, begin);
    if (end < x->out->size)
      leave_path(L, x, part, end);
  }
}

static void add_literal(lua_State *L, Expansion *x, const EpPart *part) {
  const char *text = x->t->literals;
  size_t closes = part->closes, behind = part->end - part->opens;
  if (closes == part->end) {
    ep_buffer_add(L, x->out, text + part->begin, part->end - part->begin);
    return;
  }
  ep_buffer_add(L, x->out, text + part->begin, closes - part->begin);
  close_segment(L, x);
  ep_buffer_add(L, x->out, text + closes, part->end - closes);
  open_segment(x, x->out->size - behind);
  if (part->ends_path)
    x->path_open = false;
}

void ep_expand(lua_State *L, EpBuffer *out, const EpView *v) {
  const EpTemplate *t = v->c->t;
  Expansion x;
  x.out = out;
  x.v = v;
  x.t = t;
  x.start = out->size;
  x.path_open = true;
  x.authority_open = t->authority_variable;
  x.scanned = out->size + t->authority;
  open_segment(&x, out->size);
  for (size_t i = 0; i < t->part_count; i++) {
    const EpPart *part = &t->parts[i];
    if (part->kind == EP_LITERAL)
      add_literal(L, &x, part);
    else
      expand_expression(L, &x, part);
  }
  close_segment(L, &x);
}
