/* Keys with their values, and their order. */
#include "pairs.h"

#include <stdbool.h>

#include "stack.h"

void ep_pairs_init(EpPairs *pairs, int slot, int base) {
  pairs->slot = slot;
  pairs->base = base;
  pairs->count = 0;
}

static bool in_table(const EpPairs *pairs) {
  return pairs->count > EP_PAIRS_ON_STACK;
}

/* Moves the pairs that lie below the two values on top into a table. */
static void move_to_table(lua_State *L, EpPairs *pairs) {
  int last = 2 * pairs->count;
  lua_createtable(L, 4 * EP_PAIRS_ON_STACK, 0);
  lua_replace(L, pairs->slot);
  for (int i = 1; i <= last; i++) {
    lua_pushvalue(L, pairs->base + i - 1);
    lua_rawseti(L, pairs->slot, i);
  }
  lua_replace(L, pairs->base + 1);
  lua_replace(L, pairs->base);
  lua_settop(L, pairs->base + 1);
}

void ep_pairs_append(lua_State *L, EpPairs *pairs, EpSlice text) {
  if (pairs->count == EP_PAIRS_ON_STACK)
    move_to_table(L, pairs);
  pairs->count++;
  if (in_table(pairs)) {
    lua_rawseti(L, pairs->slot, 2 * pairs->count);
    lua_pushvalue(L, -1);
    lua_rawseti(L, pairs->slot, 2 * pairs->count - 1);
  } else {
    EpName *name = &pairs->few[pairs->count - 1];
    name->text = text;
    name->index = pairs->count - 1;
    lua_pushvalue(L, -2);
  }
}

void ep_pairs_read(lua_State *L, int table, EpPairs *pairs) {
  ep_checkstack(L, EP_PAIRS_SLOTS, "endpoint: no room for a map");
  lua_pushnil(L);
  ep_pairs_init(pairs, lua_gettop(L), lua_gettop(L) + 1);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    if (ep_is_null(L, -1) || lua_type(L, -2) != LUA_TSTRING) {
      lua_pop(L, 1);
    } else {
      ep_pairs_append(L, pairs, ep_to_slice(L, -2));
    }
  }
}

static int member(lua_State *L, const EpPairs *pairs, int offset) {
  if (!in_table(pairs))
    return pairs->base + offset;
  lua_rawgeti(L, pairs->slot, offset + 1);
  return lua_gettop(L);
}

int ep_pairs_key(lua_State *L, const EpPairs *pairs, int index) {
  return member(L, pairs, 2 * index);
}

int ep_pairs_value(lua_State *L, const EpPairs *pairs, int index) {
  return member(L, pairs, 2 * index + 1);
}

void ep_pairs_drop(lua_State *L, const EpPairs *pairs) {
  if (in_table(pairs))
    lua_pop(L, 1);
}

void ep_pairs_move(lua_State *L, EpPairs *pairs, int table) {
  for (int i = 0; i < pairs->count; i++) {
    if (in_table(pairs)) {
      ep_pairs_key(L, pairs, i);
      ep_pairs_value(L, pairs, i);
    }
    lua_rawset(L, table);
  }
  pairs->count = 0;
}

/* [-0, +0] The keys of a table's pairs, anchored in the slot. */
static EpName *read_names(lua_State *L, const EpPairs *pairs, int slot) {
  EpName *names = (EpName *)ep_newuserdata(L, (size_t)pairs->count * sizeof *names);
  lua_replace(L, slot);
  for (int i = 0; i < pairs->count; i++) {
    names[i].text = ep_to_slice(L, ep_pairs_key(L, pairs, i));
    names[i].index = i;
    ep_pairs_drop(L, pairs);
  }
  return names;
}

const EpName *ep_pairs_sort(lua_State *L, EpPairs *pairs, int slot) {
  EpName *names = in_table(pairs) ? read_names(L, pairs, slot) : pairs->few;
  ep_names_sort(names, pairs->count);
  return names;
}
