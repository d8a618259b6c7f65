/* Numbers as text, the same on every Lua and under every locale. Knows
 * nothing of Lua. */
#ifndef EP_NUMBER_H
#define EP_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "symbols.h"

/* Room for any number's text, in bytes. */
enum { EP_NUMBER_SIZE = 32 };

EP_INTERNAL bool ep_number_is_finite(double number);

/* Writes the decimal digits of an integer. Returns their bytes. */
EP_INTERNAL size_t ep_number_integer(long long number, char *out);

/* Writes a finite number as ECMAScript's Number::toString does: the shortest text that
 * reads back as the same float or else double. Returns its bytes. */
EP_INTERNAL size_t ep_number_real(double number, bool is_float, char *out);

#endif
