/* SPDX-License-Identifier: MIT */
/* Reads results for endpoint.clients: method, URL and headers as they are sent. A result is the
 * caller's table, so everything in it is checked, by the rules by which results are made. Only the
 * Lua files of endpoint call these functions. */
#include "buffer.h"
#include "core/route.h"
#include "core/url.h"
#include "endpoint.h"
#include "errors.h"
#include "head.h"
#include "headers.h"
#include "integers.h"
#include "json.h"
#include "value.h"

static void check_type(lua_State *L, int index, int type, const char *what) {
  if (lua_type(L, index) != type)
    ep_error(L, "endpoint: %s: expected a %s, got a %s", what, lua_typename(L, type),
             luaL_typename(L, index));
}

static EpSlice check_string(lua_State *L, int index, const char *what) {
  check_type(L, index, LUA_TSTRING, what);
  return ep_to_slice(L, index);
}

/* --- the fields of a result ----------------------------------------------------- */

/* The stack slots of `read`: its three arguments; the result's five fields; two temporary userdata,
 * that of the head, too; the table that is made; the URL's userinfo; and the URL as it is sent. */
enum {
  RESULT = 1,
  FORM,
  OWN,
  METHOD,
  URL,
  HEADERS,
  BODY,
  REQUEST,
  SCRATCH,
  HEAD,
  MADE,
  USERINFO,
  SENT_URL
};

/* The upvalues of `read` are the strings that it needs. The index of each is N_ and the word. If
 * each call made these strings again, clients.plain would take 8 % more instructions. */
/* clang-format off */
#define EP_WORDS(X) X(method) X(url) X(scheme) X(host) X(port) X(path) X(query) X(length) \
  X(headers) X(fields) X(body) X(lists) X(http) X(https) X(head) X(relayed)
/* clang-format on */
#define EP_PLACE_OF(word) , N_##word
#define EP_TEXT_OF(word)  #word,
enum { N_NONE EP_WORDS(EP_PLACE_OF) };
static const char *const ep_words[] = {EP_WORDS(EP_TEXT_OF)};

/* Returns the slot for the value of the key below the top. Raises on another key: merged options
 * have a method, a url and headers, too, but their parameters would be lost. */
static int field_slot(lua_State *L) {
  static const EpSlice names[] = {EP_SLICE_OF("method"), EP_SLICE_OF("url"), EP_SLICE_OF("headers"),
                                  EP_SLICE_OF("body"), EP_SLICE_OF("request")};
  const bool is_string = lua_type(L, -2) == LUA_TSTRING;
  const EpSlice name = is_string ? ep_to_slice(L, -2) : EP_SLICE("");
  for (int i = METHOD; i <= REQUEST; i++)
    if (ep_slice_equals(name, names[i - METHOD]))
      return i;
  ep_error(L,
           "endpoint: expected a result of endpoint or parse, with only the keys method, url, "
           "headers, body and request, got merged options or another table with %s%s",
           is_string ? "the key " : "a key that is a ",
           is_string ? ep_quote(L, name) : luaL_typename(L, -2));
}

/* Puts the fields of the result into their slots. */
static void read_result(lua_State *L) {
  if (!lua_istable(L, RESULT))
    ep_error(L, "endpoint: expected request options, as endpoint returns them, got a %s",
             luaL_typename(L, RESULT));
  lua_pushnil(L);
  while (lua_next(L, RESULT))
    lua_replace(L, field_slot(L));
}

/* Returns the form that the caller asks for, one of these, as the index of its word; N_NONE without
 * one. */
static int read_form(lua_State *L) {
  static const int forms[] = {N_fields, N_lists, N_path, N_head, N_relayed};
  if (lua_isnil(L, FORM))
    return N_NONE;
  size_t i = 0;
  while (i < sizeof forms / sizeof *forms - 1 && !lua_rawequal(L, FORM, lua_upvalueindex(forms[i])))
    i++;
  return forms[i];
}

