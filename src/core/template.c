/* Reads RFC 6570 templates. */
#include "template.h"

#include <limits.h>
#include <string.h>

#include "percent.h"
#include "segment.h"
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
  const char *literal;  /* the text from here on is a literal that is not encoded yet */
  size_t literal_begin; /* the offset of that literal in the template's */
  const char *segment;  /* where the path's segment begins, NULL behind its first expression */
  EpPlace place;        /* where it begins, once an expression stands in it */
  bool is_kept;         /* is the last keeper of this segment? */
  Zone zone;
  bool has_fragment; /* has a literal "#" come? */
  EpTemplate *into;
  EpTemplateError *error;
} Reader;

static bool fail(Reader *r, const char *at, const char *reason) {
  r->error->byte = (size_t)(at - r->begin) + 1;
  r->error->reason = reason;
  return false;
}

/* --- literals --------------------------------------------------------------- */

/* Encodes the literal up to a place in the text (RFC 6570 section 3.1). */
static void encode_literal(Reader *r, const char *stop) {
  char *to = r->into->literals + r->into->literal_size;
  const EpSlice text = {r->literal, (size_t)(stop - r->literal)};
  to = ep_percent_encode(to, text, EP_UNRESERVED | EP_RESERVED);
  r->into->literal_size = (size_t)(to - r->into->literals);
  r->literal = stop;
}

/* The place of a byte of the text that is read or is next. */
static EpPlace place_of(Reader *r, const char *at) {
  EpPlace place;
  encode_literal(r, at);
  place.varspecs = r->into->varspec_count;
  place.bytes = r->into->literal_size - r->literal_begin;
  return place;
}

static void end_literal(Reader *r) {
  encode_literal(r, r->at);
  if (r->into->literal_size > r->literal_begin) {
    EpPart *part = &r->into->parts[r->into->part_count++];
    part->kind = EP_LITERAL;
    part->begin = r->literal_begin;
    part->end = r->into->literal_size;
  }
}

static void begin_literal(Reader *r) {
  r->literal = r->at;
  r->literal_begin = r->into->literal_size;
}

/* --- segments ----------------------------------------------------------------- */

static void begin_segment(Reader *r, const char *at) {
  r->segment = at;
  r->is_kept = false;
}

/* Ends the segment before the next byte. One that is all literal must not be "." or "..". */
static bool end_segment(Reader *r) {
  if (r->segment && ep_segment_is_dots(r->segment, r->at))
    return fail(r, r->segment, EP_DOTS_REASON);
  if (r->is_kept)
    r->into->keepers[r->into->keeper_count - 1].end = place_of(r, r->at);
  r->is_kept = false;
  return true;
}

/* Notes that an expression stands in the segment. */
static void open_segment(Reader *r) {
  if (r->segment)
    r->place = place_of(r, r->segment);
  r->segment = NULL;
}

/* Notes a plain or "+" expression in the segment, which must keep a byte then. */
static void keep_segment(Reader *r, EpPartKind kind) {
  EpKeeper *keeper = &r->into->keepers[r->into->keeper_count];
  const EpPlace place = place_of(r, r->at), begin = r->place, path = r->into->authority_end;
  bool opens = place.varspecs == path.varspecs && place.bytes == path.bytes;
  if (r->is_kept)
    return;
  r->is_kept = true;
  r->into->keeper_count++;
  keeper->begin = begin;
  keeper->varspec = place.varspecs;
  keeper->opener = opens ? kind : EP_LITERAL;
}

/* --- zones ---------------------------------------------------------------------- */

/* Ends the authority before the next byte. */
static bool end_authority(Reader *r) {
  const char *begin = r->begin + r->into->absolute, *fault;
  const EpSlice authority = {begin, (size_t)(r->at - begin)};
  size_t byte;
  r->into->authority_end = place_of(r, r->at);
  r->zone = IN_PATH;
  begin_segment(r, r->at);
  fault = ep_url_authority_fault(authority, ep_url_is_special(r->into->text), &byte);
  if (fault)
    return fail(r, begin + byte, fault);
  return true;
}

