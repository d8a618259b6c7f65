/* The list of a template's variables. */
#include "variables.h"

#include <stdbool.h>
#include <string.h>

#include "required.h"
#include "stack.h"

/* [-0, +1] Pushes a variable, as its first varspec describes it. */
static void push_variable(lua_State *L, const EpTemplate *t, EpPartKind kind, const EpVarspec *v,
                          bool required) {
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
  lua_pushboolean(L, required);
  lua_setfield(L, -2, "required");
}

/* [-0, +1] Pushes an array of flags, one for each variable. */
static bool *push_flags(lua_State *L, const EpTemplate *t) {
  return (bool *)ep_newuserdata(L, (size_t)t->variable_count * sizeof(bool));
}

void ep_variables_push(lua_State *L, const EpTemplate *t) {
  const int top = lua_gettop(L), list = top + 3;
  bool *required = push_flags(L, t), *listed = push_flags(L, t);
  int count = 0;
  ep_required_find(t, required);
  memset(listed, 0, (size_t)t->variable_count * sizeof *listed);
  lua_createtable(L, t->variable_count, 0);
  for (size_t i = 0; i < t->part_count; i++) {
    const EpPart *part = &t->parts[i];
    for (size_t v = part->begin; part->kind != EP_LITERAL && v < part->end; v++) {
      const int variable = t->varspecs[v].variable;
      if (listed[variable])
        continue;
      listed[variable] = true;
      push_variable(L, t, part->kind, &t->varspecs[v], required[variable]);
      lua_rawseti(L, list, ++count);
    }
  }
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
}
