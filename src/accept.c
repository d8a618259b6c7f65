/* SPDX-License-Identifier: MIT */
#include "accept.h"

#include <limits.h>

#include "buffer.h"
#include "core/media_type.h"
#include "errors.h"
#include "value.h"

/* The call's option over the default. */
typedef struct MediaType {
  EpSlice format;   /* empty if there is no format */
  EpName *previews; /* those in accept and then those of the option, each once */
  int count;        /* number of previews; 0 if the option has none */
} MediaType;

/* The first stack slots of the option: its format, the default previews, and the call's previews.
 * The strings of all previews follow. */
enum { FORMAT, INHERITED, PREVIEWS, TEXTS };

/* [-1, +0] Puts the fields of the value on top, if it is a table, into slots at absolute indexes.
 */
static void read_fields(lua_State *L, int format, int previews) {
  const int table = lua_gettop(L), key = table + 1;
  for (lua_pushnil(L); lua_istable(L, table) && lua_next(L, table);) {
    const bool is_text = lua_type(L, key) == LUA_TSTRING;
    const EpSlice name = is_text ? ep_to_slice(L, key) : EP_SLICE("");
    if (ep_slice_equals(name, EP_SLICE("format")))
      lua_replace(L, format);
    else if (ep_slice_equals(name, EP_SLICE("previews")))
      lua_replace(L, previews);
    else
      ep_error(L, "endpoint: option \"mediaType\": expected the keys format and previews, got %s",
               is_text ? ep_quote(L, name) : lua_pushfstring(L, "%s key", luaL_typename(L, key)));
  }
  lua_settop(L, table - 1);
}

/* Raises if RFC 6838 section 4.2 does not allow the name. `text` is what the error shows. */
static void check_name(lua_State *L, const char *what, EpSlice name, EpSlice text) {
  if (!ep_media_is_name(name))
    ep_error(L,
             "endpoint: mediaType %s %s: expected 1 to 127 letters, digits or !#$&-^_.+ "
             "with a letter or digit first (RFC 6838 section 4.2)",
             what, ep_quote_masked(L, text));
}

/* [-0, +n] Pushes the elements of the list at an absolute index. Pushes nothing if it is nil. */
static void push_previews(lua_State *L, int list) {
  static const char expected[] = "a list of strings with the keys 1..n";
  if (!lua_isnil(L, list) && !(lua_istable(L, list) && ep_value_is_list(L, list)))
    ep_type_error(L, "mediaType", "\"previews\"", expected, list);
  const int size = (int)ep_rawlen(L, list);
  if (!lua_checkstack(L, size + LUA_MINSTACK))
    ep_error(L, "endpoint: mediaType \"previews\": %d do not fit on Lua's stack: expected fewer",
             size);
  for (int i = 1; i <= size; i++) {
    lua_rawgeti(L, list, i);
    if (lua_type(L, -1) != LUA_TSTRING)
      ep_type_error(L, "mediaType", "\"previews\"", expected, lua_gettop(L));
    check_name(L, "preview", ep_media_preview(ep_to_slice(L, -1)), ep_to_slice(L, -1));
  }
}

/* [-0, +1] Collects the previews in accept and then those on the stack from the absolute index
 * `first` on, at least one. Each preview in accept takes at least 9 bytes ("a-preview"). */
static void collect_previews(lua_State *L, MediaType *m, EpSlice accept, int first) {
  const int last = lua_gettop(L);
  const size_t most = accept.size / 9 + (size_t)(last - first + 1);
  if (most > INT_MAX / sizeof *m->previews)     /* GCOVR_EXCL_BR_LINE: too much to try */
    ep_error(L, "endpoint: too many previews"); /* GCOVR_EXCL_LINE */
  m->previews = (EpName *)ep_newuserdata(L, most * sizeof *m->previews);
  while (ep_media_next_preview(&accept, &m->previews[m->count].text))
    m->count++;
  for (int i = first; i <= last; i++)
    m->previews[m->count++].text = ep_media_preview(ep_to_slice(L, i));
  m->count = ep_names_unique(m->previews, m->count);
}

/* [-0, +n] Reads the option. If it has previews, those in accept are read, too. Returns whether
 * anything is set. The result is valid while accept and what is pushed are on the stack. */
