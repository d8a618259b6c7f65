/* Fuzzing of the guard. From the parts of a template this program builds its text and a URL, with
 * the writer of each byte. Then it looks at the whole URL, slowly and plainly.
 * ep_guard_judge must find the same.
 *
 * The input is text. Each line is a part of a template. "=TEXT" is a literal. Any other
 * line is an expression: an operator or "_", and the texts of its variables, separated by
 * "|"; "!" is a variable without value. "^TEXT" as the first line is a base address. */
#include "guard.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "url.h"
#include "url_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_INPUT = 1024, MOST_BYTES = 16 * MOST_INPUT };

typedef struct Part {
  char symbol;       /* "=" for a literal, "_" for a plain expression */
  size_t begin, end; /* in the URL */
  int first, behind; /* its varspecs */
} Part;

typedef struct Fault {
  EpFault fault;
  int culprit;
  size_t place;
} Fault;

static char template[MOST_BYTES], url[MOST_BYTES];
static size_t template_size, url_size;
static size_t expansion, base_origin; /* where they begin and end in the URL */
static Part parts[MOST_INPUT];
static size_t part_count;
static EpNote notes[MOST_INPUT]; /* in the URL while it is looked at */
static char symbols[MOST_INPUT]; /* of the varspecs' operators */
static bool counts[MOST_BYTES];  /* does the URL's byte count in its segment? */
static Mark marks[MOST_BYTES];
static int varspecs;
static bool is_alone;

/* What was found. */
static Fault faults[4 * MOST_INPUT];
static size_t fault_count, path_begin, path_end;

static Text whole(void) {
  return ep_slice(url, url_size);
}

static void add_fault(EpFault fault, int culprit, size_t place) {
  const Fault found = {fault, culprit, place};
  if (fault_count < sizeof faults / sizeof *faults)
    faults[fault_count++] = found;
}

/* --- building -------------------------------------------------------------------------- */

static void write_template(const char *text, size_t size) {
  memcpy(template + template_size, text, size);
  template_size += size;
}

static void write_url(Text text) {
  memcpy(url + url_size, text.bytes, text.size);
  url_size += text.size;
}

/* Adds a literal, without what would not be one. That of an absolute template takes the base away.
 */
static void add_literal(Text line) {
  static char text[MOST_INPUT];
  Part part = {'=', 0, 0, varspecs, varspecs};
  for (size_t i = 0; i < line.size; i++) {
    bool is_colon = line.bytes[i] == ':' && i + 1 < line.size &&
                    (is_letter(line.bytes[i + 1]) || line.bytes[i + 1] == '_');
    bool is_control = (unsigned char)line.bytes[i] < 0x20 || line.bytes[i] == 0x7F;
    text[i] = is_colon || is_control || is_one_of(line.bytes[i], "{}") ? '-' : line.bytes[i];
  }
  if (part_count == 0 && absolute_size(ep_slice(text, line.size)) > 0)
    url_size = expansion = base_origin = 0;
  part.begin = url_size;
  write_template(text, line.size);
  write_url(encode(ep_slice(text, line.size), true));
  parts[part_count] = part;
  parts[part_count++].end = url_size;
}

/* The text of a variable. What parts the elements of a list that is exploded stays. */
static void write_value(char symbol, char separator, Text value) {
  const bool keeps = is_one_of(symbol, "+#");
  while (value.size > 0) {
    size_t size = keeps ? value.size : 1;
    if (*value.bytes == separator)
      url[url_size++] = separator;
    else
      write_url(encode(up_to(value, size), keeps));
    value = from(value, *value.bytes == separator ? 1 : size);
  }
}

static void add_variable(char symbol, Text value, bool *begun) {
  static const char operators[] = "_+#./;?&", firsts[] = "\0\0#./;?&", others[] = ",,,./;&&";
  const size_t operator=(size_t)(strchr(operators, symbol) - operators);
  const char byte = *begun ? others[operator] : firsts[operator];
  char name[16];
  const size_t size = (size_t)snprintf(name, sizeof name, "v%d", varspecs);
  notes[varspecs].begin = url_size;
  symbols[varspecs] = symbol;
  if (value.size != 1 || *value.bytes != '!') {
    if (byte)
      url[url_size++] = byte;
    if (is_one_of(symbol, ";?&"))
      write_url(ep_slice(name, size));
    if (symbol == '?' || symbol == '&' || (symbol == ';' && value.size > 0))
      url[url_size++] = '=';
    write_value(symbol, others[operator], value);
    *begun = true;
  }
  notes[varspecs++].end = url_size;
  write_template(name, size);
}

