/* The variables of a template as Lua tables. */
#ifndef EP_VARIABLES_H
#define EP_VARIABLES_H

#include "compat.h"
#include "core/template.h"

/* [-0, +1] Pushes a new list of the template's variables in their order, each once, with the
 * fields name, operator, explode, prefix (of its first expression) and required. */
EP_INTERNAL void ep_variables_push(lua_State *L, const EpTemplate *t);

#endif