/* Is it a form that has the text of a head? */
static bool is_head_form(int form) {
  return form == N_head || form == N_relayed;
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

static void set_sent_method(lua_State *L) {
  const EpSlice method = check_string(L, METHOD, "method");
  if (!ep_route_is_token(method))
    ep_method_error(L, method);
  if (ep_equals_ignoring_case(method, EP_SLICE("connect")))
    ep_error(L, "endpoint: method CONNECT: expected another; the client itself opens a tunnel");
  ep_push_upper(L, method);
  lua_replace(L, METHOD);
  set_value(L, N_method, METHOD);
}

/* --- the URL -------------------------------------------------------------------- */

/* The text before the first place of `byte`; the whole text if the byte is not in it. */
static EpSlice text_before(EpSlice text, char byte) {
  const char *at = (const char *)memchr(text.bytes, byte, text.size);
  return ep_slice(text.bytes, at ? (size_t)(at - text.bytes) : text.size);
}

/* Returns the URL without its fragment. */
static EpSlice check_url(lua_State *L) {
  const EpSlice url = check_string(L, URL, "url");
  const char *end = ep_slice_end(url);
  for (const char *at = ep_skip_visible(url.bytes, end); at < end; at++) {
    if (*at < 0x21 || *at > 0x7E)
      ep_error(L, "endpoint: url: expected only the bytes 0x21 to 0x7E");
    if (*at == '{' || *at == '}')
      ep_error(L, "endpoint: expected a result of endpoint or parse, got merged options");
  }
  return text_before(url, '#');
}

/* Raises if the authority is malformed: clients read such an authority differently, and some take
 * the first segment of the path as host if the host is empty. */
static void check_authority(lua_State *L, const EpOrigin *o) {
  size_t offset;
  const char *fault = ep_url_authority_fault(ep_url_authority(o), true, &offset);
  if (fault)
    ep_error(L,
             "endpoint: url: expected a host after \"://\", and perhaps a userinfo and a port: %s",
             fault);
}

/* [-0, +1] Pushes the URL as it is sent: without userinfo and fragment, and with its scheme in
 * lower case. An empty path becomes "/" (RFC 9110 section 7.1). */
static void push_sent_url(lua_State *L, EpSlice scheme, const EpOrigin *o, int port,
                          EpSlice target) {
  const char *slash = target.size > 0 && *target.bytes == '/' ? "" : "/";
  const EpSlice given = ep_to_slice(L, URL);
  const size_t port_size = o->port.size > 0 ? o->port.size + 1 : 0; /* with its colon */
  const bool has_zero = port_size > 0 && *o->port.bytes == '0';
  if (*slash == 0 && !has_zero && ep_slice_begins_with(given, scheme) &&
      scheme.size + o->host.size + port_size + target.size == given.size) {
    lua_pushvalue(L, URL);
    return;
  }
  ep_push_slice(L, o->host);
  lua_pushfstring(L, o->port.size > 0 ? ":%d" : "", port);
  ep_push_slice(L, target);
  lua_pushfstring(L, "%s%s%s%s%s", scheme.bytes, lua_tostring(L, -3), lua_tostring(L, -2), slash,
                  lua_tostring(L, -1));
  lua_replace(L, -4);
  lua_pop(L, 2);
}

/* Sets scheme, host and port. The host of an address has no brackets. */
static void set_place(lua_State *L, const EpOrigin *o, int port, bool is_https) {
  const size_t bracket = *o->host.bytes == '[';
  set_value(L, N_scheme, lua_upvalueindex(is_https ? N_https : N_http));
  set_text(L, N_host, ep_slice(o->host.bytes + bracket, o->host.size - 2 * bracket));
  push_name(L, N_port);
  lua_pushinteger(L, port);
  lua_rawset(L, MADE);
}

/* Sets what comes before the path: url, and what the form has of it. */
static void set_origin(lua_State *L, const EpOrigin *o, EpSlice target, int form) {
  const bool is_https = ep_equals_ignoring_case(o->scheme, EP_SLICE("https:"));
  const int port = ep_url_port(o);
  if (!is_https && !ep_equals_ignoring_case(o->scheme, EP_SLICE("http:")))
    ep_error(L, "endpoint: url: expected http:// or https://");
  check_authority(L, o);
  const EpSlice scheme = is_https ? EP_SLICE("https://") : EP_SLICE("http://");
  push_sent_url(L, scheme, o, port, target);
  lua_replace(L, SENT_URL);
  set_value(L, N_url, SENT_URL);
  if (!is_head_form(form))
    set_place(L, o, port, is_https);
  if (o->userinfo.size > 1) {
    lua_pushlstring(L, o->userinfo.bytes, o->userinfo.size - 1);
    lua_replace(L, USERINFO);
  }
}

/* Sets the parts of the URL, or of a path on this server. An empty query is set, too. */
static void set_parts(lua_State *L, int form) {
  const EpSlice url = check_url(L);
  const EpOrigin o = ep_url_read_origin(url);
  const EpSlice target = ep_slice_from(url, o.size), path = text_before(target, '?');
  if (o.size > 0)
    set_origin(L, &o, target, form);
  else if (!ep_slice_begins_with(url, EP_SLICE("/")) || ep_slice_begins_with(url, EP_SLICE("//")))
    ep_error(L, "endpoint: url: expected http:// or https:// and a host");
  else if (form != N_path)
    ep_error(L, "endpoint: url: expected http:// or https:// and a host; only clients.ngx takes a "
                "path");
  if (is_head_form(form))
    return;
  set_text(L, N_path, path.size > 0 ? path : EP_SLICE("/"));
  if (path.size < target.size)
    set_text(L, N_query, ep_slice_from(target, path.size + 1));
}

/* --- the headers ---------------------------------------------------------------- */

/* Replaces the list at an absolute index by one string of its elements, joined. */
static void join_texts(lua_State *L, int list, EpSlice separator) {
  EpBuffer joined;
  ep_buffer_init(&joined, SCRATCH);
  for (int i = 1, size = (int)ep_rawlen(L, list); i <= size; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, list, i);
    if (i > 1)
      ep_buffer_add(L, &joined, separator);
    ep_buffer_add(L, &joined, ep_to_slice(L, -1));
  }
  ep_buffer_push(L, &joined);
  lua_replace(L, list);
}

