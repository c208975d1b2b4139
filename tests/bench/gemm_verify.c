/*
 * gemm_verify.c - two figures of the benchmark gemm_verify: how fast its float64 reference is, as a
 * share of what all CPUs could do, and which faults are found by which tolerance. Exits with 1 if
 * the bound rejects a right output, misses a fault, or finds less than another. usage: gemm_verify
 * [SIZE], 0: faults only
 *
 * The peak is measured: multiply-adds in registers, on all CPUs at once. The reference's operations
 * are those of the product, 2 m n k; magnitudes, where they are computed beside it, are not
 * counted.
 */
#include "core/base/number_format.h"
#include "core/base/random.h"
#include "core/verify/verify.h"
#include "plugins/bench_gemm_verify/fault.h"
#include "plugins/bench_gemm_verify/reference.h"
#include "plugins/bench_gemm_verify/sums.h"
#include "plugins/common/all_cpus.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *take(uint64_t bytes)
{
    void *memory = calloc(1, bytes);
    if (memory == NULL) {
        fprintf(stderr, "gemm_verify: no memory\n");
        exit(1);
    }
    return memory;
}

/* --- the reference's speed --- */

enum { CHAINS = 16, STEPS = 4000000, CPUS_MAX = 1024 };

#define SPIN(name, bytes, target)                                                                  \
    static target void *name(void *ret)                                                            \
    {                                                                                              \
        double __attribute__((vector_size(bytes))) sums[CHAINS] = {0}, a = {1e-9}, b = {0.5};      \
        for (int i = 0; i < CHAINS; i++)                                                           \
            sums[i][0] = i; /* or they would all be one */                                         \
        for (int step = 0; step < STEPS; step++) {                                                 \
            _Pragma("GCC unroll 16") for (int i = 0; i < CHAINS; i++) sums[i] = sums[i] * b + a;   \
        }                                                                                          \
        __asm__ volatile("" : : "r"(sums) : "memory");                                             \
        *(double *)ret = sums[0][0];                                                               \
        return NULL;                                                                               \
    }
SPIN(spin_512, 64, FOR_AVX512)
SPIN(spin_256, 32, FOR_AVX2)
SPIN(spin_128, 16, )

static double peak(uint32_t n_cpus)
{
    pthread_t threads[CPUS_MAX];
    static double results[CPUS_MAX];
    void *(*spin)(void *) = has_avx512() ? spin_512 : has_avx2() ? spin_256 : spin_128;
    double width = has_avx512() ? 8 : has_avx2() ? 4 : 2, best = 0;
    for (int i = 0; i < 5; i++) {
        double before = seconds_now();
        for (uint32_t cpu = 0; cpu < n_cpus; cpu++) {
            if (pthread_create(&threads[cpu], NULL, spin, &results[cpu]) != 0)
                exit(1);
        }
        for (uint32_t cpu = 0; cpu < n_cpus; cpu++)
            pthread_join(threads[cpu], NULL);
        best = fmax(best, 2 * width * CHAINS * STEPS * n_cpus / (seconds_now() - before));
    }
    return best;
}

static double *uniform(uint64_t stream, uint64_t n, double low, double high)
{
    double *values = take(n * sizeof *values);
    for (uint64_t i = 0; i < n; i++)
        values[i] = (double)(float)(low + random_unit(1, stream, i) * (high - low));
    return values;
}

static void print_speed(uint64_t size)
{
    const char *const names[] = {"sums of one sign", "sums and magnitudes"};
    uint32_t n_cpus = all_cpus_count();
    double most = peak(n_cpus);
    double *sum = take(size * size * sizeof *sum), *magnitude = take(size * size * sizeof *sum);
    printf("%u CPUs: %.1f GFLOP/s in float64 at most\n", n_cpus, most / 1e9);
    for (int i = 0; i < 2; i++) {
        double *a = uniform(1, size * size, i == 0 ? 0 : -1, 1);
        double *b = uniform(2, size * size, i == 0 ? 0 : -1, 1), best = INFINITY;
        struct reference_request request = {
            .shape = {size, size, size}, .a = a, .b = b, .is_single = true, .has_one_sign = i == 0};
        for (int j = 0; j < 5; j++) {
            double before = seconds_now();
            if (reference_product(&request, sum, magnitude) != GB_OK)
                exit(1);
            best = fmin(best, seconds_now() - before);
        }
        double rate = 2 * pow((double)size, 3) / best;
        printf("  %-20s %7.1f GFLOP/s  %.1f %%\n", names[i], rate / 1e9, 100 * rate / most);
        free(a);
        free(b);
    }
    free(sum);
    free(magnitude);
}

/* --- faults against tolerances --- */

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

struct trial {
    struct product_shape shape;
    int format;
    double *a, *b, *sum, *magnitude;
    void *output, *faulty;
    struct gb_check check;
};

static bool is_far(const struct trial *trial, const void *output)
{
    for (uint64_t i = 0; i < trial->check.n; i++) {
        double before = number_load(trial->check.format, trial->output, i);
        double after = number_load(trial->check.format, output, i);
        double tolerance = verify_bound(&trial->check, trial->magnitude[i], trial->sum[i]);
        if (!(fabs(after - before) <= 2 * tolerance))
            return true;
    }
    return false;
}

