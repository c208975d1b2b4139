/* ways_double.h - ways_body.h for elements of fp64; see ways_float.h. Plugin side. */
#define STORED double
#define WIDEN(at) (((const UNALIGNED(double, VECTOR_BYTES) *)(at))->vector)
#define NARROW(at, numbers) ((void)(((UNALIGNED(double, VECTOR_BYTES) *)(at))->vector = (numbers)))
#define NUMBER double
#define INTEGER int64_t
#define EXPONENTIAL_TERMS                                                                          \
    {                                                                                              \
        1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,            \
            1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0        \
    }
#define EXPONENTIAL_LOW (-708.3)
#define EXPONENTIAL_HIGH 709.4
#define EXPONENTIAL_LOG2E 0x1.71547652b82fep+0
#define EXPONENTIAL_LN2_HIGH 0x1.62e42feep-1
#define EXPONENTIAL_LN2_LOW 0x1.a39ef35793c76p-33
#define EXPONENTIAL_ROUNDER 0x1.8p52
#define EXPONENTIAL_DIGITS 52
#include "ways_body.h"
