#include "merge.h"

#include "accept.h"
#include "buffer.h"
#include "headers.h"
#include "stack.h"

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

void ep_merge_push_method(lua_State *L, const EpCall *c) {
  if (c->has_route && c->route.method.bytes) {
    ep_push_upper(L, c->route.method);
  } else if (c->defaulted & ~c->given & EP_BIT(EP_METHOD)) {
    ep_call_push_default(L, c, EP_METHOD); /* in upper case already */
  } else {
    ep_call_push_method(L, c);
    ep_push_upper(L, ep_to_slice(L, -1));
    lua_replace(L, -2);
  }
}

void ep_merge_push(lua_State *L, EpCall *c) {
  const int merged = lua_gettop(L) + 1;
  ep_call_copy_defaults(L, c);
  ep_pairs_push_table(L, &c->leftovers, USUAL_FIELDS);
  ep_push_option_name(L, EP_METHOD);
  ep_merge_push_method(L, c);
  set_merged(L, merged);
  ep_push_option_name(L, EP_HEADERS);
  ep_headers_push(L, c, 0);
  set_merged(L, merged);
  if (ep_call_has(c, EP_MEDIA_TYPE)) {
    ep_push_option_name(L, EP_MEDIA_TYPE);
    ep_accept_push_media_type(L, c);
    set_merged(L, merged);
  }
  set_merged_option(L, merged, c, EP_URL);
  set_merged_option(L, merged, c, EP_BASE_URL);
  set_merged_option(L, merged, c, EP_DATA);
  set_merged_option(L, merged, c, EP_REQUEST);
}