/* Ends the path before the next byte. */
static bool end_path(Reader *r) {
  if (r->zone == IN_AUTHORITY && !end_authority(r))
    return false;
  if (r->zone == IN_PATH && !end_segment(r))
    return false;
  if (r->zone == IN_PATH)
    r->into->path_varspecs = r->into->varspec_count;
  r->zone = BEHIND_PATH;
  return true;
}

/* Reads a byte of a literal that is not unreserved. */
static bool read_literal_byte(Reader *r) {
  size_t separator = 0;
  if (ep_url_ends_path(*r->at)) {
    bool begins_query = *r->at == '?' && !r->has_fragment && r->into->query == 0;
    if (!end_path(r))
      return false;
    r->has_fragment = r->has_fragment || *r->at == '#';
    r->at++;
    if (begins_query)
      r->into->query = place_of(r, r->at).bytes + r->literal_begin;
    return true;
  }
  if (r->zone == IN_AUTHORITY && *r->at == '/' && !end_authority(r))
    return false;
  if (r->zone == IN_PATH)
    separator = ep_segment_separator(r->at, r->end);
  if (separator > 0 && !end_segment(r))
    return false;
  r->at += separator > 0 ? separator : 1;
  if (separator > 0)
    begin_segment(r, r->at);
  return true;
}

/* --- expressions ------------------------------------------------------------------ */

/* Only plain expressions stand in an authority, but {+x} may be all of it. */
static bool enter_authority_expression(Reader *r, EpPartKind kind) {
  r->into->is_host = kind == EP_PLUS && r->at == r->begin + r->into->absolute;
  return kind == EP_SIMPLE || r->into->is_host || end_authority(r);
}

/* Notes where an expression of this kind, whose "{" or ":" is next, stands in the path. */
static bool enter_expression(Reader *r, EpPartKind kind) {
  if (kind == EP_QUERY && r->into->query > 0 && !r->has_fragment)
    return fail(r, r->at, "the literal \"?\" before it begins the query already: expected {&");
  if (r->zone == IN_AUTHORITY && !enter_authority_expression(r, kind))
    return false;
  if (r->zone != IN_PATH)
    return true;
  open_segment(r);
  if (kind == EP_QUERY || kind == EP_CONTINUATION || kind == EP_FRAGMENT)
    return end_path(r);
  if (kind == EP_PATH) {
    end_segment(r);
    r->place = place_of(r, r->at);
  }
  if (ep_is_plain(kind))
    keep_segment(r, kind);
  return true;
}

static void add_varspec(Reader *r, const char *name, const char *end, int prefix, bool explode) {
  const size_t index = r->into->varspec_count++;
  const EpName variable = {{name, (size_t)(end - name)}, (int)index, 0};
  const EpVarspec varspec = {0, prefix, explode};
  r->into->variables[index] = variable;
  r->into->varspecs[index] = varspec;
}

