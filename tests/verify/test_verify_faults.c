/*
 * test_verify_faults.c - a right matrix product passes the automatic bound, in every format and
 * range, and one with a fault in it does not, whatever part of it is wrong.
 */
#include "core/base/number_format.h"
#include "core/base/random.h"
#include "tests/verify/verify_fixture.h"

#include <string.h>

enum { M = 12, N = 20, K = 64, STEP = 8 };

static const struct {
    double low, high;
} ranges[] = {{-1, 1}, {-10, 10}, {1, 5}, {5, 10}};

static const uint32_t formats[] = {GB_F32, GB_F16, GB_BF16};

struct product {
    double a[M][K], b[K][N];
    double reference[M][N], magnitude[M][N];
    double output[M][N]; /* as computed, in fp32, before it is rounded to the format */
};

/* Inputs as the format holds them; all sums in fp32 but the reference's. */
static void multiply(uint64_t seed, uint32_t format, int range, struct product *ret)
{
    double low = ranges[range].low, width = ranges[range].high - low;
    for (uint64_t i = 0; i < (uint64_t)M * K; i++)
        (&ret->a[0][0])[i] = number_round(format, low + width * random_unit(seed, 0, i));
    for (uint64_t i = 0; i < (uint64_t)K * N; i++)
        (&ret->b[0][0])[i] = number_round(format, low + width * random_unit(seed, 1, i));
    for (int m = 0; m < M; m++) {
        for (int n = 0; n < N; n++) {
            float sum = 0;
            ret->reference[m][n] = ret->magnitude[m][n] = 0;
            for (int k = 0; k < K; k++) {
                double product = ret->a[m][k] * ret->b[k][n];
                ret->reference[m][n] += product;
                ret->magnitude[m][n] += fabs(product);
                sum += (float)product;
            }
            ret->output[m][n] = (double)sum;
        }
    }
}

enum { ROW = 5, COLUMN = 7 };
enum { DROPPED, SKIPPED, STALE, SWAPPED, UNWRITTEN, SCALED, IS_NAN, IS_INFINITE, ZERO, FAULTS };
static const char *const fault_names[FAULTS] = {
    "dropped product", "skipped k step", "stale tile", "swapped rows",
    "unwritten",       "wrong scale",    "nan",        "inf",
    "all zero"};

static void plant(int fault, struct product *product)
{
    double *at = &product->output[ROW][COLUMN], most = 0, row[N];
    switch (fault) {
    case DROPPED: /* the one of most weight, as that changes the result by more than rounding */
        for (int k = 0; k < K; k++) {
            double dropped = product->a[ROW][k] * product->b[k][COLUMN];
            most = fabs(dropped) > fabs(most) ? dropped : most;
        }
        *at -= most;
        break;
    case SKIPPED:
        for (int k = K - STEP; k < K; k++)
            *at -= product->a[ROW][k] * product->b[k][COLUMN];
        break;
    case STALE:
        for (int m = 0; m < 4; m++)
            memcpy(&product->output[ROW + m - 1][4], &product->output[0][0], 4 * sizeof(double));
        break;
    case SWAPPED:
        memcpy(row, product->output[2], sizeof row);
        memcpy(product->output[2], product->output[3], sizeof row);
        memcpy(product->output[3], row, sizeof row);
        break;
    case UNWRITTEN:
        product->output[M - 1][N - 1] = 0;
        break;
    case SCALED:
        for (int i = 0; i < M * N; i++)
            (&product->output[0][0])[i] *= 1.0625;
        break;
    case IS_NAN:
    case IS_INFINITE:
        *at = fault == IS_NAN ? NAN : INFINITY;
        break;
    case ZERO:
        memset(product->output, 0, sizeof product->output);
    }
}

static bool passes(const struct product *product, uint32_t format, double *ret_value)
{
    double rounded[M * N];
    number_store_array(format, rounded, 0, (uint64_t)M * N, &product->output[0][0]);
    struct gb_check check = check_of(format, (uint64_t)M * N, rounded, &product->reference[0][0]);
    check.magnitude = &product->magnitude[0][0];
    check.n_products = K;
    check.accumulate = GB_F32;
    struct verify_result result = compare(&check);
    *ret_value = result.metrics[VERIFY_BOUND].value;
    return verify_passes(&result, &check, VERIFY_BOUND, 1);
}

TEST_EACH(right_products_pass, ranges)
{
    static struct product product;
    for (int f = 0; f < COUNT(formats); f++) {
        for (uint64_t seed = 0; seed < 40; seed++) {
            double value;
            multiply(seed, formats[f], _i, &product);
            ck_assert_msg(passes(&product, formats[f], &value), "%g of the bound", value);
            ck_assert_double_gt(value, 0);
        }
    }
}

TEST_TIMES(planted_fault_is_caught, FAULTS)
{
    static struct product product;
    for (int f = 0; f < COUNT(formats); f++)
        for (int range = 0; range < COUNT(ranges); range++)
            for (uint64_t seed = 0; seed < 10; seed++) {
                double value;
                /* Then the largest of 64 products may be less than half a spacing of their sum. */
                if (_i == DROPPED && formats[f] == GB_BF16 && ranges[range].low > 0)
                    continue;
                multiply(seed, formats[f], range, &product);
                plant(_i, &product);
                ck_assert_msg(!passes(&product, formats[f], &value),
                              "%s passes with %g of the bound: %s, %g..%g, seed %d",
                              fault_names[_i], value, number_format_of(formats[f])->name,
                              ranges[range].low, ranges[range].high, (int)seed);
            }
}
