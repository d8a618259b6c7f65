#include "copy.h"

#include "error.h"

enum { DEEPEST = 100, SLOTS = 8 };

/* The memo maps a table to its copy, or to false while that is being made, and a copy to
 * its height: 1, or 1 more than that of the highest table in it. Without heights, whether
 * a shared table lies too deep would depend on which reference to it is copied first. */
typedef struct Copier {
  int memo;
  EpSlice name;
} Copier;

/* [-0, +0] Replaces the value on top by its copy. Returns its height, 0 for no table. */
static int copy_value(lua_State *L, const Copier *c, int depth);

static void copy_error(lua_State *L, const Copier *c, const char *got) {
  ep_error(L, "endpoint: default %s: expected tables without cycles, at most %d deep, got %s",
           ep_quote(L, c->name), DEEPEST, got);
}

/* [-1, +0] Sets the memo's entry for the value at an index to the value on top. */
static void set_memo(lua_State *L, const Copier *c, int index) {
  lua_pushvalue(L, index);
  lua_insert(L, -2);
  lua_rawset(L, c->memo);
}

/* [-0, +1] Pushes the memo's entry for the value on top. */
static void push_memo(lua_State *L, const Copier *c) {
  lua_pushvalue(L, -1);
  lua_rawget(L, c->memo);
}

static int greater(int a, int b) {
  return a > b ? a : b;
}

/* [-0, +0] Copies the fields of the table at `from` into the one at `to`. Returns the
 * greatest height among them. */
static int copy_fields(lua_State *L, const Copier *c, int from, int to, int depth) {
  int height = 0;
  lua_pushnil(L);
  while (lua_next(L, from)) {
    lua_pushvalue(L, -2);
    height = greater(height, copy_value(L, c, depth));
    lua_insert(L, -2);
    height = greater(height, copy_value(L, c, depth));
    lua_rawset(L, to);
  }
  return height;
}

/* [-0, +0] Replaces the table on top, which is new to the memo. */
static int copy_table(lua_State *L, const Copier *c, int depth) {
  const int from = lua_gettop(L), to = from + 1;
  int height;
  ep_checkstack(L, SLOTS, "endpoint: too many nested tables");
  lua_pushboolean(L, 0);
  set_memo(L, c, from);
  lua_newtable(L);
  height = 1 + copy_fields(L, c, from, to, depth + 1);
  if (lua_getmetatable(L, from))
    lua_setmetatable(L, to);
  lua_pushvalue(L, to);
  set_memo(L, c, from);
  lua_pushinteger(L, height);
  set_memo(L, c, to);
  lua_replace(L, from);
  return height;
}

static int copy_value(lua_State *L, const Copier *c, int depth) {
  int height = 1;
  bool is_copied;
  if (!lua_istable(L, -1))
    return 0;
  push_memo(L, c);
  if (lua_isboolean(L, -1))
    copy_error(L, c, "a cycle");
  is_copied = lua_istable(L, -1);
  if (is_copied) {
    lua_replace(L, -2);
    push_memo(L, c);
    height = (int)lua_tointeger(L, -1);
  }
  lua_pop(L, 1);
  if (depth - 1 + height > DEEPEST)
    copy_error(L, c, "a deeper one");
  return is_copied ? height : copy_table(L, c, depth);
}

void ep_copy(lua_State *L, int memo, EpSlice name) {
  const Copier c = {memo, name};
  if (!lua_istable(L, -1))
    return;
  ep_checkstack(L, SLOTS, "endpoint: too many nested tables");
  if (lua_isnil(L, memo)) {
    lua_newtable(L);
    lua_replace(L, memo);
  }
  copy_value(L, &c, 1);
}
