/* What endpoint.clients asks of a result: its method, URL and headers, checked, and as they are
 * sent. A result is the caller's table, so nothing in it is trusted. These functions serve
 * src/endpoint/clients/ alone. */
#include "compat.h"
#include "endpoint.h"

#include <stdbool.h>
#include <string.h>

#include "buffer.h"
#include "core/number.h"
#include "core/percent.h"
#include "core/url.h"
#include "error.h"
#include "pairs.h"
#include "stack.h"
#include "value.h"

/* --- errors --------------------------------------------------------------------- */

/* The upvalues of all functions: the set of the functions that users call, and Forms. */
enum { PUBLIC = lua_upvalueindex(1), FORMS = lua_upvalueindex(2) };

/* [-1, +0] Raises the text on top, with the position of the line that called a function of
 * endpoint.clients. */
static int raise(lua_State *L) {
  lua_Debug frame;
  bool is_public = false;
  for (int level = 1; !is_public && lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "f", &frame);
    lua_rawget(L, PUBLIC);
    is_public = lua_toboolean(L, -1);
    lua_pop(L, 1);
    if (is_public) {
      luaL_where(L, level + 1);
      lua_insert(L, -2);
      lua_concat(L, 2);
    }
  }
  return lua_error(L);
}

#define refuse(L, ...) (lua_pushfstring(L, "endpoint.clients: " __VA_ARGS__), raise(L))

/* fail(text) raises an error of endpoint.clients. */
static int result_fail(lua_State *L) {
  return refuse(L, "%s", lua_tostring(L, 1));
}

/* --- the fields of a result ----------------------------------------------------- */

/* The stack of `read`: a result and its fields, then what is returned of them. */
enum {
  RESULT = 1,
  REQUEST,
  GIVEN_METHOD,
  GIVEN_URL,
  GIVEN_HEADERS,
  BODY,
  CONTENT_TYPE,
  LENGTH,
  METHOD,
  HEADERS = METHOD + 8,
  FIELDS,
  KEY = METHOD /* while the fields are read */
};

/* Returns where the value of a key belongs. Merged options have a method, a url and headers, too,
 * but to send them would lose their parameters. */
static int field_slot(lua_State *L) {
  static const EpSlice names[] = {
      {"request", 7}, {"method", 6}, {"url", 3}, {"headers", 7}, {"body", 4}};
  const EpSlice name = lua_type(L, KEY) == LUA_TSTRING ? ep_to_slice(L, KEY) : EP_SLICE("");
  for (int i = REQUEST; i <= BODY; i++)
    if (ep_slice_equals(name, names[i - REQUEST]))
      return i;
  return refuse(L,
                "expected a result of endpoint or parse, with the keys method, url, headers, body "
                "and request alone, got merged options or another table with %s%s",
                lua_type(L, KEY) == LUA_TSTRING ? "the key " : "a key that is a ",
                lua_type(L, KEY) == LUA_TSTRING ? ep_quote(L, name) : luaL_typename(L, KEY));
}

/* [-n, +LENGTH] Reads the first argument. */
static void read_result(lua_State *L) {
  lua_settop(L, RESULT);
  lua_settop(L, LENGTH);
  if (!lua_istable(L, RESULT))
    refuse(L, "expected request options, as endpoint returns them, got a %s",
           luaL_typename(L, RESULT));
  lua_pushnil(L);
  while (lua_next(L, RESULT)) {
    const int slot = field_slot(L);
    lua_replace(L, slot);
  }
}

static EpSlice check_string(lua_State *L, int index, const char *what) {
  if (lua_type(L, index) != LUA_TSTRING)
    refuse(L, "%s: expected a string, got a %s", what, luaL_typename(L, index));
  return ep_to_slice(L, index);
}

