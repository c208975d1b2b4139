/* verify_pass_portable.c - verify_pass.h in the compilers' vector extensions, two numbers at a
 * time, which is what every 64-bit processor's registers hold. */
#include <gbrun/bench.h>
#include <stdint.h>
#include <string.h>

#define PASS_LANES 2
#define PASS_TABLE verify_passes_portable
#define PASS_FUNCTION
typedef double pair __attribute__((vector_size(16)));
typedef int64_t pair_bits __attribute__((vector_size(16)));
typedef uint64_t pair_codes __attribute__((vector_size(16)));
#define vector pair
#define mask pair_bits
#define counts pair_bits

static inline pair load_pair(const void *address)
{
    pair numbers;
    memcpy(&numbers, address, sizeof numbers);
    return numbers;
}

static inline pair load_floats(const char *address)
{
    float numbers[2];
    memcpy(numbers, address, sizeof numbers);
    return (pair){(double)numbers[0], (double)numbers[1]};
}

#define SET_ALL(number)                                                                            \
    (pair)                                                                                         \
    {                                                                                              \
        number, number                                                                             \
    }
#define LOAD(address) load_pair(address)
#define STORE(address, a) memcpy(address, &(a), sizeof(a))
#define STORE_COUNTS(address, a) memcpy(address, &(a), sizeof(a))
#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) product_of(a, b)
#define DIV(a, b) ((a) / (b))
#define ABS(a) (pair)((pair_bits)(a)&INT64_MAX)
#define PICK(m, a, b) (pair)(((m) & (pair_bits)(a)) | (~(m) & (pair_bits)(b)))
#define MAX(a, b) max_of(a, b)
#define MIN(a, b) min_of(a, b)
#define MAX_ABS(a, b) max_of(a, ABS(b))
#define LIFTER(a, bits, add) (pair)(((pair_codes)(a) & (uint64_t)(bits)) + (uint64_t)(add))
#define GREATER(a, b) (pair_bits)((a) > (b))
#define AT_LEAST(a, b) (pair_bits)((a) >= (b))
#define BOTH(m, n) ((m) & (n))
#define OVER(d, a) (pair)((d) > (a))
#define OVER_EXACT(d, a, b) (pair)((d) > (a) * (b))
#define OVER_PRODUCT(d, a, b) (pair)(((d) >= (a) * (b)) & (((d) > 0) | ((a) < 0)))
#define MAY_EXCEED_SUM(d, a, b, x, y) may_exceed(d, (a) * (b) + (x) * (y))
#define EITHER(a, b) (pair)((pair_bits)(a) | (pair_bits)(b))
#define ANY_SIGN(a) ((((pair_bits)(a))[0] | ((pair_bits)(a))[1]) < 0)
#define NO_COUNTS                                                                                  \
    (pair_bits)                                                                                    \
    {                                                                                              \
        0, 0                                                                                       \
    }
#define COUNT(n, m) ((n) - (m))
#define OUT_OF_RANGE(s, a) ((s) | (pair_bits)(a) | ~(pair_bits)((a) <= SET_ALL(OUT_OF_RANGE_ABOVE)))
#define IS_OUT_OF_RANGE(s) (((s)[0] | (s)[1]) < 0)
#define LOAD_F32(address) load_floats(address)

static inline pair product_of(pair a, pair b)
{
    pair product = a * b;
    GB_ROUND(product);
    return product;
}

static inline pair max_of(pair a, pair b)
{
    return PICK(a > b, a, b);
}

static inline pair may_exceed(pair distance, pair limit)
{
    return (pair)((distance >= limit) & ((distance > 0) | (limit < 0)));
}

static inline pair min_of(pair a, pair b)
{
    return PICK(a < b, a, b);
}

#include "core/verify/verify_pass_body.h"
