/* Reads RFC 6570 templates. */
#include "template.h"

#include <limits.h>
#include <string.h>

#include "percent.h"
#include "url.h"

const EpOperator ep_operators[EP_LITERAL] = {
    /* clang-format off */
    /* symbol first separator named  if_empty allow */
    {   0,      0,   ',',     false, false,   EP_UNRESERVED },
    {  '+',     0,   ',',     false, false,   EP_UNRESERVED | EP_RESERVED },
    {  '#',    '#',  ',',     false, false,   EP_UNRESERVED | EP_RESERVED },
    {  '.',    '.',  '.',     false, false,   EP_UNRESERVED },
    {  '/',    '/',  '/',     false, false,   EP_UNRESERVED },
    {  ';',    ';',  ';',     true,  false,   EP_UNRESERVED },
    {  '?',    '?',  '&',     true,  true,    EP_UNRESERVED },
    {  '&',    '&',  '&',     true,  true,    EP_UNRESERVED },
    /* clang-format on */
};

/* Where in the URL the reader is. Values do not matter. */
typedef enum { IN_AUTHORITY, IN_PATH, BEHIND_PATH } Zone;

/* Reads a text into a template, whose arrays have room for all that it can hold. */
typedef struct Reader {
  const char *begin, *at, *end;
  const char *literal; /* the beginning of the current literal */
  EpSlashes slashes;   /* of the current literal, so far */
  Zone zone;
  EpTemplate *into;
  EpTemplateError *error;
} Reader;

static bool fail(Reader *r, const char *at, const char *reason) {
  r->error->byte = (size_t)(at - r->begin) + 1;
  r->error->reason = reason;
  return false;
}

/* --- what the reader finds ------------------------------------------------ */

static void add_varspec(Reader *r, const char *name, const char *end, int prefix, bool explode) {
  const size_t index = r->into->varspec_count++;
  const EpName variable = {{name, (size_t)(end - name)}, (int)index, 0};
  const EpVarspec varspec = {0, prefix, explode};
  r->into->variables[index] = variable;
  r->into->varspecs[index] = varspec;
}

static void begin_literal(Reader *r) {
  r->literal = r->at;
  r->slashes.known = true;
  r->slashes.last_end = 0;
}

/* Notes a byte of the literal. Unreserved ones do not matter. */
static void note_literal_byte(Reader *r) {
  const size_t offset = (size_t)(r->at - r->literal);
  if (*r->at == '/') {
    if (r->slashes.last_end == 0)
      r->slashes.first = offset;
    r->slashes.last_end = offset + 1;
  } else if (!ep_is(*r->at, EP_RESERVED) || ep_url_ends_path(*r->at)) {
    r->slashes.known = false;
  }
}

/* Ends the literal, and encodes it behind the others (RFC 6570 section 3.1). */
static void add_literal(Reader *r) {
  const EpSlice text = {r->literal, (size_t)(r->at - r->literal)};
  char *to = r->into->literals + r->into->literal_size;
  EpPart *part = &r->into->parts[r->into->part_count];
  if (text.size == 0)
    return;
  r->into->part_count++;
  part->kind = EP_LITERAL;
  part->in_path = false;
  part->begin = r->into->literal_size;
  to = ep_percent_encode(to, text, EP_UNRESERVED | EP_RESERVED);
  part->end = r->into->literal_size = (size_t)(to - r->into->literals);
  part->slashes = r->slashes;
  if (r->slashes.last_end == 0)
    part->slashes.first = part->end - part->begin;
}

/* In the authority, {/x} begins the path, and so does {+x} unless it begins the authority. */
static void add_expression(Reader *r, EpPartKind kind, size_t first_varspec) {
  bool begins = first_varspec == 0 && r->into->literal_size == r->into->authority;
  EpPart *part = &r->into->parts[r->into->part_count++];
  part->kind = kind;
  part->in_path = r->zone == IN_PATH;
  part->begin = first_varspec;
  part->end = r->into->varspec_count;
  if (kind == EP_QUERY || kind == EP_CONTINUATION || kind == EP_FRAGMENT)
    r->zone = BEHIND_PATH;
  else if (r->zone == IN_AUTHORITY && (kind == EP_PATH || (kind == EP_PLUS && !begins)))
    r->zone = IN_PATH;
}

/* --- {expression} --------------------------------------------------------- */