/* Is it a token (RFC 9110 section 5.6.2)? Sets whether it has an upper-case letter. */
static bool is_token(EpSlice text, bool *has_upper) {
  *has_upper = false;
  for (size_t i = 0; i < text.size; i++) {
    if (!ep_is(text.bytes[i], EP_TOKEN))
      return false;
    *has_upper = *has_upper || (text.bytes[i] >= 'A' && text.bytes[i] <= 'Z');
  }
  return text.size > 0;
}

/* [-0, +1] Pushes the method in upper case. */
static void push_sent_method(lua_State *L) {
  const EpSlice method = check_string(L, GIVEN_METHOD, "method");
  bool has_upper;
  if (!is_token(method, &has_upper))
    refuse(L, "method: expected a token such as GET");
  ep_push_upper(L, method);
  if (ep_slice_equals(ep_to_slice(L, -1), EP_SLICE("CONNECT")))
    refuse(L, "method CONNECT: expected another method; a tunnel is opened by the client itself");
}

/* --- the URL -------------------------------------------------------------------- */

/* The parts of a URL. */
typedef struct Url {
  EpSlice start, userinfo, host; /* the start is "http://" or "https://" */
  EpSlice target;                /* path and query */
  int port;                      /* -1 for none */
} Url;

/* Returns the URL without its fragment. */
static EpSlice check_sent_url(lua_State *L) {
  EpSlice url = check_string(L, GIVEN_URL, "url");
  const char *fragment = (const char *)memchr(url.bytes, '#', url.size);
  for (size_t i = 0; i < url.size; i++) {
    const char byte = url.bytes[i];
    if (byte >= 0x21 && byte <= 'z')
      continue;
    if (byte < 0x21 || byte > 0x7E)
      refuse(L, "url: expected only the bytes 0x21 to 0x7E");
    if (byte == '{' || byte == '}')
      refuse(L, "expected a result of endpoint or parse, got merged options");
  }
  return fragment ? ep_slice(url.bytes, (size_t)(fragment - url.bytes)) : url;
}

static bool is_sent_address(EpSlice host) {
  for (size_t i = 1; i + 1 < host.size; i++)
    if (!ep_is(host.bytes[i], EP_HEX) && host.bytes[i] != ':' && host.bytes[i] != '.')
      return false;
  return host.size > 2 && host.bytes[0] == '[' && ep_slice_end(host)[-1] == ']';
}

/* RFC 3986 section 3.2.2: an address in brackets, or unreserved characters and sub-delims.
 * Clients read other characters differently, some decode triplets, and some take the first
 * segment of the path for an empty host. */
static bool is_sent_host(EpSlice host) {
  for (size_t i = 0; i < host.size; i++)
    if (!ep_is(host.bytes[i], EP_UNRESERVED) &&
        (!ep_is(host.bytes[i], EP_RESERVED) || memchr(":[]", host.bytes[i], 3)))
      return is_sent_address(host);
  return host.size > 0;
}

/* Splits "host:port", where a port may have no digits. Returns false if it is too great. */
static bool split_port(Url *u, EpSlice text) {
  enum { GREATEST = 65535 };
  size_t at = text.size;
  u->host = text;
  u->port = -1;
  while (at > 0 && ep_is(text.bytes[at - 1], EP_DIGIT))
    at--;
  if (at == 0 || text.bytes[at - 1] != ':')
    return true;
  u->host.size = at - 1;
  for (; at < text.size && u->port <= GREATEST; at++)
    u->port = (u->port > 0 ? 10 * u->port : 0) + (text.bytes[at] - '0');
  return u->port <= GREATEST;
}

/* Splits "userinfo@host:port". */
static void split_authority(lua_State *L, Url *u, EpSlice authority) {
  EpSlice host = authority;
  const char *at;
  while ((at = (const char *)memchr(host.bytes, '@', host.size)))
    host = ep_slice_from(host, (size_t)(at - host.bytes) + 1);
  u->userinfo.bytes = authority.bytes;
  u->userinfo.size = host.size < authority.size ? authority.size - host.size - 1 : 0;
  if (!split_port(u, host) || !is_sent_host(u->host))
    refuse(L, "url: expected a host, and perhaps a port, behind ://");
}