static bool read_media_type(lua_State *L, MediaType *m, const EpCall *c, EpSlice accept) {
  const int first = lua_gettop(L) + 1, format = first + FORMAT;
  ep_checkstack(L, LUA_MINSTACK, "endpoint: no room for mediaType");
  lua_settop(L, first + TEXTS - 1);
  ep_call_push_default(L, c, EP_MEDIA_TYPE);
  read_fields(L, format, first + INHERITED);
  lua_pushvalue(L, ep_call_slot(EP_MEDIA_TYPE));
  read_fields(L, format, first + PREVIEWS);
  m->format = lua_type(L, format) == LUA_TSTRING ? ep_to_slice(L, format) : EP_SLICE("");
  m->count = 0;
  if (m->format.size > 0)
    check_name(L, "format", m->format, m->format);
  else if (!ep_is_absent(L, format) && lua_type(L, format) != LUA_TSTRING)
    ep_type_error(L, "mediaType", "\"format\"", "a string", format);
  if (!ep_is_null(L, first + PREVIEWS)) {
    push_previews(L, first + INHERITED);
    push_previews(L, first + PREVIEWS);
  }
  if (lua_gettop(L) >= first + TEXTS)
    collect_previews(L, m, accept, first + TEXTS);
  return m->format.size > 0 || m->count > 0;
}

void ep_accept_push_media_type(lua_State *L, const EpCall *c) {
  const int merged = lua_gettop(L) + 1;
  MediaType m;
  const bool is_set = read_media_type(L, &m, c, EP_SLICE(""));
  lua_createtable(L, 0, 2);
  if (m.format.size > 0) {
    ep_push_slice(L, m.format);
    lua_setfield(L, -2, "format");
  }
  if (m.count > 0) {
    lua_createtable(L, m.count, 0);
    for (int i = 0; i < m.count; i++) {
      ep_push_slice(L, m.previews[i].text);
      lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "previews");
  }
  if (!is_set)
    lua_pushnil(L);
  lua_replace(L, merged);
  lua_settop(L, merged);
}

static void add_with_format(lua_State *L, EpBuffer *b, EpSlice accept, const MediaType *m) {
  const char *at = accept.bytes, *const end = ep_slice_end(accept);
  while (at < end) {
    const char *comma = (const char *)memchr(at, ',', (size_t)(end - at));
    const EpSlice part = ep_slice(at, (size_t)((comma ? comma : end) - at));
    size_t rest, format = ep_media_format(part, &rest);
    if (format > 0) {
      ep_buffer_add(L, b, ep_slice(at, format));
      ep_buffer_add_byte(L, b, '.');
      ep_buffer_add(L, b, m->format);
      at += rest;
    }
    ep_buffer_add(L, b, ep_slice(at, (size_t)((comma ? comma + 1 : end) - at)));
    at = comma ? comma + 1 : end;
  }
}

/* Writes application/vnd.NAME.PREVIEW-preview+json for each preview. NAME is limited as RFC 6838
 * section 4.2 says: the length of the value is the number of previews times the length of NAME. */
static void add_with_previews(lua_State *L, EpBuffer *b, EpSlice accept, const MediaType *m) {
  const EpSlice vendor = ep_media_vendor(accept);
  if (vendor.size > EP_MEDIA_NAME_LONGEST)
    ep_error(L, "endpoint: header \"accept\": expected a vendor name of at most 127 characters "
                "(RFC 6838 section 4.2) for previews");
  for (int i = 0; i < m->count; i++) {
    ep_buffer_add(L, b, i > 0 ? EP_SLICE(",application/vnd.") : EP_SLICE("application/vnd."));
    ep_buffer_add(L, b, vendor);
    ep_buffer_add_byte(L, b, '.');
    ep_buffer_add(L, b, m->previews[i].text);
    ep_buffer_add(L, b, m->format.size > 0 ? EP_SLICE("-preview.") : EP_SLICE("-preview+json"));
    ep_buffer_add(L, b, m->format);
  }
}

void ep_accept_change(lua_State *L, const EpCall *c, int headers) {
  const int value = lua_gettop(L) + 1;
  EpSlice accept = EP_SLICE("");
  MediaType m;
  EpBuffer b;
  lua_getfield(L, headers, "accept");
  lua_pushnil(L);
  ep_buffer_init(&b, value + 1);
  if (lua_type(L, value) == LUA_TSTRING)
    accept = ep_to_slice(L, value);
  const bool is_set = read_media_type(L, &m, c, accept);
  if (is_set && lua_type(L, value) != LUA_TSTRING && !lua_isnil(L, value))
    ep_type_error(L, "header", "\"accept\"", "a string for mediaType to change", value);
  if (is_set && !ep_media_has_octet_stream(accept))
    (m.count > 0 ? add_with_previews : add_with_format)(L, &b, accept, &m);
  if (b.size > 0) {
    ep_buffer_push(L, &b);
    lua_setfield(L, headers, "accept");
  }
  lua_settop(L, value - 1);
}
