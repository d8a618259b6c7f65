/* ECMAScript's Number::toString (ECMA-262 section 6.1.6.1.20). */
#include "number.h"

#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "percent.h"

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

static size_t write_digits(unsigned long long number, char *out) {
  char reversed[EP_NUMBER_SIZE];
  size_t size = 0;
  do {
    reversed[size++] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  for (size_t i = 0; i < size; i++)
    out[i] = reversed[size - 1 - i];
  return size;
}

size_t ep_number_integer(long long number, char *out) {
  unsigned long long magnitude = (unsigned long long)number;
  if (number >= 0)
    return write_digits(magnitude, out);
  out[0] = '-';
  return 1 + write_digits(0 - magnitude, out + 1);
}

/* A decimal number: 0.DIGITS * 10^point. */
typedef struct Decimal {
  char digits[EP_NUMBER_SIZE];
  int size, point;
} Decimal;

static size_t put(char *out, const char *text, int size) {
  memcpy(out, text, (size_t)size);
  return (size_t)size;
}

/* A positive number of type float or double. */
typedef struct Real {
  double number;
  bool is_float;
} Real;

/* Does the decimal read back as the number? It is written without a decimal point, which the
 * locale may replace. */
static bool reads_back(const Decimal *d, Real real) {
  char text[2 * EP_NUMBER_SIZE];
  size_t size = put(text, d->digits, d->size);
  text[size++] = 'e';
  size += ep_number_integer(d->point - d->size, text + size);
  text[size] = 0;
  return (real.is_float ? (double)strtof(text, NULL) : strtod(text, NULL)) == real.number;
}

/* Sets *d to the nearest decimal of `size` digits. Only the digits and the exponent are taken
 * from snprintf's text, for its decimal point is the locale's. */
static void round_to(Decimal *d, double number, int size) {
  char text[2 * EP_NUMBER_SIZE];
  const char *at = text;
  snprintf(text, sizeof text, "%.*e", size - 1, number);
  for (d->size = 0; *at && *at != 'e'; at++)
    if (ep_is(*at, EP_DIGIT))
      d->digits[d->size++] = *at;
  d->point = *at ? (int)strtol(at + 1, NULL, 10) + 1 : 0;
}

/* Below a power of two the floats lie denser than above it, so that the decimal
 * one step up may read back where the nearest one does not. */
static bool step_up(Decimal *d, Real real) {
  if (d->digits[d->size - 1] == '9')
    return false;
  d->digits[d->size - 1]++;
  if (reads_back(d, real))
    return true;
  d->digits[d->size - 1]--;
  return false;
}

/* "let k be as small as possible": finds the fewest digits that read back. A normal number
 * keeps any decimal of `least` digits, so the search begins there: a shorter one then ends in
 * zeros, which are removed. */
static void shortest(Decimal *d, Real real) {
  const int least = real.is_float ? FLT_DIG : DBL_DIG, most = real.is_float ? 9 : 17;
  int size = real.number < (real.is_float ? FLT_MIN : DBL_MIN) ? 1 : least;
  for (; size < most; size++) {
    round_to(d, real.number, size);
    if (reads_back(d, real) || step_up(d, real))
      break;
  }
  if (size == most)
    round_to(d, real.number, size);
  while (d->size > 1 && d->digits[d->size - 1] == '0')
    d->size--;
}

static size_t put_zeros(char *out, int count) {
  for (int i = 0; i < count; i++)
    out[i] = '0';
  return count > 0 ? (size_t)count : 0;
}

static size_t put_exponential(char *out, const Decimal *d) {
  size_t n = put(out, d->digits, 1);
  if (d->size > 1) {
    out[n++] = '.';
    n += put(out + n, d->digits + 1, d->size - 1);
  }
  out[n++] = 'e';
  if (d->point > 0)
    out[n++] = '+';
  return n + ep_number_integer(d->point - 1, out + n);
}

static size_t put_fixed(char *out, const Decimal *d) {
  size_t n = 0;
  if (d->point <= 0) {
    n += put(out, "0.", 2);
    n += put_zeros(out + n, -d->point);
    return n + put(out + n, d->digits, d->size);
  }
  if (d->point >= d->size) {
    n += put(out, d->digits, d->size);
    return n + put_zeros(out + n, d->point - d->size);
  }
  n += put(out, d->digits, d->point);
  out[n++] = '.';
  return n + put(out + n, d->digits + d->point, d->size - d->point);
}

size_t ep_number_real(double number, bool is_float, char *out) {
  const double exact = is_float ? 16777216.0 : 9007199254740992.0; /* 2^24, 2^53 */
  Decimal d;
  const size_t sign = number < 0;
  const Real magnitude = {sign ? -number : number, is_float};
  if (number > -exact && number < exact && (double)(long long)number == number)
    return ep_number_integer((long long)number, out);
  if (sign)
    *out++ = '-';
  shortest(&d, magnitude);
  if (d.point > -6 && d.point <= 21)
    return sign + put_fixed(out, &d);
  return sign + put_exponential(out, &d);
}
