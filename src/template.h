/* RFC 6570: the text of a URI template -> its parts, ready to be expanded
 * without looking at the text again. Knows nothing of Lua. */
#ifndef EP_TEMPLATE_H
#define EP_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "names.h"
#include "symbols.h"

/* What a part is: a literal, or an expression by its operator. */
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
  char first;     /* what begins the expansion, 0 for nothing */
  char separator; /* what stands between the variables */
  bool named;     /* are values preceded by "name="? */
  bool if_empty;  /* does an empty value keep the "="? */
  unsigned allow; /* the byte classes that stay unencoded */
} EpOperator;

extern EP_INTERNAL const EpOperator ep_operators[EP_LITERAL];

/* Is it an expression without an operator's byte in front? It stands where a text must be. */
static inline bool ep_is_plain(EpPartKind kind) {
  return kind == EP_SIMPLE || kind == EP_PLUS;
}

/* Does text of an expression of this kind, directly behind a host, end the authority or
 * raise? Such an expression cannot write into the authority. */
static inline bool ep_ends_authority(EpPartKind kind) {
  return kind == EP_PATH || kind == EP_QUERY || kind == EP_FRAGMENT || kind == EP_PLUS;
}

typedef struct EpVarspec {
  int variable; /* index in EpTemplate.variables */
  int prefix;   /* characters; 0 without a prefix modifier */
  bool explode;
} EpVarspec;

/* Where the slashes of a literal are, as offsets in it. */
typedef struct EpSlashes {
  bool known;      /* not so if anything but "/" may part segments in it or end the path */
  size_t first;    /* before the first "/"; the literal's size if it has none */
  size_t last_end; /* behind the last "/"; 0 if it has none */
} EpSlashes;

typedef struct EpPart {
  EpPartKind kind;
  bool in_path;      /* of an expression: does it stand in the path? */
  size_t begin;      /* of a literal: offsets in EpTemplate.literals, bytes; */
  size_t end;        /* of an expression: indexes in EpTemplate.varspecs */
  EpSlashes slashes; /* of a literal */
} EpPart;

typedef struct EpTemplate {
  EpPart *parts;
  EpVarspec *varspecs;
  EpName *variables; /* the variables' names, each once, in bytewise order */
  char *literals;    /* the literals, encoded, one behind the other */
  EpSlice text;      /* what was compiled: a copy, which holds the names */
  size_t part_count, varspec_count, literal_size;
  int variable_count;
  size_t authority;    /* offset of the authority in the literals, 0 if not absolute */
  bool origin_literal; /* absolute, and no expression can write into the authority? */
  bool lacks_host;     /* does it begin with http: or the like, but without "//"? */
} EpTemplate;

typedef struct EpTemplateError {
  size_t byte;        /* 1-based, in the text */
  const char *reason; /* a static text */
} EpTemplateError;

/* The room that a template takes at most. */
typedef struct EpTemplateRoom {
  size_t parts, varspecs, literals;
  size_t size; /* bytes in all */
} EpTemplateRoom;

EP_INTERNAL EpTemplateRoom ep_template_room(EpSlice text);

/* Compiles the text into a block of room.size bytes, aligned for any type; the block is the
 * template. NULL if the text is malformed, with *error filled in. */
EP_INTERNAL EpTemplate *ep_template_compile(void *block, EpTemplateRoom room, EpSlice text,
                                            EpTemplateError *error);

#endif
