/* Path segments that vanish, and dot segments (RFC 3986 section 5.2.4). */
#include "segments.h"

#include "percent.h"
#include "url.h"

enum { TWO_DOTS = 2, OTHER_TEXT = 3 };

static void set_fault(EpSegments *s, EpFault fault, int culprit) {
  if (s->fault != EP_SOUND)
    return;
  s->fault = fault;
  s->culprit = culprit;
  s->place = s->begin;
}

/* --- the template's segments ------------------------------------------------ */

static void begin_template_segment(EpSegments *s, bool is_free) {
  s->fill = EP_NOTHING;
  s->blank = s->filler = EP_BY_TEMPLATE;
  s->is_free = is_free;
}

static void end_template_segment(EpSegments *s) {
  if (s->fill == EP_NOTHING && s->blank >= 0)
    set_fault(s, EP_VANISHED, s->blank);
  else if (s->fill != EP_FILLED && s->filler >= 0 && !s->is_free)
    set_fault(s, s->fill == EP_DELIMITER ? EP_VANISHED_DELIMITER : EP_VANISHED_SLASHES, s->filler);
  begin_template_segment(s, false);
}

static bool is_open(const EpSegments *s) {
  return s->fill == EP_NOTHING || s->fill == EP_SLASHES;
}

/* Notes the text of a "+" variable, which may begin with slashes, "?" or "#". */
static void fill_by_plus(EpSegments *s, EpSlice text, int varspec) {
  size_t slashes = 0;
  while (slashes < text.size && text.bytes[slashes] == '/')
    slashes++;
  if (slashes > 0 && s->fill == EP_NOTHING) {
    s->fill = EP_SLASHES;
    s->filler = varspec;
  }
  if (slashes == text.size)
    return;
  if (!ep_url_ends_path(text.bytes[slashes])) {
    s->fill = EP_FILLED;
  } else if (s->fill == EP_SLASHES) {
    s->fill = EP_SLASHES_ENDED;
  } else {
    s->fill = EP_DELIMITER;
    s->filler = varspec;
  }
}

/* Only the operator of {/x} writes a "/" there, which separates and is no text. */
static bool is_separators(EpSlice text) {
  while (text.size > 0 && *text.bytes == '/')
    text = ep_slice_from(text, 1);
  return text.size == 0;
}

static void fill_by_variable(EpSegments *s, EpSlice text, int varspec) {
  if (s->asked && text.size == 0 && s->blank < 0)
    s->blank = varspec;
  if (text.size == 0 || !is_open(s))
    return;
  if (s->asked && s->kind == EP_PLUS)
    fill_by_plus(s, text, varspec);
  else if (s->kind != EP_PATH || !is_separators(text))
    s->fill = EP_FILLED;
}

/* Behind a "?" or "#" of the template nothing is asked any more, so only "/" counts. */
static void fill_by_literal(EpSegments *s, EpSlice text) {
  size_t first = 0;
  while (first < text.size && !ep_url_ends_authority(text.bytes[first]))
    first++;
  if (first > 0 && is_open(s))
    s->fill = EP_FILLED;
  if (first == text.size)
    return;
  end_template_segment(s);
  if (text.bytes[text.size - 1] != '/')
    s->fill = EP_FILLED;
}

/* --- the URL's segments ----------------------------------------------------- */

static void begin_segment(EpSegments *s, size_t begin, int separator) {
  s->begin = begin;
  s->dots = 0;
  s->is_cut = false;
  s->separator = separator;
  s->writer = s->inside = s->behind = EP_BY_TEMPLATE;
  s->is_blank = true;
}

/* Ends the segment with a separator of this writer's. The one of {/x} does not count: the
 * dots before it are the template's own. */
static void end_segment(EpSegments *s, int separator) {
  int culprit = s->writer;
  if (s->dots == 0 || s->dots > TWO_DOTS)
    return;
  if (culprit < 0)
    culprit = s->separator;
  if (culprit < 0 && !s->is_cut && s->kind != EP_PATH)
    culprit = separator;
  if (culprit >= 0)
    set_fault(s, EP_DOTS, culprit);
  else if (s->inside >= 0)
    set_fault(s, s->is_blank ? EP_DOTS_LEFT : EP_DOTS, s->inside);
}

/* The bytes of the "/" or "\" that begins at text, in any spelling; 0 if there is none.
 * Servers decode before they remove dots, and some take "\" for "/". */
static inline size_t separator_size(const char *text, const char *end) {
  if (*text != '%')
    return *text == '/';
  return ep_percent_is(text, end, '2', 'f') || ep_percent_is(text, end, '5', 'c') ? 3 : 0;
}

