/* SPDX-License-Identifier: MIT */
#include "guard.h"

#include "url.h"

static EpSlice text_of(const EpUrl *url, size_t varspec) {
  const EpNote note = url->notes[varspec];
  return ep_slice(url->text.bytes + url->begin + note.begin, note.end - note.begin);
}

/* The first varspec that wrote a byte between two positions. */
static int writer_between(const EpUrl *url, size_t begin, size_t end) {
  for (size_t i = 0; i < url->t->varspec_count; i++) {
    const size_t from = url->begin + url->notes[i].begin, to = url->begin + url->notes[i].end;
    if (from < to && from < end && to > begin)
      return (int)i;
  }
  return EP_BY_TEMPLATE;
}

/* The first varspec that wrote nothing, between two positions or at one of them. A varspec of {?x}
 * or {#x}, which do not write into the path, counts only before `stop`. */
static int blank_between(const EpUrl *url, size_t begin, size_t end, size_t stop) {
  const EpPart *part = url->t->parts, *end_part = part + url->t->part_count;
  for (; part < end_part; part++)
    for (size_t i = part->begin; part->kind != EP_LITERAL && i < part->end; i++) {
      const size_t at = url->begin + url->notes[i].begin;
      if (url->notes[i].begin == url->notes[i].end && at <= end && at >= begin &&
          (at < stop || ep_operators[part->kind].in_path))
        return (int)i;
    }
  return EP_BY_TEMPLATE;
}

static bool set_fault(EpCheck *k, EpFault fault, int varspec) {
  k->fault = fault;
  k->varspec = varspec;
  return false;
}

/* The first varspec from index `i` on that must write a byte that counts, or that must write
 * something and wrote nothing. */
static size_t next_need(const EpUrl *url, size_t i) {
  for (; i < url->t->path_varspecs; i++) {
    const EpNeed need = url->t->varspecs[i].need;
    if (need == EP_NEEDS_COUNTED || (need == EP_NEEDS_TEXT && text_of(url, i).size == 0))
      break;
  }
  return i;
}

/* Does a byte of this kind count? Nearly all bytes are text, so that is asked first. */
static bool counts(EpMark mark) {
  return mark == EP_MARK_TEXT ||
         (mark != EP_MARK_SEPARATOR && mark != EP_MARK_BLANK && mark != EP_MARK_DELETED);
}

/* Records which varspecs wrote the bytes from `at` to `next`, which count. *i is the first varspec
 * that still needs a byte that counts. Returns false if its text ends before these bytes, since it
 * can then never get one. */
static bool credit_bytes(const EpUrl *url, size_t *i, const char *at, const char *next) {
  for (; *i < url->t->path_varspecs; *i = next_need(url, *i + 1)) {
    const EpSlice text = text_of(url, *i);
    if (text.bytes >= next)
      break;
    if (text.size == 0 || ep_slice_end(text) <= at)
      return false;
  }
  return true;
}

/* Blames the first varspec that wrote a byte of the segment. If there is none, blames the first one
 * that wrote a separator around it; the separator before the segment is at `before`. Otherwise
 * blames the first one that wrote nothing there. */
static bool set_dots_fault(const EpUrl *url, EpCheck *k, size_t before) {
  const size_t begin = (size_t)(k->dots.bytes - url->text.bytes);
  const char *at = k->dots.bytes, *end = ep_slice_end(url->text), *next = at;
  EpMark mark = EP_MARK_TEXT;
  while (at < end && (mark = ep_mark_read(at, end, &next)) != EP_MARK_SEPARATOR &&
         mark != EP_MARK_PATH_END)
    at = next;
  const size_t stop = (size_t)(at - url->text.bytes);
  const size_t after = mark == EP_MARK_SEPARATOR ? (size_t)(next - url->text.bytes) : stop;
  int varspec = writer_between(url, begin, stop);
  if (varspec < 0)
    varspec = writer_between(url, before, after);
  if (varspec < 0)
    varspec = blank_between(url, before + (before < begin), after - (after > stop), stop);
  return set_fault(k, EP_DOTS, varspec);
}

/* Skips a run of plain text, or one special byte or triplet, and sets *mark. A triplet may be
 * encoded in other triplets. If it counts, only its first three bytes are skipped. Its digits are
 * then read like other bytes, since a byte that is deleted between them does not count. */
static inline const char *skip_piece(const char *at, const char *end, EpMark *mark) {
  const char *next = ep_skip_unreserved(at, end);
  *mark = EP_MARK_TEXT;
  if (next == at) {
    *mark = ep_mark_read(at, end, &next);
    if (*at == '%' && counts(*mark))
      next = at + 3;
  }
  if (*mark == EP_MARK_TEXT)
    while (ep_percent_triplet(next, end) && ep_mark_of(next) == EP_MARK_TEXT)
      next += 3;
  return next;
}