/* Adds the expression of the varspecs from `first` on, behind which the reader stands. */
static bool add_expression(Reader *r, EpPartKind kind, size_t first) {
  EpPart *part = &r->into->parts[r->into->part_count++];
  part->kind = kind;
  part->begin = first;
  part->end = r->into->varspec_count;
  begin_literal(r);
  if (r->is_kept && r->into->keepers[r->into->keeper_count - 1].varspec == first)
    r->into->keepers[r->into->keeper_count - 1].opened = part->end;
  if (r->zone == IN_AUTHORITY && r->into->is_host)
    return end_authority(r);
  return true;
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

/* Reads "{" and the operator. */
static bool read_operator(Reader *r, EpPartKind *kind) {
  const char *at = r->at + 1;
  int i = EP_SIMPLE;
  if (at < r->end && memchr("=,!@|", *at, 5))
    return fail(r, at, "operator is reserved for later versions of RFC 6570");
  while (++i < EP_LITERAL)
    if (at < r->end && *at == ep_operators[i].symbol)
      break;
  *kind = i < EP_LITERAL ? (EpPartKind)i : EP_SIMPLE;
  if (!enter_expression(r, *kind))
    return false;
  end_literal(r);
  r->at = i < EP_LITERAL ? at + 1 : at;
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
    const bool is_varspec = read_varspec(r);
    if (r->at == r->end)
      return fail(r, open, "\"{\" is not closed");
    if (!is_varspec)
      return false;
    if (*r->at != ',' && *r->at != '}')
      return fail(r, r->at, "expected \",\", \"}\", a prefix \":\" or an explode \"*\"");
    more = *r->at++ == ',';
  }
  return add_expression(r, kind, first);
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

static bool read_colon_variable(Reader *r) {
  const size_t first = r->into->varspec_count;
  const char *name;
  enter_expression(r, EP_SIMPLE); /* cannot fail in a path */
  end_literal(r);
  name = ++r->at;
  while (r->at < r->end && ep_is(*r->at, EP_WORD))
    r->at++;
  add_varspec(r, name, r->at, 0, false);
  return add_expression(r, EP_SIMPLE, first);
}

/* --- the whole ------------------------------------------------------------ */

/* Reads the "scheme:" of a URL that clients take for a URL with a host. */
static bool read_start(Reader *r) {
  size_t absolute = ep_url_absolute(r->into->text);
  begin_literal(r);
  begin_segment(r, r->at);
  r->into->absolute = absolute;
  if (absolute == 0 && ep_url_is_special(r->into->text))
    return fail(r, r->at + ep_url_scheme(r->into->text),
                "expected \"//\" and a host behind this scheme (a literal \":\" is written %3A)");
  r->at += absolute;
  r->zone = absolute ? IN_AUTHORITY : IN_PATH;
  return true;
}

/* Goes to the next byte that may mean something in a literal. */
static const char *skip_unreserved(const char *at, const char *end) {
  while (at < end && ep_is(*at, EP_UNRESERVED))
    at++;
  return at;
}

static bool read_special(Reader *r) {
  if (*r->at == '{')
    return read_expression(r);
  if (*r->at == '}')
    return fail(r, r->at, "\"}\" without \"{\"");
  if (ep_is(*r->at, EP_CONTROL))
    return fail(r, r->at, "control character");
  return *r->at == ':' && is_colon_variable(r) ? read_colon_variable(r) : read_literal_byte(r);
}

static bool read_template(Reader *r) {
  if (!read_start(r))
    return false;
  while ((r->at = skip_unreserved(r->at, r->end)) < r->end)
    if (!read_special(r))
      return false;
  if (!end_path(r))
    return false;
  end_literal(r);
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
    t->varspecs[name.owner].variable = last;
  }
  t->variable_count = last + 1;
}

/* --- pairs ---------------------------------------------------------------- */

/* Where the name of a pair ends in a literal, NULL if an expression may continue it. */
static const char *name_end(const EpTemplate *t, size_t part, const char *at) {
  const char *end = t->literals + t->parts[part].end;
  while (at < end && *at != '=' && *at != '&' && *at != '#')
    at++;
  if (at < end || part + 1 == t->part_count || t->parts[part + 1].kind == EP_CONTINUATION ||
      t->parts[part + 1].kind == EP_FRAGMENT)
    return at;
  return NULL;
}

/* Adds the names of the pairs that begin in a literal: behind the first "?" and each "&" after it.
 * Returns false at a "#". */
static bool add_pairs(EpTemplate *t, size_t part) {
  const char *begin = t->literals + t->parts[part].begin, *end = t->literals + t->parts[part].end;
  const char *first = t->literals + t->query - 1;
  for (const char *at = begin < first ? first : begin; at < end; at++) {
    const char *stop = at == first || *at == '&' ? name_end(t, part, at + 1) : NULL;
    if (*at == '#')
      return false;
    if (stop) {
      const EpName name = {{at + 1, (size_t)(stop - at - 1)}, 0, 0};
      t->pairs[t->pair_count++] = name;
    }
  }
  return true;
}

/* Sorts the names of the literals' pairs, so that each default parameter is searched for in a few
 * steps. */