/* Raises if the value at an absolute index is a number that cannot be written exactly. */
static void check_number(lua_State *L, int value, EpSlice name) {
  const char *fault = lua_type(L, value) == LUA_TNUMBER ? ep_value_number_fault(L, value) : NULL;
  if (fault)
    ep_error(L, "endpoint: header %s: %s", ep_quote(L, name), fault);
}

/* Can the value at an absolute index be sent? Replaces a number or boolean by a string. A list that
 * makes one field becomes one string, too: a request has at most one Cookie field (RFC 6265 section
 * 5.4) and one Host field (RFC 9112 section 3.2). */
static bool has_text(lua_State *L, int value, EpSlice name) {
  const size_t size = lua_istable(L, value) ? ep_rawlen(L, value) : 0;
  EpText text;
  check_number(L, value, name);
  if (size == 1 || (size > 1 && ep_slice_equals(name, EP_SLICE("cookie"))))
    join_texts(L, value, EP_SLICE("; "));
  else if (size > 1 && ep_slice_equals(name, EP_SLICE("host")))
    ep_error(L, "endpoint: header \"host\": expected one string, got a list");
  if (lua_istable(L, value) || !ep_value_read_element(L, value, name, &text)) /* null is not sent */
    return size > 0;
  ep_push_slice(L, text.slice);
  lua_replace(L, value);
  return true;
}

/* Is the header sent? Clients write the length of the body themselves. Only the caller knows the
 * length of a stream. */
