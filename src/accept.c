/* Reads mediaType and changes accept. */
#include "accept.h"

#include <stdbool.h>
#include <string.h>

#include "buffer.h"
#include "error.h"
#include "media_type.h"
#include "names.h"
#include "stack.h"
#include "value.h"

/* --- the option ----------------------------------------------------------------- */

/* The option of the call and of the defaults, by absolute stack indexes. */
typedef struct MediaType {
  int format;     /* a string or nil */
  int previews;   /* the call's list or nil */
  int inherited;  /* the defaults' list or nil */
  EpBuffer names; /* of previews, each with a "," behind */
} MediaType;

static void raise_key(lua_State *L, int key) {
  bool is_string = lua_type(L, key) == LUA_TSTRING;
  ep_error(L, "endpoint: option \"mediaType\": expected the keys format and previews, got %s%s",
           is_string ? ep_quote_at(L, key) : luaL_typename(L, key), is_string ? "" : " key");
}

/* Puts the fields of the call's table, which is at an absolute index, into their slots. */
static void read_fields(lua_State *L, const MediaType *m, int given) {
  const int key = lua_gettop(L) + 1;
  lua_pushnil(L);
  while (lua_next(L, given)) {
    EpSlice name = {NULL, 0};
    if (lua_type(L, key) == LUA_TSTRING)
      name = ep_to_slice(L, key);
    if (ep_slice_equals(name, EP_SLICE("format")))
      lua_replace(L, m->format);
    else if (ep_slice_equals(name, EP_SLICE("previews")))
      lua_replace(L, m->previews);
    else
      raise_key(L, key);
  }
}

/* [-0, +0] Adds the fields of the default table on top, or nil, that the call does not
 * replace. null for a field removes its default. */
static void inherit_fields(lua_State *L, const MediaType *m) {
  const int defaults = lua_gettop(L);
  if (!lua_istable(L, defaults))
    return;
  if (lua_isnil(L, m->format)) {
    lua_getfield(L, defaults, "format");
    lua_replace(L, m->format);
  }
  if (!ep_is_null(L, m->previews)) {
    lua_getfield(L, defaults, "previews");
    lua_replace(L, m->inherited);
  }
}

/* Checks the type of the field at an absolute index, and replaces null and an empty format by
 * nil. */
static void check_field(lua_State *L, int field, const char *name, int type, const char *expected) {
  bool is_right = lua_type(L, field) == type;
  if (ep_is_null(L, field) || (is_right && type == LUA_TSTRING && ep_rawlen(L, field) == 0)) {
    lua_pushnil(L);
    lua_replace(L, field);
  } else if (!is_right && !lua_isnil(L, field)) {
    ep_type_error(L, "mediaType", name, expected, field);
  }
}

/* Raises if RFC 6838 does not allow the name, a part of the string at an absolute index. */
static void check_media_name(lua_State *L, const char *what, EpSlice name, int index) {
  if (!ep_media_is_name(name))
    ep_error(L,
             "endpoint: mediaType %s %s: expected 1 to 127 letters, digits or !#$&-^_.+ "
             "with a letter or digit first (RFC 6838 section 4.2)",
             what, ep_quote_value(L, ep_to_slice(L, index)));
}

/* [-0, +4] Reads the option into four slots: its values, and the anchor of the names. */
static void push_media_type(lua_State *L, MediaType *m, const EpCall *c) {
  const int top = lua_gettop(L), given = ep_call_slot(EP_MEDIA_TYPE);
  m->format = top + 1;
  m->previews = top + 2;
  m->inherited = top + 3;
  lua_settop(L, top + 4);
  ep_buffer_init(&m->names, top + 4);
  if (lua_istable(L, given))
    read_fields(L, m, given);
  ep_call_push_default(L, c, EP_MEDIA_TYPE);
  inherit_fields(L, m);
  lua_settop(L, top + 4);
  check_field(L, m->format, "\"format\"", LUA_TSTRING, "a string");
  check_field(L, m->previews, "\"previews\"", LUA_TTABLE, "a list of strings");
  if (!lua_isnil(L, m->format))
    check_media_name(L, "format", ep_to_slice(L, m->format), m->format);
}

