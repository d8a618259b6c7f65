/* SPDX-License-Identifier: MIT */
#include "template.h"

#include <limits.h>

#include "url.h"

const EpOperator ep_operators[EP_LITERAL] = {
    /* clang-format off */
    /* symbol first separator named  if_empty allow                  is_needed in_path */
    {   0,      0,   ',',     false, false,   EP_UNRESERVED,               true,  true  },
    {  '+',     0,   ',',     false, false,   EP_UNRESERVED | EP_RESERVED, true,  true  },
    {  '#',    '#',  ',',     false, false,   EP_UNRESERVED | EP_RESERVED, false, false },
    {  '.',    '.',  '.',     false, false,   EP_UNRESERVED,               false, true  },
    {  '/',    '/',  '/',     false, false,   EP_UNRESERVED,               false, true  },
    {  ';',    ';',  ';',     true,  false,   EP_UNRESERVED,               false, true  },
    {  '?',    '?',  '&',     true,  true,    EP_UNRESERVED,               false, false },
    {  '&',    '&',  '&',     true,  true,    EP_UNRESERVED,               false, true  },
    /* clang-format on */
};

/* Where in the URL the reader is, for all values of the variables. Zones are compared by number, so
 * their order matters. */
typedef enum {
  HOST,       /* in the authority */
  HOST_PATH,  /* after a {/x} that follows the authority */
  PATH,       /* in the path */
  PATH_QUERY, /* after a {?x}, {&x} or {#x} that ends the path */
  HOST_QUERY, /* after a {?x} or {#x} where there may be no path */
  AFTER_PATH, /* after a literal "?" or "#" */
  NO_HOST,    /* an error: where expressions write nothing, the host would go on */
  NO_PATH     /* an error: where expressions write nothing, the path would go on */
} Zone;

/* What comes next: an expression by its kind, or a byte of a literal. */
enum { LITERAL_TEXT = EP_LITERAL, LITERAL_SLASH, LITERAL_END /* "?" or "#" */, EVENTS };

enum { ZONES = NO_HOST };

/* The zone after each event. Each row is the zone before the event. */
static const unsigned char next_zones[] = {
    /* clang-format off */
    /* x        +x          #x          .x          /x          ;x          ?x          &x
     * text     "/"         "?" or "#" */
    /* HOST */
    HOST,       NO_HOST,    HOST_QUERY, NO_HOST,    HOST_PATH,  NO_HOST,    HOST_QUERY, NO_HOST,
    HOST,       PATH,       AFTER_PATH,
    /* HOST_PATH */
    NO_HOST,    NO_HOST,    HOST_QUERY, NO_HOST,    HOST_PATH,  NO_HOST,    HOST_QUERY, NO_HOST,
    NO_HOST,    PATH,       AFTER_PATH,
    /* PATH */
    PATH,       PATH,       PATH_QUERY, PATH,       PATH,       PATH,       PATH_QUERY, PATH_QUERY,
    PATH,       PATH,       AFTER_PATH,
    /* PATH_QUERY */
    NO_PATH,    NO_PATH,    PATH_QUERY, NO_PATH,    NO_PATH,    NO_PATH,    PATH_QUERY, PATH_QUERY,
    PATH_QUERY, NO_PATH,    AFTER_PATH,
    /* HOST_QUERY */
    NO_HOST,    NO_HOST,    HOST_QUERY, NO_HOST,    NO_PATH,    NO_HOST,    HOST_QUERY, NO_HOST,
    NO_HOST,    NO_PATH,    AFTER_PATH,
    /* AFTER_PATH */
    AFTER_PATH, AFTER_PATH, AFTER_PATH, AFTER_PATH, AFTER_PATH, AFTER_PATH, AFTER_PATH, AFTER_PATH,
    AFTER_PATH, AFTER_PATH, AFTER_PATH,
    /* clang-format on */
};

/* Refuses to compile if a zone has no row, or an event no column. */
typedef char ColumnOfEachEvent[sizeof next_zones == (size_t)ZONES * (size_t)EVENTS ? 1 : -1];

static inline Zone next_zone(Zone zone, int event) {
  return (Zone)next_zones[(int)zone * (int)EVENTS + event];
}

/* Reads a text into a template, whose arrays have room for all that it can hold. */
typedef struct Reader {
  const char *begin, *at, *end;
  const char *literal; /* the text from here on is a literal that is not yet a part */
  Zone zone;
  bool has_fragment; /* was a literal "#" read? */
  EpTemplate *into;
  EpTemplateError *error;
} Reader;

static bool fail(Reader *r, const char *at, const char *reason) {
  r->error->byte = (size_t)(at - r->begin) + 1;
  r->error->reason = reason;
  return false;
}

/* --- literals --------------------------------------------------------------- */

/* Makes a part of the literal that ends before the next byte, and encodes it (RFC 6570 section
 * 3.1). */
