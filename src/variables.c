/* The list of a template's variables. */
#include "variables.h"

#include <stdbool.h>
#include <string.h>

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

typedef struct Flags {
  bool is_required, is_listed;
} Flags;

/* [-0, +1] Pushes the flags of each variable. Required is what a plain or "+" expression of the
 * path or of the host holds: OpenAPI's path parameters. */
static Flags *push_flags(lua_State *L, const EpTemplate *t) {
  const size_t size = (size_t)t->variable_count * sizeof(Flags);
  Flags *flags = (Flags *)ep_newuserdata(L, size);
  memset(flags, 0, size);
  for (size_t i = 0; i < t->part_count; i++)
    if (ep_is_plain(t->parts[i].kind))
      for (size_t v = t->parts[i].begin; v < t->parts[i].end && v < t->path_varspecs; v++)
        flags[t->varspecs[v].variable].is_required = true;
  return flags;
}

void ep_variables_push(lua_State *L, const EpTemplate *t) {
  const int list = lua_gettop(L) + 2;
  Flags *flags = push_flags(L, t);
  int count = 0;
  lua_createtable(L, t->variable_count, 0);
  for (size_t i = 0; i < t->part_count; i++) {
    const EpPart *part = &t->parts[i];
    for (size_t v = part->begin; part->kind != EP_LITERAL && v < part->end; v++) {
      Flags *of = &flags[t->varspecs[v].variable];
      if (of->is_listed)
        continue;
      of->is_listed = true;
      push_variable(L, t, part->kind, &t->varspecs[v], of->is_required);
      lua_rawseti(L, list, ++count);
    }
  }
  lua_replace(L, list - 1);
}