/* --- names of previews ------------------------------------------------------------ */

/* Replaces the first byte of a name that is removed. */
enum { REMOVED = '\0' };

static void add_preview(lua_State *L, MediaType *m, EpSlice name) {
  ep_buffer_add(L, &m->names, name);
  ep_buffer_add_byte(L, &m->names, ',');
}

/* Takes the next name off a text of names, and skips those that are removed. Returns false at
 * the end. */
static bool next_preview(EpSlice *names, EpSlice *name) {
  while (names->size > 0) {
    const char *comma = (const char *)memchr(names->bytes, ',', names->size);
    *name = ep_slice(names->bytes, (size_t)(comma - names->bytes));
    *names = ep_slice_from(*names, name->size + 1);
    if (*name->bytes != REMOVED)
      return true;
  }
  return false;
}

/* Adds the previews of the list at an absolute index, or of nil, without "-preview". */
static void add_preview_list(lua_State *L, MediaType *m, int list) {
  const int element = lua_gettop(L) + 1;
  if (lua_isnil(L, list))
    return;
  if (!ep_value_is_list(L, list))
    ep_error(L, "endpoint: mediaType \"previews\": expected a list with the keys 1..n, got other "
                "keys");
  for (int i = 1, size = (int)ep_rawlen(L, list); i <= size; i++) {
    EpSlice name;
    lua_rawgeti(L, list, i);
    if (lua_type(L, element) != LUA_TSTRING)
      ep_type_error(L, "mediaType", "\"previews\"", "a list of strings", element);
    name = ep_media_preview(ep_to_slice(L, element));
    check_media_name(L, "preview", name, element);
    add_preview(L, m, name);
    lua_pop(L, 1);
  }
}

static int count_previews(EpSlice names) {
  int count = 0;
  for (size_t i = 0; i < names.size; i++)
    count += names.bytes[i] == ',';
  return count;
}

/* Removes each name that an earlier one equals, in n log n steps. */
static void remove_duplicates(lua_State *L, MediaType *m) {
  enum { FEW = 8 };
  const int top = lua_gettop(L);
  EpSlice rest = ep_buffer_slice(&m->names), kept = {NULL, 0};
  EpName few[FEW], *names = few;
  int count = count_previews(rest);
  if (count > FEW)
    names = (EpName *)ep_newuserdata(L, (size_t)count * sizeof *names);
  for (int i = 0; i < count && next_preview(&rest, &names[i].text); i++)
    names[i].owner = i;
  ep_names_sort(names, count);
  for (int i = 0; i < count; i++) {
    if (ep_slice_equals(names[i].text, kept))
      m->names.bytes[names[i].text.bytes - m->names.bytes] = REMOVED;
    else
      kept = names[i].text;
  }
  lua_settop(L, top);
}

/* Does the option name a preview? */
static bool has_previews(lua_State *L, const MediaType *m) {
  return !lua_isnil(L, m->inherited) ||
         (!lua_isnil(L, m->previews) && ep_rawlen(L, m->previews) > 0);
}

/* Collects the previews in accept, then the option's. If the option has none, those in accept
 * stay as they are and are not collected. */
static void collect_previews(lua_State *L, MediaType *m, EpSlice accept) {
  EpSlice name;
  while (has_previews(L, m) && ep_media_next_preview(&accept, &name))
    add_preview(L, m, name);
  add_preview_list(L, m, m->inherited);
  add_preview_list(L, m, m->previews);
  remove_duplicates(L, m);
}

/* [-0, +1] Pushes the names as a list. */
static void push_preview_list(lua_State *L, const MediaType *m) {
  EpSlice rest = ep_buffer_slice(&m->names), name;
  lua_newtable(L);
  for (int i = 1; next_preview(&rest, &name); i++) {
    ep_push_slice(L, name);
    lua_rawseti(L, -2, i);
  }
}