static void end_literal(Reader *r) {
  EpTemplate *t = r->into;
  const EpSlice text = {r->literal, (size_t)(r->at - r->literal)};
  EpPart *part = &t->parts[t->part_count];
  if (text.size == 0)
    return;
  char *end = ep_percent_encode(t->literals + t->literal_size, text, EP_UNRESERVED | EP_RESERVED);
  part->kind = EP_LITERAL;
  part->begin = t->literal_size;
  part->end = t->literal_size = (size_t)(end - t->literals);
  t->part_count++;
}

/* The authority ends before the next byte. Checks it. Returns false if it is not valid. */
static bool end_authority(Reader *r) {
  const char *begin = r->begin + r->into->absolute;
  const EpSlice authority = {begin, (size_t)(r->at - begin)};
  size_t offset;
  const char *fault = ep_url_authority_fault(authority, ep_url_is_special(r->into->text), &offset);
  r->into->authority_varspecs = r->into->varspec_count;
  if (fault)
    return fail(r, begin + offset, fault);
  return true;
}

/* Goes to the zone of what comes next. */
static bool enter(Reader *r, int event) {
  const Zone zone = next_zone(r->zone, event);
  if (zone == NO_HOST)
    return fail(r, r->at,
                "expected \"/\", \"?\", \"#\", {/x}, {?x}, {#x} or the end after the authority (a "
                "path is written /{+path}, and a host that a program chooses is a baseUrl)");
  if (zone == NO_PATH)
    return fail(r, r->at,
                "expected no path after {?x}, {&x} or {#x}, since it would continue the path "
                "where these write nothing");
  if (r->zone == HOST && zone != HOST && !end_authority(r))
    return false;
  if (r->zone < PATH_QUERY && zone >= PATH_QUERY)
    r->into->path_varspecs = r->into->varspec_count;
  r->zone = zone;
  return true;
}

/* Reads a byte of a literal that may mean something to a URL. */
static bool read_literal_byte(Reader *r) {
  const char byte = *r->at;
  if (!enter(r, ep_url_ends_path(byte) ? LITERAL_END : byte == '/' ? LITERAL_SLASH : LITERAL_TEXT))
    return false;
  r->has_fragment = r->has_fragment || byte == '#';
  r->into->has_query = r->into->has_query || (byte == '?' && !r->has_fragment);
  r->at++;
  return true;
}

/* --- expressions ------------------------------------------------------------------ */

/* Enters an expression of this kind, whose "{" or ":" is the next byte, if it is allowed there. */
static bool enter_expression(Reader *r, EpPartKind kind) {
  if (kind == EP_QUERY && r->into->has_query && !r->has_fragment)
    return fail(r, r->at, "the literal \"?\" before it begins the query already: expected {&");
  if (!enter(r, (int)kind))
    return false;
  end_literal(r);
  return true;
}

static EpNeed need_of(const Reader *r, EpPartKind kind) {
  const bool opens_template = kind == EP_PLUS && r->into->part_count == 0;
  if (!ep_operators[kind].is_needed || r->zone >= PATH_QUERY)
    return EP_NEEDS_NOTHING;
  return r->zone == HOST || opens_template ? EP_NEEDS_TEXT : EP_NEEDS_COUNTED;
}

static EpVarspec *add_varspec(Reader *r, EpPartKind kind, const char *name, const char *end) {
  const size_t index = r->into->varspec_count++;
  const EpName variable = {{name, (size_t)(end - name)}, (int)index, 0};
  const EpVarspec varspec = {0, 0, false, false, need_of(r, kind)};
  r->into->variables[index] = variable;
  r->into->varspecs[index] = varspec;
  return &r->into->varspecs[index];
}

/* Adds an expression that has the varspecs from `first` on. The reader is after the expression. */
static bool add_expression(Reader *r, EpPartKind kind, size_t first) {
  EpPart *part = &r->into->parts[r->into->part_count++];
  part->kind = kind;
  part->begin = first;
  part->end = r->into->varspec_count;
  r->literal = r->at;
  return true;
}

static const char *skip_words(const char *at, const char *end) {
  while (at < end && (ep_is(*at, EP_WORD) || ep_percent_triplet(at, end)))
    at += *at == '%' ? 3 : 1;
  return at;
}

/* varname = varchar *( ["."] varchar ) (RFC 6570 section 2.3). "-" is allowed inside, too. */
static bool read_name(Reader *r) {
  const char *word = skip_words(r->at, r->end), *next;
  while (word > r->at && word < r->end && (*word == '.' || *word == '-')) {
    next = word + 1;
    while (*word == '-' && next < r->end && *next == '-')
      next++;
    r->at = next;
    word = skip_words(next, r->end);
  }
  if (word == r->at)
    return fail(r, r->at, "expected a variable name");
  r->at = word;
  return true;
}

