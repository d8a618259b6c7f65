/* Fuzzing of whole calls: bytes become a route and options, and endpoint(route, options) is
 * called. The properties of every result and error are checked. They are written from the
 * contract, here and in url_rules.c, and share no code with src/.
 *
 * The input is text, so that people can read the corpus and a dictionary helps. Its first
 * line is the route, or empty for none. Each further line is an option,
 *
 *   name=VALUE      VALUE: sTEXT iINTEGER nNUMBER t f 0 (null) F (a function)
 *                          x9:TEXT (nine times) [VALUE,...] {name=VALUE,...}
 *   !d              the next lines are defaults
 *   !k40            forty parameters k0, k1, ...
 *   !g              the collector never rests
 *   !z7             a finalizer empties the options in the seventh cycle of the call
 *
 * and a name that begins with # is a number. In a text, \n \r \0 \, \] \} \= and \\
 * stand for bytes that would end it. */
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "url_rules.h"

int luaopen_endpoint(lua_State *L);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
  RUNS_PER_STATE = 4000, /* then a new state, so that runs are alike */
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
  COPY,     /* a copy of the options before the call */
  REVERSED, /* the options, filled in another order */
  RESULT,   /* of the call */
  MERGED,   /* of merge */
  LAST = MERGED
};

typedef struct Input {
  const char *at, *end;
  bool has_defaults, stress;
  int cycles;       /* of !z, 0 without */
  bool has_percent; /* is there a "%" in it? */
} Input;

static Text text_at(lua_State *L, int index) {
  Text text = {"", 0};
  if (lua_type(L, index) == LUA_TSTRING)
    text.bytes = lua_tolstring(L, index, &text.size);
  return text;
}

/* --- reading ------------------------------------------------------------------ */

static char scratch[SCRATCH];

/* The byte that an escape stands for, or the backslash if this is no escape. */
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

/* Reads up to one of the stop bytes into the scratch buffer. */
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

/* [-0, +1] Pushes a text repeated by its count, within the size of the scratch buffer. */
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
    skip(in, ']'); /* nothing refers to it */
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

/* [-0, +0] Sets the parameters of !k in the table at an index. */
static void set_many(lua_State *L, int table, int count) {
  char name[16];
  for (int i = 0; i < count && i < MOST_PARAMETERS; i++) {
    snprintf(name, sizeof name, "k%d", i);
    lua_pushstring(L, name);
    lua_pushinteger(L, i);
    lua_rawset(L, table);
  }
}

/* Executes a line that begins with "!". Returns the table that the next lines fill. */
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
    set_many(L, table, number);
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

/* [-1, +0] Sets the key on top, with a copy of its value, in the table below. */
static void set_copy(lua_State *L, int from, bool reversed) {
  const int key = lua_gettop(L);
  lua_pushvalue(L, key);
  lua_rawget(L, from);
  push_copy(L, key + 1, reversed);
  lua_replace(L, key + 1);
  lua_rawset(L, key - 1);
}

/* [-0, +1] Pushes a deep copy of the value at an absolute index. Its fields are set in the
 * order of lua_next, or in the reverse order. */
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
    set_copy(L, from, reversed);
  }
  lua_replace(L, to);
}

/* [-0, +0] Overwrites the table at an absolute index, and all tables in it. */
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

/* --- properties of headers and methods ------------------------------------------ */

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

/* merge's url and baseUrl are those of the call. */
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

/* Without data and defaults the body holds options of the call, unchanged. */
static void check_body(lua_State *L) {
  const int top = lua_gettop(L), body = top + 1, given = top + 2, key = top + 3;
  push_field(L, RESULT, "body");
  push_field(L, OPTIONS, "data");
  if (lua_istable(L, body) && lua_isnil(L, given)) {
    lua_pushnil(L);
    while (lua_next(L, body)) {
      lua_pushvalue(L, key);
      lua_rawget(L, OPTIONS);
      demand(lua_rawequal(L, key + 1, key + 2) || /* by reference, but NaN differs from itself */
                 (lua_type(L, key + 1) == LUA_TNUMBER && equal(L, key + 1, key + 2)),
             "a body holds what was given", text_at(L, key));
      lua_settop(L, key);
    }
  }
  lua_settop(L, top);
}

