/* Fuzzing of path segments. segments.c gets a URL piece by piece and decides at once. This
 * program first builds the whole URL, with the writer of each byte, and then looks at it.
 * Both must find the same faults.
 *
 * The input is text. Each line is a part of a template. "=TEXT" is a literal. Any other
 * line is an expression: an operator or "_", and the texts of its variables, separated by
 * "|"; "!" is a variable without value. "=x://..." as the first line makes the template
 * absolute. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segments.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 4096, MOST_PARTS = 512, MOST_FAULTS = 2048 };

typedef struct Expression {
  EpPartKind kind;
  size_t at; /* offset in the URL */
  int varspec;
} Expression;

typedef struct Fault {
  EpFault fault;
  int culprit;
  size_t place;
} Fault;

/* The whole URL, and the faults found in it. */
static char url[MOST_BYTES];
static int writer[MOST_BYTES];
static EpPartKind writer_kind[MOST_BYTES];
static Expression expressions[MOST_PARTS];
static Fault faults[MOST_FAULTS];
static size_t url_size, expression_count, fault_count;

/* What segments.c gets, and the place in the template. */
static EpSegments told;
static int varspecs;
static bool in_authority, in_path, begins_with_plus, has_authority;
static bool is_asked; /* do the rules of segments demand text of the expression? */

static void demand(bool holds, const char *property) {
  if (!holds) {
    fprintf(stderr, "violated: %s: %.*s\n", property, (int)url_size, url);
    abort();
  }
}

static void add_fault(EpFault fault, int culprit, size_t place) {
  Fault found = {fault, culprit, place};
  if (fault_count < MOST_FAULTS)
    faults[fault_count++] = found;
}

static bool is_one_of(char byte, const char *set) {
  return byte && strchr(set, byte);
}

/* --- the template's segments ---------------------------------------------------- */

/* The segment of the template that is being built. */
static struct {
  char text[MOST_BYTES];
  int by[MOST_BYTES];
  bool asked[MOST_BYTES];
  size_t size;
  int blank;    /* the first variable that must write text and did not, or -1 */
  int free;     /* the variables before this one belong to a "+" expression at byte 1 */
  bool is_plus; /* is there a "+" expression in it? */
} segment;

static void begin_template_segment(void) {
  segment.size = 0;
  segment.blank = -1;
  segment.free = 0;
  segment.is_plus = false;
}

static void end_template_segment(void) {
  size_t slashes = 0;
  while (slashes < segment.size && segment.text[slashes] == '/')
    slashes++;
  if (segment.size == 0 && segment.blank >= 0) {
    add_fault(EP_VANISHED, segment.blank, 0);
  } else if (segment.size > 0 && segment.is_plus && segment.asked[0] &&
             segment.by[0] >= segment.free) {
    if (slashes > 0 && (slashes == segment.size || is_one_of(segment.text[slashes], "?#")))
      add_fault(EP_VANISHED_SLASHES, segment.by[0], 0);
    else if (is_one_of(segment.text[0], "?#"))
      add_fault(EP_VANISHED_DELIMITER, segment.by[0], 0);
  }
  begin_template_segment();
}

static void add_to_segment(const char *text, size_t size, int by) {
  for (size_t i = 0; i < size; i++) {
    segment.text[segment.size] = text[i];
    segment.asked[segment.size] = by >= 0 && is_asked;
    segment.by[segment.size++] = by;
  }
}

/* --- the URL's segments ----------------------------------------------------------- */

static bool is_spelled(size_t at, size_t end, const char *spelling) {
  return end - at >= 3 &&
         (memcmp(url + at, spelling, 3) == 0 ||
          (url[at] == '%' && url[at + 1] == spelling[1] && url[at + 2] == (spelling[2] | 0x20)));
}

static size_t separator_size(size_t at, size_t end) {
  if (url[at] == '/')
    return 1;
  return is_spelled(at, end, "%2F") || is_spelled(at, end, "%5C") ? 3 : 0;
}

/* Is the text "." or ".."? */
static bool is_dots(size_t begin, size_t end) {
  int dots = 0;
  while (begin < end) {
    size_t size = url[begin] == '.' ? 1 : is_spelled(begin, end, "%2E") ? 3 : 0;
    if (size == 0)
      return false;
    begin += size;
    dots++;
  }
  return dots == 1 || dots == 2;
}

static int first_writer(size_t begin, size_t end) {
  for (; begin < end; begin++)
    if (writer[begin] >= 0)
      return writer[begin];
  return -1;
}