/* max-length = %x31-39 0*3DIGIT (RFC 6570 section 2.4.1). */
static bool read_prefix(Reader *r, int *prefix) {
  const char *digits = r->at;
  while (r->at < r->end && ep_is(*r->at, EP_DIGIT) && *prefix < 10000)
    *prefix = *prefix * 10 + (*r->at++ - '0');
  if (r->at == digits || *digits == '0' || *prefix >= 10000)
    return fail(r, digits, "expected a prefix length from 1 to 9999");
  return true;
}

static bool read_varspec(Reader *r, EpPartKind kind) {
  const char *name = r->at;
  if (!read_name(r))
    return false;
  EpVarspec *varspec = add_varspec(r, kind, name, r->at);
  if (r->at < r->end && *r->at == ':') {
    r->at++;
    return read_prefix(r, &varspec->prefix);
  }
  varspec->explode = r->at < r->end && *r->at == '*';
  r->at += varspec->explode;
  return true;
}

/* Reads "{" and the operator. */
static bool read_operator(Reader *r, EpPartKind *kind) {
  const char *at = r->at + 1;
  int i = EP_PLUS;
  if (at < r->end && memchr("=,!@|", *at, 5))
    return fail(r, at, "operator is reserved for later versions of RFC 6570");
  while (i < EP_LITERAL && (at == r->end || *at != ep_operators[i].symbol))
    i++;
  *kind = i < EP_LITERAL ? (EpPartKind)i : EP_SIMPLE;
  if (!enter_expression(r, *kind))
    return false;
  r->at = at + (*kind != EP_SIMPLE);
  return true;
}

/* Reads the "," or "}" after a varspec. */
static bool read_varspec_end(Reader *r, bool *more) {
  *more = *r->at == ',';
  if (!*more && *r->at != '}')
    return fail(r, r->at, "expected \",\", \"}\", a prefix \":\" or an explode \"*\"");
  if (*more && r->zone == HOST)
    return fail(r, r->at, "an expression in an authority has one variable");
  r->at++;
  return true;
}

/* If an expression is not closed, its "{" is reported, otherwise the wrong byte. */
static bool read_expression(Reader *r) {
  const char *open = r->at;
  size_t first = r->into->varspec_count;
  EpPartKind kind = EP_SIMPLE;
  bool more = true;
  if (!read_operator(r, &kind))
    return false;
  while (more) {
    const bool is_varspec = read_varspec(r, kind);
    if (r->at == r->end)
      return fail(r, open, "\"{\" is not closed");
    if (!is_varspec || !read_varspec_end(r, &more))
      return false;
  }
  return add_expression(r, kind, first);
}

/* In a path, does a variable that is written :name begin at `at`, where there is a ":"? */
static bool is_colon_name(const char *begin, const char *at, const char *end) {
  if (end - at < 2 || !ep_is(at[1], EP_WORD) || ep_is(at[1], EP_DIGIT))
    return false;
  return at == begin || (!ep_is(at[-1], EP_WORD) && at[-1] != '}' && (unsigned char)at[-1] < 0x80);
}

static bool read_colon_variable(Reader *r) {
  const size_t first = r->into->varspec_count;
  enter_expression(r, EP_SIMPLE); /* cannot fail in a path */
  const char *name = ++r->at;
  while (r->at < r->end && ep_is(*r->at, EP_WORD))
    r->at++;
  add_varspec(r, EP_SIMPLE, name, r->at);
  return add_expression(r, EP_SIMPLE, first);
}

/* --- the whole ------------------------------------------------------------ */

/* Reads the "scheme://" of an absolute template. Where clients look for a host after the scheme,
 * the "//" must be there. */
static bool read_start(Reader *r) {
  const size_t absolute = ep_url_absolute(r->into->text);
  if (absolute == 0 && ep_url_is_special(r->into->text))
    return fail(r, r->at + ep_url_scheme(r->into->text),
                "expected \"//\" and a host after this scheme (a literal \":\" is written %3A)");
  r->into->absolute = absolute;
  r->at += absolute;
  r->zone = absolute ? HOST : PATH;
  return true;
}

/* Reads an expression, or a byte of a literal. */
static bool read_piece(Reader *r) {
  if (*r->at == '{')
    return read_expression(r);
  if (*r->at == '}')
    return fail(r, r->at, "\"}\" without \"{\"");
  if (ep_is(*r->at, EP_CONTROL))
    return fail(r, r->at, "a control character is not allowed");
  if (*r->at == ':' && r->zone == PATH && is_colon_name(r->begin, r->at, r->end))
    return read_colon_variable(r);
  return read_literal_byte(r);
}

