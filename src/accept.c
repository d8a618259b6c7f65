#include "accept.h"

#include "buffer.h"
#include "core/media_type.h"
#include "error.h"
#include "stack.h"
#include "value.h"

/* --- the option ----------------------------------------------------------------- */

/* The option of the call over that of the defaults. */
typedef struct MediaType {
  int format;          /* absolute index of a string or nil */
  int previews;        /* of the call's list or nil */
  int inherited;       /* of the defaults' list or nil */
  EpSlice format_name; /* empty for none */
  EpPairs names; /* of previews, each as key and value; of those named before the value is nil */
} MediaType;

static void raise_key(lua_State *L, int key) {
  ep_error(L, "endpoint: option \"mediaType\": expected the keys format and previews, got %s",
           lua_type(L, key) == LUA_TSTRING ? ep_quote_at(L, key)
                                           : lua_pushfstring(L, "%s key", luaL_typename(L, key)));
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

/* Fills the slots that the call leaves empty. null for a field removes its default. */
static void inherit_fields(lua_State *L, const MediaType *m, const EpCall *c) {
  ep_call_push_default(L, c, EP_MEDIA_TYPE);
  if (lua_istable(L, -1) && lua_isnil(L, m->format)) {
    lua_getfield(L, -1, "format");
    lua_replace(L, m->format);
  }
  if (lua_istable(L, -1) && !ep_is_null(L, m->previews)) {
    lua_getfield(L, -1, "previews");
    lua_replace(L, m->inherited);
  }
  lua_pop(L, 1);
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

/* Raises if RFC 6838 does not allow the name, a part of the text. */
static void check_media_name(lua_State *L, const char *what, EpSlice name, EpSlice text) {
  if (!ep_media_is_name(name))
    ep_error(L,
             "endpoint: mediaType %s %s: expected 1 to 127 letters, digits or !#$&-^_.+ "
             "with a letter or digit first (RFC 6838 section 4.2)",
             what, ep_quote_value(L, text));
}

/* [-0, +3] Reads the option into three slots. */
static void push_media_type(lua_State *L, MediaType *m, const EpCall *c) {
  const int given = ep_call_slot(EP_MEDIA_TYPE);
  m->format = lua_gettop(L) + 1;
  m->previews = m->format + 1;
  m->inherited = m->format + 2;
  lua_settop(L, m->inherited);
  if (lua_istable(L, given))
    read_fields(L, m, given);
  inherit_fields(L, m, c);
  check_field(L, m->format, "\"format\"", LUA_TSTRING, "a string");
  check_field(L, m->previews, "\"previews\"", LUA_TTABLE, "a list of strings");
  m->format_name = EP_SLICE("");
  if (!lua_isnil(L, m->format)) {
    m->format_name = ep_to_slice(L, m->format);
    check_media_name(L, "format", m->format_name, m->format_name);
  }
}

/* --- names of previews ------------------------------------------------------------ */

/* [-1, +n] Adds the name on top. */
static void add_preview(lua_State *L, MediaType *m) {
  lua_pushvalue(L, -1);
  ep_pairs_append(L, &m->names, ep_to_slice(L, -1));
  lua_pop(L, 1);
}

/* [-0, +n] Adds the previews of the list at an absolute index, or of nil, without "-preview". */
static void add_preview_list(lua_State *L, MediaType *m, int list) {
  if (lua_isnil(L, list))
    return;
  if (!ep_value_is_list(L, list))
    ep_error(L, "endpoint: mediaType \"previews\": expected a list with the keys 1..n, got other "
                "keys");
  for (int i = 1, size = (int)ep_rawlen(L, list); i <= size; i++) {
    EpSlice text, name;
    lua_rawgeti(L, list, i);
    if (lua_type(L, -1) != LUA_TSTRING)
      ep_type_error(L, "mediaType", "\"previews\"", "a list of strings", lua_gettop(L));
    text = ep_to_slice(L, -1);
    name = ep_media_preview(text);
    check_media_name(L, "preview", name, text);
    if (name.size < text.size) {
      ep_push_slice(L, name);
      lua_replace(L, -2);
    }
    add_preview(L, m);
  }
}

/* Removes the value of each name that an earlier one equals. */
static void remove_duplicates(lua_State *L, MediaType *m) {
  const EpName *names = ep_pairs_sort(L, &m->names);
  for (int i = 1; i < m->names.count; i++)
    if (ep_slice_equals(names[i].text, names[i - 1].text)) {
      lua_pushnil(L);
      ep_pairs_set_value(L, &m->names, names[i].owner);
    }
}

/* Does the option name a preview? */
static bool has_previews(lua_State *L, const MediaType *m) {
  return !lua_isnil(L, m->inherited) ||
         (!lua_isnil(L, m->previews) && ep_rawlen(L, m->previews) > 0);
}

/* [-0, +n] Collects the previews in accept, then the option's. If the option has none, those in
 * accept stay as they are and are not collected. */
static void collect_previews(lua_State *L, MediaType *m, EpSlice accept) {
  EpSlice name;
  ep_checkstack(L, EP_PAIRS_SLOTS, "endpoint: no room for the previews");
  ep_pairs_init(L, &m->names);
  while (has_previews(L, m) && ep_media_next_preview(&accept, &name)) {
    ep_push_slice(L, name);
    add_preview(L, m);
  }
  add_preview_list(L, m, m->inherited);
  add_preview_list(L, m, m->previews);
  remove_duplicates(L, m);
}

/* [-0, +1] Pushes the names as a list. */
static void push_preview_list(lua_State *L, const MediaType *m) {
  int size = 0;
  lua_newtable(L);
  for (int i = 0; i < m->names.count; i++) {
    ep_pairs_push_value(L, &m->names, i);
    if (lua_isnil(L, -1))
      lua_pop(L, 1);
    else
      lua_rawseti(L, -2, ++size);
  }
}

void ep_accept_push_media_type(lua_State *L, const EpCall *c) {
  MediaType m;
  push_media_type(L, &m, c);
  collect_previews(L, &m, EP_SLICE(""));
  if (m.format_name.size > 0 || m.names.count > 0) {
    lua_createtable(L, 0, 2);
    if (m.names.count > 0) {
      push_preview_list(L, &m);
      lua_setfield(L, -2, "previews");
    }
    lua_pushvalue(L, m.format);
    lua_setfield(L, -2, "format");
    lua_replace(L, m.format);
  }
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

/* "application/vnd.NAME.PREVIEW-preview+json" */
static void add_with_preview(lua_State *L, EpBuffer *b, EpSlice vendor, EpSlice preview,
                             EpSlice format) {
  if (b->size > 0)
    ep_buffer_add_byte(L, b, ',');
  ep_buffer_add(L, b, EP_SLICE("application/vnd."));
  ep_buffer_add(L, b, vendor);
  ep_buffer_add_byte(L, b, '.');
  ep_buffer_add(L, b, preview);
  ep_buffer_add(L, b, EP_SLICE("-preview"));
  ep_buffer_add_byte(L, b, format.size > 0 ? '.' : '+');
  ep_buffer_add(L, b, format.size > 0 ? format : EP_SLICE("json"));
}

/* RFC 6838 section 4.2 allows names of 127 characters. A longer one before many previews would
 * make a value as long as one times the other. */
static void add_previews(lua_State *L, EpBuffer *b, const MediaType *m, EpSlice accept) {
  const EpSlice vendor = ep_media_vendor(accept);
  if (vendor.size > EP_MEDIA_NAME_LONGEST)
    ep_error(L,
             "endpoint: header \"accept\": expected a vendor name of at most %d characters "
             "(RFC 6838 section 4.2) for previews",
             EP_MEDIA_NAME_LONGEST);
  for (int i = 0; i < m->names.count; i++) {
    ep_pairs_push_value(L, &m->names, i);
    if (!lua_isnil(L, -1))
      add_with_preview(L, b, vendor.size > 0 ? vendor : EP_SLICE("service"), ep_to_slice(L, -1),
                       m->format_name);
    lua_pop(L, 1);
  }
}

/* [-0, +1] Pushes and returns the header; "" without one. */
static EpSlice push_accept(lua_State *L, int headers) {
  lua_getfield(L, headers, "accept");
  if (lua_isnil(L, -1))
    return EP_SLICE("");
  if (lua_type(L, -1) != LUA_TSTRING)
    ep_type_error(L, "header", "\"accept\"", "a string for mediaType to change", lua_gettop(L));
  return ep_to_slice(L, -1);
}

void ep_accept_change(lua_State *L, const EpCall *c, int headers) {
  const int top = lua_gettop(L);
  MediaType m;
  EpBuffer b;
  EpSlice accept = EP_SLICE("");
  push_media_type(L, &m, c);
  if (has_previews(L, &m) || m.format_name.size > 0)
    accept = push_accept(L, headers);
  collect_previews(L, &m, accept);
  lua_pushnil(L);
  ep_buffer_init(&b, lua_gettop(L));
  if (!ep_media_has_octet_stream(accept)) {
    if (m.names.count > 0)
      add_previews(L, &b, &m, accept);
    else if (m.format_name.size > 0)
      add_with_format(L, &b, accept, m.format_name);
  }
  if (b.size > 0) {
    ep_buffer_push(L, &b);
    lua_setfield(L, headers, "accept");
  }
  lua_settop(L, top);
}
