/* SPDX-License-Identifier: MIT */
#include "number.h"

#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bytes.h"

#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0
#error "endpoint must refuse NaN and infinity: compile it with -fno-finite-math-only"
#endif

/* NaN and infinity have all bits of the exponent set (IEEE 754). Compilers that assume finite
 * numbers would remove a comparison. */
bool ep_number_is_finite(double number) {
  const uint64_t exponent = UINT64_C(0x7FF) << 52;
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return (bits & exponent) != exponent;
}

size_t ep_number_integer(long long number, char *out) {
  char text[EP_NUMBER_SIZE], *end = text + sizeof text, *at = end;
  unsigned long long rest = (unsigned long long)number;
  if (number < 0)
    rest = 0 - rest;
  do {
    *--at = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (number < 0)
    *--at = '-';
  memcpy(out, at, (size_t)(end - at));
  return (size_t)(end - at);
}

/* A type of numbers. */
typedef struct Type {
  int least, most; /* any decimal of `least` digits is kept; `most` digits tell all numbers apart */
  double smallest; /* the smallest normal number */
  double inexact;  /* from here on not all integers are numbers of this type */
  const char *fault;
} Type;

#define EP_INEXACT(from)                                                                           \
  "expected an integer or a string, got a float of " from " or more, which may have lost digits"

static const Type types[] = {
    {DBL_DIG, 17, DBL_MIN, 9007199254740992.0, EP_INEXACT("2^53")},
    {FLT_DIG, 9, FLT_MIN, 16777216.0, EP_INEXACT("2^24")},
};

const char *ep_number_fault(double number, bool is_float) {
  const Type *type = &types[is_float];
  if (!ep_number_is_finite(number))
    return "expected a finite number, got NaN or infinity";
  return number < type->inexact && number > -type->inexact ? NULL : type->fault;
}

/* A positive number of type float or double, and a decimal near it: 0.DIGITS * 10^point. */
typedef struct Real {
  double number;
  bool is_float;
  char text[2 * EP_NUMBER_SIZE]; /* the decimal as snprintf writes it, with the locale's point */
  char digits[EP_NUMBER_SIZE];
  int size, point;
} Real;

/* Does the decimal read back as the number? */
static bool reads_back(const Real *r) {
  /* GCOVR_EXCL_BR_START: one branch needs a Lua with float numbers; .ci/platform tests that */
  return (r->is_float ? (double)strtof(r->text, NULL) : strtod(r->text, NULL)) == r->number;
  /* GCOVR_EXCL_BR_STOP */
}

/* Below a power of two, floats are closer together than above it. So the next greater decimal may
 * be read back as the number even if the nearest decimal is not. If neither is, more digits are
 * needed. */
static bool steps_up(Real *r) {
  char *last = strchr(r->text, 'e') - 1;
  if (*last == '9')
    return false;
  ++*last;
  return reads_back(r);
}

/* Finds the fewest digits that are read back as the number ("let k be as small as possible" in
 * ECMA-262). A normal number keeps any decimal of `least` digits, so the search begins there. Zeros
 * at the end are left out. */
static void shorten(Real *r) {
  const Type *type = &types[r->is_float];
  int size = r->number < type->smallest ? 1 : type->least;
  const char *at = r->text;
  /* GCOVR_EXCL_BR_START: with the most digits every number reads back */
  do
    snprintf(r->text, sizeof r->text, "%.*e", size - 1, r->number);
  while (!reads_back(r) && !steps_up(r) && size++ < type->most);
  /* GCOVR_EXCL_BR_STOP */
  for (r->size = 0; *at != 'e'; at++)
    if (ep_is(*at, EP_DIGIT))
      r->digits[r->size++] = *at;
  while (r->size > 1 && r->digits[r->size - 1] == '0')
    r->size--;
  r->point = (int)strtol(at + 1, NULL, 10) + 1;
}

/* Writes the digits, with the decimal point before the digit at index `point`. Zeros are written
 * first if `point` is 0 or less. */
static size_t write_digits(const Real *r, int point, char *out) {
  size_t n = 0;
  for (int i = point > 0 ? 0 : point - 1; i < r->size; i++) {
    if (i == point)
      out[n++] = '.';
    out[n++] = i < 0 ? '0' : r->digits[i];
  }
  return n;
}

size_t ep_number_real(double number, bool is_float, char *out) {
  size_t n = number < 0;
  Real r = {n > 0 ? -number : number, is_float, "", "", 0, 0};
  if ((double)(long long)number == number)
    return ep_number_integer((long long)number, out);
  shorten(&r);
  out[0] = '-';
  n += write_digits(&r, r.point > -6 ? r.point : 1, out + n);
  if (r.point > -6)
    return n;
  out[n++] = 'e';
  return n + ep_number_integer(r.point - 1, out + n);
}