/* Where the variable wrote first; the end of the URL if it wrote nothing. */
static size_t first_byte_of(int varspec) {
  size_t at = 0;
  while (at < url_size && writer[at] != varspec)
    at++;
  return at;
}

/* The first expression in the text, directly before it, or directly behind it, unless it is
 * of a kind that may stand there. */
static int first_inside(size_t begin, size_t end) {
  for (size_t i = 0; i < expression_count; i++) {
    EpPartKind kind = expressions[i].kind;
    bool may = kind != EP_SIMPLE && kind != EP_PLUS && kind != EP_LABEL;
    if (expressions[i].at >= begin &&
        (expressions[i].at < end || (expressions[i].at == end && !may)))
      return expressions[i].varspec;
  }
  return -1;
}

/* Checks a segment. Its separators begin at `before` and end at `behind`. */
static void look_at(size_t before, size_t begin, size_t end, size_t behind) {
  size_t cut = begin;
  int culprit;
  while (cut < end && url[cut] != ';')
    cut++;
  if (!is_dots(begin, cut))
    return;
  culprit = first_writer(begin, cut);
  if (culprit < 0)
    culprit = first_writer(before, begin);
  if (culprit < 0 && cut == end && end < behind && writer_kind[end] != EP_PATH)
    culprit = first_writer(end, behind);
  if (culprit >= 0) {
    add_fault(EP_DOTS, culprit, begin);
    return;
  }
  culprit = first_inside(begin, cut);
  if (culprit >= 0)
    add_fault(first_byte_of(culprit) < url_size ? EP_DOTS : EP_DOTS_LEFT, culprit, begin);
}

static void look_at_path(size_t authority) {
  size_t at = authority, end = 0, before, begin;
  while (authority > 0 && at < url_size && !is_one_of(url[at], "/?#"))
    at++;
  if (authority > 0 && (at == url_size || url[at] != '/'))
    return;
  while (end < url_size && !(end >= at && is_one_of(url[end], "?#")))
    end++;
  before = begin = authority > 0 ? at + 1 : 0;
  if (authority > 0)
    before = at;
  for (at = begin; at < end; at++) {
    size_t separator = separator_size(at, end);
    if (separator > 0) {
      look_at(before, begin, at, at + separator);
      before = at;
      begin = at + separator;
      at = begin - 1;
    }
  }
  look_at(before, begin, end, end);
}

/* --- building the URL --------------------------------------------------------------- */

/* Adds to the whole URL. */
static void write_bytes(const char *text, size_t size, int by, EpPartKind kind) {
  for (size_t i = 0; i < size; i++) {
    url[url_size] = text[i];
    writer_kind[url_size] = kind;
    writer[url_size++] = by;
  }
}

static bool is_hex(char byte) {
  return is_one_of(byte, "0123456789abcdefABCDEF");
}

/* The text as it is written: every "%" begins a triplet, and only "+" and "#" expressions
 * keep delimiters. */
static void encode(char *to, const char *text, size_t size, EpPartKind kind) {
  bool keeps = kind == EP_PLUS || kind == EP_FRAGMENT || kind == EP_LITERAL;
  for (size_t i = 0; i < size; i++) {
    bool triplet = size - i > 2 && is_hex(text[i + 1]) && is_hex(text[i + 2]);
    bool stays = text[i] == '%' ? triplet : keeps || !is_one_of(text[i], "/?#;");
    to[i] = stays ? text[i] : '_';
  }
}

/* What the template knows of a literal. This is withheld for every other literal. */
static EpSlashes slashes_of(const char *text, size_t size) {
  EpSlashes slashes = {size % 2 == 0, size, 0};
  for (size_t i = size; i-- > 0;)
    if (text[i] == '/')
      slashes.first = i;
  for (size_t i = 0; i < size; i++) {
    if (text[i] == '/')
      slashes.last_end = i + 1;
    if (is_one_of(text[i], "?#%"))
      slashes.known = false;
  }
  return slashes;
}

/* The same for the text of a variable. */
static bool may_part(const char *text, size_t size) {
  bool found = size % 2 == 0;
  for (size_t i = 0; i < size; i++)
    found = found || is_one_of(text[i], "/?#%");
  return found;
}

static void read_literal(const char *line, size_t size) {
  char out[MOST_BYTES];
  const char *text = out;
  EpSlashes slashes;
  encode(out, line, size, EP_LITERAL);
  slashes = slashes_of(text, size);
  ep_segments_literal(&told, ep_slice(text, size), &slashes);
  write_bytes(text, size, -1, EP_LITERAL);
  if (in_authority) {
    size_t i = url_size == size ? 4 : 0; /* behind x:// */
    while (i < size && !is_one_of(text[i], "/?#"))
      i++;
    if (i < size)
      in_authority = false;
    in_path = i < size && text[i] == '/';
    text += i;
    size -= i;
  }
  for (size_t i = 0; i < size && in_path; i++) {
    if (is_one_of(text[i], "/?#")) {
      end_template_segment();
      in_path = text[i] == '/';
    } else {
      add_to_segment(text + i, 1, -1);
    }
  }
}