static bool pytorch_passes(const struct trial *trial, const void *output)
{
    for (uint64_t i = 0; i < trial->check.n; i++) {
        double r = number_round(trial->check.format, trial->sum[i]);
        double c = number_load(trial->check.format, output, i);
        double tolerance = others[trial->format].absolute +
                           others[trial->format].relative * fabs(r);
        if (!(r == c || fabs(r - c) <= tolerance))
            return false;
    }
    return true;
}

static void judge(const struct trial *trial, int fault, struct row *row)
{
    struct verify_result result;
    struct gb_check check = trial->check;
    check.output = trial->faulty;
    if (fault != FAULT_NONE && !is_far(trial, trial->faulty))
        return;
    if (verify_compare(&check, 1e-3, &result, NULL) != GB_OK)
        exit(1);
    row->n++;
    row->found[BY_BOUND] += !verify_passes(&result, &check, VERIFY_BOUND, 1);
    row->found[BY_ROCMLIR] += !verify_passes(&result, &check, VERIFY_RMS,
                                             others[trial->format].rms) ||
                              !verify_passes(&result, &check, VERIFY_ABS, ROCMLIR_ABS);
    row->found[BY_PYTORCH] += !pytorch_passes(trial, trial->faulty);
}

/* Then no output is right. */
static bool overflows(const struct trial *trial)
{
    double largest = 0;
    for (uint64_t i = 0; i < trial->check.n; i++)
        largest = fmax(largest, fabs(trial->sum[i]));
    return largest > 0.9 * number_format_of(trial->check.format)->largest;
}

static double *inputs(uint32_t format, uint64_t stream, uint64_t n, const double range[2])
{
    double *values = uniform(stream, n, range[0], range[1]);
    for (uint64_t i = 0; i < n; i++)
        values[i] = number_round(format, values[i]);
    return values;
}

static void multiply(struct trial *trial)
{
    const struct product_shape *shape = &trial->shape;
    struct sums_request request = {
        .shape = *shape, .accumulate = ACCUMULATE_FP32, .order = ORDER_SIMD, .n_slices = 1};
    float *a = take(shape->m * shape->k * sizeof *a), *b = take(shape->n * shape->k * sizeof *b);
    double *sums = take(shape->m * shape->n * sizeof *sums);
    sums_elements(ACCUMULATE_FP32, trial->a, shape->m * shape->k, a);
    sums_elements(ACCUMULATE_FP32, trial->b, shape->n * shape->k, b);
    request.a = a;
    request.b = b;
    sums_product(&request, sums);
    number_store_array(trial->check.format, trial->output, 0, shape->m * shape->n, sums);
    trial->check.n_products = sums_steps(&request) + 1;
    free(a);
    free(b);
    free(sums);
}

static void plant_all(struct trial *trial, uint64_t seed, struct row rows[N_FAULTS])
{
    const uint32_t id = trial->check.format;
    multiply(trial);
    for (int fault = 0; fault < N_FAULTS; fault++) {
        const struct fault_request planted = {.shape = trial->shape,
                                              .fault = fault,
                                              .formats = &number_formats,
                                              .output = number_format_of(id),
                                              .a = trial->a,
                                              .b = trial->b,
                                              .place = random_bits(seed, 77, 0) >> 8};
        memcpy(trial->faulty, trial->output, trial->check.n * number_format_of(id)->bytes);
        fault_plant(&planted, trial->faulty);
        judge(trial, fault, &rows[fault]);
    }
}

static void try_all(int format, const double range[2], uint64_t k, uint64_t seed,
                    struct row rows[N_FAULTS])
{
    struct trial trial = {.shape = {48, 64, k}, .format = format};
    const uint64_t n = trial.shape.m * trial.shape.n;
    const uint32_t id = others[format].format;
    trial.a = inputs(id, 2 * seed, trial.shape.m * k, range);
    trial.b = inputs(id, 2 * seed + 1, trial.shape.n * k, range);
    trial.sum = take(n * sizeof(double));
    trial.magnitude = take(n * sizeof(double));
    trial.output = take(n * sizeof(double));
    trial.faulty = take(n * sizeof(double));
    trial.check = (struct gb_check){.size = sizeof trial.check,
                                    .format = id,
                                    .n = n,
                                    .output = trial.output,
                                    .reference = trial.sum,
                                    .magnitude = trial.magnitude,
                                    .accumulate = GB_F32};
    const struct reference_request request = {
        .shape = trial.shape, .a = trial.a, .b = trial.b, .n_threads = 1};
    if (reference_product(&request, trial.sum, trial.magnitude) != GB_OK)
        exit(1);
    if (!overflows(&trial))
        plant_all(&trial, seed, rows);
    void *const all[] = {trial.a, trial.b, trial.sum, trial.magnitude, trial.output, trial.faulty};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
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

int main(int argc, char **argv)
{
    const uint64_t size = argc > 1 ? strtoull(argv[1], NULL, 10) : 1536;
    struct row rows[N_FAULTS] = {0};
    if (size > 32768) {
        fprintf(stderr, "usage: gemm_verify [SIZE], up to 32768\n");
        return 2;
    }
    if (size > 0)
        print_speed(size);
    try_everything(rows);
    print_faults(rows);
    return bound_dominates(rows) ? 0 : 1;
}