/* Does the URL begin with a scheme and "://", in any case? */
static bool has_start(EpSlice url, EpSlice start) {
  url.size = url.size < start.size ? url.size : start.size;
  return ep_equals_ignoring_case(url, start);
}

static void split_url(lua_State *L, Url *u) {
  const EpSlice url = check_sent_url(L);
  const bool is_https = has_start(url, EP_SLICE("https://"));
  size_t authority;
  u->start = is_https ? EP_SLICE("https://") : EP_SLICE("http://");
  if (!is_https && !has_start(url, u->start))
    refuse(L, "url: expected http:// or https:// and a host; only clients.ngx takes a path");
  u->target = ep_slice_from(url, u->start.size);
  authority = ep_url_authority_size(u->target);
  split_authority(L, u, ep_slice(u->target.bytes, authority));
  u->target = ep_slice_from(u->target, authority);
}

/* [-0, +1] Pushes the URL as it is sent: without userinfo and fragment. */
static void push_sent_url(lua_State *L, const Url *u) {
  char digits[EP_NUMBER_SIZE];
  EpBuffer url;
  ep_buffer_init(&url, REQUEST);
  ep_buffer_add(L, &url, u->start);
  ep_buffer_add(L, &url, u->host);
  if (u->port >= 0) {
    ep_buffer_add_byte(L, &url, ':');
    ep_buffer_add(L, &url, ep_slice(digits, ep_number_integer(u->port, digits)));
  }
  if (u->target.size == 0 || u->target.bytes[0] == '?')
    ep_buffer_add_byte(L, &url, '/');
  ep_buffer_add(L, &url, u->target);
  ep_buffer_push(L, &url);
}

/* [-0, +3] Pushes scheme, host and port. A missing port is the scheme's; an address loses its
 * brackets. */
static void push_origin(lua_State *L, const Url *u) {
  const size_t scheme = u->start.size - strlen("://"), bracket = u->host.bytes[0] == '[';
  lua_pushlstring(L, u->start.bytes, scheme);
  lua_pushlstring(L, u->host.bytes + bracket, u->host.size - 2 * bracket);
  lua_pushinteger(L, u->port >= 0 ? u->port : scheme == strlen("https") ? 443 : 80);
}

/* [-0, +2] Pushes path and query. An empty path is sent as "/" (RFC 9110 section 7.1); an empty
 * query differs from none (RFC 3986 section 5.3). */
static void push_target(lua_State *L, EpSlice target) {
  const char *query = (const char *)memchr(target.bytes, '?', target.size);
  const size_t path = query ? (size_t)(query - target.bytes) : target.size;
  ep_push_slice(L, path > 0 ? ep_slice(target.bytes, path) : EP_SLICE("/"));
  if (query)
    ep_push_slice(L, ep_slice_from(target, path + 1));
  else
    lua_pushnil(L);
}

/* [-0, +7] Pushes url, scheme, host, port, path, query, and userinfo. */
static void push_parts(lua_State *L) {
  Url u;
  split_url(L, &u);
  push_sent_url(L, &u);
  push_origin(L, &u);
  push_target(L, u.target);
  if (u.userinfo.size > 0)
    ep_push_slice(L, u.userinfo);
  else
    lua_pushnil(L);
}

/* [-0, +7] Pushes the same for a path of this server: all but path and query is nil. */
static void push_parts_of_path(lua_State *L) {
  const EpSlice path = check_sent_url(L);
  if (!ep_slice_begins_with(path, EP_SLICE("/")) || ep_slice_begins_with(path, EP_SLICE("//")))
    refuse(L, "url: expected a path of this server, which a bare path as baseUrl makes");
  lua_settop(L, lua_gettop(L) + 4);
  push_target(L, path);
  lua_pushnil(L);
}

/* --- the headers ---------------------------------------------------------------- */

