/* SPDX-License-Identifier: MIT */
#include "merge.h"

#include "accept.h"
#include "defaults.h"
#include "headers.h"

/* The fields that nearly all merged options have: method, headers, url and baseUrl. */
enum { USUAL_FIELDS = 4 };

/* [-2, +0] Sets the field whose name is below the top to the value on top, unless that is
 * nil. */
static void set_merged(lua_State *L, int merged) {
  if (lua_isnil(L, -1))
    lua_pop(L, 2);
  else
    lua_rawset(L, merged);
}

static void set_merged_option(lua_State *L, int merged, const EpCall *c, EpOption option) {
  if (!ep_call_has(c, option))
    return;
  ep_push_option_name(L, option);
  ep_call_push_option(L, c, option);
  set_merged(L, merged);
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
  ep_defaults_copy_out(L, c);
  ep_pairs_push_table(L, &c->leftovers, USUAL_FIELDS);
  ep_push_option_name(L, EP_METHOD);
  ep_defaults_push_method(L, c);
  set_merged(L, merged);
  ep_push_option_name(L, EP_HEADERS);
  ep_headers_push(L, c, 0);
  set_merged(L, merged);
  if (ep_call_has(c, EP_MEDIA_TYPE)) {
    ep_push_option_name(L, EP_MEDIA_TYPE);
    ep_accept_push_media_type(L, c);
    set_merged(L, merged);
  }
  set_merged_url(L, merged, c);
  set_merged_option(L, merged, c, EP_BASE_URL);
  set_merged_option(L, merged, c, EP_DATA);
  set_merged_option(L, merged, c, EP_REQUEST);
}