static bool check_path(const EpUrl *url, EpCheck *k) {
  const char *const end = ep_slice_end(url->text), *next;
  const char *at = url->text.bytes + k->path_begin, *before = at;
  size_t need = next_need(url, url->t->authority_varspecs);
  bool is_hidden = false;          /* is the piece after a ";" that hides it? */
  EpMark mark = EP_MARK_SEPARATOR; /* of the piece before */
  for (; at < end; before = at, at = next) {
    if (mark == EP_MARK_SEPARATOR && (*at == '.' || *at == '%') &&
        (k->dots = ep_slice(at, ep_segment_dots(at, end))).size > 0)
      return set_dots_fault(url, k, (size_t)(before - url->text.bytes));
    next = skip_piece(at, end, &mark);
    if (mark == EP_MARK_PATH_END)
      break;
    is_hidden = (is_hidden && *at != '/') || mark == EP_MARK_SEMICOLON;
    if (!is_hidden && counts(mark) && !credit_bytes(url, &need, at, next))
      break;
  }
  k->path_end = (size_t)(at - url->text.bytes);
  if (need < url->t->path_varspecs)
    return set_fault(k, EP_NOT_THERE, (int)need);
  return true;
}

/* The last varspec of the authority that wrote before or at a position. */
static int last_writer(const EpUrl *url, size_t position) {
  size_t i = url->t->authority_varspecs - 1;
  while (i > 0 && url->notes[i].begin > position)
    i--;
  return (int)i;
}

/* The fault of the part of the authority in which a varspec is. What it wrote has no "@" and no
 * ":", so these are the template's own. */
static EpFault fault_of_part(const EpUrl *url, const EpOrigin *o, size_t varspec) {
  const char *at = text_of(url, varspec).bytes, *host_end = ep_slice_end(o->host);
  if (at < o->host.bytes)
    return EP_BAD_USERINFO;
  return o->port.bytes > host_end && at >= o->port.bytes ? EP_BAD_PORT : EP_BAD_HOST;
}

/* A value may write only unreserved bytes in the authority, and only digits in a port. The rest of
 * the authority was checked when the template was compiled. So a fault that is found in the whole
 * authority is a fault of the port. */
static bool check_written_authority(const EpUrl *url, EpCheck *k) {
  const EpOrigin origin = ep_url_read_origin(url->text);
  size_t offset = 0;
  for (size_t i = 0; i < url->t->authority_varspecs; i++) {
    const EpSlice text = text_of(url, i);
    if (text.size == 0 || ep_skip_unreserved(text.bytes, ep_slice_end(text)) < ep_slice_end(text))
      return set_fault(k, fault_of_part(url, &origin, i), (int)i);
  }
  k->path_begin = origin.size;
  if (url->t->authority_varspecs > 0 &&
      ep_url_authority_fault(ep_url_authority(&origin), false, &offset))
    return set_fault(k, EP_BAD_PORT, last_writer(url, url->t->absolute + offset));
  return true;
}

/* The varspec that wrote one of the first `size` bytes, else one that wrote nothing before the last
 * of them. */
static int writer_of_start(const EpUrl *url, size_t size) {
  const int writer = writer_between(url, 0, size);
  return writer >= 0 ? writer : blank_between(url, 0, size - 1, size);
}

/* If neither the template nor the base has a scheme and a host, values must not write them. The
 * path is checked first, since its errors, such as a missing parameter, say more. If the URL has a
 * scheme, the template has at least one part. */
static bool check_start(const EpUrl *url, EpCheck *k) {
  const EpTemplate *t = url->t;
  const size_t scheme = ep_url_scheme(url->text);
  const bool is_own = scheme > 0 && t->parts[0].kind == EP_LITERAL &&
                      ep_url_scheme(ep_slice(t->literals, t->parts[0].end)) > 0;
  if (!check_path(url, k))
    return false;
  if (ep_slice_begins_with(url->text, EP_SLICE("//")))
    return set_fault(k, EP_NAMES_HOST, writer_of_start(url, 2));
  if (scheme == 0 || (is_own && ep_url_absolute(url->text) == 0))
    return true;
  return set_fault(k, EP_SCHEME, writer_of_start(url, is_own ? scheme + 2 : scheme));
}

EpCheck ep_guard_check(const EpUrl *url) {
  EpCheck k = {EP_SOUND, EP_BY_TEMPLATE, {NULL, 0}, 0, 0};
  k.path_begin = url->base_origin;
  if (url->t->absolute == 0 && url->base_origin == 0)
    check_start(url, &k);
  else if (url->t->absolute == 0 || check_written_authority(url, &k))
    check_path(url, &k);
  return k;
}
