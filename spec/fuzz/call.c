/* Fuzzing of whole calls: bytes -> a route and options -> endpoint(route, options),
 * and what must hold of every result. What it demands of a URL is written anew
 * here, out of the contract, and shares no code with src/.
 *
 * The input is text, so that a corpus can be read and a dictionary helps. Its first
 * line is the route, none if it is empty; each further line is an option,
 *
 *   name=VALUE      VALUE: sTEXT iINTEGER nNUMBER t f 0 (null) F (a function)
 *                          x9:TEXT (nine times) [VALUE,...] {name=VALUE,...}
 *   !d              what follows are defaults
 *   !k40            forty parameters k0, k1, ...
 *   !g              the collector never rests
 *   !z7             a finalizer empties the options in the seventh cycle of the call
 *
 * and a name that begins with # is a number. In a text, \n \r \0 \, \] \} \= and \\
 * stand for the bytes that would end it. */
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int luaopen_endpoint(lua_State *L);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
  RUNS_PER_STATE = 4000, /* a fresh state now and then, so that runs stay alike */
  SCRATCH = 1 << 18,     /* the longest text, bytes */
  DEEPEST = 12,          /* of nested tables */
  MOST_PARAMETERS = 200  /* of !k */
};

/* The Lua stack of a run. */
enum {
  MODULE = 1,
  ENDPOINT, /* the module, or what its defaults() made */
  ROUTE,    /* a string or nil */
  OPTIONS,
  GIVEN,    /* the defaults */
  COPY,     /* of the options, as they were */
  REVERSED, /* the options, entered in another order */
  RESULT,   /* of the call */
  MERGED,   /* of merge */
  LAST = MERGED
};

typedef struct Text {
  const char *bytes;
  size_t size;
} Text;

typedef struct Input {
  const char *at, *end;
  bool has_defaults, stress;
  int cycles;       /* of !z, 0 without */
  bool has_percent; /* is there a "%" in it? */
} Input;

static void violated(const char *property, Text text) {
  fprintf(stderr, "violated: %s: ", property);
  fwrite(text.bytes, 1, text.size, stderr);
  fputc('\n', stderr);
  abort();
}

static void demand(bool holds, const char *property, Text text) {
  if (!holds)
    violated(property, text);
}

static Text text_at(lua_State *L, int index) {
  Text text = {"", 0};
  if (lua_type(L, index) == LUA_TSTRING)
    text.bytes = lua_tolstring(L, index, &text.size);
  return text;
}

/* --- reading ------------------------------------------------------------------ */

static char scratch[SCRATCH];

static bool is_one_of(char byte, const char *set) {
  return memchr(set, byte, strlen(set)) != NULL;
}

/* The byte that an escape stands for; the backslash itself if it is none. */
static char read_escape(Input *in) {
  static const char from[] = "nr0,]}=\\", to[] = "\n\r\0,]}=\\";
  const char *found = NULL;
  if (in->at < in->end)
    found = (const char *)memchr(from, *in->at, sizeof from - 1);
  if (!found)
    return '\\';
  in->at++;
  return to[found - from];
}

/* Reads up to one of the stops into the scratch. */
static Text read_text(Input *in, const char *stops) {
  Text text = {scratch, 0};
  while (in->at < in->end && !is_one_of(*in->at, stops) && text.size < SCRATCH - 1) {
    char byte = *in->at++;
    scratch[text.size++] = byte == '\\' ? read_escape(in) : byte;
  }
  scratch[text.size] = 0;
  return text;
}

static bool skip(Input *in, char byte) {
  bool there = in->at < in->end && *in->at == byte;
  in->at += there;
  return there;
}

static Text read_value_text(Input *in) {
  return read_text(in, ",]}\n");
}

/* [-0, +1] Pushes a text as often as its count says, within the scratch's size. */
static void push_repeated(lua_State *L, Input *in) {
  unsigned long count = strtoul(read_text(in, ":,]}\n").bytes, NULL, 10);
  luaL_Buffer b;
  Text text;
  skip(in, ':');
  text = read_value_text(in);
  luaL_buffinit(L, &b);
  for (size_t size = 0; count > 0 && size + text.size < SCRATCH; count--, size += text.size + 1)
    luaL_addlstring(&b, text.bytes, text.size);
  luaL_pushresult(&b);
}