/* What `read` makes of a result, combined with |. */
enum Forms {
  WITH_LISTS = 1,  /* a header of several fields is a list; else their texts are joined */
  WITH_FIELDS = 2, /* a list of fields, in bytewise order of their names */
  CANONICAL = 4,   /* names as User-Agent; else in lower case */
  PATH_ALONE = 8   /* the URL is a path of this server */
};

/* Raises an error about the header whose name is at an index. */
static int refuse_header(lua_State *L, int name, const char *problem) {
  ep_push_lower(L, ep_to_slice(L, name));
  return refuse(L, "header \"%s\": %s", lua_tostring(L, -1), problem);
}

/* [-0, +0] Replaces a number or boolean on top by its text. */
static void convert_scalar(lua_State *L, int name) {
  const int type = lua_type(L, -1);
  EpText text;
  if (type != LUA_TNUMBER && type != LUA_TBOOLEAN)
    refuse_header(L, name,
                  lua_pushfstring(L,
                                  "expected a string, number, boolean or list of strings, got a %s",
                                  luaL_typename(L, -1)));
  if (type == LUA_TNUMBER && !ep_number_is_finite((double)lua_tonumber(L, -1)))
    refuse_header(L, name, "expected a finite number");
  ep_value_read_element(L, lua_gettop(L), EP_SLICE(""), &text);
  ep_push_slice(L, text.slice);
  lua_replace(L, -2);
}

/* [-0, +0] Replaces the value on top by its text. CR, LF and NUL are "invalid and dangerous" (RFC
 * 9110 section 5.5). */
static void convert_text(lua_State *L, int name) {
  EpSlice text;
  if (lua_type(L, -1) != LUA_TSTRING)
    convert_scalar(L, name);
  text = ep_to_slice(L, -1);
  if (memchr(text.bytes, '\r', text.size) || memchr(text.bytes, '\n', text.size) ||
      memchr(text.bytes, 0, text.size))
    refuse_header(L, name, "expected a value without CR, LF and NUL");
}

/* [-0, +0] Replaces the list on top by a list of texts, or by its only text. */
static void convert_list(lua_State *L, int name) {
  const int list = lua_gettop(L), texts = list + 1, size = (int)ep_rawlen(L, list);
  if (!ep_value_is_list(L, list))
    refuse_header(L, name,
                  "expected a string or a list of strings with the keys 1..n, got another table");
  lua_createtable(L, size, 0);
  for (int i = 1; i <= size; i++) {
    lua_rawgeti(L, list, i);
    convert_text(L, name);
    lua_rawseti(L, texts, i);
  }
  if (size == 1)
    lua_rawgeti(L, texts, 1);
  lua_replace(L, list);
  lua_settop(L, list);
}

/* [-0, +1] Pushes a name in lower case, or as in User-Agent. */
static void push_name(lua_State *L, EpSlice name, bool is_canonical) {
  EpBuffer cased;
  char *to;
  if (!is_canonical) {
    ep_push_lower(L, name);
    return;
  }
  lua_pushnil(L);
  ep_buffer_init(&cased, lua_gettop(L));
  to = ep_buffer_reserve(L, &cased, name.size);
  for (size_t i = 0; i < name.size; i++)
    to[i] = i == 0 || name.bytes[i - 1] == '-' ? ep_upper_byte(name.bytes[i])
                                               : ep_lower_byte(name.bytes[i]);
  cased.size = name.size;
  ep_buffer_push(L, &cased);
  lua_replace(L, -2);
}

/* [-2, +n] Appends a header of the result. Leaves the name as it is there on top. */
static void append_header(lua_State *L, EpPairs *pairs, bool is_canonical) {
  const int key = lua_gettop(L) - 1;
  EpSlice name = EP_SLICE("");
  bool has_upper;
  if (lua_type(L, key) == LUA_TSTRING)
    name = ep_to_slice(L, key);
  if (!is_token(name, &has_upper))
    refuse(L, "headers: expected tokens as names");
  if (lua_istable(L, -1))
    convert_list(L, key);
  else
    convert_text(L, key);
  ep_pairs_append(L, pairs, name);
  if (has_upper || is_canonical) {
    push_name(L, name, is_canonical);
    ep_pairs_set_last_key(L, pairs);
  }
}

