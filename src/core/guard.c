/* Rules about a finished URL. Positions are offsets in it. */
#include "guard.h"

#include "percent.h"
#include "segment.h"
#include "url.h"

/* --- who wrote what --------------------------------------------------------------- */

static size_t position_of(const EpExpansion *x, EpPlace place) {
  size_t written = place.varspecs > 0 ? x->notes[place.varspecs - 1].end : 0;
  return x->begin + written + place.bytes;
}

static EpSlice written_by(const EpExpansion *x, size_t varspec) {
  const EpNote note = x->notes[varspec];
  return ep_slice(x->url.bytes + x->begin + note.begin, note.end - note.begin);
}

/* The first varspec from `varspec` on that wrote a byte between two positions. */
static int writer_between(const EpExpansion *x, size_t varspec, size_t begin, size_t end) {
  for (; varspec < x->t->varspec_count; varspec++) {
    const EpNote note = x->notes[varspec];
    if (note.end > note.begin && x->begin + note.begin < end && x->begin + note.end > begin)
      return (int)varspec;
  }
  return EP_BY_TEMPLATE;
}

/* The first varspec that wrote nothing, between two positions or at one. */
static int blank_between(const EpExpansion *x, size_t begin, size_t end) {
  for (size_t varspec = 0; varspec < x->t->varspec_count; varspec++) {
    const EpNote note = x->notes[varspec];
    if (note.end == note.begin && x->begin + note.begin <= end && x->begin + note.end >= begin)
      return (int)varspec;
  }
  return EP_BY_TEMPLATE;
}

static bool convict(EpVerdict *v, EpFault fault, int culprit) {
  v->fault = fault;
  v->culprit = culprit;
  return false;
}

/* --- the authority ------------------------------------------------------------------ */

static bool is_all(EpSlice text, unsigned classes) {
  for (size_t i = 0; i < text.size; i++)
    if (!ep_is(text.bytes[i], classes))
      return false;
  return text.size > 0;
}

/* Is it an address in brackets, of hexadecimal digits, ":" and "."? */
static bool is_address(EpSlice text) {
  if (text.size < 3 || text.bytes[0] != '[' || text.bytes[text.size - 1] != ']')
    return false;
  for (size_t i = 1; i + 1 < text.size; i++)
    if (!ep_is(text.bytes[i], EP_HEX) && text.bytes[i] != ':' && text.bytes[i] != '.')
      return false;
  return true;
}

/* Is it a host, and perhaps ":" and a port of one to five digits? */
static bool is_host(EpSlice text) {
  size_t digits = 0;
  while (digits < text.size && ep_is(text.bytes[text.size - 1 - digits], EP_DIGIT))
    digits++;
  if (digits >= 1 && digits <= 5 && digits < text.size &&
      text.bytes[text.size - 1 - digits] == ':') {
    const EpSlice host = {text.bytes, text.size - digits - 1};
    if (is_all(host, EP_UNRESERVED) || is_address(host))
      return true;
  }
  return is_all(text, EP_UNRESERVED) || is_address(text);
}

/* The authority of an absolute template is all that its literals and plain expressions write
 * there; what the others write must end it. */
static bool judge_authority(const EpExpansion *x, EpVerdict *v) {
  const EpPlace end = x->t->authority_end;
  int writer;
  for (size_t i = 0; i < end.varspecs; i++) {
    if (x->t->is_host && !is_host(written_by(x, i)))
      return convict(v, EP_NO_HOST, (int)i);
    if (!x->t->is_host && !is_all(written_by(x, i), EP_UNRESERVED))
      return convict(v, EP_NO_HOST_PART, (int)i);
  }
  v->path_begin = position_of(x, end);
  if (v->path_begin == x->url.size || ep_url_ends_authority(x->url.bytes[v->path_begin]))
    return true;
  writer = writer_between(x, end.varspecs, v->path_begin, v->path_begin + 1);
  if (writer < 0 && end.varspecs < x->t->varspec_count &&
      x->begin + x->notes[end.varspecs].begin == v->path_begin)
    writer = (int)end.varspecs;
  return convict(v, EP_LONGER_AUTHORITY, writer);
}

/* --- the path ----------------------------------------------------------------------- */

/* Text of any kind will do where an expression opens the path. */
static bool has_opener(const EpExpansion *x, const EpKeeper *k) {
  bool is_free = k->opener == EP_PLUS || (k->opener == EP_SIMPLE && x->is_alone);
  return is_free && x->notes[k->opened - 1].end > x->notes[k->varspec].begin;
}

/* The segments of the template that must keep a byte, while the URL's go by. */
typedef struct Keepers {
  const EpKeeper *at, *stop;
  const char *begin, *end; /* of the current one */
  bool is_sound;           /* has it kept a byte? */
} Keepers;

static void begin_keeper(const EpExpansion *x, Keepers *k) {
  if (k->at == k->stop)
    return;
  k->begin = x->url.bytes + position_of(x, k->at->begin);
  k->end = x->url.bytes + position_of(x, k->at->end);
  k->is_sound = has_opener(x, k->at);
}

