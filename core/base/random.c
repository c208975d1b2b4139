/* random.c - see random.h. */
#include "core/base/random.h"

#include "core/base/number_format.h"

#include <fenv.h>
#include <math.h>

void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t ret[4])
{
    enum { ROUNDS = 10 };
    uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3];
    uint32_t key0 = key[0], key1 = key[1];
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t product_a = (uint64_t)0xD2511F53u * a;
        uint64_t product_c = (uint64_t)0xCD9E8D57u * c;
        a = (uint32_t)(product_c >> 32) ^ b ^ key0;
        b = (uint32_t)product_c;
        c = (uint32_t)(product_a >> 32) ^ d ^ key1;
        d = (uint32_t)product_a;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    ret[0] = a;
    ret[1] = b;
    ret[2] = c;
    ret[3] = d;
}

uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t index)
{
    const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)stream,
                                 (uint32_t)(stream >> 32)};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t words[4];
    philox4x32(counter, key, words);
    return words[0] | (uint64_t)words[1] << 32;
}

double random_unit(uint64_t seed, uint64_t stream, uint64_t index)
{
    return (double)(random_bits(seed, stream, index) >> 11) * 0x1p-53;
}

uint64_t random_below(uint64_t seed, uint64_t stream, uint64_t index, uint64_t n)
{
    if (n == 0)
        return random_bits(seed, stream, index);
    for (uint64_t draw = 0;; draw++) {
        uint64_t bits = random_bits(seed, stream + draw * 0x9E3779B97F4A7C15u, index);
        unsigned __int128 product = (unsigned __int128)bits * n;
        uint64_t low = (uint64_t)product;
        if (low >= n || low >= -n % n)
            return (uint64_t)(product >> 64);
    }
}

/* Whole numbers first, first + 1, ..., last as two's complement: right for int64 and uint64. */
struct whole_range {
    uint64_t first;
    uint64_t count; /* 0: 2^64 */
};

static uint64_t to_whole(double value)
{
    return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

static int32_t whole_range_of(const struct gb_fill *fill, struct whole_range *ret)
{
    const struct gb_format *format = number_format_of(fill->format);
    double low = ceil(fill->low), high = floor(fill->high);
    double most = format->is_integer ? format->largest : 0x1p53;
    bool is_signed = fill->format == GB_I8 || fill->format == GB_I32 || fill->format == GB_I64;
    double least = !format->is_integer ? -0x1p53 : is_signed ? -ldexp(1, format->digits) : 0;
    bool above = format->is_integer && format->digits > 53 ? high >= most : high > most;
    if (low > high || low < least || above)
        return GB_INVALID;
    ret->first = to_whole(low);
    ret->count = to_whole(high) - ret->first + 1;
    return GB_OK;
}

enum { BLOCK = 256 };

/* 64-bit integers do not pass through a double. */
static void fill_whole64(uint64_t seed, uint64_t *data, uint64_t n, const struct gb_fill *fill,
                         const struct whole_range *range)
{
    for (uint64_t i = 0; i < n; i++)
        data[i] = range->first + random_below(seed, fill->stream, i, range->count);
}

static int32_t fill_whole(uint64_t seed, void *data, uint64_t n, const struct gb_fill *fill)
{
    struct whole_range range;
    int32_t status = whole_range_of(fill, &range);
    if (status != GB_OK)
        return status;
    if (fill->format == GB_I64 || fill->format == GB_U64) {
        fill_whole64(seed, data, n, fill, &range);
        return GB_OK;
    }
    double values[BLOCK];
    for (uint64_t first = 0; first < n; first += BLOCK) {
        uint64_t part = n - first < BLOCK ? n - first : BLOCK;
        for (uint64_t i = 0; i < part; i++) {
            uint64_t draw = random_below(seed, fill->stream, first + i, range.count);
            values[i] = (double)(int64_t)(range.first + draw);
        }
        number_store_array(fill->format, data, first, part, values);
    }
    return GB_OK;
}

static int32_t fill_real(uint64_t seed, void *data, uint64_t n, const struct gb_fill *fill)
{
    double span = fill->high - fill->low;
    if (!isfinite(span))
        return GB_INVALID;
    double values[BLOCK];
    for (uint64_t first = 0; first < n; first += BLOCK) {
        uint64_t part = n - first < BLOCK ? n - first : BLOCK;
        for (uint64_t i = 0; i < part; i++)
            values[i] = fma(random_unit(seed, fill->stream, first + i), span, fill->low);
        number_store_array(fill->format, data, first, part, values);
    }
    return GB_OK;
}

int32_t random_fill(uint64_t seed, void *data, uint64_t n, const struct gb_fill *fill)
{
    const struct gb_format *format = number_format_of(fill->format);
    if (!format || !isfinite(fill->low) || !isfinite(fill->high) || fill->low > fill->high)
        return GB_INVALID;
    fenv_t environment;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    int32_t status = format->is_integer || fill->integral ? fill_whole(seed, data, n, fill)
                                                          : fill_real(seed, data, n, fill);
    fesetenv(&environment);
    return status;
}
