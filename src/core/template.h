/* SPDX-License-Identifier: MIT */
/* Compiles the text of a URI template (RFC 6570) to parts. A varspec is one variable in an
 * expression, with its modifier: {a,b*} has two of them. Knows nothing of Lua. */
#ifndef EP_TEMPLATE_H
#define EP_TEMPLATE_H

#include "names.h"

/* The kind of a part: an expression by its operator, or a literal. */
typedef enum {
  EP_SIMPLE,       /* {var} and :var */
  EP_PLUS,         /* {+var} */
  EP_FRAGMENT,     /* {#var} */
  EP_LABEL,        /* {.var} */
  EP_PATH,         /* {/var} */
  EP_PARAMETER,    /* {;var} */
  EP_QUERY,        /* {?var} */
  EP_CONTINUATION, /* {&var} */
  EP_LITERAL
} EpPartKind;

/* What an operator writes, and where: a row of the table in RFC 6570 appendix A, and what the path
 * asks of it. */
typedef struct EpOperator {
  char symbol;    /* 0 for {var} */
  char first;     /* before the first variable; 0 for nothing */
  char separator; /* before each other variable */
  bool named;     /* does "name=" precede a value? */
  bool if_empty;  /* does "=" stay before an empty value? */
  unsigned allow; /* the classes of bytes that are not encoded */
  bool is_needed; /* must each of its variables write something into a host or path? */
  bool in_path;   /* does it write into the path? If not, it may still end the path. */
} EpOperator;

extern EP_HIDDEN const EpOperator ep_operators[EP_LITERAL];

/* What a varspec must write. */
typedef enum {
  EP_NEEDS_NOTHING, /* it is optional */
  EP_NEEDS_TEXT,    /* at least one byte: in a host, and in {+x} at the start */
  EP_NEEDS_COUNTED  /* a byte that counts in the path, see guard.h */
} EpNeed;

typedef struct EpVarspec {
  int variable; /* index in EpTemplate.variables */
  int prefix;   /* characters; 0 without a prefix modifier */
  bool explode;
  bool is_required; /* set in a variable's first varspec: has any of its varspecs a need? */
  EpNeed need;
} EpVarspec;

typedef struct EpPart {
  EpPartKind kind;
  size_t begin, end; /* offsets in the template's literals, or indexes of its varspecs */
} EpPart;

typedef struct EpTemplate {
  EpPart *parts;
  EpVarspec *varspecs;
  EpName *variables; /* the names, each once, sorted, with the index of their first varspec */
  char *literals;    /* all literals, encoded */
  EpSlice text;      /* a copy of what was compiled; the names lie in it */
  size_t part_count, varspec_count, literal_size;
  int variable_count;
  size_t absolute;           /* bytes of "scheme://"; 0 if the template is not absolute */
  size_t authority_varspecs; /* the varspecs in the authority, which come first */
  size_t path_varspecs;      /* the varspecs before the first "?", "#", {?x}, {&x} or {#x} */
  bool has_query;            /* is there a literal "?" before any literal "#"? */
} EpTemplate;

EP_ALIGNS(EpTemplate, EpName);
EP_ALIGNS(EpName, EpPart);
EP_ALIGNS(EpPart, EpVarspec);

typedef struct EpTemplateError {
  size_t byte;        /* position in the text; the first byte is 1 */
  const char *reason; /* a static text */
} EpTemplateError;

/* Upper limits for a template: the number of its varspecs, and its size in bytes. The size is 0 if
 * the template's text is too long. */
typedef struct EpTemplateRoom {
  size_t varspecs, size;
} EpTemplateRoom;

EP_INTERNAL EpTemplateRoom ep_template_room(EpSlice text);

/* Compiles the text into a block of room.size bytes, aligned for any type, and returns the
 * block. Returns NULL and sets *error if the text is malformed. */
EP_INTERNAL EpTemplate *ep_template_compile(void *block, EpTemplateRoom room, EpSlice text,
                                            EpTemplateError *error);

/* The literals of a template may write a query. Returns the start of its first name=value pair in
 * the template's text, after the literals' first "?". Returns NULL if there is no "?" before their
 * first "#" and before {#x}. */
EP_INTERNAL const char *ep_template_query(const EpTemplate *t);

/* Sets *name to the name of the pair at `at`. The name is empty if an expression continues it.
 * Returns the start of the next pair; NULL after the last one. */
EP_INTERNAL const char *ep_template_pair(const EpTemplate *t, const char *at, EpSlice *name);

#endif