static bool read_template(Reader *r) {
  if (!read_start(r))
    return false;
  while (r->at < r->end) {
    if (!read_piece(r))
      return false;
    if (next_zone(r->zone, LITERAL_TEXT) != NO_HOST)
      r->at = ep_skip_unreserved(r->at, r->end);
  }
  if (!enter(r, LITERAL_END))
    return false;
  end_literal(r);
  return true;
}

/* Sorts the names of all varspecs, keeps each name once, and sets the variable of each varspec. */
static void name_variables(EpTemplate *t) {
  int count = (int)t->varspec_count, last = -1;
  ep_names_sort(t->variables, count);
  for (int i = 0; i < count; i++) {
    const EpName name = t->variables[i];
    if (last < 0 || !ep_slice_equals(t->variables[last].text, name.text))
      t->variables[++last] = name;
    t->varspecs[name.index].variable = last;
    if (t->varspecs[name.index].need != EP_NEEDS_NOTHING)
      t->varspecs[t->variables[last].index].is_required = true;
  }
  t->variable_count = last + 1;
}

/* The place after the next byte of this value in a literal; NULL if a literal "#", {#x} or the end
 * comes first. */
static const char *after_literal(const char *at, const char *end, char byte) {
  for (; at < end && *at != '#' && *at != byte; at++)
    if (*at == '{') {
      if (at[1] == '#')
        return NULL;
      at = (const char *)memchr(at, '}', (size_t)(end - at));
    }
  return at < end && *at == byte ? at + 1 : NULL;
}

const char *ep_template_query(const EpTemplate *t) {
  return t->has_query ? after_literal(t->text.bytes, ep_slice_end(t->text), '?') : NULL;
}

const char *ep_template_pair(const EpTemplate *t, const char *at, EpSlice *name) {
  const char *end = ep_slice_end(t->text), *stop = at;
  while (stop < end && !memchr("=&#{", *stop, 4))
    stop++;
  *name = ep_slice(at, (size_t)(stop - at));
  if (stop < end && *stop == '{' && stop[1] != '#')
    name->size = 0;
  return after_literal(stop, end, '&');
}

/* The bytes that a varspec takes: itself, its name, and a part each for its expression and the next
 * literal. */
#define ROOM_OF_VARSPEC (sizeof(EpVarspec) + sizeof(EpName) + 2 * sizeof(EpPart))

/* The longest text whose room size_t can hold, which matters if it has 32 bits. */
#define LONGEST (((size_t)-1 >> 1) / (ROOM_OF_VARSPEC + 4))

/* May the byte at `at` begin a variable, or separate two? Only in an expression does a "," separate
 * them, and only outside one does a ":" begin one. */
static bool may_begin_variable(const char *begin, const char *at, const char *end, bool is_open) {
  if (is_open)
    return *at == ',' && end - at > 1 && (ep_is(at[1], EP_WORD) || at[1] == '%');
  return *at == '{' || (*at == ':' && is_colon_name(begin, at, end));
}

/* Counts the variables that may begin, and the bytes that may be encoded. */
EpTemplateRoom ep_template_room(EpSlice text) {
  const char *at = text.bytes, *const end = ep_slice_end(text);
  EpTemplateRoom room = {0, 0};
  bool is_open = false;                           /* is the byte in an expression? */
  if (text.size > LONGEST || text.size > INT_MAX) /* GCOVR_EXCL_BR_LINE: too much to try */
    return room;                                  /* GCOVR_EXCL_LINE */
  room.size = sizeof(EpTemplate) + sizeof(EpPart) + 2 * text.size + EP_PERCENT_OVERRUN;
  for (; (at = ep_skip_unreserved(at, end)) < end; at++) {
    room.varspecs += may_begin_variable(text.bytes, at, end, is_open);
    room.size += ep_is(*at, EP_RESERVED) ? 0 : 2;
    is_open = *at == '{' || (is_open && *at != '}');
  }
  room.size += room.varspecs * ROOM_OF_VARSPEC;
  return room;
}

/* The arrays follow the struct, those with the widest alignment first. */
EpTemplate *ep_template_compile(void *block, EpTemplateRoom room, EpSlice text,
                                EpTemplateError *error) {
  EpTemplate *t = (EpTemplate *)block;
  Reader r = {NULL, NULL, NULL, NULL, PATH, false, t, error};
  memset(t, 0, sizeof *t);
  t->variables = (EpName *)(t + 1);
  t->parts = (EpPart *)(t->variables + room.varspecs);
  t->varspecs = (EpVarspec *)(t->parts + 2 * room.varspecs + 1);
  char *copy = (char *)(t->varspecs + room.varspecs);
  t->literals = copy + text.size;
  t->text = ep_slice((char *)memcpy(copy, text.bytes, text.size), text.size);
  r.begin = r.at = r.literal = copy;
  r.end = copy + text.size;
  if (!read_template(&r))
    return NULL;
  name_variables(t);
  return t;
}
