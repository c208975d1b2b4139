/*
 * gemm_verify.c - which faults of the benchmark gemm_verify are found by which tolerance. Exits
 * with 1 if the bound rejects a right output, misses a fault, or finds less than another.
 */
#include "core/base/number_format.h"
#include "core/base/random.h"
#include "core/verify/verify.h"
#include "plugins/bench_gemm_verify/fault.h"
#include "plugins/bench_gemm_verify/reference.h"
#include "plugins/bench_gemm_verify/sums.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const faults[] = {
    "none",         "dropped_product", "skipped_k_step", "stale_tile",
    "swapped_rows", "unwritten",       "wrong_scale",    "nan",
    "inf",          "all_zero"};
enum { N_FAULTS = sizeof faults / sizeof faults[0] };

/* Tolerances of others: rocMLIR's for the root mean square and the absolute difference, and those
 * of PyTorch's assert_close, |c - r| <= absolute + relative |r|. */
static const struct {
    uint32_t format;
    double rms, relative, absolute;
} others[] = {
    {GB_F16, 1e-3, 1e-3, 1e-5}, {GB_BF16, 1e-3, 1.6e-2, 1e-5}, {GB_F32, 3e-5, 1.3e-6, 1e-5}};
enum { N_FORMATS = sizeof others / sizeof others[0] };
static const double ROCMLIR_ABS = 100;

static const double ranges[][2] = {{-1, 1}, {-10, 10}, {1, 5}, {5, 10}};
enum { N_RANGES = sizeof ranges / sizeof ranges[0] };
static const struct {
    uint64_t k, repeats;
} lengths[] = {{16, 4}, {64, 4}, {256, 4}, {600, 4}, {4096, 1}, {16384, 1}};
enum { N_LENGTHS = sizeof lengths / sizeof lengths[0] };

enum { BY_BOUND, BY_ROCMLIR, BY_PYTORCH, N_TOLERANCES };

struct row {
    uint64_t n, found[N_TOLERANCES];
};

/* One product: its inputs, its reference and its output, right and with a fault. */
enum { M = 48, N = 64, K_MOST = 16384 };
static double a[M * K_MOST], b[N * K_MOST], sum[M * N], magnitude[M * N];
static double output[M * N], faulty[M * N];
static struct gb_check check;

static bool is_far(void)
{
    for (uint64_t i = 0; i < M * N; i++) {
        double before = number_load(check.format, output, i);
        double after = number_load(check.format, faulty, i);
        if (!(fabs(after - before) <= 2 * verify_bound(&check, magnitude[i], sum[i])))
            return true;
    }
    return false;
}

static bool pytorch_passes(int format)
{
    for (uint64_t i = 0; i < M * N; i++) {
        double r = number_round(check.format, sum[i]);
        double c = number_load(check.format, faulty, i);
        double tolerance = others[format].absolute + others[format].relative * fabs(r);
        if (!(r == c || fabs(r - c) <= tolerance))
            return false;
    }
    return true;
}

static void judge(int format, int fault, struct row *row)
{
    struct verify_result result;
    if (fault != FAULT_NONE && !is_far())
        return;
    if (verify_compare(&check, 1e-3, &result, NULL) != GB_OK)
        exit(1);
    row->n++;
    row->found[BY_BOUND] += !verify_passes(&result, &check, VERIFY_BOUND, 1);
    row->found[BY_ROCMLIR] += !verify_passes(&result, &check, VERIFY_RMS, others[format].rms) ||
                              !verify_passes(&result, &check, VERIFY_ABS, ROCMLIR_ABS);
    row->found[BY_PYTORCH] += !pytorch_passes(format);
}

/* Then no output is right. */
static bool overflows(void)
{
    double largest = 0;
    for (uint64_t i = 0; i < M * N; i++)
        largest = fmax(largest, fabs(sum[i]));
    return largest > 0.9 * number_format_of(check.format)->largest;
}

static void fill(double *values, uint64_t stream, uint64_t n, const double range[2])
{
    for (uint64_t i = 0; i < n; i++) {
        double value = range[0] + random_unit(1, stream, i) * (range[1] - range[0]);
        values[i] = number_round(check.format, (float)value);
    }
}

