/* Segments that vanish, and dot segments (RFC 3986 section 5.2.4). */
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

/* Adds the text of a "+" variable, which may begin with slashes, "?" or "#". */
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

/* Did {/x} write nothing but its separators? They are no text of a segment. */
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

/* Adds a literal. `first` is the offset of its first "/", "?" or "#", or its size. What is
 * behind a "?" or "#" does not matter, for no expression must write text there. */
static void fill_by_literal(EpSegments *s, EpSlice text, size_t first) {
  if (first > 0 && is_open(s))
    s->fill = EP_FILLED;
  if (first == text.size)
    return;
  end_template_segment(s);
  if (text.bytes[text.size - 1] != '/')
    s->fill = EP_FILLED;
}

/* --- the URL's segments ----------------------------------------------------- */

static void begin_url_segment(EpSegments *s, size_t begin, int separator) {
  s->begin = begin;
  s->dots = 0;
  s->is_cut = false;
  s->separator = separator;
  s->writer = s->inside = s->behind = EP_BY_TEMPLATE;
  s->is_blank = true;
}

/* Ends the segment. `separator` wrote what ends it; {/x} does not count, for dots before it
 * are the template's own. */
static void end_url_segment(EpSegments *s, int separator) {
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

/* Adds a dot in either spelling, or another byte. Returns its bytes. */
static size_t add_segment_byte(EpSegments *s, const char *text, const char *end, int writer) {
  bool is_triplet = ep_percent_is(text, end, '2', 'e');
  if (*text == ';') { /* servers drop what follows */
    s->is_cut = true;
    return 1;
  }
  s->dots = *text == '.' || is_triplet ? s->dots + 1 : OTHER_TEXT;
  if (s->writer < 0)
    s->writer = writer;
  if (s->behind >= 0 && (s->inside < 0 || s->behind < s->inside))
    s->inside = s->behind;
  return is_triplet ? 3 : 1;
}

/* Adds text without separators. Once a segment is not made of dots, no more text matters. */
static void add_segment_text(EpSegments *s, const char *text, const char *end, int writer) {
  while (text < end && !s->is_cut && s->dots <= TWO_DOTS)
    text += add_segment_byte(s, text, end, writer);
}

/* Finds what ends the segment: a separator, or the "?" or "#" that ends the path. */
static const char *find_segment_end(const char *text, const char *end) {
  while (text < end && (ep_is(*text, EP_UNRESERVED) ||
                        (!ep_url_ends_path(*text) && ep_url_separator(text, end) == 0)))
    text++;
  return text;
}

/* Adds a piece of the path. */
static void add_path(EpSegments *s, const char *text, const char *end, int writer) {
  const char *begin = text;
  for (;;) {
    const char *stop = find_segment_end(text, end);
    add_segment_text(s, text, stop, writer);
    if (stop == end)
      return;
    text = stop + ep_url_separator(stop, end);
    end_url_segment(s, text > stop ? writer : EP_BY_TEMPLATE);
    if (text == stop) {
      s->zone = EP_BEHIND_PATH;
      return;
    }
    begin_url_segment(s, s->size + (size_t)(text - begin), writer);
  }
}

/* Skips what belongs to the authority, which is no segment. Returns its bytes. */
static size_t skip_authority(EpSegments *s, EpSlice text) {
  size_t size = s->scheme + ep_url_authority_size(ep_slice_from(text, s->scheme));
  s->scheme = 0;
  if (size < text.size)
    s->zone = EP_IN_PATH;
  return size;
}

static void add_piece(EpSegments *s, EpSlice text, int writer) {
  if (s->zone == EP_IN_AUTHORITY) {
    size_t size = skip_authority(s, text);
    s->size += size;
    text = ep_slice_from(text, size);
  }
  if (s->zone == EP_IN_PATH)
    add_path(s, text.bytes, ep_slice_end(text), writer);
  s->size += text.size;
}

/* Adds a literal of the path whose slashes are known. The segments between its first "/" and
 * its last are the template's own, and need no look. */
static void add_known_literal(EpSegments *s, EpSlice text, const EpSlashes *slashes) {
  const char *end = ep_slice_end(text);
  add_segment_text(s, text.bytes, text.bytes + slashes->first, EP_BY_TEMPLATE);
  if (slashes->last_end > 0) {
    end_url_segment(s, EP_BY_TEMPLATE);
    begin_url_segment(s, s->size + slashes->last_end, EP_BY_TEMPLATE);
    add_segment_text(s, text.bytes + slashes->last_end, end, EP_BY_TEMPLATE);
  }
  s->size += text.size;
}

/* --- the pieces of a URL ------------------------------------------------------ */

void ep_segments_init(EpSegments *s, size_t authority, bool begins_with_plus) {
  s->fault = EP_SOUND;
  s->culprit = EP_BY_TEMPLATE;
  s->place = s->size = 0;
  s->scheme = authority;
  s->kind = EP_LITERAL;
  s->zone = authority > 0 ? EP_IN_AUTHORITY : EP_IN_PATH;
  s->asked = false;
  begin_template_segment(s, begins_with_plus);
  begin_url_segment(s, 0, EP_BY_TEMPLATE);
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

void ep_segments_variable(EpSegments *s, EpSlice text, int varspec, bool may_part) {
  fill_by_variable(s, text, varspec);
  if (text.size > 0 && varspec == s->inside)
    s->is_blank = false;
  if (may_part || s->zone == EP_IN_AUTHORITY) {
    add_piece(s, text, varspec);
    return;
  }
  if (s->zone == EP_IN_PATH)
    add_segment_text(s, text.bytes, ep_slice_end(text), varspec);
  s->size += text.size;
}

void ep_segments_literal(EpSegments *s, EpSlice text, const EpSlashes *slashes) {
  s->kind = EP_LITERAL;
  if (slashes->known && s->zone == EP_IN_PATH) {
    fill_by_literal(s, text, slashes->first);
    add_known_literal(s, text, slashes);
  } else {
    fill_by_literal(s, text, ep_url_authority_size(text));
    add_piece(s, text, EP_BY_TEMPLATE);
  }
}

EpFault ep_segments_end(EpSegments *s) {
  s->kind = EP_LITERAL;
  end_template_segment(s);
  if (s->zone == EP_IN_PATH)
    end_url_segment(s, EP_BY_TEMPLATE);
  return s->fault;
}
