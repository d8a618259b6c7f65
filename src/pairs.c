/* SPDX-License-Identifier: MIT */
#include "pairs.h"

#include "errors.h"
#include "value.h"

/* Lua's limit for the whole stack is 8,000 slots in 5.1 and LuaJIT, and 1,000,000 in later
 * versions. */
static void check_room(lua_State *L, const EpPairs *pairs) {
  static const char *const expected = "do not fit on Lua's stack: expected fewer";
  if (lua_checkstack(L, EP_PAIRS_SLOTS))
    return;
  if (pairs->parameter.bytes)
    ep_error(L, "endpoint: parameter %s: more than %d pairs of a map %s",
             ep_quote(L, pairs->parameter), pairs->count, expected);
  ep_error(L, "endpoint: more than %d parameters or headers %s, or one table in data", pairs->count,
           expected);
}

void ep_pairs_append(lua_State *L, EpPairs *pairs, EpSlice key) {
  const int pair = pairs->count;
  if (pair % EP_PAIRS_STEP == 0)
    check_room(L, pairs);
  pairs->count++;
  if (pair < EP_PAIRS_FEW) {
    pairs->few[pair].text = key;
    pairs->few[pair].index = pair;
  }
}

void ep_pairs_set_last_key(lua_State *L, EpPairs *pairs) {
  const int pair = pairs->count - 1;
  if (pair < EP_PAIRS_FEW)
    pairs->few[pair].text = ep_to_slice(L, -1);
  lua_replace(L, ep_pairs_key(pairs, pair));
}

void ep_pairs_read(lua_State *L, int table, EpPairs *pairs, EpSlice parameter) {
  ep_pairs_begin(L, pairs);
  pairs->parameter = parameter;
  lua_pushnil(L);
  while (lua_next(L, table)) {
    /* GCOVR_EXCL_BR_START: the map was checked before. Only a finalizer can have put a key into it
     * since then that is not a string. */
    if (ep_is_null(L, -1) || lua_type(L, -2) != LUA_TSTRING) {
      lua_pop(L, 1);
      continue;
    }
    ep_pairs_append(L, pairs, ep_to_slice(L, -2));
    lua_pushvalue(L, -2);
    /* GCOVR_EXCL_BR_STOP */
  }
}

void ep_pairs_push_table(lua_State *L, const EpPairs *pairs, int more) {
  lua_createtable(L, 0, pairs->count + more);
  for (int i = 0; i < pairs->count; i++) {
    lua_pushvalue(L, ep_pairs_key(pairs, i));
    lua_pushvalue(L, ep_pairs_value(pairs, i));
    lua_rawset(L, -3);
  }
}

const EpName *ep_pairs_sort(lua_State *L, EpPairs *pairs) {
  EpName *names = pairs->few;
  if (pairs->count > EP_PAIRS_FEW) {
    names = (EpName *)ep_newuserdata(L, (size_t)pairs->count * sizeof *names);
    for (int i = 0; i < pairs->count; i++) {
      names[i].text = ep_to_slice(L, ep_pairs_key(pairs, i));
      names[i].index = i;
    }
  }
  ep_names_sort(names, pairs->count);
  return names;
}
