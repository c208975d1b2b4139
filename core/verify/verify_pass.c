/* verify_pass.c - which pass there is for a format and a processor; see verify_pass.h. */
#include "core/verify/verify_pass.h"

#include "core/base/number_format.h"

#include <float.h>
#include <math.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

static verify_pass_fn *const *const tables[VERIFY_PATHS] = {
    [VERIFY_PORTABLE] = verify_passes_portable,
#if defined(__x86_64__)
    [VERIFY_AVX2] = verify_passes_avx2,
    [VERIFY_AVX512] = verify_passes_avx512,
#endif
};

static int path_in_use = VERIFY_PATHS;

#if defined(__x86_64__)
static bool has_f16c(void)
{
    unsigned a, b, c = 0, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

bool verify_path_is_there(int path)
{
    if (path == VERIFY_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("popcnt") && has_f16c();
    if (path == VERIFY_AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("popcnt") && has_f16c();
    return path == VERIFY_PORTABLE;
}
#else
bool verify_path_is_there(int path)
{
    return path == VERIFY_PORTABLE;
}
#endif

void verify_use_path(int path)
{
    path_in_use = path;
}

/* Found once: on a virtual machine asking the processor takes longer than comparing 10,000 numbers.
 */
static int best_path(void)
{
    static int best = VERIFY_PATHS;
    if (best == VERIFY_PATHS) {
        int path = VERIFY_PATHS - 1;
        while (!verify_path_is_there(path))
            path--;
        best = path;
    }
    return best;
}

verify_pass_fn *verify_pass_for(uint32_t format, bool *ret_reads_output)
{
    static const int kinds[] = {
        [GB_F64] = PASS_F64,      [GB_F32] = PASS_F32,   [GB_TF32] = PASS_F32,
        [GB_F16] = PASS_F16,      [GB_BF16] = PASS_BF16, [GB_F8_E4M3] = PASS_E4M3,
        [GB_F8_E5M2] = PASS_E5M2, [GB_I8] = PASS_I8,     [GB_I32] = PASS_I32,
        [GB_U64] = PASS_DOUBLES,
    };
    verify_pass_fn *const *table = tables[path_in_use < VERIFY_PATHS ? path_in_use : best_path()];
    *ret_reads_output = false;
    if (format == GB_I64 || format == GB_U64) /* doubles do not hold their differences */
        return NULL;
    *ret_reads_output = kinds[format] != PASS_DOUBLES && table[kinds[format]];
    return table[*ret_reads_output ? kinds[format] : PASS_DOUBLES];
}

/* The least relative difference of two numbers is that of a power of two and the one below it. */
static int count_implied_edges(const struct gb_format *format)
{
    int n = 0;
    while (!format->is_integer && n < VERIFY_EDGES - 1 &&
           verify_edges[n] <= ldexp(1, -format->digits))
        n++;
    return n;
}

struct pass_format verify_pass_format(const struct gb_check *check, double rel_floor)
{
    enum { DOUBLE_DIGITS = 53, INTEGER_BINADE = 40 };
    const struct gb_format *format = number_format_of(check->format);
    int least = format->is_integer ? INTEGER_BINADE : format->min_exponent;
    int digits = format->is_integer ? INTEGER_BINADE + 1 : format->digits;
    int n_implied = count_implied_edges(format);
    bool has_close = n_implied + 1 < VERIFY_EDGES;
    struct pass_format ret = {
        .least = ldexp(1, least),
        .lift = (uint64_t)(DOUBLE_DIGITS - digits),
        .ulp_unit = ldexp(1, 1 - digits),
        .smallest = number_spacing(check->format, 0),
        .limit = fmin(format->largest, 0x1p900),
        .rel_floor = fmax(rel_floor, 0),
        .n_implied = n_implied,
        .open_edge = verify_edges[n_implied] * (check->format == GB_F64 ? 1 : 1 - 0x1p-50),
        .close_edge = has_close ? verify_edges[n_implied + 1] * (1 - 0x1p-50) : DBL_MAX,
        /* |r - c| is below 2^34 of the smallest subnormals then, |r| has three or four digits. */
        .ties = format->bytes == 1 && !format->is_integer ? 1 + 0x1p-40 : 1,
        .factors = bound_factors_of(check),
    };
    ret.rough_rounding = ret.factors.smallest / ret.least;
    if (!format->is_integer)
        ret.rough_rounding = fmin(ret.rough_rounding, ret.factors.rounding);
    ret.noise = noise_factors_of(check);
    ret.has_bound = check->magnitude && check->n_products > 0 && isfinite(ret.factors.sum);
    ret.has_noise = ret.has_bound && GB_HAS(check, partial_squares) && check->partial_squares;
    return ret;
}

bool verify_pass_holds(const struct pass_format *format, const struct pass_totals *totals)
{
    /* What is not finite makes the sum so. */
    return isfinite(totals->sum_of_squares) && totals->largest_exact <= format->limit &&
           totals->largest_output <= format->limit && !totals->out_of_range;
}
