/* Which variables a template cannot do without. Knows nothing of Lua. */
#ifndef EP_REQUIRED_H
#define EP_REQUIRED_H

#include <stdbool.h>

#include "symbols.h"
#include "template.h"

/* Sets required[i] to whether a call raises if it lacks variable i alone, and every other
 * variable is some harmless text. Where a call raises whatever the values are, all are false.
 * The array holds t->variable_count flags. Takes linear time. */
EP_INTERNAL void ep_required_find(const EpTemplate *t, bool *required);

#endif