static const char *skip_words(const char *at, const char *end) {
  for (;;) {
    if (at < end && ep_is(*at, EP_WORD))
      at++;
    else if (ep_percent_triplet(at, end))
      at += 3;
    else
      return at;
  }
}

/* varname = varchar *( ["."] varchar ) (RFC 6570 section 2.3). "-" may stand inside, too. */
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

static bool read_varspec(Reader *r) {
  const char *name = r->at, *name_end;
  int prefix = 0;
  bool explode = false;
  if (!read_name(r))
    return false;
  name_end = r->at;
  if (r->at < r->end && *r->at == ':') {
    r->at++;
    if (!read_prefix(r, &prefix))
      return false;
  } else if (r->at < r->end && *r->at == '*') {
    r->at++;
    explode = true;
  }
  add_varspec(r, name, name_end, prefix, explode);
  return true;
}

static bool read_operator(Reader *r, EpPartKind *kind) {
  int i = EP_SIMPLE;
  if (r->at < r->end && memchr("=,!@|", *r->at, 5))
    return fail(r, r->at, "operator is reserved for later versions of RFC 6570");
  while (++i < EP_LITERAL)
    if (r->at < r->end && *r->at == ep_operators[i].symbol)
      break;
  *kind = i < EP_LITERAL ? (EpPartKind)i : EP_SIMPLE;
  if (i < EP_LITERAL)
    r->at++;
  return true;
}

/* If an expression is not closed, its "{" is reported, otherwise the wrong byte. */
static bool read_expression(Reader *r) {
  const char *open = r->at++;
  size_t first = r->into->varspec_count;
  EpPartKind kind;
  bool more = true;
  if (!read_operator(r, &kind))
    return false;
  while (more) {
    if (!read_varspec(r))
      return r->at < r->end ? false : fail(r, open, "\"{\" is not closed");
    if (r->at == r->end)
      return fail(r, open, "\"{\" is not closed");
    if (*r->at != ',' && *r->at != '}')
      return fail(r, r->at, "expected \",\", \"}\", a prefix \":\" or an explode \"*\"");
    more = *r->at++ == ',';
  }
  add_expression(r, kind, first);
  return true;
}

/* --- :name ---------------------------------------------------------------- */

static bool is_colon_variable(const Reader *r) {
  if (r->zone != IN_PATH || r->end - r->at < 2)
    return false;
  if (!ep_is(r->at[1], EP_WORD) || ep_is(r->at[1], EP_DIGIT))
    return false;
  if (r->at == r->begin)
    return true;
  return !ep_is(r->at[-1], EP_WORD) && r->at[-1] != '}' && (unsigned char)r->at[-1] < 0x80;
}

static void read_colon_variable(Reader *r) {
  const char *name = ++r->at;
  size_t first = r->into->varspec_count;
  while (r->at < r->end && ep_is(*r->at, EP_WORD))
    r->at++;
  add_varspec(r, name, r->at, 0, false);
  add_expression(r, EP_SIMPLE, first);
}

/* --- the whole ------------------------------------------------------------ */

/* Moves the reader's zone on, behind a byte of a literal. */
static void set_zone(Reader *r, char byte) {
  if (byte == '?' || byte == '#')
    r->zone = BEHIND_PATH;
  else if (byte == '/' && r->zone == IN_AUTHORITY)
    r->zone = IN_PATH;
}

/* Goes to the next byte that may mean something in a literal. */
static const char *skip_unreserved(const char *at, const char *end) {
  while (at < end && ep_is(*at, EP_UNRESERVED))
    at++;
  return at;
}

static bool read_template(Reader *r) {
  size_t absolute = ep_url_absolute(ep_slice(r->at, (size_t)(r->end - r->at)));
  begin_literal(r);
  r->slashes.known = absolute == 0;
  r->at += absolute;
  r->zone = absolute ? IN_AUTHORITY : IN_PATH;
  r->into->authority = absolute;
  while ((r->at = skip_unreserved(r->at, r->end)) < r->end) {
    bool colon = *r->at == ':' && is_colon_variable(r);
    if (*r->at == '}')
      return fail(r, r->at, "\"}\" without \"{\"");
    if (ep_is(*r->at, EP_CONTROL))
      return fail(r, r->at, "control character");
    if (!colon && *r->at != '{') {
      note_literal_byte(r);
      set_zone(r, *r->at++);
      continue;
    }
    add_literal(r);
    if (colon)
      read_colon_variable(r);
    else if (!read_expression(r))
      return false;
    begin_literal(r);
  }
  add_literal(r);
  return true;
}

