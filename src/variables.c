#include "variables.h"

#include "stack.h"

/* [-0, +1] Pushes a variable, as its first varspec describes it. */
static void push_variable(lua_State *L, const EpTemplate *t, EpPartKind kind, const EpVarspec *v) {
  const char symbol = ep_operators[kind].symbol;
  lua_createtable(L, 0, 5);
  ep_push_slice(L, t->variables[v->variable].text);
  lua_setfield(L, -2, "name");
  lua_pushlstring(L, &symbol, symbol ? 1 : 0);
  lua_setfield(L, -2, "operator");
  lua_pushboolean(L, v->explode);
  lua_setfield(L, -2, "explode");
  if (v->prefix > 0) {
    lua_pushinteger(L, v->prefix);
    lua_setfield(L, -2, "prefix");
  }
}

static void set_required(lua_State *L, bool is_required) {
  lua_pushboolean(L, is_required);
  lua_setfield(L, -2, "required");
}

/* [-0, +1] Pushes the places of the variables in the list, 0 for those that are not there yet. */
static int *push_places(lua_State *L, const EpTemplate *t) {
  const size_t size = (size_t)t->variable_count * sizeof(int);
  return (int *)memset(ep_newuserdata(L, size), 0, size);
}

/* Required is what a plain or "+" expression of the path or of the host holds: OpenAPI's path
 * parameters. */
void ep_variables_push(lua_State *L, const EpTemplate *t) {
  int *places = push_places(L, t), count = 0;
  lua_createtable(L, t->variable_count, 0);
  for (size_t i = 0; i < t->part_count; i++) {
    const EpPart *part = &t->parts[i];
    for (size_t v = part->begin; part->kind != EP_LITERAL && v < part->end; v++) {
      const bool is_required = ep_is_plain(part->kind) && v < t->path_varspecs;
      int *place = &places[t->varspecs[v].variable];
      if (*place == 0) {
        *place = ++count;
        push_variable(L, t, part->kind, &t->varspecs[v]);
        set_required(L, is_required);
        lua_rawseti(L, -2, count);
      } else if (is_required) {
        lua_rawgeti(L, -1, *place);
        set_required(L, true);
        lua_pop(L, 1);
      }
    }
  }
  lua_remove(L, -2);
}
