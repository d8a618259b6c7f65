/* SPDX-License-Identifier: MIT */
/* Numbers as text, the same on every Lua and in every locale. Knows nothing of Lua. */
#ifndef EP_NUMBER_H
#define EP_NUMBER_H

#include "slice.h"

/* The most bytes of a number that is written as text. */
enum { EP_NUMBER_SIZE = 32 };

/* Is the number neither NaN nor infinity? */
EP_INTERNAL bool ep_number_is_finite(double number);

/* Writes an integer in decimal. Returns the size in bytes. */
EP_INTERNAL size_t ep_number_integer(long long number, char *out);

/* Returns why a number cannot be written exactly, as a static text; NULL if it can. A double of
 * 2^53 or more may have lost digits, and so may a float of 2^24 or more. An id may then have become
 * another id. */
EP_INTERNAL const char *ep_number_fault(double number, bool is_float);

/* Writes a number for which ep_number_fault returns NULL, as ECMAScript does (ECMA-262 section
 * 6.1.6.1.20). It is the shortest text that is read back as the same float or double. Returns the
 * size in bytes. */
EP_INTERNAL size_t ep_number_real(double number, bool is_float, char *out);

#endif