static bool is_sent(lua_State *L, int value, EpSlice name) {
  const bool has_value = lua_type(L, value) == LUA_TSTRING || has_text(L, value, name);
  if (!ep_slice_equals(name, EP_SLICE("content-length")))
    return has_value && !ep_slice_equals(name, EP_SLICE("transfer-encoding"));
  if (lua_isfunction(L, BODY) && !ep_is_null(L, value))
    set_value(L, N_length, value);
  return false;
}

/* Appends { name, value } to the list `fields`, once for each element of a list. `name` is the
 * index of the name; the value is in the next slot. Returns the new number of fields. */
static int append_fields(lua_State *L, int fields, int count, int name, bool is_list) {
  const int size = is_list ? (int)ep_rawlen(L, name + 1) : 1;
  for (int i = 1; i <= size; i++) {
    lua_createtable(L, 2, 0);
    lua_pushvalue(L, name);
    lua_rawseti(L, -2, 1);
    if (is_list)
      lua_rawgeti(L, name + 1, i);
    else
      lua_pushvalue(L, name + 1);
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, fields, ++count);
  }
  return count;
}

/* Does the client write a field of this name itself? That of the host comes first (RFC 9110 section
 * 7.2), and those about the connection are the client's. `name` is the index of the name. */
static bool is_own(lua_State *L, int name) {
  const EpSlice text = ep_to_slice(L, name);
  if (ep_slice_equals(text, EP_SLICE("host")) || ep_slice_equals(text, EP_SLICE("connection")))
    return true;
  if (!lua_istable(L, OWN))
    return false;
  lua_pushvalue(L, name);
  lua_rawget(L, OWN);
  const bool is_there = !lua_isnil(L, -1);
  lua_pop(L, 1);
  return is_there;
}

static void append_line(lua_State *L, EpBuffer *head, EpSlice name, EpSlice value) {
  ep_buffer_add(L, head, name);
  ep_buffer_add(L, head, EP_SLICE(": "));
  ep_buffer_add(L, head, value);
  ep_buffer_add(L, head, EP_SLICE("\r\n"));
}

/* Appends the lines of a field, one for each element of a list. `name` is the index of the name;
 * the value is in the next slot. */
static void append_lines(lua_State *L, EpBuffer *head, int name) {
  const int value = name + 1;
  if (is_own(L, name))
    return;
  if (!lua_istable(L, value)) {
    append_line(L, head, ep_to_slice(L, name), ep_to_slice(L, value));
    return;
  }
  for (int i = 1, size = (int)ep_rawlen(L, value); i <= size; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, value, i);
    append_line(L, head, ep_to_slice(L, name), ep_to_slice(L, -1));
  }
}

/* Appends the lines of the fields that the client writes itself. */
static void append_own_lines(lua_State *L, EpBuffer *head) {
  if (!lua_istable(L, OWN))
    return;
  for (lua_pushnil(L); lua_next(L, OWN); lua_pop(L, 1)) {
    const EpSlice name = check_string(L, -2, "own");
    append_line(L, head, name, check_string(L, -1, "own"));
  }
}

/* The host that a head names: the header's, else the authority of the URL. */
static EpSlice sent_host(lua_State *L, const EpPairs *pairs, const EpName *names,
                         EpSlice authority) {
  for (int i = 0; i < pairs->count; i++) {
    const int value = ep_pairs_value(pairs, names[i].index);
    if (ep_slice_equals(names[i].text, EP_SLICE("host")) && is_sent(L, value, names[i].text))
      return ep_to_slice(L, value);
  }
  return authority;
}

/* Writes the beginning of a head: the line of the request, the host, and the client's own fields.
 * Only a proxy gets the whole URL (RFC 9112 section 3.2). */