/* [-0, +n] Reads the headers. */
static void read_headers(lua_State *L, EpPairs *pairs, bool is_canonical) {
  ep_checkstack(L, EP_PAIRS_SLOTS, "endpoint: no room for the headers");
  ep_pairs_init(L, pairs);
  if (lua_isnil(L, GIVEN_HEADERS))
    return;
  if (!lua_istable(L, GIVEN_HEADERS))
    refuse(L, "headers: expected a table, got a %s", luaL_typename(L, GIVEN_HEADERS));
  lua_pushnil(L);
  while (lua_next(L, GIVEN_HEADERS))
    append_header(L, pairs, is_canonical);
}

/* [-0, +0] Replaces the list on top by its texts, joined. */
static void join_texts(lua_State *L, EpSlice separator) {
  const int list = lua_gettop(L);
  EpBuffer joined;
  lua_pushnil(L);
  ep_buffer_init(&joined, list + 1);
  for (int i = 1, size = (int)ep_rawlen(L, list); i <= size; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, list, i);
    if (i > 1)
      ep_buffer_add(L, &joined, separator);
    ep_buffer_add(L, &joined, ep_to_slice(L, -1));
  }
  ep_buffer_push(L, &joined);
  lua_replace(L, list);
  lua_settop(L, list);
}

/* The new headers and fields. */
typedef struct Made {
  int headers, fields, name; /* stack indexes; those of the header's name and value are above */
  int count;                 /* of fields */
  int forms;
} Made;

/* [-0, +0] Appends { name, text }. The text is the header's value, or the i-th of its texts. */
static void append_sent_field(lua_State *L, Made *m, int i) {
  lua_createtable(L, 2, 0);
  lua_pushvalue(L, m->name);
  lua_rawseti(L, -2, 1);
  if (i > 0)
    lua_rawgeti(L, m->name + 1, i);
  else
    lua_pushvalue(L, m->name + 1);
  lua_rawseti(L, -2, 2);
  lua_rawseti(L, m->fields, ++m->count);
}

static void append_sent_fields(lua_State *L, Made *m, bool is_list) {
  if (!is_list)
    append_sent_field(L, m, 0);
  else
    for (int i = 1, size = (int)ep_rawlen(L, m->name + 1); i <= size; i++)
      append_sent_field(L, m, i);
}

static bool is_named(EpSlice header, EpSlice name) {
  return header.size == name.size && ep_equals_ignoring_case(header, name);
}

/* [-0, +0] Keeps what the body needs of the header on top. Returns whether the client writes it. */
static bool take_for_body(lua_State *L, EpSlice name) {
  if (is_named(name, EP_SLICE("content-length"))) {
    lua_replace(L, LENGTH);
    lua_pushnil(L);
    return true;
  }
  if (is_named(name, EP_SLICE("content-type"))) {
    if (lua_istable(L, -1))
      lua_rawgeti(L, -1, 1);
    else
      lua_pushvalue(L, -1);
    lua_replace(L, CONTENT_TYPE);
  }
  return is_named(name, EP_SLICE("transfer-encoding"));
}

/* [-2, +0] Adds the header on top. An empty list makes none. */
static void set_sent_header(lua_State *L, Made *m, EpSlice name) {
  bool is_list = lua_istable(L, -1);
  if ((is_list && ep_rawlen(L, -1) == 0) || take_for_body(L, name)) {
    lua_settop(L, m->fields);
    return;
  }
  /* RFC 6265 section 5.4: a request has at most one Cookie field. */
  if (is_list && is_named(name, EP_SLICE("cookie"))) {
    join_texts(L, EP_SLICE("; "));
    is_list = false;
  }
  if (m->forms & WITH_FIELDS)
    append_sent_fields(L, m, is_list);
  if (is_list && !(m->forms & WITH_LISTS))
    join_texts(L, EP_SLICE(", ")); /* RFC 9110 section 5.3 */
  lua_rawset(L, m->headers);
}