static void push_value(lua_State *L, Input *in, int depth);

/* [-0, +1] */
static void push_key(lua_State *L, Input *in) {
  Text text = read_text(in, "=,]}\n");
  if (text.size > 1 && text.bytes[0] == '#')
    lua_pushinteger(L, (lua_Integer)strtol(text.bytes + 1, NULL, 10));
  else
    lua_pushlstring(L, text.bytes, text.size);
  skip(in, '=');
}

/* [-0, +1] */
static void push_map(lua_State *L, Input *in, int depth) {
  lua_newtable(L);
  while (in->at < in->end && !is_one_of(*in->at, "}\n")) {
    push_key(L, in);
    push_value(L, in, depth);
    lua_rawset(L, -3);
    skip(in, ']'); /* belongs to nobody here */
    skip(in, ',');
  }
  skip(in, '}');
}

/* [-0, +1] */
static void push_list(lua_State *L, Input *in, int depth) {
  lua_newtable(L);
  for (int i = 1; in->at < in->end && !is_one_of(*in->at, "]\n"); i++) {
    push_value(L, in, depth);
    lua_rawseti(L, -2, i);
    skip(in, '}');
    skip(in, ',');
  }
  skip(in, ']');
}

static int nothing(lua_State *L) {
  (void)L;
  return 0;
}

/* [-0, +1] */
static void push_value(lua_State *L, Input *in, int depth) {
  char kind = in->at < in->end && *in->at != '\n' ? *in->at++ : '0';
  Text text;
  if (kind == '[' && depth < DEEPEST) {
    push_list(L, in, depth + 1);
  } else if (kind == '{' && depth < DEEPEST) {
    push_map(L, in, depth + 1);
  } else if (kind == 'x') {
    push_repeated(L, in);
  } else if (kind == 't' || kind == 'f') {
    lua_pushboolean(L, kind == 't');
  } else if (kind == '0') {
    lua_pushlightuserdata(L, NULL);
  } else if (kind == 'F') {
    lua_pushcfunction(L, nothing);
  } else {
    text = read_value_text(in);
    if (kind == 'i')
      lua_pushinteger(L, (lua_Integer)strtoll(text.bytes, NULL, 10));
    else if (kind == 'n')
      lua_pushnumber(L, strtod(text.bytes, NULL));
    else
      lua_pushlstring(L, text.bytes, text.size);
  }
}

/* [-0, +0] Enters the parameters of !k into the table at an index. */
static void enter_many(lua_State *L, int table, int count) {
  char name[16];
  for (int i = 0; i < count && i < MOST_PARAMETERS; i++) {
    snprintf(name, sizeof name, "k%d", i);
    lua_pushstring(L, name);
    lua_pushinteger(L, i);
    lua_rawset(L, table);
  }
}

/* Obeys a line that begins with "!". Returns the table that the next ones are for. */
static int obey(lua_State *L, Input *in, int table) {
  Text text = read_text(in, "\n");
  int number = text.size > 1 ? (int)(strtoul(text.bytes + 1, NULL, 10) % 256) : 0;
  if (text.bytes[0] == 'd') {
    in->has_defaults = true;
    return GIVEN;
  }
  in->stress = in->stress || text.bytes[0] == 'g';
  if (text.bytes[0] == 'z')
    in->cycles = number + 1;
  if (text.bytes[0] == 'k')
    enter_many(L, table, number);
  return table;
}

/* Fills ROUTE, OPTIONS and GIVEN. */
static void read_input(lua_State *L, Input *in) {
  Text route = read_text(in, "\n");
  int table = OPTIONS;
  if (route.size > 0)
    lua_pushlstring(L, route.bytes, route.size);
  else
    lua_pushnil(L);
  lua_replace(L, ROUTE);
  lua_newtable(L);
  lua_replace(L, OPTIONS);
  lua_newtable(L);
  lua_replace(L, GIVEN);
  while (skip(in, '\n')) {
    if (skip(in, '!')) {
      table = obey(L, in, table);
    } else if (in->at < in->end && *in->at != '\n') {
      push_key(L, in);
      push_value(L, in, 0);
      lua_rawset(L, table);
    }
    read_text(in, "\n");
  }
}

