/*
 * verify.c - how fast an output is compared with its reference, on one core, with all metrics, the
 * histogram and the bound: gigabytes of output a second, for each format and each code path of the
 * program. usage: verify [KILOELEMENTS]...
 *
 * Of floating formats every element is wrong by one spacing, of integers none. 64 Ki elements stay
 * in the cache; beyond it memory is what counts, 18 bytes for each element of fp16 (output,
 * reference, magnitude), so the speed of reading as many bytes is printed beside it. The first
 * lines are for numbers.sh: seconds for a gigabyte of fp16 in the cache, by code path, then an
 * empty one.
 */
#include "core/verify/verify.h"
#include "core/base/number_format.h"
#include "core/base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const uint32_t formats[] = {GB_F16,  GB_BF16, GB_F8_E4M3, GB_F8_E5M2, GB_F32,
                                   GB_TF32, GB_F64,  GB_I8,      GB_I32};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };
static const char *const path_names[VERIFY_PATHS] = {"portable", "AVX2", "AVX-512"};

struct data {
    uint64_t n;
    double *reference, *magnitude, *partials, *output;
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Aligned as gb_host.allocate gives it. */
static struct data data_of(uint64_t n)
{
    struct data data = {.n = n};
    data.reference = aligned_alloc(64, n * sizeof(double));
    data.magnitude = aligned_alloc(64, n * sizeof(double));
    data.partials = aligned_alloc(64, n * sizeof(double));
    data.output = aligned_alloc(64, n * sizeof(double));
    if (!data.reference || !data.magnitude || !data.partials || !data.output) {
        fprintf(stderr, "verify: no memory for %llu elements\n", (unsigned long long)n);
        exit(1);
    }
    return data;
}

static void free_data(struct data *data)
{
    free(data->reference);
    free(data->magnitude);
    free(data->partials);
    free(data->output);
}

static void fill(struct data *data, const struct gb_format *format)
{
    for (uint64_t i = 0; i < data->n; i++) {
        double reference = 0;
        for (uint64_t j = 0; j < 4; j++) /* near enough to a normal distribution */
            reference += 16 * random_unit(1, j, i) - 8;
        double rounded = number_round(format->format, reference);
        double error = format->is_integer ? 0 : number_spacing(format->format, rounded);
        data->reference[i] = reference;
        data->magnitude[i] = 64 * (1 + random_unit(1, 4, i));
        data->partials[i] = 4096 * (1 + random_unit(1, 4, i));
        number_store(format->format, data->output, i, rounded + (i % 3 ? error : -error));
    }
}

/* The best of many: other work on the machine only ever adds. */
static double seconds_to_compare(const struct data *data, uint32_t format, bool has_noise)
{
    struct gb_check check = {.size = sizeof check,
                             .format = format,
                             .n = data->n,
                             .output = data->output,
                             .reference = data->reference,
                             .magnitude = data->magnitude,
                             .n_products = 64,
                             .accumulate = GB_F32,
                             .partial_squares = has_noise ? data->partials : NULL};
    double best = INFINITY, begin = seconds_now();
    for (int i = 0; i < 3 || seconds_now() - begin < 0.2; i++) {
        struct verify_result result;
        double before = seconds_now();
        if (verify_compare(&check, 1e-3, &result, NULL) != GB_OK)
            exit(1);
        best = fmin(best, seconds_now() - before);
    }
    return best;
}

/* Eight bytes of an element's three arrays at a time; the sum is printed so that it is computed. */
static double read_bytes_a_second(const struct data *data, double *sum)
{
    double best = INFINITY;
    for (int i = 0; i < 5; i++) {
        double before = seconds_now(), sums[8] = {0};
        for (uint64_t j = 0; j + 8 <= data->n; j += 8) {
            __builtin_prefetch(data->reference + j + 256);
            __builtin_prefetch(data->magnitude + j + 256);
            for (uint64_t lane = 0; lane < 8; lane++)
                sums[lane] += data->reference[j + lane] + data->magnitude[j + lane];
        }
        best = fmin(best, seconds_now() - before);
        *sum += sums[0] + sums[7];
    }
    return 16 * (double)data->n / best;
}

static void print_all(uint64_t n)
{
    struct data data = data_of(n);
    double sum = 0;
    printf("%llu elements, GB/s of output (ns an element, the same with noise)\n",
           (unsigned long long)n);
    for (int f = 0; f < N_FORMATS; f++) {
        const struct gb_format *format = number_format_of(formats[f]);
        fill(&data, format);
        printf("  %-6s", format->name);
        for (int path = 0; path < VERIFY_PATHS; path++) {
            if (!verify_path_is_there(path))
                continue;
            verify_use_path(path);
            double seconds = seconds_to_compare(&data, format->format, false);
            double with_noise = seconds_to_compare(&data, format->format, true);
            printf("  %s %6.2f (%.2f, %.2f)", path_names[path],
                   1e-9 * (double)(n * format->bytes) / seconds, 1e9 * seconds / (double)n,
                   1e9 * with_noise / (double)n);
        }
        printf("\n");
    }
    printf("  reading two arrays of float64: %.1f GB/s", 1e-9 * read_bytes_a_second(&data, &sum));
    printf(" (%s)\n", isfinite(sum) ? "read" : "nonsense");
    free_data(&data);
}

static void print_seconds_for_a_gigabyte(uint64_t n)
{
    struct data data = data_of(n);
    fill(&data, number_format_of(GB_F16));
    for (int path = 0; path < VERIFY_PATHS; path++) {
        if (!verify_path_is_there(path))
            continue;
        verify_use_path(path);
        printf("%s %.3f\n", path_names[path],
               seconds_to_compare(&data, GB_F16, false) / (2e-9 * (double)n));
    }
    printf("\n");
    free_data(&data);
}

int main(int argc, char **argv)
{
    const uint64_t kilo = 1024, in_cache = 64 * kilo, in_memory = 8 * kilo * kilo;
    print_seconds_for_a_gigabyte(in_cache);
    for (int i = 1; i < argc; i++)
        print_all(kilo * strtoull(argv[i], NULL, 10));
    if (argc == 1) {
        print_all(in_cache);
        print_all(in_memory);
    }
    return 0;
}
