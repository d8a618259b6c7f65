/* SPDX-License-Identifier: MIT */
#include "merge.h"

#include "accept.h"
#include "copy.h"
#include "headers.h"
#include "value.h"

/* [-0, +1] Pushes the method in upper case. */
static void push_merged_method(lua_State *L, const EpCall *c) {
  const int method = c->has_route ? c->compiled->method : EP_NO_METHOD;
  if (method != EP_NO_METHOD && method < EP_METHODS) {
    lua_pushstring(L, ep_methods[method].name);
    return;
  }
  ep_call_push_method(L, c);
  ep_push_upper(L, ep_to_slice(L, -1));
  lua_replace(L, -2);
}

void ep_merge_push_option(lua_State *L, const EpCall *c, EpOption option) {
  if (option == EP_METHOD)
    push_merged_method(L, c);
  else if (option == EP_HEADERS)
    ep_headers_push(L, c, false);
  else if (option == EP_URL && c->has_route)
    ep_push_slice(L, c->compiled->t->text);
  else if (option == EP_MEDIA_TYPE && ep_call_has(c, option))
    ep_accept_push_media_type(L, c);
  else
    ep_call_push_option(L, c, option);
}

void ep_merge_push(lua_State *L, EpCall *c) {
  enum { USUAL_FIELDS = 4 }; /* method, url, baseUrl and headers */
  const unsigned always =
      EP_BIT(EP_METHOD) | EP_BIT(EP_HEADERS) | (c->has_route ? EP_BIT(EP_URL) : 0);
  ep_copy_defaults(L, c);
  ep_pairs_push_table(L, &c->leftovers, USUAL_FIELDS);
  for (int option = 0; option < EP_OPTION_COUNT; option++)
    if ((c->given | c->defaulted | always) & EP_BIT(option)) {
      ep_push_option_name(L, (EpOption)option);
      ep_merge_push_option(L, c, (EpOption)option);
      lua_rawset(L, -3);
    }
}
