/* mediaType and accept. */
#include "accept.h"

#include <stdbool.h>
#include <string.h>

#include "buffer.h"
#include "error.h"
#include "media_type.h"
#include "value.h"
#include "view.h"

/* --- the option ----------------------------------------------------------------- */

/* Checks that the string at an absolute index, up to a size, is a name of RFC 6838. */
static void check_name(lua_State *L, const char *what, int index, size_t size) {
  const char *text = lua_tostring(L, index);
  if (!ep_media_is_name(text, size))
    ep_error(L,
             "endpoint: mediaType %s %s: expected 1 to 127 letters, digits or !#$&-^_.+ "
             "with a letter or digit first (RFC 6838 section 4.2)",
             what, ep_quote_at(L, index));
}

static void check_keys(lua_State *L, int given) {
  const int format = lua_gettop(L) + 1, previews = format + 1;
  lua_pushliteral(L, "format");
  lua_pushliteral(L, "previews");
  lua_pushnil(L);
  while (lua_next(L, given)) {
    lua_pop(L, 1);
    if (!lua_rawequal(L, -1, format) && !lua_rawequal(L, -1, previews))
      ep_error(L, "endpoint: option \"mediaType\": expected the keys format and previews, got %s%s",
               lua_type(L, -1) == LUA_TSTRING ? ep_quote_at(L, -1) : luaL_typename(L, -1),
               lua_type(L, -1) == LUA_TSTRING ? "" : " key");
  }
  lua_settop(L, format - 1);
}

/* [-0, +1] Pushes a field of the given table, nil without one; *cancelled if
 * it is null, or the table itself is. */
static void push_given(lua_State *L, int given, const char *field, bool *cancelled) {
  if (lua_istable(L, given)) {
    lua_pushstring(L, field);
    lua_rawget(L, given);
  } else {
    lua_pushvalue(L, given);
  }
  *cancelled = ep_is_null(L, -1);
  if (*cancelled) {
    lua_pop(L, 1);
    lua_pushnil(L);
  }
}

/* [-0, +1] Pushes a field of the defaults, nil if there is none. */
static void push_default(lua_State *L, int defaults, const char *field) {
  if (lua_istable(L, defaults))
    lua_getfield(L, defaults, field);
  else
    lua_pushnil(L);
}

static void push_format(lua_State *L, int given, int defaults) {
  const int format = lua_gettop(L) + 1;
  bool cancelled;
  push_given(L, given, "format", &cancelled);
  if (lua_isnil(L, format)) {
    if (!cancelled) {
      push_default(L, defaults, "format");
      lua_replace(L, format);
    }
    return;
  }
  if (lua_type(L, format) != LUA_TSTRING)
    ep_type_error(L, "mediaType", "\"format\"", "a string", format);
  check_name(L, "format", format, ep_rawlen(L, format));
}

/* Names in the order in which they came, each once. */
typedef struct NameList {
  int list, seen; /* absolute indexes of the list and of the set of its names */
  int size;
} NameList;

/* [-0, +2] Pushes an empty list and its set. */
static NameList push_names(lua_State *L) {
  NameList names = {lua_gettop(L) + 1, lua_gettop(L) + 2, 0};
  lua_newtable(L);
  lua_newtable(L);
  return names;
}

/* Appends a name, unless it is there. */
static void add_name(lua_State *L, NameList *names, const char *text, size_t size) {
  lua_pushlstring(L, text, size);
  lua_pushvalue(L, -1);
  lua_rawget(L, names->seen);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, names->list, ++names->size);
    lua_pushboolean(L, 1);
    lua_rawset(L, names->seen);
  } else {
    lua_pop(L, 2);
  }
}

/* Appends the previews in the list at an absolute index, without "-preview". */
static void add_list(lua_State *L, NameList *names, int list) {
  const int size = (int)ep_rawlen(L, list), element = lua_gettop(L) + 1;
  if (!ep_value_is_list(L, list))
    ep_error(L, "endpoint: mediaType \"previews\": expected a list with the keys 1..n, got other "
                "keys");
  for (int i = 1; i <= size; i++) {
    size_t bytes;
    const char *text;
    lua_rawgeti(L, list, i);
    if (lua_type(L, element) != LUA_TSTRING)
      ep_type_error(L, "mediaType", "\"previews\"", "a list of strings", element);
    text = lua_tolstring(L, element, &bytes);
    bytes = ep_media_preview_size(text, bytes);
    check_name(L, "preview", element, bytes);
    add_name(L, names, text, bytes);
    lua_pop(L, 1);
  }
}

static void push_previews(lua_State *L, int given, int defaults) {
  const int own = lua_gettop(L) + 1, inherited = own + 1;
  bool cancelled;
  NameList names;
  push_given(L, given, "previews", &cancelled);
  if (!lua_isnil(L, own) && !lua_istable(L, own))
    ep_type_error(L, "mediaType", "\"previews\"", "a list of strings", own);
  push_default(L, cancelled ? own : defaults, "previews");
  if (lua_isnil(L, own) && lua_isnil(L, inherited)) {
    lua_settop(L, own);
    return;
  }
  names = push_names(L);
  if (!lua_isnil(L, inherited))
    add_list(L, &names, inherited);
  if (!lua_isnil(L, own))
    add_list(L, &names, own);
  if (names.size == 0)
    lua_pushnil(L);
  else
    lua_pushvalue(L, names.list);
  lua_replace(L, own);
  lua_settop(L, own);
}

