/* Properties of the URL of every call. They are written from the contract and share no code
 * with src/. Each check aborts and names the property that is violated. Templates are
 * well-formed. */
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

/* NUL is in no set of bytes. */
bool is_one_of(char byte, const char *set);

bool begins_with(Text text, Text start);
bool ends_with(Text text, const char *end);
bool holds(Text text, const char *needle);

/* The bytes of scheme:// at the start, or 0 (RFC 3986 section 3.1). */
size_t absolute_size(Text url);

/* Have two URLs or templates the same scheme, host and port (RFC 6454), up to the first
 * expression? Without "://" there is no origin. */
bool same_origin(Text a, Text b);

/* Can an expression write into the authority of an absolute template? */
bool is_open(Text template);

/* Has the template a variable of that name? If the name is cut, its beginning is enough. */
bool has_variable(Text template, Text name, bool is_cut);

/* Checks the bytes of a URL. With `upper` all triplets must be in upper case, since the
 * input has none. */
void check_bytes(Text url, bool upper);

/* Checks the URL of a result against its template and base address. */
void check_url(Text url, Text template, Text base, bool upper);

#endif
