/* Deep copies of tables. */
#include "copy.h"

#include "error.h"

enum { DEEPEST = 100, SLOTS = 8 };

typedef struct Copier {
  lua_State *L;
  int memo;
  EpSlice parameter;
} Copier;

/* [-0, +0] Replaces the value on top by its copy. Returns its height: 0, or for
 * a table 1 more than that of its highest field. */
static int copy_value(const Copier *c, int depth);

static void fail(const Copier *c, const char *message) {
  const char *name = ep_quote(c->L, c->parameter);
  ep_error(c->L, "endpoint: default %s: expected tables without cycles, at most %d deep, got %s",
           name, DEEPEST, message);
}

static int greater(int a, int b) {
  return a > b ? a : b;
}

/* [-0, +0] Copies the fields of the table at `from` into the one at `to`. */
static int copy_fields(const Copier *c, int from, int to, int depth) {
  lua_State *L = c->L;
  int height = 0;
  lua_pushnil(L);
  while (lua_next(L, from)) {
    lua_pushvalue(L, -2);
    height = greater(height, copy_value(c, depth + 1));
    lua_insert(L, -2);
    height = greater(height, copy_value(c, depth + 1));
    lua_rawset(L, to);
  }
  return height;
}

/* [-1, +0] Notes the value on top in the memo, for the table at an index. */
static void note(const Copier *c, int table) {
  lua_pushvalue(c->L, table);
  lua_insert(c->L, -2);
  lua_rawset(c->L, c->memo);
}

/* [-0, +0] Replaces the table on top, which the memo does not know. The memo
 * gets its copy, false while that is being made, and the height of the copy. */
static int copy_table(const Copier *c, int depth) {
  lua_State *L = c->L;
  const int from = lua_gettop(L), to = from + 1;
  int height;
  ep_checkstack(L, SLOTS, "endpoint: too many nested tables");
  lua_pushboolean(L, 0);
  note(c, from);
  lua_newtable(L);
  height = 1 + copy_fields(c, from, to, depth);
  if (lua_getmetatable(L, from))
    lua_setmetatable(L, to);
  lua_pushvalue(L, to);
  note(c, from);
  lua_pushinteger(L, height);
  note(c, to);
  lua_replace(L, from);
  return height;
}

/* [-0, +0] The height of the copy on top. */
static int copied_height(const Copier *c) {
  int height;
  lua_pushvalue(c->L, -1);
  lua_rawget(c->L, c->memo);
  height = (int)lua_tointeger(c->L, -1);
  lua_pop(c->L, 1);
  return height;
}

static int copy_value(const Copier *c, int depth) {
  lua_State *L = c->L;
  int height = 1;
  if (!lua_istable(L, -1))
    return 0;
  lua_pushvalue(L, -1);
  lua_rawget(L, c->memo);
  if (lua_isboolean(L, -1))
    fail(c, "a cycle");
  if (lua_istable(L, -1))
    height = copied_height(c);
  if (depth - 1 + height > DEEPEST)
    fail(c, "a deeper one");
  if (lua_istable(L, -1)) {
    lua_replace(L, -2);
    return height;
  }
  lua_pop(L, 1);
  return copy_table(c, depth);
}

void ep_copy(lua_State *L, int memo, EpSlice parameter) {
  Copier c = {L, memo, parameter};
  ep_checkstack(L, SLOTS, "endpoint: too many nested tables");
  copy_value(&c, 1);
}
