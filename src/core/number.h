/* SPDX-License-Identifier: MIT */
/* Numbers as text, the same on every Lua and in every locale. Knows nothing of Lua. */
#ifndef EP_NUMBER_H
#define EP_NUMBER_H

#include "slice.h"

/* The most bytes of a number's text. */
enum { EP_NUMBER_SIZE = 32 };

/* Is it neither NaN nor infinity? */
EP_INTERNAL bool ep_number_is_finite(double number);

/* Writes an integer in decimal. Returns the bytes. */
EP_INTERNAL size_t ep_number_integer(long long number, char *out);

/* What is wrong with a float or double as a text, itself a static text; NULL if it has one. From
 * 2^53 on not all integers are doubles, from 2^24 on floats: there an id may be that of another. */
EP_INTERNAL const char *ep_number_fault(double number, bool is_float);

/* Writes a number that ep_number_fault accepts as ECMAScript does (ECMA-262 section 6.1.6.1.20):
 * the shortest text that reads back as the same float or double. Returns the bytes. */
EP_INTERNAL size_t ep_number_real(double number, bool is_float, char *out);

#endif
