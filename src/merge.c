/* SPDX-License-Identifier: MIT */
#include "merge.h"

#include "accept.h"
#include "copy.h"
#include "headers.h"
#include "value.h"

void ep_merge_push_method(lua_State *L, const EpCall *c) {
  const int method = c->has_route ? c->compiled->method : EP_NO_METHOD;
  if (method != EP_NO_METHOD && method < EP_METHODS) {
    lua_pushstring(L, ep_methods[method].name);
    return;
  }
  ep_call_push_method(L, c);
  ep_push_upper(L, ep_to_slice(L, -1));
  lua_replace(L, -2);
}

/* The fields that nearly all merged options have: method, headers, url and baseUrl. */
enum { USUAL_FIELDS = 4 };

static void set_merged_option(lua_State *L, int merged, const EpCall *c, EpOption option) {
  if (!ep_call_has(c, option))
    return;
  ep_push_option_name(L, option);
  ep_call_push_option(L, c, option);
  lua_rawset(L, merged);
}

static void set_merged_url(lua_State *L, int merged, const EpCall *c) {
  if (!c->has_route) {
    set_merged_option(L, merged, c, EP_URL);
    return;
  }
  ep_push_option_name(L, EP_URL);
  ep_push_slice(L, c->compiled->t->text);
  lua_rawset(L, merged);
}

void ep_merge_push(lua_State *L, EpCall *c) {
  const int merged = lua_gettop(L) + 1;
  ep_copy_defaults(L, c);
  ep_pairs_push_table(L, &c->leftovers, USUAL_FIELDS);
  ep_push_option_name(L, EP_METHOD);
  ep_merge_push_method(L, c);
  lua_rawset(L, merged);
  ep_push_option_name(L, EP_HEADERS);
  ep_headers_push(L, c, false);
  lua_rawset(L, merged);
  if (ep_call_has(c, EP_MEDIA_TYPE)) {
    ep_push_option_name(L, EP_MEDIA_TYPE);
    ep_accept_push_media_type(L, c);
    lua_rawset(L, merged);
  }
  set_merged_url(L, merged, c);
  set_merged_option(L, merged, c, EP_BASE_URL);
  set_merged_option(L, merged, c, EP_DATA);
  set_merged_option(L, merged, c, EP_REQUEST);
}