static void begin_head(lua_State *L, EpBuffer *head, const EpPairs *pairs, const EpName *names,
                       int form) {
  const EpSlice url = ep_to_slice(L, SENT_URL);
  const EpSlice scheme =
      ep_slice_begins_with(url, EP_SLICE("https:")) ? EP_SLICE("https://") : EP_SLICE("http://");
  const EpSlice rest = ep_slice_from(url, scheme.size), authority = text_before(rest, '/');
  ep_buffer_init(head, HEAD);
  ep_buffer_add(L, head, ep_to_slice(L, METHOD));
  ep_buffer_add_byte(L, head, ' ');
  ep_buffer_add(L, head, form == N_relayed ? url : ep_slice_from(rest, authority.size));
  ep_buffer_add(L, head, EP_SLICE(" HTTP/1.1\r\n"));
  append_line(L, head, EP_SLICE("host"), sent_host(L, pairs, names, authority));
  append_own_lines(L, head);
}

/* Reads the result's headers, sorted. */
static const EpName *read_headers(lua_State *L, EpPairs *pairs) {
  ep_pairs_begin(L, pairs);
  if (!lua_isnil(L, HEADERS)) {
    check_type(L, HEADERS, LUA_TTABLE, "headers");
    ep_headers_read(L, pairs, HEADERS);
  }
  return ep_pairs_sort(L, pairs);
}

/* Sets the head: its beginning, and the lines of the headers. */
static void set_head(lua_State *L, const EpPairs *pairs, const EpName *names, int form) {
  EpBuffer head;
  begin_head(L, &head, pairs, names, form);
  for (int i = 0; i < pairs->count; i++) {
    const int name = ep_pairs_key(pairs, names[i].index);
    if (is_sent(L, name + 1, names[i].text))
      append_lines(L, &head, name);
  }
  set_text(L, N_head, ep_buffer_slice(&head));
}

/* Sets headers, and the fields if the form has them. */
static void set_header_table(lua_State *L, const EpPairs *pairs, const EpName *names, int form) {
  const bool has_fields = form == N_fields;
  const int headers = lua_gettop(L) + 1, fields = headers + 1;
  int count = 0;
  lua_createtable(L, 0, pairs->count);
  set_value(L, N_headers, headers);
  if (has_fields) {
    lua_createtable(L, pairs->count, 0);
    set_value(L, N_fields, fields);
  }
  for (int i = 0; i < pairs->count; i++) {
    const int name = ep_pairs_key(pairs, names[i].index), value = name + 1;
    if (!is_sent(L, value, names[i].text))
      continue;
    const bool is_list = lua_istable(L, value);
    if (has_fields)
      count = append_fields(L, fields, count, name, is_list);
    if (is_list && form != N_lists)
      join_texts(L, value, EP_SLICE(", ")); /* RFC 9110 section 5.3 */
    lua_pushvalue(L, name);
    lua_pushvalue(L, value);
    lua_rawset(L, headers);
  }
}

/* Sets what the form has of the headers. With a head, only a body and a userinfo need them. */
static void set_sent_headers(lua_State *L, int form) {
  EpPairs pairs;
  const EpName *names = read_headers(L, &pairs);
  const bool is_head = is_head_form(form);
  if (is_head)
    set_head(L, &pairs, names, form);
  if (!is_head || !lua_isnil(L, BODY) || !lua_isnil(L, USERINFO))
    set_header_table(L, &pairs, names, form);
}

/* --- the functions of the module ------------------------------------------------ */

/* read(r, form, own) returns a new table and the URL's userinfo (a string, or nil).
 * - r (table) is a result of endpoint or parse.
 * - form (string or nil): with "fields" the table has the field fields, too. With "lists" several
 *   values of one header stay a list. With "path" the URL may be a path on this server; there is
 *   then no url, scheme, host and port. With "head" the table has head, the head of an HTTP/1.1
 *   request up to where its framing follows, in place of scheme, host, port, path and query; and
 *   headers only where there is a body or a userinfo. With "relayed" that is a head for a proxy.
 * - own (table or nil) has the fields that the client writes itself into a head: its keys are their
 *   names, its values strings. They replace those of the headers.
 * - The table has method, url, scheme, host, port (an integer), path, query, headers (name to
 *   string), fields (a list of { name, value }), body, and for a stream length (what content-length
 *   says).
 * Raises a string if r is not a result, and if its method, URL or headers cannot be sent (RFC 9110
 * sections 5, 7.1 and 9.1). */
