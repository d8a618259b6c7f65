/* What a template asks for, as Lua tables. */
#ifndef EP_VARIABLES_H
#define EP_VARIABLES_H

#include "compat.h"
#include "symbols.h"
#include "template.h"

/* [-0, +1] Pushes a new list of the template's variables, each once, in its order: name,
 * operator, explode and prefix as in its first expression, and whether a call raises
 * without it. */
EP_INTERNAL void ep_variables_push(lua_State *L, const EpTemplate *t);

#endif
