/* Which variables a call cannot do without: a walk over the template's parts for each rule by
 * which calls raise. One variable is missing, and each other one writes a harmless text: "a",
 * or "/a" where {+x} stands behind a host. */
#include "required.h"

#include <string.h>

#include "percent.h"
#include "url.h"

/* Stand for a variable: there is none, or several. */
enum { NONE = -1, SEVERAL = -2 };

typedef struct Walk {
  const EpTemplate *t;
  bool *required;
} Walk;

/* The only variable of an expression, or SEVERAL. */
static int variable_of(const EpTemplate *t, const EpPart *part) {
  int variable = t->varspecs[part->begin].variable;
  for (size_t i = part->begin + 1; i < part->end; i++)
    if (t->varspecs[i].variable != variable)
      return SEVERAL;
  return variable;
}

static int join(int one, int other) {
  return one == NONE || one == other ? other : SEVERAL;
}

/* --- segments that vanish ------------------------------------------------------ */

/* A segment of the template. */
typedef struct Segment {
  bool asked;    /* is there a plain or "+" expression in it? */
  bool has_text; /* is there literal text in it? */
  int variable;  /* the only one of its expressions, NONE or SEVERAL */
} Segment;

static void end_segment(const Walk *w, Segment *s) {
  const Segment empty = {false, false, NONE};
  if (s->asked && !s->has_text && s->variable >= 0)
    w->required[s->variable] = true;
  *s = empty;
}

static void vanish_literal(const Walk *w, Segment *s, const EpPart *part) {
  for (size_t i = part->begin; i < part->end; i++) {
    if (ep_url_ends_authority(w->t->literals[i]))
      end_segment(w, s);
    else
      s->has_text = true;
  }
}

static void find_vanishing(const Walk *w) {
  Segment s = {false, false, NONE};
  for (size_t i = 0; i < w->t->part_count; i++) {
    const EpPart *part = &w->t->parts[i];
    bool is_plain = ep_is_plain(part->kind);
    if (part->kind == EP_LITERAL) {
      vanish_literal(w, &s, part);
      continue;
    }
    if (!is_plain && part->kind != EP_LABEL)
      end_segment(w, &s);
    s.asked = s.asked || (is_plain && part->in_path);
    s.variable = join(s.variable, variable_of(w->t, part));
  }
  end_segment(w, &s);
}

/* --- dot segments that are left -------------------------------------------------- */

/* A segment of the URL that lacks one variable: that of its first expression. Without another
 * one, the text of the first remains and the segment is no dot segment. */
typedef struct Dots {
  int dots;      /* number of dots; not counted any more once is_over is set */
  int variable;  /* the missing one, or NONE */
  bool inside;   /* does the variable stand in the segment or directly before it? */
  bool behind;   /* does it stand directly behind the text so far, in {/x}, {;x}, {?x}, {&x} or
                  * {#x}? It is inside if more text follows */
  bool is_over;  /* does no more text matter? */
  int path_ends; /* the only variable of all {?x} and {#x} so far, NONE or SEVERAL: the path has
                  * ended unless that one is missing */
  int begins;    /* the variable of the {/x} that begins the path, or NONE */
} Dots;

static void begin_dots(Dots *d) {
  d->dots = 0;
  d->variable = NONE;
  d->inside = d->behind = d->is_over = false;
}

static void end_dots(const Walk *w, Dots *d) {
  bool in_path = (d->path_ends == NONE || d->path_ends == d->variable) && d->begins != d->variable;
  if (!d->is_over && d->inside && d->variable >= 0 && in_path && (d->dots == 1 || d->dots == 2))
    w->required[d->variable] = true;
  d->is_over = true;
}

/* Reads a byte or triplet of a literal. Returns its bytes. */
static size_t read_byte(const Walk *w, Dots *d, const char *text, const char *end) {
  const size_t separator = ep_url_separator(text, end);
  bool is_dot = ep_percent_is(text, end, '2', 'e');
  if (separator > 0) {
    end_dots(w, d);
    begin_dots(d);
    if (*text == '/')
      d->begins = NONE;
  } else if (*text == ';') {
    end_dots(w, d);
  } else if (!d->is_over) {
    d->inside = d->inside || d->behind;
    d->dots++;
    d->is_over = *text != '.' && !is_dot;
  }
  return is_dot ? 3 : separator > 0 ? separator : 1;
}

