/* SPDX-License-Identifier: MIT */
/* Reads results for endpoint.clients: method, URL and headers, checked by the rules by which they
 * were made, and as they are sent. A result is the caller's table, so nothing in it is trusted.
 * These functions serve the Lua files of endpoint alone. */
#include "compat.h"
#include "endpoint.h"

#include <string.h>

#include "core/url.h"
#include "expand.h"
#include "headers.h"

/* --- errors --------------------------------------------------------------------- */

/* The upvalues of all functions: the set of the functions that users call, and `read_checked`. */
enum { PUBLIC = lua_upvalueindex(1), READ_CHECKED = lua_upvalueindex(2) };

/* Raises the text on top without its first bytes as an error of endpoint.clients, with the position
 * of the line that called a public function. */
static int raise_from_user(lua_State *L, size_t skipped) {
  const EpSlice message = ep_slice_from(ep_to_slice(L, -1), skipped);
  lua_Debug frame;
  bool is_public = false;
  int level = 0;
  while (!is_public && lua_getstack(L, ++level, &frame)) {
    lua_getinfo(L, "f", &frame);
    lua_rawget(L, PUBLIC);
    is_public = lua_toboolean(L, -1);
    lua_pop(L, 1);
  }
  luaL_where(L, level + 1);
  lua_pushliteral(L, "endpoint.clients: ");
  ep_push_slice(L, message);
  lua_concat(L, 3);
  return lua_error(L);
}

static void check_type(lua_State *L, int index, int type, const char *what) {
  if (lua_type(L, index) != type)
    ep_error(L, "endpoint: %s: expected a %s, got a %s", what, lua_typename(L, type),
             luaL_typename(L, index));
}

static EpSlice check_string(lua_State *L, int index, const char *what) {
  check_type(L, index, LUA_TSTRING, what);
  return ep_to_slice(L, index);
}

/* fail(text) raises an error of endpoint.clients. */
static int result_fail(lua_State *L) {
  check_type(L, 1, LUA_TSTRING, "text");
  lua_settop(L, 1);
  return raise_from_user(L, 0);
}

/* --- the fields of a result ----------------------------------------------------- */

/* The stack of `read_checked`: a result, a form, the result's fields, and what is made of them. */
enum { RESULT = 1, FORM, REQUEST, METHOD, URL, HEADERS, BODY, MADE };

/* Its upvalues: the names of what is made, and other words. */
enum { N_METHOD = 1, N_URL, N_SCHEME, N_HOST, N_PORT, N_PATH, N_QUERY };
enum { N_USERINFO = N_QUERY + 1, N_LENGTH, N_HEADERS, N_FIELDS, N_BODY, N_LISTS, N_HTTP, N_HTTPS };

/* Returns where the value of the key below the top belongs. Merged options have a method, a url and
 * headers, too, but to send them would lose their parameters. */
static int field_slot(lua_State *L) {
  static const EpSlice names[] = {
      {"request", 7}, {"method", 6}, {"url", 3}, {"headers", 7}, {"body", 4}};
  const bool is_string = lua_type(L, -2) == LUA_TSTRING;
  const EpSlice name = is_string ? ep_to_slice(L, -2) : EP_SLICE("");
  for (int i = REQUEST; i <= BODY; i++)
    if (ep_slice_equals(name, names[i - REQUEST]))
      return i;
  return ep_error(L,
                  "endpoint: expected a result of endpoint or parse, with the keys method, url, "
                  "headers, body and request alone, got merged options or another table with %s%s",
                  is_string ? "the key " : "a key that is a ",
                  is_string ? ep_quote(L, name) : luaL_typename(L, -2));
}

/* [-0, +0] Puts the fields into their places. */
static void read_result(lua_State *L) {
  if (!lua_istable(L, RESULT))
    ep_error(L, "endpoint: expected request options, as endpoint returns them, got a %s",
             luaL_typename(L, RESULT));
  lua_pushnil(L);
  while (lua_next(L, RESULT))
    lua_replace(L, field_slot(L));
}

/* Is it what the caller asks for? */
static bool is_form(lua_State *L, int name) {
  return lua_rawequal(L, FORM, lua_upvalueindex(name));
}