/* A content-type that the call did not give means JSON, of a table, number or boolean. */
static void check_label(lua_State *L) {
  const int top = lua_gettop(L);
  bool is_labelled, is_json;
  int body;
  Text none = {"", 0};
  push_field(L, MERGED, "headers");
  push_field(L, top + 1, "content-type");
  if (lua_isnil(L, top + 2)) {
    push_field(L, RESULT, "headers");
    push_field(L, top + 3, "content-type");
    push_field(L, RESULT, "body");
    body = lua_type(L, top + 5);
    is_labelled = !lua_isnil(L, top + 4);
    is_json = body == LUA_TTABLE || body == LUA_TNUMBER || body == LUA_TBOOLEAN;
    demand(is_labelled == is_json, "what can be JSON is labelled, and nothing else", none);
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
  check_label(L);
  lua_pop(L, 3);
}

/* Calls again with equal options and compares: first with the same table, then with one
 * that was filled in another order. There only an error message may differ. */
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

/* [-1, +0] Overwrites the table on top, except `request`, which is the caller's. */
static void spoil(lua_State *L) {
  if (lua_istable(L, -1)) {
    lua_pushnil(L);
    lua_setfield(L, -2, "request");
    scribble(L, lua_gettop(L));
  }
  lua_pop(L, 1);
}

/* Changes to the tables that an endpoint returns do not change the endpoint. */
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

/* --- credentials ------------------------------------------------------------------ */

/* The URL of a route, behind its method. */
static Text url_of(Text route) {
  static const char space[] = " \t\n\v\f\r";
  const char *end = route.bytes + route.size, *at = route.bytes;
  Text url;
  while (end > at && is_one_of(end[-1], space))
    end--;
  while (at < end && is_one_of(*at, space))
    at++;
  url.bytes = at;
  while (at < end && !is_one_of(*at, space))
    at++;
  while (at < end && is_one_of(*at, space))
    at++;
  if (at < end)
    url.bytes = at;
  url.size = (size_t)(end - url.bytes);
  return url;
}

/* [-0, +1] Pushes the template of the call, or else of the defaults, or nil. */
static Text push_template(lua_State *L, bool *is_given) {
  Text url = url_of(text_at(L, ROUTE));
  *is_given = true;
  if (!lua_isnil(L, ROUTE)) {
    lua_pushlstring(L, url.bytes, url.size);
    return text_at(L, -1);
  }
  url = push_field(L, OPTIONS, "url");
  if (lua_type(L, -1) == LUA_TSTRING)
    return url;
  *is_given = false;
  lua_pop(L, 1);
  lua_getfield(L, ENDPOINT, "DEFAULTS");
  url = push_field(L, lua_gettop(L), "url");
  lua_replace(L, -2);
  return url;
}

/* Is a header or parameter of that name a credential? Case, "-" and "_" do not count. */
static bool is_credential(Text name) {
  static const char *const endings[] = {
      "assertion", "auth",      "authorization", "cookie",    "credential", "credentials",
      "jwt",       "key",       "passphrase",    "passwd",    "password",   "secret",
      "session",   "sessionid", "sig",           "signature", "token"};
  Text plain = {scratch, 0};
  for (size_t i = 0; i < name.size && plain.size < SCRATCH; i++)
    if (name.bytes[i] != '-' && name.bytes[i] != '_')
      scratch[plain.size++] = lower(name.bytes[i]);
  if (ends_with(plain, "idempotencykey") || ends_with(plain, "websocketkey"))
    return false;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (ends_with(plain, endings[i]))
      return true;
  return false;
}

/* Does the call give the header of that lower-case name? A null for it, or for all headers,
 * removes the default. */
static bool gives_header(lua_State *L, Text name) {
  const int headers = lua_gettop(L) + 1;
  bool found;
  lua_getfield(L, OPTIONS, "headers");
  found = lua_type(L, headers) == LUA_TLIGHTUSERDATA;
  if (lua_istable(L, headers)) {
    lua_pushnil(L);
    while (!found && lua_next(L, headers)) {
      Text key = text_at(L, headers + 1);
      found = key.size == name.size;
      for (size_t i = 0; found && i < key.size; i++)
        found = lower(key.bytes[i]) == name.bytes[i];
      lua_settop(L, headers + 1);
    }
  }
  lua_settop(L, headers - 1);
  return found;
}

static bool is_before(Text a, Text b) {
  size_t shared = a.size < b.size ? a.size : b.size;
  int order = memcmp(a.bytes, b.bytes, shared);
  return order < 0 || (order == 0 && a.size < b.size);
}

/* Does the call give the parameter, or null? Options are no parameters. */
static bool gives_parameter(lua_State *L, int name) {
  static const char *const options[] = {"method",    "url",  "baseUrl", "headers",
                                        "mediaType", "data", "request"};
  bool gives;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (strcmp(lua_tostring(L, name), options[i]) == 0)
      return true;
  lua_pushvalue(L, name);
  lua_rawget(L, OPTIONS);
  gives = !lua_isnil(L, -1);
  lua_pop(L, 1);
  return gives;
}

/* [-0, +1] Pushes the first credential of a table of headers or of parameters that the call does
 * not give, or nil. */
static Text push_first_credential(lua_State *L, int table, bool are_headers) {
  const int first = lua_gettop(L) + 1, key = first + 1;
  lua_pushnil(L);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    Text name = text_at(L, key);
    if (is_credential(name) && !(are_headers ? gives_header(L, name) : gives_parameter(L, key)) &&
        (lua_isnil(L, first) || is_before(name, text_at(L, first)))) {
      lua_pushvalue(L, key);
      lua_replace(L, first);
    }
    lua_settop(L, key);
  }
  return text_at(L, first);
}