/* --- tables ------------------------------------------------------------------- */

static bool equal(lua_State *L, int a, int b);

/* Is every field of one table in the other? */
static bool is_within(lua_State *L, int a, int b) {
  const int top = lua_gettop(L);
  bool same = true;
  lua_pushnil(L);
  while (same && lua_next(L, a)) {
    lua_pushvalue(L, top + 1);
    lua_rawget(L, b);
    same = equal(L, top + 2, top + 3);
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
  return same;
}

/* Are the values at two absolute indexes equal, field by field? NaN equals itself. */
static bool equal(lua_State *L, int a, int b) {
  if (lua_rawequal(L, a, b))
    return lua_isinteger(L, a) == lua_isinteger(L, b);
  luaL_checkstack(L, 8, "harness");
  if (lua_istable(L, a) && lua_istable(L, b))
    return is_within(L, a, b) && is_within(L, b, a);
  return lua_type(L, a) == LUA_TNUMBER && lua_type(L, b) == LUA_TNUMBER &&
         lua_tonumber(L, a) != lua_tonumber(L, a) && lua_tonumber(L, b) != lua_tonumber(L, b);
}

static void push_copy(lua_State *L, int from, bool reversed);

/* [-1, +0] Enters the key on top, with a copy of its value, into the table below. */
static void enter_copy(lua_State *L, int from, bool reversed) {
  const int key = lua_gettop(L);
  lua_pushvalue(L, key);
  lua_rawget(L, from);
  push_copy(L, key + 1, reversed);
  lua_replace(L, key + 1);
  lua_rawset(L, key - 1);
}

/* [-0, +1] Pushes a deep copy of the value at an absolute index; its fields are
 * entered in the order of lua_next or against it. */
static void push_copy(lua_State *L, int from, bool reversed) {
  const int to = lua_gettop(L) + 1;
  int count = 0;
  luaL_checkstack(L, 4 * MOST_PARAMETERS, "harness");
  if (!lua_istable(L, from)) {
    lua_pushvalue(L, from);
    return;
  }
  lua_newtable(L); /* the keys */
  lua_pushnil(L);
  while (lua_next(L, from)) {
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, to, ++count);
  }
  lua_newtable(L);
  for (int i = 1; i <= count; i++) {
    lua_rawgeti(L, to, reversed ? count + 1 - i : i);
    enter_copy(L, from, reversed);
  }
  lua_replace(L, to);
}

/* [-0, +0] Overwrites all that hangs on the table at an absolute index. */
static void scribble(lua_State *L, int table) {
  luaL_checkstack(L, 8, "harness");
  lua_pushnil(L);
  while (lua_next(L, table)) {
    if (lua_istable(L, -1))
      scribble(L, lua_gettop(L));
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    lua_pushliteral(L, "scribbled");
    lua_rawset(L, table);
  }
}

/* --- what must hold of headers and methods -------------------------------------- */