/* [-0, +1] Pushes the name of a field, for lua_rawset. */
static void push_name(lua_State *L, int name) {
  lua_pushvalue(L, lua_upvalueindex(name));
}

static void set_text(lua_State *L, int name, EpSlice text) {
  push_name(L, name);
  ep_push_slice(L, text);
  lua_rawset(L, MADE);
}

static void set_value(lua_State *L, int name, int index) {
  push_name(L, name);
  lua_pushvalue(L, index);
  lua_rawset(L, MADE);
}

static bool has_lower(EpSlice text) {
  size_t i = 0;
  while (i < text.size && ep_upper_byte(text.bytes[i]) == text.bytes[i])
    i++;
  return i < text.size;
}

static void set_sent_method(lua_State *L) {
  const EpSlice method = check_string(L, METHOD, "method");
  ep_check_method(L, method);
  if (ep_equals_ignoring_case(method, EP_SLICE("connect")))
    ep_error(L, "endpoint: method CONNECT: expected another; the client itself opens a tunnel");
  push_name(L, N_METHOD);
  if (has_lower(method))
    ep_push_upper(L, method);
  else
    lua_pushvalue(L, METHOD);
  lua_rawset(L, MADE);
}

/* --- the URL -------------------------------------------------------------------- */

/* Returns the URL without its fragment. */
static EpSlice check_url(lua_State *L) {
  EpSlice url = check_string(L, URL, "url");
  const char *fragment = (const char *)memchr(url.bytes, '#', url.size);
  for (size_t i = 0; i < url.size; i++) {
    const char byte = url.bytes[i];
    if (byte >= 0x21 && byte <= 'z')
      continue;
    if (byte < 0x21 || byte > 0x7E)
      ep_error(L, "endpoint: url: expected only the bytes 0x21 to 0x7E");
    if (byte == '{' || byte == '}')
      ep_error(L, "endpoint: expected a result of endpoint or parse, got merged options");
  }
  return ep_slice(url.bytes, fragment ? (size_t)(fragment - url.bytes) : url.size);
}

/* RFC 3986 section 3.2.2: an address in brackets, or unreserved characters and sub-delims. Clients
 * read other characters differently, and some take the path's first segment for an empty host. */
static bool is_sent_host(EpSlice host) {
  const bool is_address = host.size > 2 && *host.bytes == '[' && ep_slice_end(host)[-1] == ']';
  for (size_t i = is_address; i < host.size - is_address; i++) {
    const char byte = host.bytes[i];
    if (is_address ? !ep_is(byte, EP_HEX) && byte != ':' && byte != '.'
                   : !ep_is(byte, EP_UNRESERVED | EP_RESERVED) || byte == '[' || byte == ']')
      return false;
  }
  return host.size > 0;
}

enum { GREATEST_PORT = 65535 };

/* Returns the port, which is that of the scheme if there are no digits; a greater number than a
 * port if it is none. */
static int port_of(EpSlice digits, bool is_https) {
  int port = digits.size > 0 ? 0 : is_https ? 443 : 80;
  for (size_t i = 0; i < digits.size && port <= GREATEST_PORT; i++)
    port =
        ep_is(digits.bytes[i], EP_DIGIT) ? 10 * port + (digits.bytes[i] - '0') : GREATEST_PORT + 1;
  return port;
}

/* [-0, +1] Pushes the URL as it is sent: without userinfo and fragment. */
static void push_sent_url(lua_State *L, const EpOrigin *o, const char *scheme, int port,
                          EpSlice target) {
  EpBuffer url;
  ep_buffer_init(&url, REQUEST);
  ep_buffer_add(L, &url, ep_slice(scheme, o->scheme.size - 1));
  ep_buffer_add(L, &url, EP_SLICE("://"));
  ep_buffer_add(L, &url, o->host);
  if (o->port.size > 0) {
    ep_buffer_add_byte(L, &url, ':');
    url.size += ep_number_integer(port, ep_buffer_reserve(L, &url, EP_NUMBER_SIZE));
  }
  if (target.size == 0 || *target.bytes == '?')
    ep_buffer_add_byte(L, &url, '/');
  ep_buffer_add(L, &url, target);
  if (ep_slice_equals(ep_buffer_slice(&url), ep_to_slice(L, URL)))
    lua_pushvalue(L, URL);
  else
    ep_buffer_push(L, &url);
}

