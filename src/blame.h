/* Says what the guard found, and which parameter is to blame. */
#ifndef EP_BLAME_H
#define EP_BLAME_H

#include "call.h"
#include "compat.h"
#include "core/guard.h"
#include "core/symbols.h"

/* Raises. The verdict on the expansion is not EP_SOUND. */
EP_INTERNAL void ep_blame(lua_State *L, const EpCall *c, const EpExpansion *x, EpVerdict verdict);

#endif