/* Reads a literal. Returns whether it does not end the path. */
static bool dots_literal(const Walk *w, Dots *d, const char *text, const char *end) {
  while (text < end && !ep_url_ends_path(*text))
    text += read_byte(w, d, text, end);
  if (text < end)
    end_dots(w, d);
  return text == end;
}

static void dots_expression(const Walk *w, Dots *d, const EpPart *part) {
  bool counts = ep_is_plain(part->kind) || part->kind == EP_LABEL;
  int variable = variable_of(w->t, part);
  if (d->variable == NONE)
    d->variable = variable;
  if (d->variable != variable) { /* the other one writes text, or what ends the segment */
    if (counts || part->kind == EP_CONTINUATION)
      d->is_over = true;
    end_dots(w, d);
  } else if (counts || d->dots == 0) {
    d->inside = true;
  } else {
    d->behind = true;
  }
  if (part->kind == EP_QUERY || part->kind == EP_FRAGMENT)
    d->path_ends = join(d->path_ends, variable);
}

/* Where the path begins, behind the authority. */
static const char *path_begin(const EpTemplate *t) {
  EpSlice text = {t->literals + t->authority, t->literal_size - t->authority};
  return text.bytes + (t->authority > 0 ? ep_url_authority_size(text) : 0);
}

/* Does part i, an expression in the authority, write a "/" that begins the path? */
static bool begins_path(const EpTemplate *t, size_t i) {
  bool is_host = i == 1 && t->parts[0].end == t->authority;
  return t->parts[i].kind == EP_PATH || (t->parts[i].kind == EP_PLUS && !is_host);
}

static void find_dots(const Walk *w) {
  const EpTemplate *t = w->t;
  const char *path = path_begin(t), *at = t->literals;
  Dots d = {0, NONE, false, false, false, NONE, NONE};
  d.is_over = t->authority > 0;
  for (size_t i = 0; i < t->part_count; i++) {
    const EpPart *part = &t->parts[i];
    if (part->kind != EP_LITERAL) {
      if (at < path && begins_path(t, i)) {
        path = at;
        d.begins = variable_of(t, part);
      }
      dots_expression(w, &d, part);
    } else {
      const char *begin = at < path ? path : at;
      at = t->literals + part->end;
      if (begin < at && !dots_literal(w, &d, begin, at))
        return;
    }
  }
  end_dots(w, &d);
}

/* --- hosts ----------------------------------------------------------------------- */

/* The authority so far. */
typedef struct Authority {
  bool begins;   /* is there no text yet? */
  bool is_empty; /* is there no host yet? Userinfo does not count */
  bool in_port;  /* has a ":" ended the host? */
  int writer;    /* the only variable that wrote the host, NONE or SEVERAL */
  int all;       /* the only variable that wrote any text, NONE or SEVERAL */
  bool is_over;  /* has the authority ended? */
  bool is_wrong; /* does a call raise whatever the values are? */
  int missing;   /* the variable of the {/x}, {?x} or {#x} that ends the authority, or NONE. What
                  * follows is read as if this variable were missing */
} Authority;

/* Adds text that a variable wrote, or the template for NONE. */
static void write_host(Authority *a, int writer) {
  a->begins = false;
  a->all = writer == NONE ? SEVERAL : join(a->all, writer);
  if (a->in_port)
    return;
  a->is_empty = false;
  a->writer = writer == NONE ? SEVERAL : join(a->writer, writer);
}

static void host_literal(Authority *a, const char *text, const char *end) {
  for (; text < end && !ep_url_ends_authority(*text); text++) {
    bool is_userinfo = *text == '@';
    a->begins = false;
    if (is_userinfo) {
      a->is_empty = true;
      a->writer = NONE;
      a->all = SEVERAL;
    }
    a->in_port = !is_userinfo && (a->in_port || *text == ':');
    if (!is_userinfo)
      write_host(a, NONE);
  }
  a->is_over = text < end;
}