static int result_read(lua_State *L) {
  lua_settop(L, OWN);
  lua_settop(L, HEAD);
  /* lua_pushfstring of Lua 5.3 loses a piece if the stack grows while it has no memory. */
  ep_checkstack(L, 2 * LUA_MINSTACK, "endpoint: no room for the request");
  const int form = read_form(L);
  read_result(L);
  lua_createtable(L, 0, is_head_form(form) ? 4 : form == N_fields ? 9 : 8);
  lua_settop(L, SENT_URL);
  set_sent_method(L);
  set_parts(L, form);
  set_sent_headers(L, form);
  if (!lua_isnil(L, BODY))
    set_value(L, N_body, BODY);
  lua_settop(L, USERINFO);
  return 2;
}

/* sorted(list) returns a new list of the same strings in bytewise order. Lua's < depends on the
 * locale. The list may be longer than Lua's stack. Raises if list is not a table, and if an element
 * is not a string. */
static int result_sorted(lua_State *L) {
  check_type(L, 1, LUA_TTABLE, "list");
  const int count = (int)ep_rawlen(L, 1);
  EpName *names = (EpName *)ep_newuserdata(L, (size_t)count * sizeof *names);
  for (int i = 0; i < count; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, 1, i + 1);
    names[i].text = check_string(L, -1, "element");
    names[i].index = i;
  }
  ep_names_sort(names, count);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, 1, names[i].index + 1);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* lower(text) returns the string with its ASCII letters in lower case. Other bytes stay. Raises if
 * text is not a string. */
static int result_lower(lua_State *L) {
  ep_push_lower(L, check_string(L, 1, "text"));
  return 1;
}

/* is_printable(text) returns a boolean: are all bytes of the string printable ASCII, 0x20 to 0x7E?
 * Raises if text is not a string. */
static int result_is_printable(lua_State *L) {
  const EpSlice text = check_string(L, 1, "text");
  const char *at = text.bytes, *end = ep_slice_end(text);
  while (at < end && *at >= ' ' && *at <= '~')
    at++;
  lua_pushboolean(L, at == end);
  return 1;
}

/* encoded(value) returns a string, number or boolean as it is written in a URL. All bytes except
 * the unreserved ones become triplets (RFC 3986 section 2.3). Raises if a number cannot be written
 * exactly, and on a table or another type. */
static int result_encoded(lua_State *L) {
  EpBuffer encoded;
  EpText text;
  lua_settop(L, 2);
  text.slice = EP_SLICE("");
  ep_value_read_element(L, 1, text.slice, &text);
  ep_buffer_init(&encoded, 2);
  ep_buffer_add_encoded(L, &encoded, text.slice, 0);
  ep_buffer_push(L, &encoded);
  return 1;
}

/* number_fault(number) returns why the number cannot be written exactly, as a string; nil if it
 * can. Raises if it is not a number. */
static int result_number_fault(lua_State *L) {
  check_type(L, 1, LUA_TNUMBER, "number");
  lua_pushstring(L, ep_value_number_fault(L, 1));
  return 1;
}

/* decoded(text) returns the string with its triplets decoded (RFC 3986 section 2.1). Raises if text
 * is not a string. */
static int result_decoded(lua_State *L) {
  const EpSlice encoded = check_string(L, 1, "text");
  char *bytes = (char *)ep_newuserdata(L, encoded.size);
  lua_pushlstring(L, bytes, ep_percent_decode(bytes, encoded));
  return 1;
}

/* Segments more than these are not looked for. */
enum { MOST_SEGMENTS = 200 };

