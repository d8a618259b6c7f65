/* Which variables a template cannot do without. Knows nothing of Lua. */
#ifndef EP_REQUIRED_H
#define EP_REQUIRED_H

#include <stdbool.h>

#include "symbols.h"
#include "template.h"

/* Sets required[i] for each variable i of the template without which a call raises while
 * every other variable is some harmless text; clears it for the others, and for all where
 * a call raises whatever the values are. The array has room for t->variable_count. Takes
 * time linear in the template. */
EP_INTERNAL void ep_required_find(const EpTemplate *t, bool *required);

#endif