static void add_expression(char symbol, Text values) {
  const Part part = {symbol, url_size, 0, varspecs, 0};
  bool begun = false, more = true;
  write_template("{", 1);
  write_template(&symbol, symbol != '_');
  while (more) {
    const size_t end = find_one(values, 0, "|");
    add_variable(symbol, up_to(values, end), &begun);
    more = end < values.size;
    write_template(more ? "," : "}", 1);
    values = from(values, more ? end + 1 : end);
  }
  parts[part_count] = part;
  parts[part_count].end = url_size;
  parts[part_count++].behind = varspecs;
}

static void read_line(Text line) {
  const char symbol = line.size > 0 ? *line.bytes : '=';
  const bool is_literal = part_count > 0 && parts[part_count - 1].symbol == '=';
  if (line.size > 1 && symbol == '=' && !is_literal)
    add_literal(from(line, 1));
  else if (line.size > 0 && is_one_of(symbol, "_+#./;?&"))
    add_expression(symbol, from(line, 1));
}

/* Takes the line of the base address. How it is joined does not matter here. */
static void read_base(Text *input) {
  const Text base = from(up_to(*input, find_one(*input, 0, "?\n")), 1);
  EpUrlBase read;
  size_t byte;
  *input = from(*input, find_one(*input, 0, "\n"));
  if (ep_url_read_base(base, &read, &byte))
    return;
  base_origin = origin_size(base);
  write_url(encode(base, true));
}

static void build(Text input) {
  template_size = url_size = part_count = fault_count = base_origin = 0;
  varspecs = 0;
  if (input.size > 0 && *input.bytes == '^')
    read_base(&input);
  expansion = url_size;
  while (input.size > 0) {
    const size_t end = find_one(input, 0, "\n");
    read_line(up_to(input, end));
    input = from(input, end < input.size ? end + 1 : end);
  }
  is_alone = expansion == 0 && absolute_size(ep_slice(template, template_size)) == 0;
}

/* --- who wrote what -------------------------------------------------------------------- */

static bool has_written(int varspec, size_t begin, size_t end) {
  for (size_t i = notes[varspec].begin; i < notes[varspec].end; i++)
    if (i >= begin && i < end)
      return true;
  return false;
}

static bool is_blank_at(int varspec, size_t begin, size_t end) {
  const EpNote note = notes[varspec];
  return note.begin == note.end && note.begin >= begin && note.begin <= end;
}

/* Blames each varspec that wrote there. Returns whether there is one. */
static bool blame_writers(EpFault fault, size_t place, size_t begin, size_t end) {
  const size_t before = fault_count;
  for (int i = 0; i < varspecs; i++)
    if (has_written(i, begin, end))
      add_fault(fault, i, place);
  return fault_count > before;
}

static bool blame_blanks(EpFault fault, size_t place, size_t begin, size_t end) {
  const size_t before = fault_count;
  for (int i = 0; i < varspecs; i++)
    if (is_blank_at(i, begin, end))
      add_fault(fault, i, place);
  return fault_count > before;
}

/* --- the authority and the start --------------------------------------------------------- */

