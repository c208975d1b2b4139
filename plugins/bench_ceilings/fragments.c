/* fragments.c - see fragments.h. Plugin side. */
#include "fragments.h"

#include "roofs.h"

#include <math.h>
#include <string.h>

/* --- numbers --- */

static const struct {
    uint32_t bytes;
    int digits;        /* of the significand */
    int exponent_bits; /* 0: whole numbers */
} formats[] = {
    [NUMBER_FP64] = {8, 53, 11}, [NUMBER_FP32] = {4, 24, 8}, [NUMBER_TF32] = {4, 24, 8},
    [NUMBER_FP16] = {2, 11, 5},  [NUMBER_BF16] = {2, 8, 8},  [NUMBER_FP8] = {1, 4, 4},
    [NUMBER_INT8] = {1, 0, 0},
};

uint32_t number_bytes(int32_t number)
{
    return formats[number].bytes;
}

int number_digits(int32_t number)
{
    return number == NUMBER_TF32 ? 11 : formats[number].digits;
}

uint64_t number_bits(int32_t number, double value)
{
    const int digits = formats[number].digits;
    const int exponent_bits = formats[number].exponent_bits;
    int exponent = 0;
    if (exponent_bits == 0)
        return (uint64_t)((int64_t)value & 0xff);
    if (value == 0.0)
        return 0;
    const double fraction = frexp(fabs(value), &exponent); /* in [0.5, 1) */
    const uint64_t significand = (uint64_t)ldexp(fraction, digits);
    const uint64_t biased = (uint64_t)(exponent - 1 + (1 << (exponent_bits - 1)) - 1);
    return (uint64_t)(value < 0.0) << (exponent_bits + digits - 1) | biased << (digits - 1) |
           (significand - (UINT64_C(1) << (digits - 1)));
}

uint32_t number_scramble(uint32_t x)
{
    x ^= x >> 16;
    x *= UINT32_C(0x85ebca6b);
    x ^= x >> 13;
    x *= UINT32_C(0xc2b2ae35);
    return x ^ x >> 16;
}

/* --- fragments --- */

enum { WORDS_OF_LINE = 8 }; /* of a row of A or column of B, but for fp64 */

struct fragments fragments_of(int32_t number)
{
    if (number == NUMBER_FP64)
        return (struct fragments){number, 8, 4, 8, 1, 1, 2, sizeof(double)};
    return (struct fragments){.number = number,
                              .rows = 16,
                              .depth = WORDS_OF_LINE * 4 / number_bytes(number),
                              .columns = 8,
                              .a_words = 4,
                              .b_words = 2,
                              .c_words = 4,
                              .word_bytes = 4};
}

uint64_t fragments_bytes(const struct fragments *fragments)
{
    return (uint64_t)FRAGMENTS_LANES * fragments->word_bytes *
           (2 * fragments->a_words + FRAGMENTS_PRODUCTS * fragments->b_words);
}

/* --- elements --- */

/* From -largest to largest. */
static int64_t random_whole(const struct fragments *fragments, uint32_t index)
{
    static const int64_t largest[] = {
        [NUMBER_FP64] = 1 << 20, [NUMBER_TF32] = 511, [NUMBER_FP16] = 511,
        [NUMBER_BF16] = 127,     [NUMBER_FP8] = 15,   [NUMBER_INT8] = 126,
    };
    const int64_t top = largest[fragments->number];
    return (int64_t)(number_scramble(index) % (uint32_t)(2 * top + 1)) - top;
}

int64_t fragments_a(const struct fragments *fragments, uint32_t which, uint32_t row, uint32_t k)
{
    const int64_t first = random_whole(fragments, 1 + row * fragments->depth + k);
    const int64_t counts = fragments->number != NUMBER_FP8 && k == row % fragments->depth;
    return which == 0 ? first : counts - first;
}

int64_t fragments_b(const struct fragments *fragments, uint32_t j, uint32_t k, uint32_t column)
{
    return random_whole(fragments,
                        0x10000 + (j * fragments->depth + k) * fragments->columns + column);
}

/* --- words of lanes --- */

/* Rows of A and columns of B by lane / 4, words along them by lane % 4; A's words go to the row
 * eight further down first. */
static uint32_t line_of(const struct fragments *fragments, uint32_t lane, uint32_t word)
{
    return lane / 4 + (fragments->number == NUMBER_FP64 ? 0 : word % 2 * 8);
}

static uint64_t word_of(const struct fragments *fragments, uint32_t first_k,
                        int64_t (*element)(const struct fragments *, uint32_t, uint32_t, uint32_t),
                        uint32_t matrix, uint32_t line, int is_a)
{
    const uint32_t bytes = number_bytes(fragments->number);
    uint64_t bits = 0;
    for (uint32_t i = 0; i < fragments->word_bytes / bytes; i++) {
        const uint32_t k = first_k * (fragments->word_bytes / bytes) + i;
        const int64_t value = is_a ? element(fragments, matrix, line, k)
                                   : element(fragments, matrix, k, line);
        bits |= number_bits(fragments->number, (double)value) << 8 * bytes * i;
    }
    return bits;
}

static unsigned char *put(const struct fragments *fragments, unsigned char *at, uint64_t bits)
{
    const uint32_t half = (uint32_t)bits;
    if (fragments->word_bytes == sizeof half)
        memcpy(at, &half, sizeof half);
    else
        memcpy(at, &bits, sizeof bits);
    return at + fragments->word_bytes;
}

void fragments_fill(const struct fragments *fragments, void *words)
{
    unsigned char *at = words;
    for (uint32_t i = 0; i < 2 * FRAGMENTS_LANES; i++) {
        const uint32_t lane = i % FRAGMENTS_LANES;
        for (uint32_t word = 0; word < fragments->a_words; word++)
            at = put(fragments, at,
                     word_of(fragments, lane % 4 + word / 2 * 4, fragments_a, i / FRAGMENTS_LANES,
                             line_of(fragments, lane, word), 1));
    }
    for (uint32_t i = 0; i < FRAGMENTS_PRODUCTS * FRAGMENTS_LANES; i++) {
        const uint32_t lane = i % FRAGMENTS_LANES;
        for (uint32_t word = 0; word < fragments->b_words; word++)
            at = put(fragments, at,
                     word_of(fragments, lane % 4 + word * 4, fragments_b, i / FRAGMENTS_LANES,
                             lane / 4, 0));
    }
}

double fragments_end(const struct fragments *fragments, uint32_t j, uint32_t lane, uint32_t word,
                     uint32_t n_pairs)
{
    const uint32_t row = lane / 4 + word / 2 * 8;
    const uint32_t column = lane % 4 * 2 + word % 2;
    int64_t sum = 0;
    for (uint32_t k = 0; k < fragments->depth; k++) {
        const int64_t first = fragments_a(fragments, 0, row, k);
        const int64_t both = first + fragments_a(fragments, 1, row, k);
        sum += (n_pairs * both + first) * fragments_b(fragments, j, k, column);
    }
    return (double)sum;
}
