#include "pairs.h"

#include "stack.h"

void ep_pairs_init(lua_State *L, EpPairs *pairs) {
  pairs->fields.at = lua_gettop(L) + 1;
  pairs->fields.is_table = false;
  pairs->count = 0;
}

/* Moves the fields, which lie below a key and a value, from the stack into a table. */
static void move_to_table(lua_State *L, EpArray *fields) {
  lua_createtable(L, 2 * EP_ARRAY_ON_STACK, 0);
  for (int i = 0; i < EP_ARRAY_ON_STACK; i++) {
    lua_pushvalue(L, fields->at + i);
    lua_rawseti(L, -2, i + 1);
  }
  lua_replace(L, fields->at);
  lua_replace(L, fields->at + 2);
  lua_replace(L, fields->at + 1);
  lua_settop(L, fields->at + 2);
  fields->is_table = true;
}

void ep_pairs_append(lua_State *L, EpPairs *pairs, EpSlice key) {
  const int pair = pairs->count++;
  if (pair == EP_PAIRS_ON_STACK)
    move_to_table(L, &pairs->fields);
  if (pairs->fields.is_table) {
    ep_array_set(L, &pairs->fields, 2 * pair + 1);
    lua_pushvalue(L, -1);
    ep_array_set(L, &pairs->fields, 2 * pair);
  } else {
    pairs->names_on_stack[pair].text = key;
    pairs->names_on_stack[pair].owner = pair;
    lua_pushvalue(L, -2);
  }
}

void ep_pairs_set_last_key(lua_State *L, EpPairs *pairs) {
  const int pair = pairs->count - 1;
  if (!pairs->fields.is_table)
    pairs->names_on_stack[pair].text = ep_to_slice(L, -1);
  ep_array_set(L, &pairs->fields, 2 * pair);
}

void ep_pairs_read(lua_State *L, int table, EpPairs *pairs) {
  ep_checkstack(L, EP_PAIRS_SLOTS, "endpoint: no room for a map");
  ep_pairs_init(L, pairs);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    /* GCOVR_EXCL_BR_START: only a finalizer that has changed the map since it was looked at can
     * have put a key there that is no string */
    if (ep_is_null(L, -1) || lua_type(L, -2) != LUA_TSTRING)
      lua_pop(L, 1);
    else
      ep_pairs_append(L, pairs, ep_to_slice(L, -2));
    /* GCOVR_EXCL_BR_STOP */
  }
}

void ep_pairs_push_table(lua_State *L, const EpPairs *pairs, int more) {
  const int table = lua_gettop(L) + 1;
  lua_createtable(L, 0, pairs->count + more);
  for (int i = 0; i < pairs->count; i++) {
    ep_pairs_push_key(L, pairs, i);
    ep_pairs_push_value(L, pairs, i);
    lua_rawset(L, table);
  }
}

void ep_pairs_to_table(lua_State *L, EpPairs *pairs) {
  const int table = pairs->fields.at;
  if (pairs->fields.is_table) {
    ep_pairs_push_table(L, pairs, 0);
  } else {
    lua_createtable(L, 0, pairs->count);
    lua_insert(L, table);
    for (int i = 0; i < pairs->count; i++)
      lua_rawset(L, table);
  }
  pairs->count = 0;
}

/* The keys of pairs in a table. The table anchors them, behind the last pair. */
static EpName *read_names(lua_State *L, const EpPairs *pairs) {
  EpName *names = (EpName *)ep_newuserdata(L, (size_t)pairs->count * sizeof *names);
  ep_array_set(L, &pairs->fields, 2 * pairs->count);
  for (int i = 0; i < pairs->count; i++) {
    ep_pairs_push_key(L, pairs, i);
    names[i].text = ep_to_slice(L, -1);
    names[i].owner = i;
    lua_pop(L, 1);
  }
  return names;
}

const EpName *ep_pairs_sort(lua_State *L, EpPairs *pairs) {
  EpName *names = pairs->fields.is_table ? read_names(L, pairs) : pairs->names_on_stack;
  ep_names_sort(names, pairs->count);
  return names;
}