/* [-0, +1] Pushes a list of the path's segments, which are after each "/"; nil if there are more
 * than MOST_SEGMENTS. The path is a string on the stack. */
static void push_segments(lua_State *L, EpSlice path) {
  const char *at = path.bytes, *const end = ep_slice_end(path);
  lua_createtable(L, 8, 0);
  for (int count = 1; at < end; count++) {
    const char *const from = at + 1;
    const char *const slash = (const char *)memchr(from, '/', (size_t)(end - from));
    if (count > MOST_SEGMENTS) {
      lua_pop(L, 1);
      lua_pushnil(L);
      return;
    }
    at = slash ? slash : end;
    lua_pushlstring(L, from, (size_t)(at - from));
    lua_rawseti(L, -2, count);
  }
}

/* Has a path no byte that another spelling of it has, and no ";"? */
static bool is_plain(EpSlice path) {
  const char *at = path.bytes, *const end = ep_slice_end(path);
  while ((at = ep_skip_unreserved(at, end)) < end && memchr("/!$&'()*+,=:@", *at, 13))
    at++;
  return at == end;
}

/* path_segments(path, has_slashes) returns a list of the raw segments of the path of a request that
 * came in, nil if there are more than MOST_SEGMENTS; and whether all its bytes are unreserved, or
 * reserved but not ";". Or nil, and as a string what is wrong with the path, which begins with "/".
 * has_slashes: may a triplet encode a slash or a control character? Raises if path is of another
 * type. */
static int result_path_segments(lua_State *L) {
  const EpSlice path = check_string(L, 1, "path");
  const char *const fault = ep_segments_fault(path, lua_toboolean(L, 2));
  if (fault) {
    lua_pushnil(L);
    lua_pushstring(L, fault);
  } else {
    push_segments(L, path);
    lua_pushboolean(L, is_plain(path));
  }
  return 2;
}

/* [-0, +0] Sets the field options of the table on top: a list of the names of a call's options. */
static void set_options(lua_State *L) {
  lua_createtable(L, EP_OPTION_COUNT, 0);
  for (int option = 0; option < EP_OPTION_COUNT; option++) {
    ep_push_slice(L, ep_option_names[option]);
    lua_rawseti(L, -2, option + 1);
  }
  lua_setfield(L, -2, "options");
}

/* is_option(key) returns a boolean: is the key, of any type, the name of an option of a call?
 * Raises nothing. */
static int result_is_option(lua_State *L) {
  lua_pushboolean(L, lua_type(L, 1) == LUA_TSTRING &&
                         ep_option_find(ep_to_slice(L, 1)) != EP_OPTION_COUNT);
  return 1;
}

ENDPOINT_API int luaopen_endpoint_result(lua_State *L) {
  static const luaL_Reg functions[] = {{"head", ep_head_read},
                                       {"sorted", result_sorted},
                                       {"lower", result_lower},
                                       {"is_printable", result_is_printable},
                                       {"encoded", result_encoded},
                                       {"number_fault", result_number_fault},
                                       {"is_option", result_is_option},
                                       {"decoded", result_decoded},
                                       {"path_segments", result_path_segments},
                                       {"json", ep_json_read},
                                       {"has_twice", ep_json_has_twice},
                                       {"has_great_number", ep_integers_has_great_number}};
  ep_checkversion(L);
  lua_createtable(L, 0, sizeof functions / sizeof *functions + 3);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    lua_pushcfunction(L, functions[i].func);
    lua_setfield(L, -2, functions[i].name);
  }
  set_options(L);
  lua_pushliteral(L, ENDPOINT_VERSION);
  lua_setfield(L, -2, "VERSION");
  for (size_t i = 0; i < sizeof ep_words / sizeof *ep_words; i++)
    lua_pushstring(L, ep_words[i]);
  lua_pushcclosure(L, result_read, sizeof ep_words / sizeof *ep_words);
  lua_setfield(L, -2, "read");
  return 1;
}