/* The part in which the path begins, or that stands behind the authority. */
static size_t look_at_authority(size_t absolute) {
  const bool all = part_count > 1 && parts[0].end == absolute && parts[1].symbol == '+';
  size_t i = 0, end = absolute;
  for (; i < part_count; i++) {
    const Part *p = &parts[i];
    const size_t from_here = p->begin > absolute ? p->begin : absolute;
    end = p->end;
    if (p->symbol == '=' && (end = find_one(up_to(whole(), p->end), from_here, "/?#")) < p->end)
      break;
    if (p->symbol != '=' && p->symbol != '_' && !(all && i == 1)) {
      end = p->begin;
      break;
    }
    for (int v = p->first; v < p->behind; v++) {
      const Text text = ep_slice(url + notes[v].begin, notes[v].end - notes[v].begin);
      bool is_fine = text.size > 0;
      for (size_t at = 0; at < text.size; at++)
        is_fine = is_fine && is_unreserved(text.bytes[at]);
      if (all ? !is_host(text) : !is_fine)
        add_fault(all ? EP_NO_HOST : EP_NO_HOST_PART, v, 0);
    }
    if (all && i == 1) {
      i++;
      break;
    }
  }
  path_begin = end;
  if (end < url_size && !is_one_of(url[end], "/?#") &&
      !blame_writers(EP_LONGER_AUTHORITY, 0, end, end + 1) &&
      !(i < part_count && blame_blanks(EP_LONGER_AUTHORITY, 0, end, end)))
    add_fault(EP_LONGER_AUTHORITY, EP_BY_TEMPLATE, 0);
  return i;
}

static void blame_start(EpFault fault, size_t size) {
  if (!blame_writers(fault, 0, 0, size) && !blame_blanks(fault, 0, 0, size - 1))
    add_fault(fault, EP_BY_TEMPLATE, 0);
}

static void look_at_start(void) {
  const size_t scheme = scheme_size(whole());
  path_begin = 0;
  if (is_alone && part_count > 0 && parts[0].symbol == '+') {
    path_begin = origin_size(whole());
    if (lacks_host(whole()))
      add_fault(EP_HOSTLESS, 0, 0);
    return;
  }
  if (begins_with(whole(), EP_SLICE("//")))
    blame_start(EP_NAMES_HOST, 2);
  if (scheme > 0 && (parts[0].symbol != '=' || parts[0].end < scheme))
    blame_start(EP_SCHEME, scheme);
  else if (scheme > 0 && absolute_size(whole()) > 0)
    blame_start(EP_SCHEME, scheme + 2);
}

/* --- the path ---------------------------------------------------------------------------- */

/* Blames who wrote in the segment or in a separator beside it, else who stands there or would have
 * ended the path before it. */
static void blame_dots(size_t before, size_t begin, size_t end, size_t behind) {
  const size_t found = fault_count;
  if (blame_writers(EP_DOTS, begin, begin, end) || blame_writers(EP_DOTS, begin, before, behind) ||
      blame_blanks(EP_DOTS, begin, begin, end))
    return;
  for (int i = 0; i < varspecs; i++)
    if (is_one_of(symbols[i], "?#") && is_blank_at(i, 0, begin))
      add_fault(EP_DOTS, i, begin);
  if (fault_count == found)
    add_fault(EP_DOTS, EP_BY_TEMPLATE, begin);
}

/* Looks for dot segments, and which bytes count. */
static void look_at_path(void) {
  size_t count;
  path_end = find_one(whole(), path_begin, "?#");
  count = read_marks(from(up_to(whole(), path_end), path_begin), marks);
  memset(counts, 0, sizeof counts);
  for (size_t i = 0; i <= count; i++) {
    const size_t size = segment_size(marks + i, count - i);
    const size_t begin = i < count ? path_begin + marks[i].begin : path_end;
    const size_t end = i + size < count ? path_begin + marks[i + size].begin : path_end;
    if (is_dots(marks + i, size))
      blame_dots(i > 0 ? path_begin + marks[i - 1].begin : begin, begin, end,
                 i + size < count ? path_begin + marks[i + size].end : end + 1);
    for (size_t k = i; k < i + size && marks[k].is != ';'; k++)
      memset(counts + path_begin + marks[k].begin, 1, marks[k].end - marks[k].begin);
    i += size;
  }
}

/* A segment of the template: where it begins, and its first plain or "+" expression. */
static size_t segment_begin;
static int segment_keeper;
static bool is_free;

static void begin_segment(size_t at) {
  segment_begin = at;
  segment_keeper = -1;
  is_free = false;
}