/* The bytes of the "." that begins at text, in either spelling; 0 if there is none. */
static size_t dot_size(const char *text, const char *end) {
  return *text == '.' ? 1 : ep_percent_is(text, end, '2', 'e') ? 3 : 0;
}

/* Goes to the end of a segment that is none of dots. */
static const char *skip_segment(const char *text, const char *end) {
  for (; text < end; text++)
    if (!ep_is(*text, EP_UNRESERVED) && (ep_url_ends_path(*text) || separator_size(text, end) > 0))
      break;
  return text;
}

/* Adds a dot or another byte to a segment that held nothing but dots. Returns its bytes. */
static size_t add_text(EpSegments *s, const char *text, const char *end, int writer) {
  size_t dot = dot_size(text, end);
  if (*text == ';') { /* servers drop what follows */
    s->is_cut = true;
    return 1;
  }
  s->dots = dot > 0 ? s->dots + 1 : OTHER_TEXT;
  if (s->writer < 0)
    s->writer = writer;
  if (s->behind >= 0 && (s->inside < 0 || s->behind < s->inside))
    s->inside = s->behind;
  return dot > 0 ? dot : 1;
}

/* Looks at a piece of the path. */
static void write_path(EpSegments *s, const char *text, const char *end, int writer) {
  const size_t told = s->size;
  const char *begin = text;
  while (text < end) {
    size_t separator;
    if (s->is_cut || s->dots > TWO_DOTS)
      text = skip_segment(text, end);
    if (text == end)
      return;
    separator = separator_size(text, end);
    if (separator == 0 && !ep_url_ends_path(*text)) {
      text += add_text(s, text, end, writer);
      continue;
    }
    end_segment(s, separator > 0 ? writer : EP_BY_TEMPLATE);
    if (separator == 0) {
      s->zone = EP_BEHIND_PATH;
      return;
    }
    text += separator;
    begin_segment(s, told + (size_t)(text - begin), writer);
  }
}

/* The authority ends at the first "/", "?" or "#" and is no segment. */
static const char *skip_authority(EpSegments *s, const char *text, const char *end) {
  text += s->scheme;
  s->scheme = 0;
  while (text < end && !ep_url_ends_authority(*text))
    text++;
  if (text < end)
    s->zone = EP_IN_PATH;
  return text;
}

static void write_url(EpSegments *s, EpSlice text, int writer) {
  const char *at = text.bytes, *end = ep_slice_end(text);
  if (s->zone == EP_IN_AUTHORITY) {
    at = skip_authority(s, at, end);
    s->size += (size_t)(at - text.bytes);
  }
  if (s->zone == EP_IN_PATH)
    write_path(s, at, end, writer);
  s->size += (size_t)(end - at);
}

/* --- what is told ----------------------------------------------------------- */

void ep_segments_init(EpSegments *s, size_t authority, bool begins_with_plus) {
  s->fault = EP_SOUND;
  s->culprit = EP_BY_TEMPLATE;
  s->place = s->size = 0;
  s->scheme = authority;
  s->kind = EP_LITERAL;
  s->zone = authority > 0 ? EP_IN_AUTHORITY : EP_IN_PATH;
  s->asked = false;
  begin_template_segment(s, begins_with_plus);
  begin_segment(s, 0, EP_BY_TEMPLATE);
}

void ep_segments_expression(EpSegments *s, EpPartKind kind, bool in_path, int varspec) {
  bool is_inside = ep_is_plain(kind) || kind == EP_LABEL;
  s->kind = kind;
  s->asked = in_path && ep_is_plain(kind) && s->zone != EP_IN_AUTHORITY;
  if (!is_inside)
    end_template_segment(s);
  if (varspec > 0 && s->fill == EP_NOTHING)
    s->is_free = false; /* this expression does not begin the template */
  if (s->is_cut)
    return;
  if (is_inside || s->dots == 0) {
    if (s->inside < 0)
      s->inside = varspec;
  } else if (s->behind < 0) {
    s->behind = varspec;
  }
}

void ep_segments_variable(EpSegments *s, EpSlice text, int varspec) {
  fill_by_variable(s, text, varspec);
  if (text.size > 0 && varspec == s->inside)
    s->is_blank = false;
  write_url(s, text, varspec);
}

void ep_segments_literal(EpSegments *s, EpSlice text) {
  s->kind = EP_LITERAL;
  fill_by_literal(s, text);
  write_url(s, text, EP_BY_TEMPLATE);
}

bool ep_segments_in_authority(const EpSegments *s) {
  return s->zone == EP_IN_AUTHORITY;
}

EpFault ep_segments_end(EpSegments *s) {
  s->kind = EP_LITERAL;
  end_template_segment(s);
  if (s->zone == EP_IN_PATH)
    end_segment(s, EP_BY_TEMPLATE);
  return s->fault;
}