/* Sets what comes before the path. An address loses its brackets. */
static void set_origin(lua_State *L, EpSlice origin, EpSlice target) {
  const EpOrigin o = ep_url_read_origin(origin);
  const bool is_https = ep_equals_ignoring_case(o.scheme, EP_SLICE("https:"));
  const int port = port_of(o.port, is_https);
  size_t bracket;
  if (!is_https && !ep_equals_ignoring_case(o.scheme, EP_SLICE("http:")))
    ep_error(L, "endpoint: url: expected http:// or https://");
  if (port > GREATEST_PORT || !is_sent_host(o.host))
    ep_error(L, "endpoint: url: expected a host, and perhaps a port, behind ://");
  bracket = *o.host.bytes == '[';
  push_name(L, N_URL);
  push_sent_url(L, &o, is_https ? "https" : "http", port, target);
  lua_rawset(L, MADE);
  set_value(L, N_SCHEME, lua_upvalueindex(is_https ? N_HTTPS : N_HTTP));
  set_text(L, N_HOST, ep_slice(o.host.bytes + bracket, o.host.size - 2 * bracket));
  push_name(L, N_PORT);
  lua_pushinteger(L, port);
  lua_rawset(L, MADE);
  if (o.userinfo.size > 1)
    set_text(L, N_USERINFO, ep_slice(o.userinfo.bytes, o.userinfo.size - 1));
}

/* Sets all parts of the URL, or those of a path of this server. An empty path is sent as "/" (RFC
 * 9110 section 7.1); an empty query differs from none (RFC 3986 section 5.3). */
static void set_sent_parts(lua_State *L) {
  const EpSlice url = check_url(L);
  const size_t origin = ep_url_origin_size(url);
  const EpSlice target = ep_slice_from(url, origin);
  const char *query = (const char *)memchr(target.bytes, '?', target.size);
  const size_t path = query ? (size_t)(query - target.bytes) : target.size;
  if (origin > 0)
    set_origin(L, ep_slice(url.bytes, origin), target);
  else if (!ep_slice_begins_with(url, EP_SLICE("/")) || ep_slice_begins_with(url, EP_SLICE("//")))
    ep_error(L, "endpoint: url: expected http:// or https:// and a host");
  set_text(L, N_PATH, path > 0 ? ep_slice(target.bytes, path) : EP_SLICE("/"));
  if (query)
    set_text(L, N_QUERY, ep_slice_from(target, path + 1));
}

/* --- the headers ---------------------------------------------------------------- */

/* [-0, +0] Replaces the list at an absolute index by its texts, joined. */
static void join_texts(lua_State *L, int list, EpSlice separator) {
  EpBuffer joined;
  lua_pushnil(L);
  ep_buffer_init(&joined, lua_gettop(L));
  for (int i = 1, size = (int)ep_rawlen(L, list); i <= size; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, list, i);
    if (i > 1)
      ep_buffer_add(L, &joined, separator);
    ep_buffer_add(L, &joined, ep_to_slice(L, -1));
  }
  ep_buffer_push(L, &joined);
  lua_replace(L, list);
  lua_pop(L, 1);
}

/* [-0, +0] Replaces a number or boolean at an absolute index by its text, and a list that makes
 * one field by that. RFC 6265 section 5.4: a request has at most one Cookie field; RFC 9112 section
 * 3.2: and one Host. */
static void normalize(lua_State *L, int value, EpSlice name) {
  const size_t size = lua_istable(L, value) ? ep_rawlen(L, value) : 0;
  EpText text;
  if (!lua_istable(L, value)) {
    ep_value_read_element(L, value, name, &text);
    ep_push_slice(L, text.slice);
    lua_replace(L, value);
  } else if (size == 1 || (size > 1 && ep_slice_equals(name, EP_SLICE("cookie")))) {
    join_texts(L, value, EP_SLICE("; "));
  } else if (size > 1 && ep_slice_equals(name, EP_SLICE("host"))) {
    ep_error(L, "endpoint: header \"host\": expected one text, got a list");
  }
}

/* Appends { name, text } to the fields, which are on top. The text is above the name, or the i-th
 * of a list there. */
