/* Properties of the URL of every call, and what the harnesses read URLs and templates with. They
 * are written from the contract and share no code with src/. Each check aborts and names the
 * property that is violated. Templates are well-formed. */
#ifndef URL_RULES_H
#define URL_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "slice.h"

enum { SCRATCH = 1 << 18 /* the longest text, bytes */ };

typedef EpSlice Text;

void demand(bool holds, const char *property, Text text);

bool is_letter(char byte);
bool is_digit(char byte);
bool is_hex(char byte);
char lower(char byte);
bool is_unreserved(char byte);
bool is_reserved(char byte);

/* NUL is in no set of bytes. */
bool is_one_of(char byte, const char *set);

bool begins_with(Text text, Text start);
bool ends_with(Text text, const char *end);
bool holds(Text text, const char *needle);
Text up_to(Text text, size_t end);
Text from(Text text, size_t at);

/* The offset of the first of these bytes, from an offset on, or the end if there is none. */
size_t find_one(Text text, size_t at, const char *set);

bool is_triplet(Text text, size_t at);

/* Encodes a text, of which reserved bytes and triplets stay or not. It is good until the next
 * call. */
Text encode(Text text, bool reserved);

/* The bytes of scheme: and of scheme:// at the start, or 0 (RFC 3986 section 3.1). */
size_t scheme_size(Text url);
size_t absolute_size(Text url);

/* The bytes of scheme://authority, or 0. */
size_t origin_size(Text url);

/* Is the text a host, and perhaps a port? */
bool is_host(Text text);

/* Has the URL a scheme that needs a host? */
bool is_special(Text url);

/* Does the URL lack the host that its scheme needs? */
bool lacks_host(Text url);

/* Has the URL home's scheme, host and port (RFC 6454), and no userinfo or home's? */
bool is_at_home(Text url, Text home);

/* A byte of a path as servers read it that decode "%25" as often as they can. */
typedef struct Mark {
  char is; /* "/" for each separator; "." and ";" however written; "?" encoded; else "a" */
  size_t begin, end;
} Mark;

/* Reads a path into `out`, which has room for a mark for each byte. Returns their number. */
size_t read_marks(Text path, Mark *out);

/* The number of the marks before the next separator or the end. */
size_t segment_size(const Mark *marks, size_t count);

/* Is a segment of so many marks "." or ".."? */
bool is_dots(const Mark *marks, size_t count);

/* The bytes of scheme://authority at the start of an absolute template. */
size_t template_origin(Text template);

/* A variable of a template, the next one at each call of next_variable. Start with the template
 * and zeros. */
typedef struct Variable {
  Text template, name;
  size_t at;
  char symbol; /* of its operator; " " for none */
  bool is_inside, is_behind_path;
} Variable;

bool next_variable(Variable *v);

/* Has the template a variable of that name? If the name is cut, its beginning is enough. */
bool has_variable(Text template, Text name, bool is_cut);

/* Checks the bytes of a URL. With `upper` all triplets must be in upper case, since the
 * input has none. */
void check_bytes(Text url, bool upper);

/* Checks the URL of a result against its template and base address. */
void check_url(Text url, Text template, Text base, bool upper);

#endif