/* Sets the headers and fields. */
static void set_sent_headers(lua_State *L, EpPairs *pairs, int forms) {
  const EpName *names = ep_pairs_sort(L, pairs);
  const int top = lua_gettop(L);
  Made m = {top + 1, top + 2, top + 3, 0, forms};
  lua_createtable(L, 0, pairs->count);
  lua_createtable(L, forms & WITH_FIELDS ? pairs->count : 0, 0);
  for (int i = 0; i < pairs->count; i++) {
    ep_pairs_push_key(L, pairs, names[i].owner);
    ep_pairs_push_value(L, pairs, names[i].owner);
    if (i > 0 && ep_slice_equals(names[i - 1].text, names[i].text))
      refuse_header(L, m.name, "given twice, in different case");
    set_sent_header(L, &m, names[i].text);
  }
  lua_replace(L, FIELDS);
  lua_replace(L, HEADERS);
}

/* --- the module ----------------------------------------------------------------- */

/* read(r), in several forms, returns method, url, scheme, host, port, path, query and userinfo, the
 * headers, the fields, and of the result its body, the first content type and the length. */
static int result_read(lua_State *L) {
  const int forms = (int)lua_tointeger(L, FORMS);
  EpPairs pairs;
  read_result(L);
  push_sent_method(L);
  if (forms & PATH_ALONE)
    push_parts_of_path(L);
  else
    push_parts(L);
  lua_settop(L, FIELDS);
  read_headers(L, &pairs, (forms & CANONICAL) != 0);
  set_sent_headers(L, &pairs, forms);
  lua_settop(L, FIELDS);
  lua_pushvalue(L, BODY);
  lua_pushvalue(L, CONTENT_TYPE);
  lua_pushvalue(L, LENGTH);
  return lua_gettop(L) - METHOD + 1;
}

/* sorted_keys(t) returns a list of the keys that are strings, in bytewise order, but of no key
 * whose value is null. Lua's < depends on the locale. */
static int result_sorted_keys(lua_State *L) {
  EpPairs pairs;
  const EpName *names;
  lua_settop(L, 1);
  if (!lua_istable(L, 1))
    refuse(L, "expected a table, got a %s", luaL_typename(L, 1));
  ep_pairs_read(L, 1, &pairs);
  names = ep_pairs_sort(L, &pairs);
  lua_createtable(L, pairs.count, 0);
  for (int i = 0; i < pairs.count; i++) {
    ep_pairs_push_key(L, &pairs, names[i].owner);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* [-0, +0] Sets a function of the module on top. The set of public functions lies below it. */
static void set_function(lua_State *L, const char *name, lua_CFunction function, int forms) {
  lua_pushvalue(L, -2);
  lua_pushinteger(L, forms);
  lua_pushcclosure(L, function, 2);
  lua_setfield(L, -2, name);
}

ENDPOINT_API int luaopen_endpoint_result(lua_State *L) {
  lua_createtable(L, 0, 16);
  lua_createtable(L, 0, 8);
  set_function(L, "fail", result_fail, 0);
  set_function(L, "read", result_read, 0);
  set_function(L, "read_lists", result_read, WITH_LISTS);
  set_function(L, "read_fields", result_read, WITH_FIELDS);
  set_function(L, "read_canonical", result_read, WITH_FIELDS | CANONICAL);
  set_function(L, "read_path", result_read, PATH_ALONE);
  set_function(L, "sorted_keys", result_sorted_keys, 0);
  lua_insert(L, -2);
  lua_setfield(L, -2, "public");
  return 1;
}