/* Sorts the names, of which each varspec has added one, removes duplicates, and tells each
 * varspec its variable. */
static void name_variables(EpTemplate *t) {
  int count = (int)t->varspec_count, last = -1;
  ep_names_sort(t->variables, count);
  for (int i = 0; i < count; i++) {
    const EpName name = t->variables[i];
    if (last < 0 || !ep_slice_equals(t->variables[last].text, name.text))
      t->variables[++last] = name;
    t->varspecs[name.index].variable = last;
  }
  t->variable_count = last + 1;
}

/* Does the template alone decide the authority? */
static bool is_origin_literal(const EpTemplate *t) {
  size_t i = t->authority;
  if (i == 0)
    return false;
  i += ep_url_authority_size(ep_slice(t->literals + i, t->parts[0].end - i));
  if (i < t->parts[0].end)
    return true;
  if (i == t->authority) /* an expression begins it */
    return false;
  for (size_t part = 1; part < t->part_count; part++) {
    if (t->parts[part].kind == EP_LITERAL)
      return ep_url_ends_authority(t->literals[t->parts[part].begin]);
    if (!ep_ends_authority(t->parts[part].kind))
      return false;
  }
  return true;
}

static bool lacks_host(const EpTemplate *t) {
  return t->authority == 0 && t->part_count > 0 && t->parts[0].kind == EP_LITERAL &&
         ep_url_is_special(ep_slice(t->literals, t->parts[0].end));
}

/* The longest text whose room size_t can hold, which matters if it has 32 bits. A byte adds at
 * most two parts and a variable, or becomes a triplet. */
#define LONGEST (((size_t)-1 >> 1) / (2 * sizeof(EpPart) + sizeof(EpVarspec) + sizeof(EpName) + 4))

static bool is_too_long(EpSlice text) {
  return text.size > LONGEST || text.size > INT_MAX;
}

/* Counts the bytes that may begin a variable, and those that may be encoded. */
EpTemplateRoom ep_template_room(EpSlice text) {
  EpTemplateRoom room = {1, 0, text.size + EP_PERCENT_OVERRUN, sizeof(EpTemplate)};
  if (is_too_long(text))
    return room;
  for (size_t i = 0; i < text.size; i++) {
    const char byte = text.bytes[i];
    if (ep_is(byte, EP_UNRESERVED))
      continue;
    if (byte == '{' || (byte == ':' && i + 1 < text.size && ep_is(text.bytes[i + 1], EP_WORD)))
      room.parts += 2;
    if (byte == '{' || byte == ':' || byte == ',')
      room.varspecs++;
    else if (!ep_is(byte, EP_RESERVED))
      room.literal_size += 2;
  }
  room.size += room.parts * sizeof(EpPart) + room.varspecs * (sizeof(EpVarspec) + sizeof(EpName)) +
               text.size + room.literal_size;
  return room;
}

/* The arrays lie behind the struct, those with the widest alignment first. */
EpTemplate *ep_template_compile(void *block, EpTemplateRoom room, EpSlice text,
                                EpTemplateError *error) {
  EpTemplate *t = (EpTemplate *)block;
  Reader r = {NULL, NULL, NULL, NULL, {false, 0, 0}, IN_PATH, t, error};
  char *copy;
  if (is_too_long(text)) {
    fail(&r, r.begin, "text is too long");
    return NULL;
  }
  memset(t, 0, sizeof *t);
  t->parts = (EpPart *)(t + 1);
  t->variables = (EpName *)(t->parts + room.parts);
  t->varspecs = (EpVarspec *)(t->variables + room.varspecs);
  copy = (char *)(t->varspecs + room.varspecs);
  t->literals = copy + text.size;
  t->text = ep_slice(copy, text.size);
  memcpy(copy, text.bytes, text.size);
  r.begin = r.at = copy;
  r.end = copy + text.size;
  if (!read_template(&r))
    return NULL;
  name_variables(t);
  t->origin_literal = is_origin_literal(t);
  t->lacks_host = lacks_host(t);
  return t;
}