/* [-0, +1] Pushes the first credential of the defaults that the call does not give, a header or
 * else a parameter, or nil. */
static Text push_credential(lua_State *L) {
  const int defaults = lua_gettop(L) + 1;
  lua_getfield(L, ENDPOINT, "DEFAULTS");
  lua_getfield(L, defaults, "headers");
  if (push_first_credential(L, defaults + 1, true).size == 0)
    push_first_credential(L, defaults, false);
  lua_replace(L, defaults);
  lua_settop(L, defaults);
  return text_at(L, defaults);
}

/* Do messages show the name as it is? */
static bool is_quoted_whole(Text name) {
  for (size_t i = 0; i < name.size; i++)
    if (name.bytes[i] < 0x20 || name.bytes[i] > 0x7E || is_one_of(name.bytes[i], "\"\\"))
      return false;
  return name.size <= 40;
}

/* Does the call go to another place than home, as far as its template and its baseUrl tell? */
static bool leads_away(lua_State *L, Text home, Text template, bool is_given) {
  Text base = push_field(L, OPTIONS, "baseUrl");
  Text start = up_to(template, template_origin(template));
  bool gives_base = lua_type(L, -1) == LUA_TSTRING;
  lua_pop(L, 1);
  if (absolute_size(home) == 0)
    return false;
  if (absolute_size(template) > 0)
    return holds(start, "{") || (is_given && !is_at_home(start, home));
  return gives_base && !is_at_home(base, home);
}

/* Credentials of the defaults go home alone. The error names the first of them. */
static void check_credentials(lua_State *L, bool ok) {
  static const char refusal[] = ": a credential of the defaults goes to ";
  const int top = lua_gettop(L);
  bool is_given, away;
  Text name = push_credential(L), template = push_template(L, &is_given), home, url, message;
  lua_getfield(L, ENDPOINT, "DEFAULTS");
  home = push_field(L, top + 3, "baseUrl");
  away = leads_away(L, home, template, is_given);
  if (ok && name.size > 0) {
    url = push_field(L, RESULT, "url");
    demand(!away, "a credential of the defaults stays at home", url);
    if (absolute_size(home) > 0 && (is_given || absolute_size(template) == 0))
      demand(is_at_home(url, home), "a credential goes to the origin of its baseUrl", url);
  }
  message = text_at(L, RESULT);
  if (!ok && holds(message, refusal)) {
    demand(away && name.size > 0, "only a credential that leaves home is refused", message);
    demand(!is_quoted_whole(name) || holds(message, lua_tostring(L, top + 1)),
           "the first credential is named", message);
  }
  lua_settop(L, top);
}

/* --- path errors ------------------------------------------------------------------ */

/* Is it true what a path error says of a variable's value? */
static bool is_true_of(lua_State *L, int value, Text said) {
  Text text = text_at(L, value);
  bool is_absent = lua_isnil(L, value) || lua_type(L, value) == LUA_TLIGHTUSERDATA;
  bool is_table = lua_istable(L, value);
  if (holds(said, " is missing"))
    return is_absent;
  if (holds(said, " is empty"))
    return is_table || (lua_type(L, value) == LUA_TSTRING && text.size == 0);
  return !is_absent;
}