void ep_accept_push_media_type(lua_State *L, const EpCall *c) {
  MediaType m;
  push_media_type(L, &m, c);
  collect_previews(L, &m, EP_SLICE(""));
  if (lua_isnil(L, m.format) && m.names.size == 0) {
    lua_settop(L, m.format);
    return;
  }
  lua_createtable(L, 0, 2);
  if (m.names.size > 0) {
    push_preview_list(L, &m);
    lua_setfield(L, -2, "previews");
  }
  lua_pushvalue(L, m.format);
  lua_setfield(L, -2, "format");
  lua_replace(L, m.format);
  lua_settop(L, m.format);
}

/* --- the header ----------------------------------------------------------------- */

/* "each vendor part becomes application/vnd.NAME[.vN].FORMAT" */
static void add_with_format(lua_State *L, EpBuffer *b, EpSlice accept, EpSlice format) {
  EpSlice keep, rest;
  for (;;) {
    const char *comma = (const char *)memchr(accept.bytes, ',', accept.size);
    EpSlice part = {accept.bytes, comma ? (size_t)(comma - accept.bytes) : accept.size};
    if (ep_media_is_vendor_part(part, &keep, &rest)) {
      ep_buffer_add(L, b, keep);
      ep_buffer_add_byte(L, b, '.');
      ep_buffer_add(L, b, format);
      ep_buffer_add(L, b, rest);
    } else {
      ep_buffer_add(L, b, part);
    }
    if (!comma)
      return;
    ep_buffer_add_byte(L, b, ',');
    accept = ep_slice_from(accept, part.size + 1);
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

/* "application/vnd.NAME.PREVIEW-preview+json for each preview" */
static void add_previews(lua_State *L, EpBuffer *b, EpSlice vendor, EpSlice format, EpSlice names) {
  EpSlice name;
  check_vendor(L, vendor);
  while (next_preview(&names, &name)) {
    if (b->size > 0)
      ep_buffer_add_byte(L, b, ',');
    ep_buffer_add(L, b, EP_SLICE("application/vnd."));
    ep_buffer_add(L, b, vendor.size > 0 ? vendor : EP_SLICE("service"));
    ep_buffer_add_byte(L, b, '.');
    ep_buffer_add(L, b, name);
    ep_buffer_add(L, b, EP_SLICE("-preview"));
    ep_buffer_add_byte(L, b, format.size > 0 ? '.' : '+');
    ep_buffer_add(L, b, format.size > 0 ? format : EP_SLICE("json"));
  }
}

/* [-0, +1] Pushes and returns the header, "" without one. */
static EpSlice push_accept(lua_State *L, int headers) {
  lua_getfield(L, headers, "accept");
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushliteral(L, "");
  } else if (lua_type(L, -1) != LUA_TSTRING) {
    ep_type_error(L, "header", "\"accept\"", "a string for mediaType to change", lua_gettop(L));
  }
  return ep_to_slice(L, -1);
}

/* Writes the changed header, or nothing if it stays. */
static void write_accept(lua_State *L, EpBuffer *b, const MediaType *m, EpSlice accept) {
  EpSlice format = EP_SLICE("");
  if (!lua_isnil(L, m->format))
    format = ep_to_slice(L, m->format);
  if (ep_media_has_octet_stream(accept))
    return;
  if (m->names.size > 0)
    add_previews(L, b, ep_media_vendor(accept), format, ep_buffer_slice(&m->names));
  else if (format.size > 0)
    add_with_format(L, b, accept, format);
}

void ep_accept_change(lua_State *L, const EpCall *c, int headers) {
  const int top = lua_gettop(L);
  MediaType m;
  EpBuffer b;
  EpSlice accept = EP_SLICE("");
  push_media_type(L, &m, c);
  if (has_previews(L, &m) || !lua_isnil(L, m.format))
    accept = push_accept(L, headers);
  collect_previews(L, &m, accept);
  lua_pushnil(L);
  ep_buffer_init(&b, lua_gettop(L));
  write_accept(L, &b, &m, accept);
  if (b.size > 0) {
    ep_buffer_push(L, &b);
    lua_setfield(L, headers, "accept");
  }
  lua_settop(L, top);
}