static bool is_letter(char byte) {
  return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

static bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

/* tchar of RFC 9110 section 5.6.2 */
static bool is_token(Text text, char first_forbidden) {
  for (size_t i = 0; i < text.size; i++) {
    char byte = text.bytes[i];
    if (byte >= first_forbidden && byte <= first_forbidden + 25)
      return false;
    if (!byte || (!is_letter(byte) && !is_digit(byte) && !is_one_of(byte, "!#$%&'*+-.^_`|~")))
      return false;
  }
  return text.size > 0;
}

static void check_header_text(Text text) {
  demand(!memchr(text.bytes, '\r', text.size), "no CR in a header", text);
  demand(!memchr(text.bytes, '\n', text.size), "no LF in a header", text);
  demand(!memchr(text.bytes, 0, text.size), "no NUL in a header", text);
}

static void check_header_value(lua_State *L, int value, Text name) {
  int type = lua_type(L, value);
  if (type == LUA_TTABLE) {
    for (lua_Unsigned i = 1; i <= lua_rawlen(L, value); i++) {
      lua_rawgeti(L, value, (lua_Integer)i);
      demand(lua_type(L, -1) == LUA_TSTRING, "a header's list holds strings", name);
      check_header_text(text_at(L, -1));
      lua_pop(L, 1);
    }
    return;
  }
  demand(type == LUA_TSTRING || type == LUA_TNUMBER || type == LUA_TBOOLEAN,
         "a header is a string, number, boolean or list", name);
  if (type == LUA_TNUMBER)
    demand(lua_tonumber(L, value) - lua_tonumber(L, value) == 0, "a header is finite", name);
  check_header_text(text_at(L, value));
}

/* Checks the headers field of the table at an absolute index. */
static void check_headers(lua_State *L, int table) {
  const int headers = lua_gettop(L) + 1;
  Text none = {"", 0};
  lua_pushliteral(L, "headers");
  lua_rawget(L, table);
  demand(lua_istable(L, headers), "there are headers", none);
  lua_pushnil(L);
  while (lua_next(L, headers)) {
    demand(is_token(text_at(L, headers + 1), 'A'), "header names are lower-case tokens",
           text_at(L, headers + 1));
    check_header_value(L, headers + 2, text_at(L, headers + 1));
    lua_pop(L, 1);
  }
  lua_settop(L, headers - 1);
}

/* [-0, +1] Pushes a field, a string or nil, and returns its text. */
static Text push_field(lua_State *L, int table, const char *name) {
  lua_pushstring(L, name);
  lua_rawget(L, table);
  return text_at(L, -1);
}

static void check_method(lua_State *L, int table, char first_forbidden) {
  Text method = push_field(L, table, "method");
  demand(is_token(method, first_forbidden), "the method is a token of one case", method);
  lua_pop(L, 1);
}

/* --- what must hold of URLs ------------------------------------------------------- */

static bool is_hex(char byte) {
  return is_digit(byte) || (byte >= 'A' && byte <= 'F') || (byte >= 'a' && byte <= 'f');
}

static bool is_upper_hex(char byte) {
  return is_digit(byte) || (byte >= 'A' && byte <= 'F');
}

static bool is_triplet(Text text, size_t at) {
  return at + 2 < text.size && text.bytes[at] == '%' && is_hex(text.bytes[at + 1]) &&
         is_hex(text.bytes[at + 2]);
}

/* RFC 3986: unreserved, gen-delims, sub-delims. */
static bool is_url_byte(char byte) {
  return is_letter(byte) || is_digit(byte) || (byte && is_one_of(byte, "-._~:/?#[]@!$&'()*+,;="));
}

static void check_bytes(Text url, bool upper) {
  for (size_t i = 0; i < url.size; i++) {
    if (url.bytes[i] == '%') {
      demand(is_triplet(url, i), "every % begins a triplet", url);
      demand(!upper || (is_upper_hex(url.bytes[i + 1]) && is_upper_hex(url.bytes[i + 2])),
             "triplets are upper-case", url);
    } else {
      demand(is_url_byte(url.bytes[i]), "a URL holds only what RFC 3986 allows", url);
    }
  }
}

static bool begins_with(Text text, Text start) {
  return text.size >= start.size && memcmp(text.bytes, start.bytes, start.size) == 0;
}

/* Literals as RFC 6570 section 3.1 encodes them. No text is longer than the scratch. */
static Text encode(Text text) {
  static char encoded[3 * SCRATCH + 1];
  Text out = {encoded, 0};
  demand(text.size <= SCRATCH, "the harness has room to encode", out);
  for (size_t i = 0; i < text.size; i++) {
    if (is_url_byte(text.bytes[i]) || is_triplet(text, i))
      encoded[out.size++] = text.bytes[i];
    else
      out.size += (size_t)snprintf(encoded + out.size, 4, "%%%02X", (unsigned char)text.bytes[i]);
  }
  return out;
}

/* The bytes of scheme:// at the start, or 0 (RFC 3986 section 3.1). */
static size_t absolute_size(Text url) {
  size_t i = 0;
  if (url.size == 0 || !is_letter(url.bytes[0]))
    return 0;
  while (i < url.size && url.bytes[i] &&
         (is_letter(url.bytes[i]) || is_digit(url.bytes[i]) || is_one_of(url.bytes[i], "+-.")))
    i++;
  return url.size - i >= 3 && memcmp(url.bytes + i, "://", 3) == 0 ? i + 3 : 0;
}

/* Where the authority that begins at an offset ends. */
static size_t authority_end(Text url, size_t at) {
  while (at < url.size && (!url.bytes[at] || !is_one_of(url.bytes[at], "/?#")))
    at++;
  return at;
}

static size_t count(Text text, size_t at, size_t end, char byte) {
  size_t found = 0;
  for (; at < end; at++)
    found += text.bytes[at] == byte;
  return found;
}

static bool begins_with_expression(Text template) {
  return template.size > 1 &&
         (template.bytes[0] == '{' ||
          (template.bytes[0] == ':' && (is_letter(template.bytes[1]) || template.bytes[1] == '_')));
}

/* The template names the host: what of its authority is literal comes out as it
 * is, values bring no other host. Without an expression the "@" are counted up to the
 * authority's end; {/x} and the like may end it or not, so then all of them count. */
static void check_own_host(Text url, Text template) {
  size_t authority = absolute_size(template), end = authority_end(template, authority);
  const char *brace = (const char *)memchr(template.bytes, '{', end);
  Text literal = {template.bytes, brace ? (size_t)(brace - template.bytes) : end};
  size_t url_end = authority_end(url, authority);
  size_t own = count(template, authority, brace ? template.size : end, '@');
  demand(begins_with(url, encode(literal)), "the literal start of the host stays", url);
  demand(count(url, authority, url_end, '@') <= own, "values bring no userinfo", url);
  if (!brace)
    demand(url_end == encode(literal).size, "the host ends where it did", url);
}

/* The base names the host, or is a path. */
static void check_base(Text url, Text base) {
  Text start = encode(base);
  if (start.size > 0 && start.bytes[start.size - 1] == '/')
    start.size--;
  demand(begins_with(url, start), "a URL begins with its base", url);
  demand(url.size == start.size || is_one_of(url.bytes[start.size], "/?#"),
         "the base's host ends where it did", url);
}

static void check_host(Text url, Text template, Text base) {
  bool names_host = url.size > 1 && memcmp(url.bytes, "//", 2) == 0;
  if (absolute_size(template) > 0) {
    check_own_host(url, template);
    return;
  }
  if (base.size > 0)
    check_base(url, base);
  if (base.size > 0 || !begins_with_expression(template)) {
    demand(!names_host, "values name no host", url);
    demand(absolute_size(base) > 0 || absolute_size(url) == 0, "values make no scheme", url);
  }
}

/* --- segments --------------------------------------------------------------------- */

static size_t skip_dot(Text text, size_t at) {
  if (at < text.size && text.bytes[at] == '.')
    return at + 1;
  if (is_triplet(text, at) && text.bytes[at + 1] == '2' && (text.bytes[at + 2] | 0x20) == 'e')
    return at + 3;
  return at;
}

/* Does the segment of a template or URL end here, or an expression that does not
 * belong to it begin? */
static bool ends_segment(Text text, size_t at) {
  if (at == text.size || (text.bytes[at] && is_one_of(text.bytes[at], "/?#;")))
    return true;
  return text.bytes[at] == '{' && at + 1 < text.size && text.bytes[at + 1] &&
         is_one_of(text.bytes[at + 1], "/?#;&");
}

static bool is_dots(Text text, size_t at) {
  size_t one = skip_dot(text, at);
  return one > at && (ends_segment(text, one) || ends_segment(text, skip_dot(text, one)));
}

/* How many segments are "." or ".."? In a URL only those of the path, of a template
 * those that are literal. */
static size_t count_dots(Text text, bool is_url) {
  size_t found = is_dots(text, 0), at = is_url ? absolute_size(text) : 0;
  if (at > 0)
    at = authority_end(text, at);
  for (; at < text.size && !(is_url && is_one_of(text.bytes[at], "?#")); at++)
    if (text.bytes[at] == '/')
      found += is_dots(text, at + 1);
  return found;
}

static bool holds(Text text, const char *needle) {
  size_t size = strlen(needle);
  for (size_t i = 0; i + size <= text.size; i++)
    if (memcmp(text.bytes + i, needle, size) == 0)
      return true;
  return false;
}

/* Has the template an expression with an operator? */
static bool has_operator(Text template) {
  for (size_t i = 0; i + 1 < template.size; i++)
    if (template.bytes[i] == '{' && is_one_of(template.bytes[i + 1], "+#./;?&"))
      return true;
  return false;
}

/* Without operators, and without "//" in a literal, there is no empty segment. */
static void check_empty_segments(Text url, Text template, Text base) {
  size_t url_at = absolute_size(url), template_at = absolute_size(template);
  size_t base_at = absolute_size(base), end = url_at;
  Text path = {url.bytes + url_at, 0};
  Text own = {template.bytes + template_at, template.size - template_at};
  Text base_path = {base.bytes + base_at, base.size - base_at};
  if (has_operator(template) || holds(own, "//") || holds(base_path, "//"))
    return;
  while (end < url.size && !is_one_of(url.bytes[end], "?#"))
    end++;
  path.size = end - url_at;
  demand(!holds(path, "//"), "no segment vanishes", url);
}

static void check_url(Text url, Text template, Text base, bool upper) {
  check_bytes(url, upper);
  check_host(url, template, base);
  demand(count_dots(url, true) <= count_dots(template, false) + count_dots(base, true),
         "no value makes a dot segment", url);
  check_empty_segments(url, template, base);
}

/* --- the calls -------------------------------------------------------------------- */

static void check_message(lua_State *L) {
  Text none = {"", 0};
  demand(lua_type(L, -1) == LUA_TSTRING, "an error is a string", none);
  demand(holds(text_at(L, -1), "endpoint: "), "an error names endpoint", text_at(L, -1));
}

/* [-1, +1] Calls the function on top with the route, if there is one, and the options. */
static bool call(lua_State *L, int options) {
  int arguments = 1;
  if (!lua_isnil(L, ROUTE)) {
    lua_pushvalue(L, ROUTE);
    arguments++;
  }
  lua_pushvalue(L, options);
  if (lua_pcall(L, arguments, 1, 0) == LUA_OK)
    return true;
  check_message(L);
  return false;
}

/* [-0, +1] */
static bool call_endpoint(lua_State *L, int options) {
  lua_pushvalue(L, ENDPOINT);
  return call(L, options);
}

/* [-0, +1] */
static bool call_merge(lua_State *L) {
  lua_getfield(L, ENDPOINT, "merge");
  return call(L, OPTIONS);
}

/* [-0, +1] Pushes parse's result for the merged options, or its message. */
static bool call_parse(lua_State *L) {
  lua_getfield(L, ENDPOINT, "parse");
  lua_pushvalue(L, MERGED);
  if (lua_pcall(L, 1, 1, 0) == LUA_OK)
    return true;
  check_message(L);
  return false;
}

/* The route's URL is merge's, and the call's base is. */
static void check_merged_url(lua_State *L, Text template) {
  Text route = text_at(L, ROUTE), none = {"", 0};
  if (lua_isnil(L, ROUTE))
    return;
  while (route.size > 0 && is_one_of(route.bytes[route.size - 1], " \t\n\v\f\r"))
    route.size--;
  demand(template.size > 0 && template.size <= route.size &&
             memcmp(route.bytes + route.size - template.size, template.bytes, template.size) == 0,
         "the URL is the route's", template);
  lua_getfield(L, OPTIONS, "baseUrl");
  push_field(L, MERGED, "baseUrl");
  demand(lua_type(L, -2) != LUA_TSTRING || lua_rawequal(L, -1, -2), "the base is the call's", none);
  lua_pop(L, 2);
}

/* Without data and defaults the body holds options of the call, as they were given. */
static void check_body(lua_State *L) {
  const int top = lua_gettop(L), body = top + 1, given = top + 2, key = top + 3;
  push_field(L, RESULT, "body");
  push_field(L, OPTIONS, "data");
  if (lua_istable(L, body) && lua_isnil(L, given)) {
    lua_pushnil(L);
    while (lua_next(L, body)) {
      lua_pushvalue(L, key);
      lua_rawget(L, OPTIONS);
      demand(lua_rawequal(L, key + 1, key + 2) || /* not by value, but for NaN */
                 (lua_type(L, key + 1) == LUA_TNUMBER && equal(L, key + 1, key + 2)),
             "a body holds what was given", text_at(L, key));
      lua_settop(L, key);
    }
  }
  lua_settop(L, top);
}

static void check_result(lua_State *L, bool upper) {
  Text template = push_field(L, MERGED, "url"), base = push_field(L, MERGED, "baseUrl");
  Text url = push_field(L, RESULT, "url");
  check_merged_url(L, template);
  check_method(L, MERGED, 'a');
  check_method(L, RESULT, 'A');
  check_headers(L, MERGED);
  check_headers(L, RESULT);
  demand(lua_type(L, -1) == LUA_TSTRING, "there is a URL", url);
  check_url(url, template, base, upper);
  lua_pop(L, 3);
}

/* Calls again with equal options and compares: the same table, then one that was
 * filled in another order, whose message alone may differ. */
static void check_again(lua_State *L, bool ok) {
  Text none = {"", 0};
  bool again = call_endpoint(L, OPTIONS);
  demand(again == ok && equal(L, RESULT, lua_gettop(L)), "the same call gives the same", none);
  again = call_endpoint(L, REVERSED);
  demand(again == ok && (!ok || equal(L, RESULT, lua_gettop(L))), "no order shows", none);
  demand(equal(L, OPTIONS, COPY), "the options are unchanged", none);
  lua_settop(L, LAST);
}

/* endpoint(o) is parse(merge(o)). */
static void check_halves(lua_State *L, bool ok) {
  Text none = {"", 0};
  bool halves = call_merge(L);
  lua_replace(L, MERGED);
  if (halves) {
    check_headers(L, MERGED);
    halves = call_parse(L);
    demand(!halves || equal(L, RESULT, lua_gettop(L)), "endpoint(o) is parse(merge(o))", none);
  }
  demand(halves == ok, "endpoint(o) raises if parse(merge(o)) does", none);
  demand(equal(L, OPTIONS, COPY), "the options are unchanged", none);
  lua_settop(L, LAST);
}

/* [-1, +0] Overwrites the table on top, but for `request`, which is the caller's. */
static void spoil(lua_State *L) {
  if (lua_istable(L, -1)) {
    lua_pushnil(L);
    lua_setfield(L, -2, "request");
    scribble(L, lua_gettop(L));
  }
  lua_pop(L, 1);
}

/* Nothing that is done to what an endpoint hands out changes it. */
static void check_defaults(lua_State *L) {
  Text none = {"", 0};
  lua_getfield(L, ENDPOINT, "DEFAULTS");
  push_copy(L, LAST + 1, false);
  spoil(L);
  lua_pushvalue(L, ENDPOINT);
  lua_pushvalue(L, ROUTE);
  if (lua_pcall(L, 1, 1, 0) == LUA_OK)
    spoil(L);
  lua_settop(L, LAST + 1);
  push_copy(L, LAST + 1, false);
  lua_pushvalue(L, LAST + 1);
  spoil(L);
  lua_getfield(L, ENDPOINT, "DEFAULTS");
  demand(equal(L, LAST + 2, LAST + 3), "defaults do not change", none);
  lua_settop(L, LAST);
}

/* --- collectors ------------------------------------------------------------------- */

/* A full cycle at nearly every allocation, or as Lua has it. */
static void stress_collector(lua_State *L, bool on) {
  lua_gc(L, LUA_GCINC, 0, on ? 1000 : 100, on ? 100 : 13);
  lua_gc(L, LUA_GCSETPAUSE, on ? 0 : 200);
}

static void arm(lua_State *L, int table, int cycles);

static void empty_table(lua_State *L, int table) {
  lua_pushnil(L);
  while (lua_next(L, table)) {
    if (lua_istable(L, -1))
      empty_table(L, lua_gettop(L));
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    lua_pushnil(L);
    lua_rawset(L, table);
  }
}

static int finalize(lua_State *L) {
  int cycles = (int)lua_tointeger(L, lua_upvalueindex(2));
  if (cycles > 1)
    arm(L, lua_upvalueindex(1), cycles - 1);
  else
    empty_table(L, lua_upvalueindex(1));
  return 0;
}

/* [-0, +0] Leaves garbage whose finalizer will empty the table. */
static void arm(lua_State *L, int table, int cycles) {
  lua_pushvalue(L, table);
  lua_newuserdatauv(L, 1, 0);
  lua_newtable(L);
  lua_pushvalue(L, -3);
  lua_pushinteger(L, cycles);
  lua_pushcclosure(L, finalize, 2);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_pop(L, 2);
}

/* Calls while the options vanish: whatever comes out of it, it is no crash. All
 * else that would keep their strings alive goes before. */
static void call_under_finalizer(lua_State *L, const Input *in) {
  for (int i = GIVEN; i <= LAST; i++) {
    lua_pushnil(L);
    lua_replace(L, i);
  }
  stress_collector(L, true);
  arm(L, OPTIONS, in->cycles);
  if (call_endpoint(L, OPTIONS)) {
    lua_replace(L, RESULT);
    check_bytes(push_field(L, RESULT, "url"), false);
    check_headers(L, RESULT);
    check_method(L, RESULT, 'A');
  }
  stress_collector(L, false);
  lua_settop(L, LAST);
}

/* --- a run ------------------------------------------------------------------------ */

/* Puts the endpoint in place; false if the defaults are refused. */
static bool make_endpoint(lua_State *L, const Input *in) {
  lua_pushvalue(L, MODULE);
  if (in->has_defaults) {
    lua_getfield(L, MODULE, "defaults");
    lua_pushvalue(L, GIVEN);
    if (lua_pcall(L, 1, 1, 0) != LUA_OK) {
      check_message(L);
      return false;
    }
  }
  lua_replace(L, ENDPOINT);
  return true;
}

static void run(lua_State *L, Input *in) {
  bool ok;
  read_input(L, in);
  push_copy(L, OPTIONS, false);
  lua_replace(L, COPY);
  push_copy(L, OPTIONS, true);
  lua_replace(L, REVERSED);
  if (in->stress)
    stress_collector(L, true);
  if (make_endpoint(L, in)) {
    ok = call_endpoint(L, OPTIONS);
    lua_replace(L, RESULT);
    check_again(L, ok);
    check_halves(L, ok);
    if (ok)
      check_result(L, !in->has_percent);
    if (ok && !in->has_defaults)
      check_body(L);
    if (in->has_defaults)
      check_defaults(L);
    if (in->cycles > 0)
      call_under_finalizer(L, in);
  }
  stress_collector(L, false);
}

static lua_State *open_state(void) {
  lua_State *L = luaL_newstate();
  if (!L)
    abort();
  luaL_requiref(L, "endpoint", luaopen_endpoint, 0);
  luaL_checkstack(L, LUAI_MAXSTACK / 100, "harness");
  return L;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static lua_State *L;
  static unsigned runs;
  const char *bytes = (const char *)data;
  Input in = {bytes, bytes + size, false, false, 0, false};
  if (size > SCRATCH / 4)
    return 0;
  in.has_percent = size > 0 && memchr(data, '%', size) != NULL;
  if (runs++ % RUNS_PER_STATE == 0) {
    if (L)
      lua_close(L);
    L = open_state();
  }
  lua_settop(L, MODULE);
  lua_settop(L, LAST);
  run(L, &in);
  return 0;
}
