/* Merged options. */
#include "merge.h"

#include "accept.h"
#include "headers.h"

/* [-1, +0] Enters the value on top, unless it is nil. */
static void enter(lua_State *L, int merged, EpOption option) {
  if (lua_isnil(L, -1))
    lua_pop(L, 1);
  else
    lua_setfield(L, merged, ep_option_names[option]);
}

static void enter_option(lua_State *L, int merged, const EpView *v, EpOption option) {
  ep_view_push_option(L, v, option);
  enter(L, merged, option);
}

static void enter_media_type(lua_State *L, int merged, const EpView *v) {
  const int format = lua_gettop(L) + 1, previews = format + 1;
  ep_accept_push_media_type(L, v);
  ep_accept_push_table(L, format, previews);
  enter(L, merged, EP_MEDIA_TYPE);
  lua_settop(L, format - 1);
}

void ep_merge_push(lua_State *L, EpView *v) {
  int merged;
  lua_createtable(L, 0, EP_OPTION_COUNT + v->rest.count);
  lua_replace(L, EP_VIEW_MOVED);
  ep_pairs_move(L, &v->rest, EP_VIEW_MOVED);
  lua_pushvalue(L, EP_VIEW_MOVED);
  merged = lua_gettop(L);
  ep_view_push_method(L, v);
  enter(L, merged, EP_METHOD);
  enter_option(L, merged, v, EP_URL);
  enter_option(L, merged, v, EP_BASE_URL);
  ep_headers_push(L, v, 0);
  enter(L, merged, EP_HEADERS);
  enter_media_type(L, merged, v);
  enter_option(L, merged, v, EP_DATA);
  enter_option(L, merged, v, EP_REQUEST);
}