/* Does the next byte belong to the authority, as far as the URL tells? */
static bool is_authority_open(void) {
  size_t i = has_authority ? 4 : 0;
  while (i < url_size && !is_one_of(url[i], "/?#"))
    i++;
  return has_authority && i == url_size;
}

static void read_variable(const char *text, size_t size, EpPartKind kind, bool *begun) {
  char out[MOST_BYTES];
  size_t length = 0;
  const EpOperator *op = &ep_operators[kind];
  if (size != 1 || *text != '!') {
    char separator = *begun ? op->separator : op->first;
    if (separator)
      out[length++] = separator;
    encode(out + length, text, size, kind);
    length += size;
    *begun = true;
  }
  ep_segments_variable(&told, ep_slice(out, length), varspecs, may_part(out, length));
  write_bytes(out, length, varspecs, kind);
  if (is_asked && length == 0 && segment.blank < 0)
    segment.blank = varspecs;
  if (in_path && !(kind == EP_PATH && length == 1)) /* its "/" separates */
    add_to_segment(out, length, varspecs);
  varspecs++;
}

static void read_expression(const char *line, size_t size, EpPartKind kind) {
  bool ends = kind != EP_SIMPLE && kind != EP_PLUS && kind != EP_LABEL, begun = false;
  Expression e = {kind, url_size, varspecs};
  is_asked = in_path && (kind == EP_SIMPLE || kind == EP_PLUS) && !is_authority_open();
  ep_segments_expression(&told, kind, in_path, varspecs);
  expressions[expression_count++] = e;
  if (ends && in_path)
    end_template_segment();
  if (kind == EP_QUERY || kind == EP_CONTINUATION || kind == EP_FRAGMENT)
    in_path = in_authority = false;
  else if (kind == EP_PATH && in_authority)
    in_path = true, in_authority = false;
  if (kind == EP_PLUS && is_asked)
    segment.is_plus = true;
  while (true) {
    const char *bar = (const char *)memchr(line, '|', size);
    size_t length = bar ? (size_t)(bar - line) : size;
    read_variable(line, length, kind, &begun);
    if (!bar)
      break;
    line = bar + 1;
    size -= length + 1;
  }
  if (begins_with_plus && expression_count == 1)
    segment.free = varspecs;
}

static EpPartKind kind_of(char symbol) {
  for (int kind = EP_SIMPLE; kind < EP_LITERAL; kind++)
    if (ep_operators[kind].symbol == symbol)
      return (EpPartKind)kind;
  return symbol == '=' ? EP_LITERAL : EP_SIMPLE;
}

static void check_answer(EpFault fault) {
  demand((fault == EP_SOUND) == (fault_count == 0), "the same URLs are sound");
  if (fault == EP_SOUND)
    return;
  for (size_t i = 0; i < fault_count; i++)
    if (faults[i].fault == fault && faults[i].culprit == told.culprit &&
        (fault < EP_DOTS || faults[i].place == told.place))
      return;
  demand(false, "the fault is one of the URL's, with its culprit");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *at = (const char *)data, *end = at + size;
  size_t authority = size >= 5 && memcmp(at, "=x://", 5) == 0 ? 4 : 0, parts = 0;
  if (size > MOST_BYTES / 4)
    return 0;
  url_size = expression_count = fault_count = 0;
  varspecs = 0;
  in_authority = has_authority = authority > 0;
  in_path = !in_authority;
  begin_template_segment();
  begins_with_plus = size > 0 && *at == '+';
  ep_segments_init(&told, authority, begins_with_plus);
  for (; at < end && parts < MOST_PARTS; parts++) {
    const char *stop = (const char *)memchr(at, '\n', (size_t)(end - at));
    EpPartKind kind = kind_of(*at);
    if (!stop)
      stop = end;
    if (kind == EP_LITERAL && stop > at + 1)
      read_literal(at + 1, (size_t)(stop - at) - 1);
    else if (kind != EP_LITERAL && stop > at)
      read_expression(at + 1, (size_t)(stop - at) - 1, kind);
    at = stop + 1;
  }
  if (in_path)
    end_template_segment();
  look_at_path(authority);
  check_answer(ep_segments_end(&told));
  return 0;
}