static void append_sent_field(lua_State *L, int name, int i, int number) {
  lua_createtable(L, 2, 0);
  lua_pushvalue(L, name);
  lua_rawseti(L, -2, 1);
  if (i > 0)
    lua_rawgeti(L, name + 1, i);
  else
    lua_pushvalue(L, name + 1);
  lua_rawseti(L, -2, 2);
  lua_rawseti(L, -2, number);
}

/* Appends the header's fields. Returns the number of all fields. */
static int append_sent_fields(lua_State *L, int name, int fields) {
  const int size = lua_istable(L, name + 1) ? (int)ep_rawlen(L, name + 1) : 0;
  for (int i = size > 0; i <= size; i++)
    append_sent_field(L, name, i, ++fields);
  return fields;
}

static void set_sent_header(lua_State *L, int headers, int name) {
  if (lua_istable(L, name + 1) && !is_form(L, N_LISTS))
    join_texts(L, name + 1, EP_SLICE(", ")); /* RFC 9110 section 5.3 */
  lua_pushvalue(L, name);
  lua_pushvalue(L, name + 1);
  lua_rawset(L, headers);
}

/* Is the header sent? Clients write those of the body's length by themselves. */
static bool is_sent(lua_State *L, int at, EpSlice name) {
  if (lua_type(L, at + 1) != LUA_TSTRING)
    normalize(L, at + 1, name);
  if (ep_slice_equals(name, EP_SLICE("content-length"))) {
    set_value(L, N_LENGTH, at + 1);
    return false;
  }
  return !ep_slice_equals(name, EP_SLICE("transfer-encoding")) &&
         !(lua_istable(L, at + 1) && ep_rawlen(L, at + 1) == 0);
}

/* [-0, +n] Reads the result's headers, in order. */
static const EpName *read_sent_headers(lua_State *L, EpPairs *pairs) {
  const EpName *names;
  bool any_upper = false;
  ep_pairs_begin(L, pairs);
  if (!lua_isnil(L, HEADERS)) {
    check_type(L, HEADERS, LUA_TTABLE, "headers");
    any_upper = ep_headers_read_table(L, pairs, HEADERS);
  }
  names = ep_pairs_sort(L, pairs);
  if (any_upper)
    ep_headers_check_once(L, names, pairs->count);
  return names;
}

static void set_sent_headers(lua_State *L) {
  const bool has_fields = is_form(L, N_FIELDS);
  int fields = 0, headers;
  EpPairs pairs;
  const EpName *names = read_sent_headers(L, &pairs);
  lua_createtable(L, 0, pairs.count);
  headers = lua_gettop(L);
  set_value(L, N_HEADERS, headers);
  if (has_fields) {
    lua_createtable(L, pairs.count, 0);
    set_value(L, N_FIELDS, headers + 1);
  }
  for (int i = 0; i < pairs.count; i++) {
    const int name = ep_pairs_key(&pairs, names[i].owner);
    if (ep_is_null(L, name + 1) || !is_sent(L, name, names[i].text))
      continue;
    if (has_fields)
      fields = append_sent_fields(L, name, fields);
    set_sent_header(L, headers, name);
  }
}

/* --- the functions of the module ------------------------------------------------ */

static int read_checked(lua_State *L) {
  lua_settop(L, BODY);
  read_result(L);
  lua_createtable(L, 0, is_form(L, N_FIELDS) ? 10 : 8);
  set_sent_method(L);
  set_sent_parts(L);
  set_sent_headers(L);
  if (!lua_isnil(L, BODY))
    set_value(L, N_BODY, BODY);
  lua_settop(L, MADE);
  return 1;
}

/* read(r, form) returns a new table: method, url, scheme, host, port, path, query, userinfo,
 * headers (a text for each name), length (what content-length says), and the result's body. Of a
 * path of this server, url, scheme, host and port are nil. With the form "fields" it has fields,
 * too, a list of { name, text }; with "lists" the texts of several fields of one name stay a list
 * in headers. */
