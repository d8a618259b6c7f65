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

extern EP_INTERNAL const EpOperator ep_operators[EP_LITERAL];

/* Is it a plain or "+" expression? These write nothing before their first value. */
static inline bool ep_is_plain(EpPartKind kind) {
  return kind == EP_SIMPLE || kind == EP_PLUS;
}

/* Directly behind a host, can an expression of this kind write no more into the authority?
 * Its text ends the authority, or the call raises. */
static inline bool ep_ends_authority(EpPartKind kind) {
  return kind == EP_PATH || kind == EP_QUERY || kind == EP_FRAGMENT || kind == EP_PLUS;
}

typedef struct EpVarspec {
  int variable; /* index in EpTemplate.variables */
  int prefix;   /* characters; 0 without a prefix modifier */
  bool explode;
} EpVarspec;

/* Where the slashes of a literal are, as offsets in it. Not known of a literal that holds
 * anything else that separates segments or ends the path, or a scheme. */
typedef struct EpSlashes {
  bool known;
  size_t first;    /* of the first "/"; the literal's size if it has none */
  size_t last_end; /* behind the last "/"; 0 if it has none */
} EpSlashes;

typedef struct EpPart {
  EpPartKind kind;
  bool in_path;      /* of an expression: does it stand in the path? */
  size_t begin, end; /* offsets in the template's literals, or indexes of its varspecs */
  EpSlashes slashes; /* of a literal */
} EpPart;

typedef struct EpTemplate {
  EpPart *parts;
  EpVarspec *varspecs;
  EpName *variables; /* the names of the variables, each once, sorted */
  char *literals;    /* all literals, encoded */
  EpSlice text;      /* a copy of what was compiled; the names lie in it */
  size_t part_count, varspec_count, literal_size;
  int variable_count;
  size_t authority;    /* bytes of "scheme://"; 0 if the template is not absolute */
  bool origin_literal; /* is it absolute, and can no expression write into the authority? */
  bool lacks_host;     /* does it begin with a special scheme (url.h), but without "//"? */
} EpTemplate;

typedef struct EpTemplateError {
  size_t byte;        /* in the text, from 1 on */
  const char *reason; /* a static text */
} EpTemplateError;

/* The most that a template can have of each, and the bytes that it takes then. */
typedef struct EpTemplateRoom {
  size_t parts, varspecs, literal_size, size;
} EpTemplateRoom;

EP_INTERNAL EpTemplateRoom ep_template_room(EpSlice text);

/* Compiles the text into a block of room.size bytes, aligned for any type, and returns the
 * block. Returns NULL and sets *error if the text is malformed. */
EP_INTERNAL EpTemplate *ep_template_compile(void *block, EpTemplateRoom room, EpSlice text,
                                            EpTemplateError *error);

#endif