void ep_accept_push_media_type(lua_State *L, const EpView *v) {
  const int given = EP_VIEW_OPTIONS + EP_MEDIA_TYPE, defaults = lua_gettop(L) + 1;
  ep_view_push_default(L, v, EP_MEDIA_TYPE);
  if (lua_istable(L, given))
    check_keys(L, given);
  push_format(L, given, defaults);
  push_previews(L, given, defaults);
  lua_remove(L, defaults);
}

void ep_accept_push_table(lua_State *L, int format, int previews) {
  if (lua_isnil(L, format) && lua_isnil(L, previews)) {
    lua_pushnil(L);
    return;
  }
  lua_createtable(L, 0, 2);
  lua_pushvalue(L, format);
  lua_setfield(L, -2, "format");
  lua_pushvalue(L, previews);
  lua_setfield(L, -2, "previews");
}

/* --- the header ----------------------------------------------------------------- */

static void add_span(lua_State *L, EpBuffer *b, EpSpan span) {
  ep_buffer_add(L, b, span.begin, (size_t)(span.end - span.begin));
}

/* "each vendor part becomes application/vnd.NAME[.vN].FORMAT" */
static void add_with_format(lua_State *L, EpBuffer *b, EpSpan accept, int format) {
  EpSpan part = {accept.begin, accept.begin}, keep, rest;
  for (; part.begin <= accept.end; part.begin = part.end + 1) {
    const char *comma = (const char *)memchr(part.begin, ',', (size_t)(accept.end - part.begin));
    part.end = comma ? comma : accept.end;
    if (part.begin > accept.begin)
      ep_buffer_add_byte(L, b, ',');
    if (ep_media_is_vendor_part(part, &keep, &rest)) {
      add_span(L, b, keep);
      ep_buffer_add_byte(L, b, '.');
      ep_buffer_add(L, b, lua_tostring(L, format), ep_rawlen(L, format));
      add_span(L, b, rest);
    } else {
      add_span(L, b, part);
    }
  }
}

/* RFC 6838 section 4.2 allows names of 127 characters. A longer one before many previews
 * would make a value as long as one times the other. */
static void check_vendor(lua_State *L, EpSpan vendor) {
  if (vendor.end - vendor.begin > EP_MEDIA_NAME_LONGEST)
    ep_error(L,
             "endpoint: header \"accept\": expected a vendor name of at most %d characters "
             "(RFC 6838 section 4.2) for previews",
             EP_MEDIA_NAME_LONGEST);
}

/* application/vnd.NAME.PREVIEW-preview+json for each preview. */
static void add_previews(lua_State *L, EpBuffer *b, EpSpan vendor, int format, NameList names) {
  static const char service_name[] = "service";
  static const EpSpan service = {service_name, service_name + sizeof service_name - 1};
  check_vendor(L, vendor);
  for (int i = 1; i <= names.size; i++) {
    if (i > 1)
      ep_buffer_add_byte(L, b, ',');
    ep_buffer_add(L, b, "application/vnd.", 16);
    add_span(L, b, vendor.begin < vendor.end ? vendor : service);
    ep_buffer_add_byte(L, b, '.');
    lua_rawgeti(L, names.list, i);
    ep_buffer_add(L, b, lua_tostring(L, -1), ep_rawlen(L, -1));
    lua_pop(L, 1);
    ep_buffer_add(L, b, "-preview", 8);
    ep_buffer_add_byte(L, b, lua_isnil(L, format) ? '+' : '.');
    if (lua_isnil(L, format))
      ep_buffer_add(L, b, "json", 4);
    else
      ep_buffer_add(L, b, lua_tostring(L, format), ep_rawlen(L, format));
  }
}

/* [-0, +2] Pushes the names of the previews in accept and of those in the list. */
static NameList push_all_previews(lua_State *L, EpSpan accept, int previews) {
  NameList names = push_names(L);
  const char *at = accept.begin;
  EpSpan preview;
  while (ep_media_next_preview(accept, &at, &preview))
    add_name(L, &names, preview.begin, (size_t)(preview.end - preview.begin));
  add_list(L, &names, previews);
  return names;
}

/* [-0, +1] Pushes the accept value that stands for the header, "" for none. */
static void push_accept(lua_State *L, int headers) {
  lua_getfield(L, headers, "accept");
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushliteral(L, "");
  } else if (lua_type(L, -1) != LUA_TSTRING) {
    ep_type_error(L, "header", "\"accept\"", "a string for mediaType to change", lua_gettop(L));
  }
}

void ep_accept_compose(lua_State *L, int headers, int format, int previews) {
  const int top = lua_gettop(L), value = top + 1, anchor = top + 2;
  EpBuffer b;
  EpSpan accept;
  size_t size;
  if (lua_isnil(L, format) && lua_isnil(L, previews))
    return;
  push_accept(L, headers);
  accept.begin = lua_tolstring(L, value, &size);
  accept.end = accept.begin + size;
  lua_pushnil(L);
  ep_buffer_init(&b, anchor);
  if (!ep_media_has_octet_stream(accept)) {
    if (!lua_isnil(L, previews))
      add_previews(L, &b, ep_media_vendor(accept), format, push_all_previews(L, accept, previews));
    else
      add_with_format(L, &b, accept, format);
    if (b.size > 0) {
      ep_buffer_push(L, &b);
      lua_setfield(L, headers, "accept");
    }
  }
  lua_settop(L, top);
}