/* Reads an expression behind the one that ends the authority unless its variable is missing:
 * without that variable no text may follow. */
static void host_behind(const Walk *w, Authority *a, const EpPart *part) {
  bool ends = ep_ends_authority(part->kind) && !(part->kind == EP_PLUS && a->begins);
  bool is_first = w->t->varspecs[part->begin].variable == a->missing;
  if (variable_of(w->t, part) == a->missing && !ep_is_plain(part->kind))
    return;
  if (part->kind == EP_PLUS && w->required[w->t->varspecs[part->begin].variable])
    ends = false; /* it is a part of the host, too */
  if (!ends || (is_first && ep_is_plain(part->kind)))
    w->required[a->missing] = true;
  a->is_over = true;
}

/* Reads a "+" expression. Behind a host it ends the authority. Where it begins the authority
 * it is the host, and {+a,b} raises, for after the comma b cannot end the authority. */
static void host_plus(const Walk *w, Authority *a, const EpPart *part) {
  bool is_list = part->end - part->begin > 1;
  if (a->begins && is_list)
    a->is_wrong = true;
  if (a->begins || a->all < 0 || a->all == w->t->varspecs[part->begin].variable)
    return;
  if (is_list) /* without that variable it begins the authority */
    w->required[a->all] = true;
  a->writer = SEVERAL;
}

/* A plain or "+" variable in the authority must have text. */
static void host_plain(const Walk *w, Authority *a, const EpPart *part) {
  if (part->kind == EP_PLUS)
    host_plus(w, a, part);
  for (size_t i = part->begin; i < part->end && !a->is_over; i++) {
    bool *required = &w->required[w->t->varspecs[i].variable];
    a->is_over = part->kind == EP_PLUS && !a->begins;
    if (a->is_over && *required) /* it cannot be a part of the host and end it, too */
      a->is_wrong = true;
    *required = true;
    if (!a->is_over)
      write_host(a, w->t->varspecs[i].variable);
  }
}

static void host_expression(const Walk *w, Authority *a, const EpPart *part) {
  if (a->missing >= 0) {
    host_behind(w, a, part);
  } else if (ep_is_plain(part->kind)) {
    host_plain(w, a, part);
  } else if (ep_ends_authority(part->kind)) {
    a->missing = variable_of(w->t, part);
    a->is_over = a->missing < 0;
    a->is_empty = a->is_empty || a->missing == a->writer;
  } else {
    write_host(a, variable_of(w->t, part));
  }
}

/* Walks through the authority. Returns whether a call can have a sound one. */
static bool find_hosts(const Walk *w) {
  const EpTemplate *t = w->t;
  Authority a = {true, true, false, NONE, NONE, false, false, NONE};
  bool has_host = false;
  int writer = NONE;
  for (size_t i = 0; i < t->part_count && !a.is_over; i++) {
    const EpPart *part = &t->parts[i];
    const char *text = t->literals + part->begin, *end = t->literals + part->end;
    if (part->kind == EP_LITERAL)
      host_literal(&a, i == 0 ? text + t->authority : text, end);
    else
      host_expression(w, &a, part);
    if (a.missing == NONE) {
      has_host = !a.is_empty;
      writer = a.writer;
    }
  }
  if (!ep_url_is_special(ep_slice(t->literals, t->parts[0].end)))
    return !a.is_wrong;
  if (writer >= 0 && writer != a.missing)
    w->required[writer] = true;
  if (a.missing >= 0 && a.is_empty) /* an "@" has come instead of the path */
    w->required[a.missing] = true;
  return has_host && !a.is_wrong;
}

void ep_required_find(const EpTemplate *t, bool *required) {
  const Walk w = {t, required};
  const size_t size = (size_t)t->variable_count * sizeof *required;
  memset(required, 0, size);
  if (t->lacks_host || (t->authority > 0 && !find_hosts(&w))) {
    memset(required, 0, size);
    return;
  }
  find_vanishing(&w);
  find_dots(&w);
}
