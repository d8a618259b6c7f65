/* Merged options. */
#include "merge.h"

#include "accept.h"
#include "buffer.h"
#include "headers.h"
#include "stack.h"

/* How many options are set. null may cancel some. */
static int count_options(const EpView *v) {
  unsigned set = v->given | v->defaulted | EP_BIT(EP_METHOD) | EP_BIT(EP_HEADERS);
  int count = 0;
  for (; set; set &= set - 1)
    count++;
  return count;
}

/* [-2, +0] Sets the field whose name is below the top to the value on top, unless that is
 * nil. */
static void set_merged(lua_State *L, int merged) {
  if (lua_isnil(L, -1))
    lua_pop(L, 2);
  else
    lua_rawset(L, merged);
}

static void set_merged_option(lua_State *L, int merged, const EpView *v, EpOption option) {
  if (!ep_view_has(v, option))
    return;
  ep_push_option_name(L, option);
  ep_view_push_option(L, v, option);
  set_merged(L, merged);
}

void ep_merge_push_method(lua_State *L, const EpView *v) {
  if (v->has_route && v->route.method.bytes) {
    ep_push_upper(L, v->route.method);
  } else if (v->defaulted & ~v->given & EP_BIT(EP_METHOD)) {
    ep_view_push_default(L, v, EP_METHOD); /* in upper case already */
  } else {
    ep_view_push_method(L, v);
    ep_push_upper(L, ep_to_slice(L, -1));
    lua_replace(L, -2);
  }
}

void ep_merge_push(lua_State *L, const EpView *v) {
  const int merged = lua_gettop(L) + 1;
  ep_view_copy_defaults(L, v);
  ep_pairs_push_table(L, &v->leftovers, count_options(v));
  ep_push_option_name(L, EP_METHOD);
  ep_merge_push_method(L, v);
  set_merged(L, merged);
  ep_push_option_name(L, EP_HEADERS);
  ep_headers_push(L, v, 0);
  set_merged(L, merged);
  if (ep_view_has(v, EP_MEDIA_TYPE)) {
    ep_push_option_name(L, EP_MEDIA_TYPE);
    ep_accept_push_media_type(L, v);
    set_merged(L, merged);
  }
  set_merged_option(L, merged, v, EP_URL);
  set_merged_option(L, merged, v, EP_BASE_URL);
  set_merged_option(L, merged, v, EP_DATA);
  set_merged_option(L, merged, v, EP_REQUEST);
}