static void end_segment(size_t end) {
  bool is_kept = is_free;
  for (size_t at = segment_begin; at < end; at++)
    is_kept = is_kept || counts[at];
  if (segment_keeper >= 0 && !is_kept)
    add_fault(EP_VANISHED, segment_keeper, 0);
  segment_keeper = -1;
}

/* Reads a literal of the template's path. Returns whether the path goes on behind it. */
static bool pass_literal(size_t begin, size_t end) {
  const size_t stop = find_one(up_to(whole(), end), begin, "?#");
  const size_t count = read_marks(from(up_to(whole(), stop), begin), marks);
  for (size_t i = 0; i < count; i++)
    if (marks[i].is == '/') {
      end_segment(begin + marks[i].begin);
      begin_segment(begin + marks[i].end);
    }
  if (stop < end)
    end_segment(stop);
  return stop == end;
}

static void pass_expression(const Part *p, bool is_first) {
  if (p->symbol == '/') {
    end_segment(p->begin);
    begin_segment(p->begin);
  }
  if (!is_one_of(p->symbol, "_+"))
    return;
  if (segment_keeper < 0)
    segment_keeper = p->first;
  if (is_first && (p->symbol == '+' || is_alone))
    is_free = p->end > p->begin;
}

/* Looks at the segments of the template from a part and an offset on. */
static void look_at_segments(size_t first, size_t begin) {
  begin_segment(begin);
  for (size_t i = first; i < part_count; i++) {
    const Part *p = &parts[i];
    if (p->symbol == '=' && !pass_literal(p->begin > begin ? p->begin : begin, p->end))
      return;
    if (is_one_of(p->symbol, "?#&")) {
      end_segment(p->begin);
      return;
    }
    if (p->symbol != '=')
      pass_expression(p, i == first);
  }
  end_segment(url_size);
}

static void look(void) {
  const size_t absolute = absolute_size(ep_slice(template, template_size));
  size_t first = 0;
  path_begin = base_origin;
  if (absolute > 0)
    first = look_at_authority(absolute);
  else if (base_origin == 0)
    look_at_start();
  if (fault_count > 0)
    return;
  look_at_path();
  look_at_segments(first, absolute > 0 ? path_begin : expansion);
}

/* --- the two answers ------------------------------------------------------------------- */

/* What a message shows. */
static Text describe(EpVerdict v) {
  static char text[2 * MOST_BYTES + 100];
  const int size = snprintf(text, sizeof text, "%.*s becomes %.*s: fault %d of varspec %d",
                            (int)template_size, template, (int)url_size, url, v.fault, v.culprit);
  return ep_slice(text, (size_t)size);
}

static void check_answer(EpVerdict v) {
  const Text said = describe(v);
  if (v.fault == EP_SOUND) {
    demand(fault_count == 0, "a URL with a fault is not sound", said);
    demand(v.path_begin == path_begin && v.path_end == path_end, "the path is where it is", said);
    return;
  }
  demand(fault_count > 0, "a URL without fault is sound", said);
  for (size_t i = 0; i < fault_count; i++)
    if (faults[i].fault == v.fault && faults[i].culprit == v.culprit &&
        (v.fault != EP_DOTS || faults[i].place == v.place))
      return;
  demand(false, "the fault is one of the URL's, with its culprit", said);
}

static void judge(const EpTemplate *t) {
  EpExpansion x = {t, notes, whole(), expansion, base_origin, is_alone};
  demand(t->varspec_count == (size_t)varspecs, "the template has its varspecs", t->text);
  look();
  for (int i = 0; i < varspecs; i++) {
    notes[i].begin -= expansion;
    notes[i].end -= expansion;
  }
  check_answer(ep_guard_judge(&x));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Text text = {template, 0};
  EpTemplateRoom room;
  EpTemplateError error;
  EpTemplate *t;
  void *block;
  if (size > MOST_INPUT)
    return 0;
  build(ep_slice((const char *)data, size));
  text.size = template_size;
  room = ep_template_room(text);
  block = malloc(room.size);
  if (!block)
    abort();
  t = ep_template_compile(block, room, text, &error);
  if (t)
    judge(t);
  free(block);
  return 0;
}
