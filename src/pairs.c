/* Keys with their values, and their order. */
#include "pairs.h"

#include <stdbool.h>
#include <string.h>

#include "value.h"

void ep_pairs_init(lua_State *L, EpPairs *pairs, int slot) {
  pairs->slot = slot;
  pairs->base = lua_gettop(L) + 1;
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

void ep_pairs_append(lua_State *L, EpPairs *pairs) {
  if (pairs->count == EP_PAIRS_ON_STACK)
    move_to_table(L, pairs);
  pairs->count++;
  if (in_table(pairs)) {
    lua_rawseti(L, pairs->slot, 2 * pairs->count);
    lua_pushvalue(L, -1);
    lua_rawseti(L, pairs->slot, 2 * pairs->count - 1);
  } else {
    lua_pushvalue(L, -2);
  }
}

void ep_pairs_read(lua_State *L, int table, EpPairs *pairs) {
  ep_checkstack(L, EP_PAIRS_SLOTS, "endpoint: no room for a map");
  lua_pushnil(L);
  ep_pairs_init(L, pairs, lua_gettop(L));
  lua_pushnil(L);
  while (lua_next(L, table)) {
    if (ep_is_null(L, -1) || lua_type(L, -2) != LUA_TSTRING)
      lua_pop(L, 1);
    else
      ep_pairs_append(L, pairs);
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

void ep_pairs_enter(lua_State *L, const EpPairs *pairs, int table) {
  const int top = lua_gettop(L);
  for (int i = 0; i < pairs->count; i++) {
    int key = ep_pairs_key(L, pairs, i), value = ep_pairs_value(L, pairs, i);
    lua_pushvalue(L, key);
    lua_pushvalue(L, value);
    lua_rawset(L, table);
    lua_settop(L, top);
  }
}

static bool is_before(const EpName *a, const EpName *b) {
  size_t shared = a->size < b->size ? a->size : b->size;
  int order = memcmp(a->text, b->text, shared);
  return order < 0 || (order == 0 && a->size < b->size);
}

/* Lets the name at `at` sink until both of its children stand before it. */
static void sift_down(EpName *names, int at, int count) {
  EpName moving = names[at];
  for (int child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && is_before(&names[child], &names[child + 1]))
      child++;
    if (!is_before(&moving, &names[child]))
      break;
    names[at] = names[child];
  }
  names[at] = moving;
}

/* Heapsort: n log n steps on any input, and in place. */
static void sort(EpName *names, int count) {
  for (int i = count / 2 - 1; i >= 0; i--)
    sift_down(names, i, count);
  for (int last = count - 1; last > 0; last--) {
    EpName greatest = names[0];
    names[0] = names[last];
    names[last] = greatest;
    sift_down(names, 0, last);
  }
}

void ep_names_sort(lua_State *L, EpNames *names, const EpPairs *pairs) {
  EpName *all = names->few;
  if (pairs->count > EP_NAMES_ON_STACK)
    all = (EpName *)ep_newuserdata(L, (size_t)pairs->count * sizeof *all);
  else
    lua_pushnil(L);
  for (int i = 0; i < pairs->count; i++) {
    all[i].text = lua_tolstring(L, ep_pairs_key(L, pairs, i), &all[i].size);
    all[i].index = i;
    if (in_table(pairs))
      lua_pop(L, 1);
  }
  sort(all, pairs->count);
  names->sorted = all;
}
