/* What must hold of the URL of any call, whatever the values are. Written anew out of the
 * contract: no code is shared with src/. Each check aborts with the property that does not
 * hold. A template is well-formed here. */
#ifndef URL_RULES_H
#define URL_RULES_H

#include <stdbool.h>
#include <stddef.h>

enum { SCRATCH = 1 << 18 /* the longest text, bytes */ };

typedef struct Text {
  const char *bytes;
  size_t size;
} Text;

void demand(bool holds, const char *property, Text text);

bool is_letter(char byte);
bool is_digit(char byte);

/* NUL is in no set. */
bool is_one_of(char byte, const char *set);

bool begins_with(Text text, Text start);
bool ends_with(Text text, const char *end);
bool holds(Text text, const char *needle);

/* The bytes of scheme:// at the start, or 0 (RFC 3986 section 3.1). */
size_t absolute_size(Text url);

/* Have two texts, of URLs or templates, the same scheme, host and port (RFC 6454), as far
 * as the first expression? What is not absolute has no origin. */
bool same_origin(Text a, Text b);

/* Can an expression write into the authority of an absolute template? */
bool is_open(Text template);

/* Has the template a variable of that name? Of a long one the beginning is enough. */
bool has_variable(Text template, Text name, bool is_cut);

/* Checks the bytes of a URL. Are triplets upper-case, since the input has none of its own? */
void check_bytes(Text url, bool upper);

/* Checks a result's URL against the template and base address that it is made of. */
void check_url(Text url, Text template, Text base, bool upper);

#endif
