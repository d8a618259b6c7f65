/* Compiles the text of a URI template (RFC 6570) to parts, from which it is expanded without
 * its text. Knows nothing of Lua. */
#ifndef EP_TEMPLATE_H
#define EP_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "names.h"
#include "symbols.h"

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

/* A row of RFC 6570's appendix A. */
typedef struct EpOperator {
  char symbol;    /* 0 for none */
  char first;     /* before the first variable; 0 for nothing */
  char separator; /* before each other variable */
  bool named;     /* does "name=" precede a value? */
  bool if_empty;  /* does "=" stay before an empty value? */
  unsigned allow; /* the classes of bytes that are not encoded */
} EpOperator;

extern EP_HIDDEN const EpOperator ep_operators[EP_LITERAL];

/* Is it a plain or "+" expression? */
static inline bool ep_is_plain(EpPartKind kind) {
  return kind == EP_SIMPLE || kind == EP_PLUS;
}

typedef struct EpVarspec {
  int variable; /* index in EpTemplate.variables */
  int prefix;   /* characters; 0 without a prefix modifier */
  bool explode;
} EpVarspec;

typedef struct EpPart {
  EpPartKind kind;
  size_t begin, end; /* offsets in the template's literals, or indexes of its varspecs */
} EpPart;

/* A place in the expansion: so many bytes behind the text of the template's first varspecs. */
typedef struct EpPlace {
  size_t varspecs, bytes;
} EpPlace;

/* A segment of the template's path that holds a plain or "+" expression. What parts segments,
 * and {/x}, end it. */
typedef struct EpKeeper {
  EpPlace begin, end;
  size_t varspec;    /* the first of these expressions */
  EpPartKind opener; /* the kind of the expression with which the path begins, if it begins this
                      * segment; else EP_LITERAL */
  size_t opened;     /* the varspecs up to the end of that expression */
} EpKeeper;

typedef struct EpTemplate {
  EpPart *parts;
  EpVarspec *varspecs;
  EpKeeper *keepers;
  EpName *variables; /* the names of the variables, each once, sorted */
  EpName *pairs;     /* the names of the pairs in the literals' query, sorted */
  char *literals;    /* all literals, encoded */
  EpSlice text;      /* a copy of what was compiled; the names lie in it */
  size_t part_count, varspec_count, keeper_count, literal_size;
  int variable_count, pair_count;
  size_t absolute;       /* bytes of "scheme://"; 0 if the template is not absolute */
  EpPlace authority_end; /* the varspecs before it stand in the authority */
  bool is_host;          /* is the authority one {+x}? */
  size_t path_varspecs;  /* the varspecs before the first "?", "#", {?x}, {&x} or {#x} */
  size_t query;          /* offset in the literals behind the first "?", 0 without one */
} EpTemplate;

typedef struct EpTemplateError {
  size_t byte;        /* in the text, from 1 on */
  const char *reason; /* a static text */
} EpTemplateError;

/* The most that a template can have of each, and the bytes that it takes then. */
typedef struct EpTemplateRoom {
  size_t parts, varspecs, pairs, literal_size, size;
} EpTemplateRoom;

EP_INTERNAL EpTemplateRoom ep_template_room(EpSlice text);

/* Compiles the text into a block of room.size bytes, aligned for any type, and returns the
 * block. Returns NULL and sets *error if the text is malformed. */
EP_INTERNAL EpTemplate *ep_template_compile(void *block, EpTemplateRoom room, EpSlice text,
                                            EpTemplateError *error);

/* Is a pair of that name, encoded, in the query of the literals alone? */
EP_INTERNAL bool ep_template_has_pair(const EpTemplate *t, EpSlice name);

#endif