/* An error of the path names a variable of the template, and what it says is true. */
static void check_path_error(lua_State *L) {
  static const char start[] = "endpoint: parameter \"";
  const int top = lua_gettop(L);
  Text message = text_at(L, RESULT), name = {message.bytes + sizeof start - 1, 0}, said, template;
  Text expected = {start, sizeof start - 1};
  bool is_given, is_cut;
  if (!begins_with(message, expected))
    return;
  while (name.bytes[name.size] && name.bytes[name.size] != '"')
    name.size++;
  said.bytes = name.bytes + name.size;
  said.size = (size_t)(message.bytes + message.size - said.bytes);
  is_cut = ends_with(name, "...");
  name.size -= is_cut ? 3 : 0;
  if (begins_with(said, EP_SLICE("\" "))) { /* of other errors: "\": expected" */
    template = push_template(L, &is_given);
    demand(has_variable(template, name, is_cut), "a path error names a variable", message);
    lua_pushlstring(L, name.bytes, name.size);
    lua_rawget(L, OPTIONS);
    if (!is_cut && lua_isnil(L, -1)) {
      lua_getfield(L, ENDPOINT, "DEFAULTS");
      lua_pushlstring(L, name.bytes, name.size);
      lua_rawget(L, -2);
    }
    demand(is_cut || is_true_of(L, lua_gettop(L), said), "a path error tells the truth", message);
  }
  lua_settop(L, top);
}

/* --- variables -------------------------------------------------------------------- */

/* Does a plain or "+" expression of the path or of the host hold the variable? */
static bool is_required(Text template, Text name) {
  Variable v = {template, {NULL, 0}, 0, 0, false, false};
  while (next_variable(&v))
    if (v.name.size == name.size && begins_with(v.name, name) && !v.is_behind_path &&
        (v.symbol == ' ' || v.symbol == '+'))
      return true;
  return false;
}

/* Checks a variable of the list. */
static void check_variable(lua_State *L, Text template, int variable) {
  const int top = lua_gettop(L);
  Text name = push_field(L, variable, "name"), symbol = push_field(L, variable, "operator");
  bool explode;
  lua_Integer prefix;
  demand(has_variable(template, name, false), "what is listed is a variable", template);
  demand(symbol.size == 0 || (symbol.size == 1 && is_one_of(symbol.bytes[0], "+#./;?&")),
         "an operator is one", template);
  push_field(L, variable, "explode");
  push_field(L, variable, "prefix");
  push_field(L, variable, "required");
  explode = lua_toboolean(L, top + 3);
  prefix = lua_tointeger(L, top + 4);
  demand(lua_toboolean(L, top + 5) == is_required(template, name),
         "what stands in the path or in the host is required", template);
  demand(lua_isboolean(L, top + 3) && lua_isboolean(L, top + 5), "flags are booleans", template);
  demand(lua_isnil(L, top + 4) || (prefix >= 1 && prefix <= 9999 && !explode),
         "a prefix is 1 to 9999, and no explode", template);
  lua_settop(L, top);
}

static void check_list(lua_State *L, Text template, int list) {
  const int variable = list + 1, count = (int)lua_rawlen(L, list);
  for (int i = 1; i <= count && i < MOST_PARAMETERS; i++) {
    lua_rawgeti(L, list, i);
    demand(lua_istable(L, variable), "variables are a list of tables", template);
    check_variable(L, template, variable);
    lua_settop(L, list);
  }
}

/* variables() takes any template that a call takes. */
static void check_variables(lua_State *L, bool ok) {
  const int top = lua_gettop(L), list = top + 2;
  bool is_given;
  Text template = push_template(L, &is_given);
  lua_getfield(L, ENDPOINT, "variables");
  lua_pushvalue(L, lua_isnil(L, ROUTE) ? OPTIONS : ROUTE);
  if (lua_pcall(L, 1, 1, 0) == LUA_OK) {
    demand(lua_istable(L, list), "variables are a list", template);
    check_list(L, template, list);
  } else {
    check_message(L);
    demand(!ok, "a call raises where variables does", template);
  }
  lua_settop(L, top);
}

/* --- collectors ------------------------------------------------------------------- */

/* Lets the collector run a full cycle at nearly every allocation, or as Lua does. */
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

/* [-0, +0] Makes garbage whose finalizer will empty the table. */
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

/* Calls while a finalizer empties the options. Any result is good, only a crash is not.
 * Before that, everything else that keeps their strings alive is removed. */
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

/* Makes the endpoint. Returns false if the defaults are refused. */
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
    else
      check_path_error(L);
    check_variables(L, ok);
    if (ok && !in->has_defaults)
      check_body(L);
    if (in->has_defaults) {
      check_credentials(L, ok);
      check_defaults(L);
    }
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