/* Looks what a segment of the URL, which begins at `at`, gives to those of the template. Returns
 * false at one that kept nothing. */
static bool keep(const EpExpansion *x, Keepers *k, const char *at, const EpSegment *s) {
  const bool is_last = s->next == s->end;
  while (k->at < k->stop && (is_last || k->begin < s->next)) {
    const char *from = k->begin > at ? k->begin : at;
    k->is_sound = k->is_sound || (from < s->counted && from < k->end);
    if (k->end > s->next && !is_last)
      return true;
    if (!k->is_sound)
      return false;
    k->at++;
    begin_keeper(x, k);
  }
  return true;
}

/* The first varspec before a position whose text would have ended the path. */
static int blank_end_before(const EpExpansion *x, size_t position) {
  for (size_t i = 0; i < x->t->part_count; i++) {
    const EpPart *part = &x->t->parts[i];
    if ((part->kind == EP_QUERY || part->kind == EP_FRAGMENT) &&
        x->begin + x->notes[part->begin].end < position)
      return (int)part->begin;
  }
  return EP_BY_TEMPLATE;
}

/* The varspec that wrote in the segment or in a separator beside it, the first of which begins at
 * `before`; else one that stands there or would have ended the path before it. */
static int dots_culprit(const EpExpansion *x, size_t before, size_t begin, const EpSegment *s) {
  const size_t end = (size_t)(s->end - x->url.bytes), next = (size_t)(s->next - x->url.bytes);
  int culprit = writer_between(x, 0, begin, end);
  if (culprit < 0)
    culprit = writer_between(x, 0, before, next > end ? next : end + 1);
  if (culprit < 0)
    culprit = blank_between(x, begin, end);
  return culprit >= 0 ? culprit : blank_end_before(x, begin);
}

static bool judge_path(const EpExpansion *x, EpVerdict *v) {
  const char *begin = x->url.bytes, *at = begin + v->path_begin, *end = ep_slice_end(x->url);
  Keepers k = {x->t->keepers, x->t->keepers + x->t->keeper_count, NULL, NULL, false};
  const char *before; /* the separator before the segment */
  EpSegment s = {at, at, at, false};
  begin_keeper(x, &k);
  do {
    before = s.end;
    at = s.next;
    s = ep_segment_read(at, end);
    if (s.is_dots) {
      v->place = (size_t)(at - begin);
      return convict(v, EP_DOTS, dots_culprit(x, (size_t)(before - begin), v->place, &s));
    }
    if (!keep(x, &k, at, &s))
      return convict(v, EP_VANISHED, (int)k.at->varspec);
  } while (s.next > s.end);
  v->path_end = (size_t)(s.end - begin);
  return true;
}

/* --- the start ------------------------------------------------------------------------ */

static bool begins_with(const EpTemplate *t, EpPartKind kind) {
  return t->part_count > 0 && t->parts[0].kind == kind;
}

/* The varspec that wrote one of the URL's first bytes, else one that wrote nothing before the
 * last of them. */
static int writer_of_start(const EpExpansion *x, size_t size) {
  int writer = writer_between(x, 0, 0, size);
  return writer >= 0 ? writer : blank_between(x, 0, size - 1);
}

/* The caller's whole URL, given by a value, may name any host. */
static bool judge_whole_url(const EpExpansion *x, EpVerdict *v) {
  v->path_begin = ep_url_origin_size(x->url);
  if (ep_url_lacks_host(x->url))
    return convict(v, EP_HOSTLESS, 0);
  return true;
}

/* Without a scheme and a host of its own or of the base, a URL must not get them of a value. What
 * is wrong with its path as well, such as a parameter that is missing, says more. */
static bool judge_start(const EpExpansion *x, EpVerdict *v) {
  const size_t scheme = ep_url_scheme(x->url);
  const bool is_own = begins_with(x->t, EP_LITERAL) &&
                      ep_url_scheme(ep_slice(x->t->literals, x->t->parts[0].end)) > 0;
  v->path_begin = 0;
  if (x->is_alone && begins_with(x->t, EP_PLUS))
    return judge_whole_url(x, v);
  if (ep_slice_begins_with(x->url, EP_SLICE("//"))) {
    if (judge_path(x, v))
      convict(v, EP_NAMES_HOST, writer_of_start(x, 2));
    return false;
  }
  if (scheme > 0 && (!is_own || ep_url_absolute(x->url) > 0))
    return convict(v, EP_SCHEME, writer_of_start(x, is_own ? scheme + 2 : scheme));
  return true;
}

EpVerdict ep_guard_judge(const EpExpansion *x) {
  EpVerdict v = {EP_SOUND, EP_BY_TEMPLATE, 0, 0, 0};
  bool is_sound = true;
  v.path_begin = x->base_origin;
  if (x->t->absolute > 0)
    is_sound = judge_authority(x, &v);
  else if (x->base_origin == 0)
    is_sound = judge_start(x, &v);
  if (is_sound)
    judge_path(x, &v);
  return v;
}
