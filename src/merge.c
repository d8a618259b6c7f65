/* Merged options. */
#include "merge.h"

#include "accept.h"
#include "buffer.h"
#include "headers.h"
#include "stack.h"

/* [-1, +0] Sets an option to the value on top, unless that is nil. */
static void set_merged(lua_State *L, int merged, EpOption option) {
  if (lua_isnil(L, -1))
    lua_pop(L, 1);
  else
    lua_setfield(L, merged, ep_option_names[option]);
}

static void set_merged_option(lua_State *L, int merged, const EpView *v, EpOption option) {
  ep_view_push_option(L, v, option);
  set_merged(L, merged, option);
}

void ep_merge_push_method(lua_State *L, const EpView *v) {
  ep_view_push_method(L, v);
  ep_push_upper(L, ep_to_slice(L, -1));
  lua_replace(L, -2);
}

void ep_merge_push(lua_State *L, const EpView *v) {
  const int merged = lua_gettop(L) + 1;
  ep_view_copy_defaults(L, v);
  ep_pairs_push_table(L, &v->leftovers, EP_OPTION_COUNT);
  ep_merge_push_method(L, v);
  set_merged(L, merged, EP_METHOD);
  set_merged_option(L, merged, v, EP_URL);
  set_merged_option(L, merged, v, EP_BASE_URL);
  ep_headers_push(L, v, 0);
  set_merged(L, merged, EP_HEADERS);
  ep_accept_push_media_type(L, v);
  set_merged(L, merged, EP_MEDIA_TYPE);
  set_merged_option(L, merged, v, EP_DATA);
  set_merged_option(L, merged, v, EP_REQUEST);
}
