/*
 * ways_float.h - ways_body.h for elements that are computed with as float. Plugin side. Takes what
 * that does but for the numbers' type and constants.
 *
 * Beyond the two limits exp is below 2^-126, or needs an exponent above 127.
 */
#define NUMBER float
#define INTEGER int32_t
#define EXPONENTIAL_TERMS                                                                          \
    {                                                                                              \
        1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f                 \
    }
#define EXPONENTIAL_LOW (-87.3f)
#define EXPONENTIAL_HIGH 88.37f
#define EXPONENTIAL_LOG2E 0x1.715476p+0f
#define EXPONENTIAL_LN2_HIGH 0x1.62e4p-1f /* with so few digits that a product with k is exact */
#define EXPONENTIAL_LN2_LOW 0x1.7f7d1cp-20f
#define EXPONENTIAL_ROUNDER 0x1.8p23f
#define EXPONENTIAL_DIGITS 23
#include "ways_body.h"