static void name_pairs(EpTemplate *t) {
  for (size_t i = 0; i < t->part_count; i++)
    if (t->parts[i].kind == EP_LITERAL && t->parts[i].end >= t->query && !add_pairs(t, i))
      break;
  ep_names_sort(t->pairs, t->pair_count);
}

bool ep_template_has_pair(const EpTemplate *t, EpSlice name) {
  int at = 0, end = t->pair_count;
  while (at < end) {
    const int middle = at + (end - at) / 2;
    const int order = ep_percent_compare(t->pairs[middle].text, name);
    if (order == 0)
      return true;
    if (order < 0)
      at = middle + 1;
    else
      end = middle;
  }
  return false;
}

/* --- memory --------------------------------------------------------------- */

/* A varspec has at most one name and one segment of its own. */
#define ROOM_OF_VARSPEC (sizeof(EpVarspec) + sizeof(EpName) + sizeof(EpKeeper))

/* The longest text whose room size_t can hold, which matters if it has 32 bits. A byte adds at
 * most two parts and a variable, or becomes a triplet. */
#define LONGEST (((size_t)-1 >> 1) / (2 * sizeof(EpPart) + ROOM_OF_VARSPEC + 4))

static bool is_too_long(EpSlice text) {
  return text.size > LONGEST || text.size > INT_MAX; /* GCOVR_EXCL_BR_LINE: too much to try */
}

/* Counts the bytes that may begin a variable, and those that may be encoded. */
EpTemplateRoom ep_template_room(EpSlice text) {
  EpTemplateRoom room = {1, 0, 0, text.size + EP_PERCENT_OVERRUN, sizeof(EpTemplate)};
  if (is_too_long(text)) /* GCOVR_EXCL_BR_LINE: see is_too_long */
    return room;         /* GCOVR_EXCL_LINE: see is_too_long */
  for (size_t i = 0; i < text.size; i++) {
    const char byte = text.bytes[i];
    if (ep_is(byte, EP_UNRESERVED))
      continue;
    if (byte == '{' || (byte == ':' && i + 1 < text.size && ep_is(text.bytes[i + 1], EP_WORD)))
      room.parts += 2;
    if (byte == '{' || byte == ':' || byte == ',')
      room.varspecs++;
    else if (byte == '?' || byte == '&')
      room.pairs++;
    else if (!ep_is(byte, EP_RESERVED))
      room.literal_size += 2;
  }
  room.size += room.parts * sizeof(EpPart) + room.varspecs * ROOM_OF_VARSPEC +
               room.pairs * sizeof(EpName) + text.size + room.literal_size;
  return room;
}

/* The arrays lie behind the struct, those with the widest alignment first. */
EpTemplate *ep_template_compile(void *block, EpTemplateRoom room, EpSlice text,
                                EpTemplateError *error) {
  EpTemplate *t = (EpTemplate *)block;
  Reader r = {NULL, NULL, NULL, NULL, 0, NULL, {0, 0}, false, IN_PATH, false, t, error};
  char *copy;
  /* GCOVR_EXCL_START: see is_too_long */
  if (is_too_long(text)) {
    fail(&r, r.begin, "text is too long");
    return NULL;
  }
  /* GCOVR_EXCL_STOP */
  memset(t, 0, sizeof *t);
  t->parts = (EpPart *)(t + 1);
  t->keepers = (EpKeeper *)(t->parts + room.parts);
  t->variables = (EpName *)(t->keepers + room.varspecs);
  t->pairs = t->variables + room.varspecs;
  t->varspecs = (EpVarspec *)(t->pairs + room.pairs);
  copy = (char *)(t->varspecs + room.varspecs);
  t->literals = copy + text.size;
  t->text = ep_slice(copy, text.size);
  memcpy(copy, text.bytes, text.size);
  r.begin = r.at = copy;
  r.end = copy + text.size;
  if (!read_template(&r))
    return NULL;
  name_variables(t);
  if (t->query > 0)
    name_pairs(t);
  return t;
}