static int result_read(lua_State *L) {
  const EpSlice prefix = EP_SLICE("endpoint: ");
  lua_settop(L, 2);
  lua_pushvalue(L, READ_CHECKED);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  if (lua_pcall(L, 2, 1, 0) == 0)
    return 1;
  /* GCOVR_EXCL_BR_START: only a finalizer under Lua 5.1 raises what is no string */
  if (lua_type(L, -1) == LUA_TSTRING && ep_slice_begins_with(ep_to_slice(L, -1), prefix))
    return raise_from_user(L, prefix.size);
  /* GCOVR_EXCL_BR_STOP */
  return lua_error(L);
}

/* sorted_keys(t) returns a list of the keys that are strings, in bytewise order, but of no key
 * whose value is null. Lua's < depends on the locale. Of any number: the stack does not hold them.
 */
static int result_sorted_keys(lua_State *L) {
  enum { TABLE = 1, KEYS, NAMES };
  int count = 0;
  EpName *names;
  check_type(L, TABLE, LUA_TTABLE, "keys");
  lua_settop(L, TABLE);
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, TABLE); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING || ep_is_null(L, -1))
      continue;
    lua_pushvalue(L, -2);
    lua_rawseti(L, KEYS, ++count);
  }
  names = (EpName *)ep_newuserdata(L, (size_t)count * sizeof *names);
  for (int i = 0; i < count; i++, lua_settop(L, NAMES)) {
    lua_rawgeti(L, KEYS, i + 1);
    names[i].text = ep_to_slice(L, -1);
    names[i].owner = i + 1;
  }
  ep_names_sort(names, count);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, KEYS, names[i].owner);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* lower(text), upper(text): ASCII letters change their case, other bytes stay. */
static int result_lower(lua_State *L) {
  ep_push_lower(L, check_string(L, 1, "text"));
  return 1;
}

static int result_upper(lua_State *L) {
  ep_push_upper(L, check_string(L, 1, "text"));
  return 1;
}

/* encoded(text): all bytes but the unreserved ones (RFC 3986 section 2.3) become triplets. */
static int result_encoded(lua_State *L) {
  EpBuffer text;
  lua_settop(L, 2);
  ep_buffer_init(&text, 2);
  ep_buffer_add_encoded(L, &text, check_string(L, 1, "text"), 0);
  ep_buffer_push(L, &text);
  return 1;
}

/* decoded(text): triplets become bytes. */
static int result_decoded(lua_State *L) {
  const EpSlice encoded = check_string(L, 1, "text");
  char *bytes = (char *)ep_newuserdata(L, encoded.size);
  lua_pushlstring(L, bytes, ep_percent_decode(bytes, encoded));
  return 1;
}

/* number(n): a finite number as it is written in URLs. */
static int result_number(lua_State *L) {
  EpText text;
  check_type(L, 1, LUA_TNUMBER, "number");
  ep_value_read_element(L, 1, EP_SLICE(""), &text);
  ep_push_slice(L, text.slice);
  return 1;
}

/* has_control(text): has it control characters other than TAB? */
static int result_has_control(lua_State *L) {
  const EpSlice text = check_string(L, 1, "text");
  size_t i = 0;
  while (i < text.size && (text.bytes[i] == '\t' || !ep_is(text.bytes[i], EP_CONTROL)))
    i++;
  lua_pushboolean(L, i < text.size);
  return 1;
}

ENDPOINT_API int luaopen_endpoint_result(lua_State *L) {
  static const char *const names[] = {"method", "url",   "scheme",   "host",   "port",
                                      "path",   "query", "userinfo", "length", "headers",
                                      "fields", "body",  "lists",    "http",   "https"};
  static const luaL_Reg functions[] = {
      {"fail", result_fail},       {"read", result_read},     {"sorted_keys", result_sorted_keys},
      {"lower", result_lower},     {"upper", result_upper},   {"encoded", result_encoded},
      {"decoded", result_decoded}, {"number", result_number}, {"has_control", result_has_control}};
  lua_createtable(L, 0, sizeof functions / sizeof *functions + 1);
  lua_createtable(L, 0, 16);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    lua_pushstring(L, names[i]);
  lua_pushcclosure(L, read_checked, sizeof names / sizeof *names);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_pushcclosure(L, functions[i].func, 2);
    lua_setfield(L, -4, functions[i].name);
  }
  lua_pop(L, 1);
  lua_setfield(L, -2, "public");
  return 1;
}
