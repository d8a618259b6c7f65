/* mediaType and accept. */
#include "accept.h"

#include <stdbool.h>
#include <string.h>

#include "buffer.h"
#include "error.h"
#include "media_type.h"
#include "stack.h"
#include "value.h"
#include "view.h"

/* --- the option ----------------------------------------------------------------- */

/* Checks a name of RFC 6838, which is the string at an absolute index or the start of it. */
static void check_name(lua_State *L, const char *what, EpSlice name, int index) {
  if (!ep_media_is_name(name))
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
  check_name(L, "format", ep_to_slice(L, format), format);
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
static void add_name(lua_State *L, NameList *names, EpSlice name) {
  ep_push_slice(L, name);
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
    EpSlice name;
    lua_rawgeti(L, list, i);
    if (lua_type(L, element) != LUA_TSTRING)
      ep_type_error(L, "mediaType", "\"previews\"", "a list of strings", element);
    name = ep_media_preview(ep_to_slice(L, element));
    check_name(L, "preview", name, element);
    add_name(L, names, name);
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

/* "each vendor part becomes application/vnd.NAME[.vN].FORMAT" */
static void add_with_format(lua_State *L, EpBuffer *b, EpSlice accept, int format) {
  EpSlice keep, rest;
  for (bool more = true; more;) {
    const char *comma = (const char *)memchr(accept.bytes, ',', accept.size);
    EpSlice part = {accept.bytes, comma ? (size_t)(comma - accept.bytes) : accept.size};
    if (ep_media_is_vendor_part(part, &keep, &rest)) {
      ep_buffer_add(L, b, keep);
      ep_buffer_add_byte(L, b, '.');
      ep_buffer_add(L, b, ep_to_slice(L, format));
      ep_buffer_add(L, b, rest);
    } else {
      ep_buffer_add(L, b, part);
    }
    more = comma != NULL;
    if (more) {
      ep_buffer_add_byte(L, b, ',');
      accept = ep_slice_from(accept, part.size + 1);
    }
  }
}

/* RFC 6838 section 4.2 allows names of 127 characters. A longer one before many previews
 * would make a value as long as one times the other. */
static void check_vendor(lua_State *L, EpSlice vendor) {
  if (vendor.size > EP_MEDIA_NAME_LONGEST)
    ep_error(L,
             "endpoint: header \"accept\": expected a vendor name of at most %d characters "
             "(RFC 6838 section 4.2) for previews",
             EP_MEDIA_NAME_LONGEST);
}

/* application/vnd.NAME.PREVIEW-preview+json for each preview. */
static void add_previews(lua_State *L, EpBuffer *b, EpSlice vendor, int format, NameList names) {
  check_vendor(L, vendor);
  for (int i = 1; i <= names.size; i++) {
    if (i > 1)
      ep_buffer_add_byte(L, b, ',');
    ep_buffer_add(L, b, EP_SLICE("application/vnd."));
    ep_buffer_add(L, b, vendor.size > 0 ? vendor : EP_SLICE("service"));
    ep_buffer_add_byte(L, b, '.');
    lua_rawgeti(L, names.list, i);
    ep_buffer_add(L, b, ep_to_slice(L, -1));
    lua_pop(L, 1);
    ep_buffer_add(L, b, EP_SLICE("-preview"));
    ep_buffer_add_byte(L, b, lua_isnil(L, format) ? '+' : '.');
    if (lua_isnil(L, format))
      ep_buffer_add(L, b, EP_SLICE("json"));
    else
      ep_buffer_add(L, b, ep_to_slice(L, format));
  }
}

/* [-0, +2] Pushes the names of the previews in accept and of those in the list. */
static NameList push_all_previews(lua_State *L, EpSlice accept, int previews) {
  NameList names = push_names(L);
  EpSlice preview;
  while (ep_media_next_preview(&accept, &preview))
    add_name(L, &names, preview);
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
  EpSlice accept;
  if (lua_isnil(L, format) && lua_isnil(L, previews))
    return;
  push_accept(L, headers);
  accept = ep_to_slice(L, value);
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