static void multiply(uint64_t k)
{
    static float single_a[M * K_MOST], single_b[N * K_MOST];
    double sums[M * N];
    struct sums_request request = {.shape = {M, N, k},
                                   .a = single_a,
                                   .b = single_b,
                                   .accumulate = ACCUMULATE_FP32,
                                   .order = ORDER_SIMD,
                                   .n_slices = 1};
    sums_elements(ACCUMULATE_FP32, a, M * k, single_a);
    sums_elements(ACCUMULATE_FP32, b, N * k, single_b);
    sums_product(&request, sums);
    number_store_array(check.format, output, 0, M * N, sums);
    check.n_products = sums_steps(&request) + 1;
}

static void try_all(int format, const double range[2], uint64_t k, uint64_t seed,
                    struct row rows[N_FAULTS])
{
    const struct reference_request request = {.shape = {M, N, k}, .a = a, .b = b, .n_threads = 1};
    check = (struct gb_check){.size = sizeof check,
                              .format = others[format].format,
                              .n = M * N,
                              .output = faulty,
                              .reference = sum,
                              .magnitude = magnitude,
                              .accumulate = GB_F32};
    fill(a, 2 * seed, M * k, range);
    fill(b, 2 * seed + 1, N * k, range);
    if (reference_product(&request, sum, magnitude) != GB_OK)
        exit(1);
    if (overflows())
        return;
    multiply(k);
    for (int fault = 0; fault < N_FAULTS; fault++) {
        const struct fault_request planted = {.shape = {M, N, k},
                                              .fault = fault,
                                              .formats = &number_formats,
                                              .output = number_format_of(check.format),
                                              .a = a,
                                              .b = b,
                                              .place = random_bits(seed, 77, 0) >> 8};
        memcpy(faulty, output, sizeof output);
        fault_plant(&planted, faulty);
        judge(format, fault, &rows[fault]);
    }
}

static void try_everything(struct row rows[N_FAULTS])
{
    uint64_t seed = 0;
    for (int format = 0; format < N_FORMATS; format++) {
        for (int range = 0; range < N_RANGES; range++) {
            for (int i = 0; i < N_LENGTHS; i++) {
                for (uint64_t repeat = 0; repeat < lengths[i].repeats; repeat++)
                    try_all(format, ranges[range], lengths[i].k, seed++, rows);
            }
        }
    }
}

/* No right output is rejected, no fault missed, and no other tolerance finds more. */
static bool bound_dominates(const struct row rows[N_FAULTS])
{
    bool dominates = rows[FAULT_NONE].found[BY_BOUND] == 0;
    for (int i = FAULT_NONE + 1; i < N_FAULTS; i++) {
        dominates = dominates && rows[i].n > 0 && rows[i].found[BY_BOUND] == rows[i].n;
        for (int other = BY_BOUND + 1; other < N_TOLERANCES; other++)
            dominates = dominates && rows[i].found[BY_BOUND] >= rows[i].found[other];
    }
    return dominates;
}

static void print_faults(const struct row rows[N_FAULTS])
{
    printf("Found wrong, of outputs changed by more than rounding (none: of right ones), in fp16,\n"
           "bf16 and fp32, inputs -1..1, -10..10, 1..5 and 5..10, sums of 16 to 16384 products:\n");
    printf("  %-16s %6s %8s %9s %9s\n", "fault", "cases", "bound", "rocMLIR", "PyTorch");
    for (int i = 0; i < N_FAULTS; i++)
        printf("  %-16s %6llu %8llu %9llu %9llu\n", faults[i], (unsigned long long)rows[i].n,
               (unsigned long long)rows[i].found[BY_BOUND],
               (unsigned long long)rows[i].found[BY_ROCMLIR],
               (unsigned long long)rows[i].found[BY_PYTORCH]);
}

int main(void)
{
    struct row rows[N_FAULTS] = {0};
    try_everything(rows);
    print_faults(rows);
    return bound_dominates(rows) ? 0 : 1;
}
